import type { Db } from '../db/client.ts'
import { isGuardFailure } from '../db/guard.ts'
import { guardActiveUser, selectActiveUser, USER_GONE } from './active-users.ts'
import { type BrowserVisit, type NewSession, startSession } from './operations.ts'

interface Person {
  /** The short id of the team that they chose. */
  team: string
  email: string
  /** The hash of their proof, if it is good for one session. */
  challenge?: string
}

/**
 * Signs in a person whose address somebody else has verified. It must be that of an active user. The caller names the team:
 * an address can be in several, and which one is meant must not depend on the order in which they were created.
 */
export async function signInByAddress(
  db: Db,
  { team, email, challenge }: Person,
  visit: BrowserVisit,
): Promise<NewSession | undefined> {
  const [[found]] = await db.read(selectActiveUser(team, email))
  if (!found) return undefined
  const signedIn = { team: found.team, user: found.id, method: 'openid', challenge: challenge ?? null } as const
  try {
    return await startSession(db, signedIn, visit, { guards: [guardActiveUser(found)], alongside: [] })
  } catch (error) {
    if (isGuardFailure(error, USER_GONE)) return undefined
    throw error
  }
}

/**
 * Converts an address into the form that is compared. Only letters of ASCII become small, because addresses of users have no
 * others: Unicode has letters whose small form is in ASCII (the Kelvin sign), so another address would become a user's.
 */
export const toComparableEmail = (claim: unknown): string | undefined =>
  typeof claim === 'string' && /^[\x21-\x7e]+$/.test(claim) ? claim.toLowerCase() : undefined
