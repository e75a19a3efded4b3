import { and, asc, eq, isNull, or, sql } from 'drizzle-orm'
import { UUID } from '../ids.ts'
import type { Scope } from '../scope.ts'
import type { UpdateUser } from './schema.ts'
import { user } from './table.ts'

export type UserRow = typeof user.$inferSelect
export type NewUserRow = typeof user.$inferInsert

const ofTeam = (scope: Scope) => and(eq(user.team, scope.team.no), isNull(user.deletedAt))

/** One statement for a user and those who report to them. */
export async function findWithReportees(
  scope: Scope,
  id: string,
): Promise<{ row: UserRow; reportees: UserRow[] } | undefined> {
  const rows = await scope.db.orm
    .select()
    .from(user)
    .where(and(ofTeam(scope), or(eq(user.id, id), eq(user.manager, id))))
    .orderBy(asc(user.no))
  const row = rows.find(each => each.id === id)
  return row && { row, reportees: rows.filter(each => each.manager === id && each.id !== id) }
}

export const listUserRows = (scope: Scope): Promise<UserRow[]> =>
  scope.db.orm.select().from(user).where(ofTeam(scope)).orderBy(asc(user.no))

export const insertUser = (scope: Scope, row: NewUserRow) =>
  scope.db.orm.insert(user).values({ ...row, team: scope.team.no })

/** Only what was sent is set, and the display name follows within the statement: two updates at once lose nothing. */
export function updateUserRow(scope: Scope, id: string, { firstName, lastName }: UpdateUser) {
  const first = firstName === undefined ? sql`${user.firstName}` : sql`${firstName}`
  const last = lastName === undefined ? sql`${user.lastName}` : sql`${lastName}`
  const displayName = sql`iif(${user.displayNameSet}, ${user.displayName}, trim(${first} || ' ' || ${last}))`
  return scope.db.orm
    .update(user)
    .set({ firstName: first, lastName: last, displayName, updatedAt: scope.now })
    .where(and(ofTeam(scope), eq(user.id, id)))
}

/** Ids of those whom an id, a username or an e-mail address names; the exact username wins over an e-mail address. */
export async function findByReference(scope: Scope, reference: string): Promise<string | undefined> {
  const named = UUID.test(reference)
    ? eq(user.id, reference.toLowerCase())
    : or(eq(user.username, reference), eq(user.normalizedEmail, reference.toLowerCase()))
  const rows = await scope.db.orm
    .select({ id: user.id, username: user.username })
    .from(user)
    .where(and(ofTeam(scope), named))
  return (rows.find(row => row.username === reference) ?? rows[0])?.id
}
