import { insertInto, type Statement, statement } from '../db/statement.ts'
import { newId } from '../ids.ts'
import { HOUR_MS } from '../time-units.ts'
import { createToken, hashToken } from '../token.ts'
import { signInLink } from './table.ts'

/** The time for which a link is valid. One that is not opened soon may be opened by somebody else. */
const LINK_MS_MAX = HOUR_MS

export interface NewLink {
  id: string
  user: string
  token: string
  createdAt: number
  expiresAt: number
  statement: Statement
}

export interface LinkTarget {
  team: number
  user: string
  /** Null if a command of the operator creates it. */
  createdBy: string | null
}

export async function buildLink({ team, user, createdBy }: LinkTarget, now: number): Promise<NewLink> {
  const token = createToken(team, 'link')
  const shown = { id: newId(now), user, createdAt: now, expiresAt: now + LINK_MS_MAX }
  const row = { ...shown, team, hash: await hashToken(token), createdBy }
  return { ...shown, token, statement: statement(insertInto(signInLink, row)) }
}

/** Formats the address of a link. The part after `#` is never sent to a server, so it is in no log. The page posts it. */
export const formatLinkAddress = (origin: string, token: string): string => `${origin}/admin/sign-in#${token}`
