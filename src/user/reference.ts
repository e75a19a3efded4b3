import { type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { select } from '../db/statement.ts'
import { invalid } from '../errors.ts'
import { UUID } from '../ids.ts'
import type { Scope } from '../scope.ts'
import { user } from './table.ts'

interface UserNames {
  id: string
  displayName: string
  username: string
}

/** Finds the ids of the team's users, by each id, username or e-mail address that was given for one. */
export async function findUsers(scope: Scope, references: readonly string[]): Promise<Map<string, string>> {
  const found = await findUserNames(scope, references)
  return new Map([...found].map(([reference, { id }]) => [reference, id]))
}

/** Refuses a filter by a user whom the team never had. One who was deleted stays a row, and what they did has their id. */
export async function requireUser(scope: Scope, id: string, path: string): Promise<void> {
  const found = await findUsers(scope, [id])
  if (!found.has(id)) throw invalid([{ message: `no user ${JSON.stringify(id)}`, path }])
}

/** Returns the name of the user whom an id, username or e-mail address names. */
export async function findUserName(scope: Scope, reference: string): Promise<string | undefined> {
  const found = (await findUserNames({ ...scope, db: scope.db.reconnect() }, [reference])).get(reference)
  return found && (found.displayName || found.username)
}

async function findUserNames(
  scope: Pick<Scope, 'db' | 'team'>,
  references: readonly string[],
): Promise<Map<string, UserNames>> {
  const found = new Map<string, UserNames>()
  if (references.length === 0) return found
  const ids = references.filter(reference => UUID.test(reference)).map(id => id.toLowerCase())
  const names = references.filter(reference => !UUID.test(reference))
  const emails = names.filter(name => name.includes('@')).map(name => name.toLowerCase())
  const results = await scope.db.read(
    // The unique index finds them, not that of the team.
    selectNamed(user.id, ids, sql`+${user.team} = ${scope.team.no}`),
    selectNamed(user.username, names, sql`${user.team} = ${scope.team.no}`),
    selectNamed(user.normalizedEmail, emails, sql`${user.team} = ${scope.team.no}`),
  )
  const [byId, byName, byEmail] = results.map(rows => new Map(rows.map(({ name, ...one }) => [name, one])))
  for (const reference of references) {
    const lower = reference.toLowerCase()
    const one = byId?.get(lower) ?? byName?.get(reference) ?? byEmail?.get(lower)
    if (one !== undefined) found.set(reference, one)
  }
  return found
}

const selectNamed = (column: SQLiteColumn, names: readonly string[], ofTeam: SQL) =>
  select(
    { id: user.id, displayName: user.displayName, username: user.username, name: sql<string>`${column}` },
    sql`FROM ${user} WHERE ${ofTeam} AND ${column} IN (SELECT value FROM json_each(${JSON.stringify(names)}))`,
  )
