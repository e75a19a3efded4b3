import { applyD1Migrations } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { limitRows } from './platform/rows.ts'

for (const db of [env.DB, env.REPLICA]) {
  await applyD1Migrations(db, env.TEST_MIGRATIONS)
  await limitRows(db)
}

// Each stack that the Worker logs would be mapped back to its source, which takes longer than what the tests are about.
Reflect.deleteProperty(Error, 'prepareStackTrace')
