import { sql } from 'drizzle-orm'
import journal from '../../drizzle/meta/_journal.json'
import type { Db } from '../db/client.ts'
import { statement } from '../db/statement.ts'
import { selectKeyCounts } from '../maintenance/key-counts.ts'

/** The last migration of this build. A newer one may have been applied, because migrations only add. */
export const NEWEST_MIGRATION = journal.entries.at(-1)?.tag ?? ''

/** Tells whether a migration was applied. `d1_migrations` is wrangler's own table. */
export async function findAppliedMigration(db: Db, tag: string): Promise<boolean> {
  const [rows] = await db.read(
    statement<{ id: number }>(sql`SELECT id FROM d1_migrations WHERE name = ${`${tag}.sql`} LIMIT 1`),
  )
  return rows.length > 0
}

/** Lists the ids of the keys with which the secrets of plugins and webhooks are encrypted. */
export async function listKeyIds(db: Db): Promise<string[]> {
  const [rows] = await db.read(selectKeyCounts())
  return rows.map(({ id }) => id)
}
