import { env } from 'cloudflare:workers'
import { afterAll } from 'vitest'
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

// Each stack that the Worker logs would be mapped back to its source, which takes longer than the tests themselves.
Reflect.deleteProperty(Error, 'prepareStackTrace')

// A job that a file leaves unfinished, of a hundred thousand entries perhaps, would be run by the cron of another one.
afterAll(async () => {
  const unfinished = 'SELECT team, no FROM background_job WHERE completed_at = 0'
  await env.DB.batch([
    ...['job_chunk', 'job_outcome'].map(table =>
      env.DB.prepare(`DELETE FROM ${table} WHERE (team, job) IN (${unfinished})`),
    ),
    env.DB.prepare('DELETE FROM background_job WHERE completed_at = 0'),
  ])
})
