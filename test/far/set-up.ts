import { env } from 'cloudflare:workers'
import { migrate } from '../support/migrate.ts'
import { limitRows } from './platform/rows.ts'

declare global {
  var isFarMigrated: boolean | undefined
}

// Files share the database and its copy: what the one is behind the other is known to the place, and goes on.
if (!globalThis.isFarMigrated)
  for (const db of [env.DB, env.REPLICA]) {
    await migrate(db)
    await limitRows(db)
  }
globalThis.isFarMigrated = true

// Each stack that the Worker logs would be mapped back to its source, which takes longer than what the tests are about.
Reflect.deleteProperty(Error, 'prepareStackTrace')
