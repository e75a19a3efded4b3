import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { getFirstRid } from '../src/ids.ts'
import { HOUR_MS } from '../src/time-units.ts'
import { fetchWorker, newTeam } from './support/api.ts'
import { databaseThrough, requestWith } from './support/broken-bindings.ts'
import { Harness } from './support/harness.ts'
import { OPERATOR_TOKEN } from './support/operator.ts'
import { newProcedure } from './support/procedures.ts'
import { connectPlugin, newNumber } from './support/provider.ts'

const DEEP = '/v1/health?deep=true'

const broken = () => Promise.reject(new Error('out of order'))

const byOperator = { headers: { authorization: `Bearer ${OPERATOR_TOKEN}` } }

/** The deep health with some bindings exchanged: what fails, and what it says. */
async function failing(bindings: Record<string, unknown>) {
  const { status, data } = await requestWith({ OPERATOR_TOKEN, ...bindings } as Partial<Env>, DEEP, byOperator)
  const checks = Object.entries(data.checks as Record<string, { status: string; reason?: string }>)
  const failed = checks.filter(([, check]) => check.status === 'failing')
  expect(checks.map(([name]) => name)).toEqual([
    ...['settings', 'schema', 'secrets', 'queues', 'buckets', 'size', 'jobs', 'webhooks', 'maintenance'],
  ])
  expect([status, data.status]).toEqual(failed.length > 0 ? [503, 'failing'] : [200, 'ok'])
  return Object.fromEntries(failed.map(([name, { reason }]) => [name, reason]))
}

beforeEach(async () => {
  // Left by other tests: jobs that were never run.
  await env.DB.prepare('UPDATE background_job SET wake_at = ? WHERE completed_at = 0')
    .bind(Date.now() + HOUR_MS)
    .run()
  vi.spyOn(console, 'error').mockImplementation(() => {})
})
afterEach(() => void vi.restoreAllMocks())

describe('the deep health check', () => {
  it('is for the operator of the installation, and the plain one for anybody', async () => {
    const { status, data } = await requestWith({ OPERATOR_TOKEN }, DEEP, byOperator)
    expect([status, data.status, data.paused]).toEqual([200, 'ok', false])
    expect(data.checks.size.figures.bytes).toBeGreaterThan(0)
    expect((await requestWith({}, '/v1/health?deep=false', {})).data).toEqual({ status: 'ok', version: data.version })
  })

  it('is for no role of a team: what concerns other teams is not theirs', async () => {
    const team = await newTeam()
    for (const role of ['admin', 'manager', 'agent', 'viewer']) {
      const headers = { authorization: `Bearer ${(await team.as(role)).token}` }
      expect((await requestWith({ OPERATOR_TOKEN }, DEEP, { headers })).status, role).toBe(401)
    }
    expect((await requestWith({ OPERATOR_TOKEN }, DEEP, {})).status).toBe(401)
    const unset = await requestWith({}, DEEP, byOperator)
    expect([unset.status, unset.errors[0]]).toEqual([401, expect.stringContaining('OPERATOR_TOKEN')])
  })

  it('runs once in half a minute, however many callers ask', async () => {
    const sent: unknown[] = []
    const bindings = {
      ...env,
      OPERATOR_TOKEN,
      MAINTENANCE: { send: async (message: unknown) => void sent.push(message) },
    }
    const ask = async () => {
      const response = await fetchWorker(DEEP, byOperator, bindings as unknown as Env)
      return ((await response.json()) as { _data: { examinedAt: number } })._data
    }
    const [first, ...others] = await Promise.all(Array.from({ length: 20 }, ask))
    expect(sent).toHaveLength(1)
    for (const other of others) expect(other).toEqual(first)
    const start = Date.now()
    const now = vi.spyOn(Date, 'now').mockReturnValue((first?.examinedAt ?? 0) + 29_999)
    expect(await ask()).toEqual(first)
    expect(sent).toHaveLength(1)
    now.mockReturnValue(start + 31_000)
    expect((await ask()).examinedAt).toBe(start + 31_000)
    expect(sent).toHaveLength(2)
  })

  it('is green where everything works', async () => {
    const team = await newTeam()
    await connectPlugin(team)
    expect(await failing({})).toEqual({})
  })

  it('names a wrong setting', async () => {
    expect(await failing({ TRASH_RETENTION_DAYS: 'never' })).toEqual({
      settings: expect.stringContaining('TRASH_RETENTION_DAYS'),
      maintenance: expect.stringContaining('TRASH_RETENTION_DAYS'),
    })
  })

  it('names a migration that was not applied', async () => {
    const last = 'SELECT name FROM d1_migrations ORDER BY id DESC LIMIT 1'
    const { name = '' } = (await env.DB.prepare(last).first<{ name: string }>()) ?? {}
    const rename = (from: string, to: string) =>
      env.DB.prepare('UPDATE d1_migrations SET name = ?2 WHERE name = ?1').bind(from, to).run()
    await rename(name, 'other.sql')
    try {
      expect(await failing({})).toEqual({ schema: expect.stringContaining(name.replace('.sql', '')) })
    } finally {
      await rename('other.sql', name)
    }
  })

  it('names an encryption key that cannot decrypt any more, and one that is missing', async () => {
    const team = await newTeam()
    await connectPlugin(team)
    const other = btoa('another key of thirty-two bytes!')
    expect((await failing({ SECRETS_KEY: other })).secrets).toMatch(/keys that are not set: k[0-9a-f]{8}/)
    expect(await failing({ SECRETS_KEY: other, SECRETS_KEY_PREVIOUS: env.SECRETS_KEY })).toEqual({})
    expect(await failing({ SECRETS_KEY: undefined })).toEqual({ secrets: expect.stringContaining('SECRETS_KEY') })
  })

  it.each(['JOBS', 'JOBS_SMALL', 'SENDS', 'PROVIDER_REPORTS', 'MAINTENANCE'])('names the queue %s', async name => {
    expect(await failing({ [name]: { send: broken } })).toEqual({ queues: `${name}: out of order` })
    expect(await failing({ [name]: undefined })).toEqual({ queues: expect.stringContaining(`${name}: `) })
  })

  it.each(['MEDIA', 'ARCHIVE'])('names the bucket %s', async name => {
    expect(await failing({ [name]: { head: broken } })).toEqual({ buckets: `${name}: out of order` })
  })

  it('says that the database is nearly full', async () => {
    await env.DB.prepare(`INSERT INTO maintenance_position VALUES ('large', 0, hex(zeroblob(500000)), 0)`).run()
    try {
      expect(await failing({ DATABASE_BYTES_MAX: '1000000' })).toEqual({ size: expect.stringContaining('%') })
    } finally {
      await env.DB.prepare(`DELETE FROM maintenance_position WHERE task = 'large'`).run()
    }
  })

  it('says that a job is silent, and that a maintenance task is behind', async () => {
    const team = await newTeam()
    const { path } = await newProcedure(team)
    const { data } = await team.call('POST', `${path}/bulk-create`, { processes: [{}] })
    await env.DB.prepare('UPDATE background_job SET wake_at = ? WHERE id = ?')
      .bind(Date.now() - 3 * HOUR_MS, data.id)
      .run()
    expect(await failing({})).toEqual({
      jobs: expect.stringContaining('180 minutes'),
      maintenance: expect.stringContaining('wake jobs'),
    })
  })

  it('answers for the other parts where the database does not', async () => {
    const team = await newTeam()
    await team.call('GET', '/v1/ext/users')
    const failed = await failing({ DB: databaseThrough(broken) })
    expect(Object.keys(failed)).toEqual(['schema', 'secrets', 'size', 'jobs', 'webhooks', 'maintenance'])
  })

  it('says that the service is paused, which is no failure', async () => {
    const { status, data } = await requestWith(
      { OPERATOR_TOKEN, PAUSED: 'true' } as unknown as Partial<Env>,
      DEEP,
      byOperator,
    )
    expect([status, data.paused]).toEqual([200, true])
  })

  it('sends messages that their consumers drop', async () => {
    const harness = new Harness({ OPERATOR_TOKEN })
    await harness.request({ token: OPERATOR_TOKEN }, 'GET', DEEP)
    expect(harness.messages).toHaveLength(5)
    await harness.deliver()
    expect([harness.messages, harness.retries]).toEqual([[], 0])
  })
})

