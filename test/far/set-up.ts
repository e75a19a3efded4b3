import { applyD1Migrations } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { limitRows } from './platform/rows.ts'

for (const db of [env.DB, env.REPLICA]) {
  await applyD1Migrations(db, env.TEST_MIGRATIONS)
  await limitRows(db)
}
