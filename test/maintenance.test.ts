import { env } from 'cloudflare:workers'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { getFirstRid } from '../src/ids.ts'
import { DAY_MS } from '../src/time-units.ts'
import { newTeam, type Team } from './support/api.ts'
import { Harness, type Message } from './support/harness.ts'
import { attribute, definition, newProcedure } from './support/procedures.ts'

const ROUNDS_MAX = 100

afterEach(() => void vi.restoreAllMocks())

const count = async (table: string, { no }: Team): Promise<number> =>
  (await env.DB.prepare(`SELECT count(*) AS n FROM ${table} WHERE team = ?`).bind(no).first<{ n: number }>())?.n ?? 0

/** The cron once, and the queue messages that it leads to: what is done in one minute. */
async function minute(harness: Harness, time = Date.now()): Promise<Message[]> {
  await harness.runCron(time)
  const sent = [...harness.messages]
  for (let round = 0; round < ROUNDS_MAX && harness.messages.length > 0; round++) await harness.deliver()
  expect(harness.messages).toEqual([])
  return sent
}

/** Rows of jobs that ended so long ago: each with one chunk and one outcome. */
async function endedJobs({ no: team }: Team, jobs: number, endedAt: number): Promise<void> {
  const numbers = `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${jobs - 1}) SELECT`
  const job = `${getFirstRid(endedAt - 1_000)} + i`
  await env.DB.batch([
    env.DB.prepare(`INSERT INTO background_job (no, id, team, type, completion_status, total, cursor, created_by,
        updated_at, completed_at, wake_at)
      ${numbers} ${job}, '', ?1, 'bulk_api_job', 'SUCCESS', 1, 1, '', ?2, ?2, ?2 FROM n`).bind(team, endedAt),
    env.DB.prepare(`INSERT INTO job_chunk (team, job, first, count, invalid, entries)
      ${numbers} ?1, ${job}, 0, 1, 0, '[]' FROM n`).bind(team),
    env.DB.prepare(`INSERT INTO job_outcome (team, job, first, "offset", invalid, success, error, updated_at, outcomes)
      ${numbers} ?1, ${job}, 0, 0, 0, 1, 0, 0, '[]' FROM n`).bind(team),
  ])
}

describe('maintenance within a minute', () => {
  it('removes thousands of expired small jobs, with all that belongs to them', async () => {
    const team = await newTeam()
    await endedJobs(team, 12_000, Date.now() - 40 * DAY_MS)
    const harness = new Harness()
    const sent = await minute(harness)
    for (const table of ['background_job', 'job_chunk', 'job_outcome', 'chunk_removal'])
      expect([table, await count(table, team)]).toEqual([table, 0])
    expect(sent.map(({ queue }) => queue)).toContain('maintenance')
    expect(harness.statementsMax).toBeLessThan(1_000)
  })

  it('builds an index over a hundred thousand processes, in steps', async () => {
    const team = await newTeam()
    const { path } = await newProcedure(team, { primaryKey: null, attributes: [] })
    const row = await env.DB.prepare('SELECT no FROM procedure WHERE team = ?').bind(team.no).first<{ no: number }>()
    const first = getFirstRid(Date.now() - DAY_MS)
    await env.DB.prepare(`WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 99999)
      INSERT INTO process (rid, id, proc, team, status, state, updated_at, data)
      SELECT ${first} + i, '', ?1, ?2, 3, 'NEW', 0, jsonb_object('n', i) FROM n`)
      .bind(row?.no ?? 0, team.no)
      .run()
    const indexed = { primaryKey: null, attributes: [attribute('n', 'integer', { indexed: true })] }
    const put = await team.call('PUT', path.replace('/process', ''), definition(indexed))
    expect(put.status).toBe(200)
    await minute(new Harness())
    const [built] = (await team.call('GET', path.replace('/process', ''))).data.attributes
    expect(built.indexReady).toBe(true)
  })
})

describe('a maintenance task that is not done', () => {
  it('reports in one line what is left, and since when', async () => {
    const team = await newTeam()
    const endedAt = Date.now() - 40 * DAY_MS
    await endedJobs(team, 20_000, endedAt)
    const warned = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const harness = new Harness()
    await harness.runCron()
    const lines = warned.mock.calls.map(([line]) => JSON.parse(String(line)))
    const line = lines.find(({ task }) => task === 'expire jobs')
    expect(line).toMatchObject({ backlog: { left: expect.any(Number), dueSince: endedAt } })
    expect(line.backlog.left).toBeGreaterThan(0)
    await minute(harness)
    expect(await count('background_job', team)).toBe(0)
  })

  it('continues for a minute at most: then the cron starts it again', async () => {
    const team = await newTeam()
    await endedJobs(team, 20_000, Date.now() - 40 * DAY_MS)
    vi.useFakeTimers({ toFake: ['Date'] })
    const harness = new Harness()
    await harness.runCron()
    expect(harness.messages.length).toBeGreaterThan(0)
    const stale = harness.messages.map(message => ({ ...message, dueAt: 0 }))
    vi.setSystemTime(Date.now() + 61_000)
    harness.messages = stale
    const before = await count('background_job', team)
    await harness.deliver()
    expect(await count('background_job', team)).toBeLessThan(before)
    expect(harness.messages).toEqual([])
    vi.useRealTimers()
  })

  it('is started by the next cron where the queue does not take it', async () => {
    const team = await newTeam()
    await endedJobs(team, 20_000, Date.now() - 40 * DAY_MS)
    vi.spyOn(console, 'warn').mockImplementation(() => {})
    let isDown = true
    const harness = new Harness({}, { fault: kind => (kind === 'queue' && isDown ? 'fails before' : undefined) })
    await harness.runCron()
    expect(harness.messages).toEqual([])
    isDown = false
    await minute(harness)
    expect(await count('background_job', team)).toBe(0)
  })
})
