import type { Db } from '../db/client.ts'
import { isGuardFailure } from '../db/guard.ts'
import type { Statement } from '../db/statement.ts'
import { write } from '../db/write.ts'
import { AppError, notFound } from '../errors.ts'
import { newId, UUID } from '../ids.ts'
import type { May } from '../permissions.ts'
import { requireGrantable } from '../roles.ts'
import type { Scope } from '../scope.ts'
import { guardNotSuspended, TEAM_SUSPENDED, teamSuspendedError } from '../team-status/suspension.ts'
import { createToken, hashToken, readToken } from '../token.ts'
import { getUser } from '../user/operations.ts'
import { requireUser } from '../user/reference.ts'
import { writeAccess } from '../user/write-access.ts'
import { buildLink, type LinkTarget, type NewLink } from './new-link.ts'
import type { OfUserQuery, Session, SessionsQuery } from './schema.ts'
import { SESSION_MS_MAX } from './session-rules.ts'
import {
  endSession,
  endSessionByHash,
  findSession,
  guardLink,
  guardRole,
  insertSession,
  LINK_SPENT,
  type LinkRow,
  listSessionRows,
  ROLE_CHANGED,
  type SessionRow,
  selectLink,
  useLink,
} from './store.ts'

const AGENT_CHARACTERS_MAX = 200

/** The request of a browser that signs in. */
export interface BrowserVisit {
  now: number
  agent: string
  /** The token of the session that it has so far, which ends. */
  previous: string | undefined
}

export interface NewSession {
  row: SessionRow
  token: string
}

/** Finds a link that can be used; undefined if nobody has made it. */
export async function findUsableLink(db: Db, token: string, now: number): Promise<LinkRow | undefined> {
  const stored = await readToken(token, 'link')
  if (!stored) return undefined
  const [[link]] = await db.read(selectLink(stored))
  if (!link) return undefined
  if (!link.isActive) throw linkRefusedError('the user of this link was deactivated')
  if (link.usedAt !== null) throw linkRefusedError('this link was used before')
  if (link.expiresAt <= now) throw linkRefusedError('this link has expired')
  if (link.teamSuspendedAt !== null) throw teamSuspendedError()
  return link
}

/** Signs in by a link; undefined if nobody has made it. If two use it at the same time, one of them signs in. */
export async function signInByLink(db: Db, token: string, visit: BrowserVisit): Promise<NewSession | undefined> {
  const link = await findUsableLink(db, token, visit.now)
  if (!link) return undefined
  try {
    return await startSession(db, { team: link.team, user: link.user, method: 'link' }, visit, {
      guards: [guardLink(link, visit.now)],
      alongside: [useLink(link, visit.now)],
    })
  } catch (error) {
    if (isGuardFailure(error, LINK_SPENT)) throw linkRefusedError('this link was used before', error)
    throw error
  }
}

export const linkRefusedError = (message: string, cause?: unknown): AppError =>
  new AppError(
    'unauthenticated',
    [
      {
        message,
        path: '/body/link',
        hint: 'a link works once, for an hour: ask an admin of your team for another one',
      },
    ],
    cause,
  )

interface SignInResult {
  team: number
  user: string
  method: Session['method']
  /** The hash of the challenge that was answered. A second session with it is a unique violation. */
  challenge?: string | null
}

/**
 * Starts a session, always a new one with a new token: a cookie that somebody has planted before is worthless. For a
 * suspended team nothing is used up: the same link, passkey or answer of a provider signs in after it is resumed.
 */
export async function startSession(
  db: Db,
  { team, user, method, challenge = null }: SignInResult,
  { now, agent, previous }: BrowserVisit,
  { guards, alongside }: { guards: Statement[]; alongside: Statement[] },
): Promise<NewSession> {
  const token = createToken(team, 'session')
  const row: SessionRow = {
    id: newId(now),
    team,
    user,
    hash: await hashToken(token),
    method,
    agent: agent.slice(0, AGENT_CHARACTERS_MAX),
    createdAt: now,
    lastUsedAt: now,
    expiresAt: now + SESSION_MS_MAX,
    endedAt: null,
    challenge,
  }
  const ended = previous === undefined ? undefined : await readToken(previous, 'session')
  const end = ended ? [endSessionByHash(ended, now)] : []
  const effect = [insertSession(row), ...alongside, ...end] as const
  try {
    await write({ db, idempotency: null }, { guards: [guardNotSuspended(team), ...guards], effect, outcome: null })
  } catch (error) {
    throw isGuardFailure(error, TEAM_SUSPENDED) ? teamSuspendedError(error) : error
  }
  return { row, token }
}

