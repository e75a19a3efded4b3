import { type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { select } from '../db/statement.ts'
import { UUID } from '../ids.ts'
import type { Scope } from '../scope.ts'
import { user } from './table.ts'

/** The ids of the team's users, by each id, username or e-mail address that was given for one. */
export async function findUsers(scope: Scope, references: readonly string[]): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  if (references.length === 0) return found
  const ids = references.filter(reference => UUID.test(reference)).map(id => id.toLowerCase())
  const names = references.filter(reference => !UUID.test(reference))
  const emails = names.filter(name => name.includes('@')).map(name => name.toLowerCase())
  const results = await scope.db.read(
    // By its unique index, not by that of the team.
    selectNamed(user.id, ids, sql`+${user.team} = ${scope.team.no}`),
    selectNamed(user.username, names, sql`${user.team} = ${scope.team.no}`),
    selectNamed(user.normalizedEmail, emails, sql`${user.team} = ${scope.team.no}`),
  )
  const [byId, byName, byEmail] = results.map(rows => new Map(rows.map(({ name, id }) => [name, id])))
  for (const reference of references) {
    const lower = reference.toLowerCase()
    const id = byId?.get(lower) ?? byName?.get(reference) ?? byEmail?.get(lower)
    if (id !== undefined) found.set(reference, id)
  }
  return found
}

const selectNamed = (column: SQLiteColumn, names: readonly string[], ofTeam: SQL) =>
  select(
    { id: user.id, name: sql<string>`${column}` },
    sql`FROM ${user} WHERE ${ofTeam} AND ${column} IN (SELECT value FROM json_each(${JSON.stringify(names)}))`,
  )
