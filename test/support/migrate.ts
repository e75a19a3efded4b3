import { env } from 'cloudflare:workers'

/** Applies all migrations in one round trip, with the table by which wrangler knows that they were applied. */
export async function migrate(db: D1Database): Promise<void> {
  const texts = [
    'CREATE TABLE d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL)',
    ...env.TEST_MIGRATIONS.flatMap(({ queries }) => queries),
  ]
  const applied = env.TEST_MIGRATIONS.map(({ name }) =>
    db.prepare('INSERT INTO d1_migrations (name) VALUES (?)').bind(name),
  )
  await db.batch([...texts.map(text => db.prepare(text)), ...applied])
}
