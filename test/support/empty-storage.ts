import { applyD1Migrations, reset } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterAll, vi } from 'vitest'
import { advanceTo } from './clock.ts'

declare global {
  /** How many files this runtime has begun. */
  var begunFiles: number | undefined
}

/** The caches of the Worker outlive its storage: no team of a file has the number of one before. */
const TEAMS_OF_A_FILE_MAX = 100_000

const earlierFiles = globalThis.begunFiles ?? 0
globalThis.begunFiles = earlierFiles + 1
if (earlierFiles > 0) await reset()
await applyD1Migrations(env.DB, env.TEST_MIGRATIONS)
if (earlierFiles > 0)
  await env.DB.prepare('INSERT INTO team (no, id, short_id, name, created_at) VALUES (?, ?, ?, ?, 0)')
    .bind(earlierFiles * TEAMS_OF_A_FILE_MAX, crypto.randomUUID(), 'earlier', 'Earlier')
    .run()

/** What a file has changed of the runtime is undone for the next one. */
const bindings = { ...env }
afterAll(() => {
  const now = Date.now()
  vi.useRealTimers()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
  // The Worker remembers until when something holds: the clock of a runtime never goes back.
  advanceTo(now)
  Object.assign(env, bindings)
})
