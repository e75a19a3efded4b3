import { reset } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterAll, vi } from 'vitest'
import { resetClock } from './clock.ts'
import { migrate } from './migrate.ts'

declare global {
  /** The number of files that this runtime has begun. */
  var begunFiles: number | undefined
}

/** The caches of the Worker outlive its storage: no team of a file has the number of one before. */
const TEAMS_OF_A_FILE_MAX = 100_000

const earlierFiles = globalThis.begunFiles ?? 0
globalThis.begunFiles = earlierFiles + 1
// An object that is busy while all are deleted may write what it has afterwards.
const isEmpty = async () =>
  (await env.DB.prepare("SELECT 1 FROM sqlite_master WHERE name = 'team'").all()).results.length === 0
for (let isReset = earlierFiles === 0; !isReset; isReset = await isEmpty()) await reset()
await migrate(env.DB)
if (earlierFiles > 0)
  await env.DB.prepare('INSERT INTO team (no, id, short_id, name, created_at) VALUES (?, ?, ?, ?, 0)')
    .bind(earlierFiles * TEAMS_OF_A_FILE_MAX, crypto.randomUUID(), 'earlier', 'Earlier')
    .run()

/** A file may change the runtime, which is restored for the next one. */
const bindings = { ...env }
afterAll(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
  resetClock()
  Object.assign(env, bindings)
})