/** Ends a session. Returns whether there was one. */
export async function signOut(db: Db, token: string, now: number): Promise<boolean> {
  const stored = await readToken(token, 'session')
  if (!stored) return false
  const [ended] = await write({ db, idempotency: null }, { effect: [endSessionByHash(stored, now)], outcome: null })
  return ended.changes > 0
}

export async function getSession(scope: Scope, id: string): Promise<SessionRow> {
  const row = UUID.test(id) ? await findSession(scope, id.toLowerCase()) : undefined
  if (!row) throw notFound(`session ${id}`)
  return row
}

/** Reads a page of the caller's own sessions, or, with the permission `key:read`, of those of the whole team. */
export async function readSessionsPage(scope: Scope, query: SessionsQuery, may: May) {
  const user = readableUser(scope, query, may)
  const rows = await listSessionRows(scope, user, query)
  if (rows.length === 0 && user !== undefined) await requireUser(scope, user, '/query/user')
  return { rows: rows.slice(0, query.limit), hasMore: rows.length > query.limit }
}

/** Returns the user to whom a caller's query is limited; undefined for all. */
export function readableUser(scope: Scope, { user }: OfUserQuery, may: May): string | undefined {
  if (may('key:read')) return user
  if (user === undefined || user === scope.user.id) return scope.user.id
  throw new AppError('permission_denied', [
    {
      message: 'of other users only with the permission key:read',
      path: '/query/user',
      detail: { permission: 'key:read' },
    },
  ])
}

/**
 * Refuses to end what belongs to another user without the permission: for this caller it does not exist. Their own things
 * can be ended only in a session: a key that may only read acts for a user, too, and must not lock them out.
 */
export function requireMayEnd({ user, origin }: Scope, owner: string, may: May, what: string): void {
  if (may('key:write')) return
  if (owner !== user.id) throw notFound(what)
  if (!('session' in origin))
    throw new AppError('permission_denied', [
      { message: 'an API key needs the permission key:write for this', detail: { permission: 'key:write' } },
    ])
}

export async function endOneSession(scope: Scope, id: string, may: May): Promise<SessionRow> {
  const row = await getSession(scope, id)
  requireMayEnd(scope, row.user, may, `session ${id}`)
  if (row.endedAt !== null) return row
  await write(scope, { effect: [endSession(scope, row.id)], outcome: null })
  return { ...row, endedAt: scope.now }
}

/** A link that was issued. What is stored for a replay is without its token. */
export type IssuedLink = Omit<NewLink, 'token' | 'statement'> & { token: string | null }

export async function createSignInLink(scope: Scope, userId: string, may: May): Promise<IssuedLink> {
  const { row: user } = await getUser(scope, userId)
  requireGrantable(user.role, may, '/path/userId')
  const refused = (message: string, cause?: unknown) =>
    new AppError('conflict', [{ message, path: '/path/userId' }], cause)
  if (!user.isActive) throw refused(`the user ${user.id} was deactivated`)
  const of = { team: scope.team.no, user: user.id, createdBy: scope.user.id }
  const { token, statement, ...shown } = await buildLink(of, scope.now)
  try {
    await writeAccess(
      scope,
      {
        guards: [guardRole(scope, user)],
        effect: [statement],
        outcome: { json: JSON.stringify({ ...shown, token: null }) },
      },
      may,
    )
  } catch (error) {
    if (isGuardFailure(error, ROLE_CHANGED)) throw refused('the access of this user was changed in between', error)
    throw error
  }
  return { ...shown, token }
}

/** Makes a link for the operator of the installation. */
export async function issueLink(db: Db, of: LinkTarget, now: number): Promise<IssuedLink> {
  const { token, statement, ...shown } = await buildLink(of, now)
  await write({ db, idempotency: null }, { effect: [statement], outcome: null })
  return { ...shown, token }
}
