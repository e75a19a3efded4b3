import { env } from 'cloudflare:workers'
import { afterEach, expect, it, vi } from 'vitest'
import { getFirstRid } from '../src/ids.ts'
import { DAY_MS, MINUTE_MS } from '../src/time-units.ts'
import { newTeam } from './support/api.ts'
import { Harness } from './support/harness.ts'

afterEach(() => void vi.restoreAllMocks())

const TEAMS = 120
/** The limit is below 1,000, so that a step may exceed its budget. */
const STATEMENTS_MAX = 900

/** Values of columns as SQL over `i`, the number of the row; any other column gets what its type and key allow. */
async function fill(table: string, rows: number, values: Record<string, string | number>): Promise<void> {
  const { results: columns } = await env.DB.prepare(`SELECT * FROM pragma_table_info('${table}')`).all<{
    name: string
    type: string
    notnull: number
    dflt_value: string | null
    pk: number
  }>()
  const wanted = columns.filter(
    ({ name, notnull, dflt_value, pk }) => name in values || ((notnull === 1 || pk > 0) && dflt_value === null),
  )
  const getValue = ({ name, type }: { name: string; type: string }) =>
    values[name] ?? (/int/i.test(type) ? (name === 'team' ? `1 + i % ${TEAMS}` : 'i + 1') : `'${table}' || i`)
  const text = `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${rows - 1})
    INSERT INTO "${table}" (${wanted.map(({ name }) => `"${name}"`).join()}) SELECT ${wanted.map(getValue).join()} FROM n`
  await env.DB.prepare(text).run()
}

/** Fills more than a run has time for, into as many tasks as can be filled by rows alone. */
async function fillBacklogs(now: number): Promise<void> {
  const old = getFirstRid(now - 800 * DAY_MS)
  const made = await newTeam()
  await fill('team', TEAMS, { no: `${made.no} + 1 + i`, created_at: 0, event_feed_since: 'NULL' })
  const job = { type: "'bulk_api_job'", total: 1, created_by: "''", updated_at: 0 }
  const open = { ...job, completion_status: "'IN_PROGRESS'", completed_at: 0, cursor: 0 }
  const ended = { ...job, completion_status: "'SUCCESS'", cursor: 1, completed_at: now - 40 * DAY_MS, wake_at: 0 }
  const times = (first: number) => `${first} + i`
  await fill('background_job', 40_000, { ...ended, no: times(getFirstRid(now - 41 * DAY_MS)), id: "'ended' || i" })
  await fill('background_job', 3_000, { ...open, no: times(getFirstRid(now - DAY_MS)), id: "'open' || i", wake_at: 0 })
  const paused = { ...open, wake_at: now + DAY_MS, paused_by: 1 }
  await fill('background_job', 8_000, { ...paused, no: times(getFirstRid(now - 2 * DAY_MS)), id: "'paused' || i" })
  await fill('chunk_removal', 30_000, { due: 0, job: times(getFirstRid(now - 50 * DAY_MS)) })
  await fill('session', 40_000, { expires_at: 0 })
  await fill('sign_in_link', 40_000, { expires_at: 0 })
  await fill('idempotency', 160_000, { created_at: 0 })
  await fill('message', 150_000, { rid: times(old), delivery: 0, history: "'[]'", request: "'{}'" })
  await fill('process_trash', 60_000, { rid: times(old), deleted_at: 0, row: "jsonb('{}')" })
  await fill('erased_identity', 80_000, { erased_at: 0 })
  await fill('dry_run_process', 200_000, { row: "jsonb('{}')", job: 'i / 1000' })
  await fill('request_batch', TEAMS, { team: '2 + i', at: 1, lines: "jsonb('[]')" })
  await fill('webhook', 400, { enabled: 0 })
  await fill('webhook_progress', 400, { position: 0 })
  await fill('webhook_delivery', 400, {
    webhook: 'i + 1',
    number: 1,
    at: 1,
    attempts: "jsonb('[]')",
    count: 1,
    failed: 0,
  })
}

it('a run of the cron stays below the statements of an invocation, and reaches every task', async () => {
  const lines: Record<string, unknown>[] = []
  for (const method of ['info', 'warn', 'error'] as const)
    vi.spyOn(console, method).mockImplementation(line => void lines.push(JSON.parse(String(line))))
  const now = Date.now()
  await fillBacklogs(now)
  const harness = new Harness()
  await harness.runCron(now)
  const unfinished = () =>
    harness.messages.flatMap(({ queue, body }) => (queue === 'maintenance' ? [(body as { task: string }).task] : []))
  expect(unfinished().length).toBeGreaterThan(10)
  // The cron alone comes to the end of all of it: in each minute each task has steps of its own.
  for (let minute = 0; minute < 3; minute++) {
    expect(lines.filter(line => 'cause' in line)).toEqual([])
    const done = lines.flatMap(({ task, done }) => (task === undefined ? [] : [[task, Number(done) > 0]]))
    expect(done).toEqual(unfinished().map(task => [task, true]))
    expect(lines.filter(line => 'metrics' in line)).toHaveLength(1)
    expect(harness.statementsMax).toBeLessThan(STATEMENTS_MAX)
    lines.length = 0
    harness.messages = []
    await harness.runCron(now + (minute + 1) * MINUTE_MS)
  }
})
