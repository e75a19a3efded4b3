import { and, eq, gt, isNull, sql } from 'drizzle-orm'
import { guard } from '../db/guard.ts'
import { assignments, insertInto, type RowOf, type Statement, select, selectRow, statement } from '../db/statement.ts'
import type { Scope } from '../scope.ts'
import { team } from '../team/table.ts'
import type { StoredToken } from '../token.ts'
import { user } from '../user/table.ts'
import type { SessionsQuery } from './schema.ts'
import { SESSION_IDLE_MS_MAX } from './session-rules.ts'
import { session, signInLink } from './table.ts'

export type SessionRow = typeof session.$inferSelect

const LINK_FIELDS = {
  id: signInLink.id,
  team: signInLink.team,
  user: signInLink.user,
  expiresAt: signInLink.expiresAt,
  usedAt: signInLink.usedAt,
  displayName: user.displayName,
  teamShortId: team.shortId,
  teamName: team.name,
  teamSuspendedAt: team.suspendedAt,
  isActive: sql<number>`${user.isActive} AND ${user.deletedAt} IS NULL`,
}
export type LinkRow = RowOf<typeof LINK_FIELDS>

const linksOfUsers = sql`${signInLink} JOIN ${user} ON ${user.id} = ${signInLink.user} AND +${user.team} = ${signInLink.team}
  JOIN ${team} ON ${team.no} = ${signInLink.team}`

/** Selects a link, which itself proves the team. */
export const selectLink = ({ team: no, hash }: StoredToken): Statement<LinkRow> =>
  select(LINK_FIELDS, sql`FROM ${linksOfUsers} WHERE ${signInLink.hash} = ${hash} AND +${signInLink.team} = ${no}`)

export const LINK_SPENT = 'the link was used, has expired, or its user was deactivated'

export const guardLink = ({ id }: LinkRow, now: number): Statement =>
  guard(
    LINK_SPENT,
    sql`EXISTS (SELECT 1 FROM ${linksOfUsers} WHERE ${signInLink.id} = ${id} AND ${signInLink.usedAt} IS NULL
      AND ${signInLink.expiresAt} > ${now} AND ${user.isActive} AND ${user.deletedAt} IS NULL)`,
  )

export const useLink = ({ id, team }: LinkRow, now: number): Statement =>
  statement(sql`UPDATE ${signInLink} SET ${assignments(signInLink, { usedAt: now })}
    WHERE ${signInLink.id} = ${id} AND ${signInLink.team} = ${team}`)

export const insertSession = (row: SessionRow): Statement => statement(insertInto(session, row))

export const ROLE_CHANGED = 'the access of the user was changed in between'

/** Fails the transaction if the role has changed: whoever makes a link must be allowed to grant the role that the user has then. */
export const guardRole = (scope: Scope, { id, role }: { id: string; role: string }): Statement =>
  guard(
    ROLE_CHANGED,
    sql`EXISTS (SELECT 1 FROM ${user} WHERE ${user.id} = ${id} AND +${user.team} = ${scope.team.no} AND ${user.role} = ${role}
      AND ${user.isActive})`,
  )

/** Ends the session of a token. Whoever has the token may do so, whatever became of the user. */
export const endSessionByHash = ({ team: no, hash }: StoredToken, now: number): Statement =>
  statement(sql`UPDATE ${session} SET ${assignments(session, { endedAt: now })}
    WHERE ${session.hash} = ${hash} AND +${session.team} = ${no} AND ${session.endedAt} IS NULL`)

const whereInForce = (scope: Scope) =>
  and(
    isNull(session.endedAt),
    gt(session.expiresAt, scope.now),
    gt(session.lastUsedAt, scope.now - SESSION_IDLE_MS_MAX),
  )

/** Lists sessions that have not ended, newest first. One row more than the limit shows whether there are more. */
export async function listSessionRows(
  scope: Scope,
  userId: string | undefined,
  { skip, limit }: SessionsQuery,
): Promise<SessionRow[]> {
  const ofUser = userId === undefined ? undefined : eq(session.user, userId)
  const where = and(eq(session.team, scope.team.no), ofUser, whereInForce(scope))
  const [rows] = await scope.db.read(
    selectRow(
      session,
      sql`FROM ${session} WHERE ${where} ORDER BY ${session.id} DESC LIMIT ${limit + 1} OFFSET ${skip}`,
    ),
  )
  return rows
}

export const endSession = (scope: Scope, id: string): Statement =>
  statement(sql`UPDATE ${session} SET ${assignments(session, { endedAt: scope.now })}
    WHERE ${session.team} = ${scope.team.no} AND ${session.id} = ${id} AND ${session.endedAt} IS NULL`)

export async function findSession(scope: Scope, id: string): Promise<SessionRow | undefined> {
  const [[row]] = await scope.db.read(
    selectRow(session, sql`FROM ${session} WHERE ${session.id} = ${id} AND ${session.team} = ${scope.team.no}`),
  )
  return row
}
