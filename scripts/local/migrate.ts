import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { LocalDatabase } from './database.ts'

const MIGRATIONS = 'drizzle'

/**
 * Applies the migrations that a local database does not have yet, and returns their number. The table is that of
 * wrangler, so that each continues where the other stopped; by it the deep health check sees whether the schema is up
 * to date.
 */
export async function applyMigrations(db: LocalDatabase): Promise<number> {
  await db
    .prepare(
      `CREATE TABLE IF NOT EXISTS d1_migrations(
		id         INTEGER PRIMARY KEY AUTOINCREMENT,
		name       TEXT UNIQUE,
		applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL
)`,
    )
    .all()
  const { results } = await db.prepare('SELECT name FROM d1_migrations').all()
  const applied = new Set((results as { name: string }[]).map(({ name }) => name))
  const pending = readdirSync(MIGRATIONS).filter(name => name.endsWith('.sql') && !applied.has(name))
  const statements = pending.sort().flatMap(name => [
    ...readFileSync(path.join(MIGRATIONS, name), 'utf8')
      .split('--> statement-breakpoint')
      .map(sql => db.prepare(sql.trim())),
    db.prepare('INSERT INTO d1_migrations (name) VALUES (?)').bind(name),
  ])
  // A batch is a transaction: they are all applied and noted, or none of them.
  if (statements.length > 0) await db.batch(statements)
  return pending.length
}