describe('the line of metrics', () => {
  const loadMetrics = async (harness: Harness, now = Date.now()) => {
    const logged = vi.spyOn(console, 'info').mockImplementation(() => {})
    logged.mockClear()
    await harness.runCron(now)
    const lines = logged.mock.calls.map(([line]) => JSON.parse(String(line))).filter(line => line.metrics)
    expect(lines).toHaveLength(1)
    return lines[0].metrics
  }

  it('is written by each cron, and counts jobs, messages, and its own cost', async () => {
    const team = await newTeam()
    const { path } = await newProcedure(team)
    const harness = new Harness()
    const before = await loadMetrics(harness)
    await team.call('POST', `${path}/bulk-create`, { processes: [{}] })
    const whatsapp = await connectPlugin(team)
    const sentFrom = Date.now()
    await whatsapp.send(newNumber())
    const soon = sentFrom + 10 * 60_000
    const { openJobs, messages, databaseBytes, cron, oldestWakeMs } = await loadMetrics(harness, soon)
    expect(openJobs.IN_PROGRESS).toBe((before.openJobs.IN_PROGRESS ?? 0) + 1)
    expect(Object.keys(messages).length).toBeGreaterThan(0)
    expect(databaseBytes).toBeGreaterThan(0)
    expect(oldestWakeMs).toBeTypeOf('number')
    expect(cron.trips).toBeGreaterThan(10)
  })

  it('reads a bounded number of rows, however many there are', async () => {
    const team = await newTeam()
    const now = Date.now() - 400 * 24 * HOUR_MS
    const numbers = 'WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 9999) SELECT'
    await env.DB.prepare(`INSERT INTO message (rid, id, team, plugin, sender, graph_version, phone, data_type, text, request,
        delivery, history, user, source_id, updated_at)
      ${numbers} ${getFirstRid(now - 10 * 60_000)} + i, '', ?1, 0, '', '', '', '', '', jsonb('{}'), 2, jsonb('[]'), '', '', 0 FROM n`)
      .bind(team.no)
      .run()
    const { cron } = await loadMetrics(new Harness(), now)
    expect(cron.rowsRead).toBeLessThan(4_000)
    await env.DB.prepare('DELETE FROM message WHERE team = ?').bind(team.no).run()
  })
})
