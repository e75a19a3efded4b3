import { and, eq, isNull, or, sql } from 'drizzle-orm'
import { guard } from '../db/guard.ts'
import { assignments, insertInto, type Statement, select, selectRow, statement } from '../db/statement.ts'
import { UUID } from '../ids.ts'
import type { Scope } from '../scope.ts'
import { passkey, session, signInLink } from '../session/table.ts'
import { user } from './table.ts'

/** The users of a team, the deactivated ones among them: lists have them all at once. */
export const USERS_MAX = 10_000

export type UserRow = typeof user.$inferSelect

const whereTeam = (scope: Scope) => and(eq(user.team, scope.team.no), isNull(user.deletedAt))

/** Finds a user and those who report to them, by one statement. */
export async function findWithReportees(
  scope: Scope,
  id: string,
): Promise<{ row: UserRow; reportees: UserRow[] } | undefined> {
  const [rows] = await scope.db.read(
    selectRow(
      user,
      sql`FROM ${user} WHERE ${whereTeam(scope)} AND (${user.id} = ${id} OR ${user.manager} = ${id}) ORDER BY ${user.no}`,
    ),
  )
  const row = rows.find(each => each.id === id)
  return row && { row, reportees: rows.filter(each => each.manager === id && each.id !== id) }
}

/** Lists users. One row more than the limit shows whether there are more. */
export async function listUserRows(scope: Scope, skip = 0, limit?: number): Promise<UserRow[]> {
  // -1 means no limit.
  const rowsMax = limit === undefined ? -1 : limit + 1
  const [rows] = await scope.db.read(
    selectRow(user, sql`FROM ${user} WHERE ${whereTeam(scope)} ORDER BY ${user.no} LIMIT ${rowsMax} OFFSET ${skip}`),
  )
  return rows
}

export function insertUser(row: UserRow): Statement {
  const flags = { displayNameSet: Number(row.displayNameSet), isActive: Number(row.isActive) }
  return statement(insertInto(user, { ...row, ...flags }))
}

export const TOO_MANY_USERS = 'the team has as many users as it may'

/** Fails the transaction that adds a user to a team which has as many as it may. */
export const guardUserLeft = (scope: Scope): Statement =>
  guard(TOO_MANY_USERS, sql`(SELECT count(*) FROM ${user} WHERE ${whereTeam(scope)}) < ${USERS_MAX}`)

export const USER_CHANGED = 'the user was changed in between'

/**
 * Fails the transaction if names or access have changed since they were read: two changes at once lose nothing, and each
 * response has what is stored. The time alone would not tell: two changes may have the same.
 */
export const guardUser = (scope: Scope, row: UserRow): Statement =>
  guard(
    USER_CHANGED,
    sql`EXISTS (SELECT 1 FROM ${user} WHERE ${whereTeam(scope)} AND ${user.id} = ${row.id}
      AND ${user.firstName} = ${row.firstName} AND ${user.lastName} = ${row.lastName}
      AND ${user.displayName} = ${row.displayName} AND ${user.role} = ${row.role}
      AND ${user.isActive} = ${Number(row.isActive)} AND ${user.updatedAt} = ${row.updatedAt})`,
  )

export const saveNames = (scope: Scope, { id, firstName, lastName, displayName, updatedAt }: UserRow): Statement =>
  statement(sql`UPDATE ${user} SET ${assignments(user, { firstName, lastName, displayName, updatedAt })}
    WHERE ${whereTeam(scope)} AND ${user.id} = ${id}`)

export const LAST_ADMIN = 'the last active admin'

/** Fails the transaction unless another active admin remains. If two admins take each other's access at the same time, one of them stays. */
export const guardOtherAdmin = (scope: Scope, id: string): Statement =>
  guard(
    LAST_ADMIN,
    sql`EXISTS (SELECT 1 FROM ${user} WHERE ${whereTeam(scope)} AND ${user.id} <> ${id} AND ${user.role} = 'admin' AND ${user.isActive})`,
  )

export const saveAccess = (scope: Scope, { id, role, isActive, updatedAt }: UserRow): Statement =>
  statement(sql`UPDATE ${user} SET ${assignments(user, { role, isActive: Number(isActive), updatedAt })}
    WHERE ${whereTeam(scope)} AND ${user.id} = ${id}`)

/** Ends the sessions and links of a user. They do not come back with the user. A key is refused while its user is not active (`src/auth/store.ts`). */
export const endSignIns = (scope: Scope, id: string): Statement[] => [
  statement(sql`UPDATE ${session} SET ${assignments(session, { endedAt: scope.now })}
    WHERE ${session.team} = ${scope.team.no} AND ${session.user} = ${id} AND ${session.endedAt} IS NULL`),
  statement(sql`DELETE FROM ${signInLink} WHERE ${signInLink.team} = ${scope.team.no} AND ${signInLink.user} = ${id}`),
]

export const removePasskeys = (scope: Scope, id: string): Statement =>
  statement(sql`DELETE FROM ${passkey} WHERE ${passkey.team} = ${scope.team.no} AND ${passkey.user} = ${id}`)

/** Finds the id of the user whom an id, a username or an e-mail address names. The exact username wins over an e-mail address. */
export async function findByReference(scope: Scope, reference: string): Promise<string | undefined> {
  const named = UUID.test(reference)
    ? eq(user.id, reference.toLowerCase())
    : or(eq(user.username, reference), eq(user.normalizedEmail, reference.toLowerCase()))
  const [rows] = await scope.db.read(
    select({ id: user.id, username: user.username }, sql`FROM ${user} WHERE ${and(whereTeam(scope), named)}`),
  )
  return (rows.find(row => row.username === reference) ?? rows[0])?.id
}
