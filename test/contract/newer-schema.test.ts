import { applyD1Migrations } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import additive from '../migrations/0001_additive.sql?raw'

// A deployment applies the migrations first, so the code before runs on the schema after for a while, and again after a
// rollback. Here every table has got columns that this code knows nothing of, and every operation is called on it.

const { results: tables } = await env.DB.prepare(
  "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB 'sqlite_*' AND name NOT GLOB 'd1_*' AND name NOT GLOB '_cf_*' AND name NOT GLOB 'process_search*'",
).all<{ name: string }>()

const columns = tables.flatMap(({ name }) => [
  `ALTER TABLE \`${name}\` ADD \`of_a_later_version\` text`,
  `ALTER TABLE \`${name}\` ADD \`counted_by_a_later_version\` integer DEFAULT 0 NOT NULL`,
])

await applyD1Migrations(env.DB, [
  ...env.TEST_MIGRATIONS,
  { name: '9998_additive.sql', queries: additive.split('--> statement-breakpoint') },
  { name: '9999_columns.sql', queries: columns },
])

it('the Worker runs on a schema that is newer than its code', async () => {
  expect(tables.length).toBeGreaterThan(10)
  const { results } = await env.DB.prepare('PRAGMA table_info(process_trash)').all<{ name: string }>()
  expect(results.map(({ name }) => name)).toContain('counted_by_a_later_version')
})

await import('../docs/answers.test.ts')
await import('../client/every-operation.test.ts')
