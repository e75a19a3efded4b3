import { and, asc, eq, isNull, or, sql } from 'drizzle-orm'
import { guard } from '../db/guard.ts'
import { assignments, insertInto, type Statement, select, statement } from '../db/statement.ts'
import { UUID } from '../ids.ts'
import type { Scope } from '../scope.ts'
import { user } from './table.ts'

export type UserRow = typeof user.$inferSelect

const ofTeam = (scope: Scope) => and(eq(user.team, scope.team.no), isNull(user.deletedAt))

/** One statement for a user and those who report to them. */
export async function findWithReportees(
  scope: Scope,
  id: string,
): Promise<{ row: UserRow; reportees: UserRow[] } | undefined> {
  const rows = await scope.db
    .select()
    .from(user)
    .where(and(ofTeam(scope), or(eq(user.id, id), eq(user.manager, id))))
    .orderBy(asc(user.no))
  const row = rows.find(each => each.id === id)
  return row && { row, reportees: rows.filter(each => each.manager === id && each.id !== id) }
}

/** One row more than the limit shows whether there are more. */
export const listUserRows = (scope: Scope, skip = 0, limit?: number): Promise<UserRow[]> =>
  scope.db
    .select()
    .from(user)
    .where(ofTeam(scope))
    .orderBy(asc(user.no))
    .limit(limit === undefined ? Number.MAX_SAFE_INTEGER : limit + 1)
    .offset(skip)

export function insertUser({ no: _, ...row }: UserRow): Statement {
  const flags = { displayNameSet: Number(row.displayNameSet), isActive: Number(row.isActive) }
  return statement(insertInto(user, { ...row, ...flags }))
}

export const USER_CHANGED = 'the user was changed in between'

/** The names are as they were read: two updates at once lose nothing, and each is answered with what is stored. */
export const guardNames = (scope: Scope, { id, firstName, lastName, displayName }: UserRow): Statement =>
  guard(
    USER_CHANGED,
    sql`EXISTS (SELECT 1 FROM ${user} WHERE ${ofTeam(scope)} AND ${user.id} = ${id} AND ${user.firstName} = ${firstName}
      AND ${user.lastName} = ${lastName} AND ${user.displayName} = ${displayName})`,
  )

export const saveNames = (scope: Scope, { id, firstName, lastName, displayName, updatedAt }: UserRow): Statement =>
  statement(sql`UPDATE ${user} SET ${assignments(user, { firstName, lastName, displayName, updatedAt })}
    WHERE ${ofTeam(scope)} AND ${user.id} = ${id}`)

/** The id of whom an id, a username or an e-mail address names; the exact username wins over an e-mail address. */
export async function findByReference(scope: Scope, reference: string): Promise<string | undefined> {
  const named = UUID.test(reference)
    ? eq(user.id, reference.toLowerCase())
    : or(eq(user.username, reference), eq(user.normalizedEmail, reference.toLowerCase()))
  const [rows] = await scope.db.read(
    select({ id: user.id, username: user.username }, sql`FROM ${user} WHERE ${and(ofTeam(scope), named)}`),
  )
  return (rows.find(row => row.username === reference) ?? rows[0])?.id
}
