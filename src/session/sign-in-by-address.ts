import type { Db } from '../db/client.ts'
import { isGuardFailure } from '../db/guard.ts'
import { guardActiveUser, selectActiveUser, USER_GONE } from './active-users.ts'
import { type BrowserVisit, type NewSession, startSession } from './operations.ts'

interface Person {
  /** The short id of the team, chosen by them. */
  team: string
  email: string
  /** The hash of what they have proven it by, where that is for one session. */
  challenge?: string
}

/**
 * Somebody else has verified the address; here it must be that of an active user. The team is named by the caller: an address
 * can be in several, and which was meant must not depend on the order in which they were made.
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
 * An address as it is compared: only the letters of ASCII are made small, as addresses of users have no others. Unicode has
 * letters whose small form is one of ASCII (the Kelvin sign), so somebody else's address would become that of a user.
 */
export const comparableEmail = (claim: unknown): string | undefined =>
  typeof claim === 'string' && /^[\x21-\x7e]+$/.test(claim) ? claim.toLowerCase() : undefined
