import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { DAY_MS, MINUTE_MS } from '../../src/time-units.ts'
import { limit, tellWritten } from '../support/allowance.ts'
import { fetchWorker, newTeam, type Reply, type Team } from '../support/api.ts'
import { startSession } from '../support/browser-session.ts'
import { advanceTo, resetClock } from '../support/clock.ts'
import { Harness } from '../support/harness.ts'
import { JOBS, LEADS, newLeadTeam, waitForJob } from '../support/jobs.ts'
import { connectReceivers, newReceiver } from '../support/receiver.ts'

// An operator may limit the number of rows that a team writes on a day.

/** Some minutes after midnight, UTC: a test does not last until the next one. */
const MORNING = (Math.floor(Date.now() / DAY_MS) + 1) * DAY_MS + 10 * MINUTE_MS

beforeEach(() => {
  for (const level of ['info', 'warn', 'error'] as const) vi.spyOn(console, level).mockImplementation(() => {})
  advanceTo(MORNING)
})
afterEach(() => {
  vi.restoreAllMocks()
  resetClock()
})

const outcome = ({ status, meta }: Reply) => [status, meta.errors?.[0]?.code]
const REFUSED = [429, 'rate_limited']
/** After a minute an isolate reads its cached tokens again. */
const advanceOneMinute = () => advanceTo(Date.now() + MINUTE_MS)
const lead = (key: string) => ({ data: { lead_id: key } })
const countRows = async ({ no }: Team) =>
  env.DB.prepare(
    `SELECT (SELECT count(*) FROM process WHERE team = ?1) + (SELECT count(*) FROM background_job WHERE team = ?1)
      + (SELECT count(*) FROM job_chunk WHERE team = ?1) + (SELECT count(*) FROM idempotency WHERE team = ?1) AS n`,
  )
    .bind(no)
    .first<number>('n')

describe('a team that has used its write allowance of today', () => {
  it('is refused additions until midnight, and nothing of them is written; other teams are not', async () => {
    const [team, other] = [await newLeadTeam(), await newLeadTeam()]
    const browser = await startSession(team)
    const { id } = (await team.call('POST', LEADS, lead('A'))).data
    await limit(team, 1_000)
    await tellWritten(team, 999)
    await tellWritten(other, 5_000)
    advanceOneMinute()
    expect((await team.call('PUT', `${LEADS}/${id}`, { data: { city: 'Oslo' } })).status).toBe(200)
    await tellWritten(team, 1_000)
    advanceOneMinute()
    const before = await countRows(team)
    for (const call of [team.call, browser.call]) {
      const refused = await call('POST', LEADS, lead('B'), { 'idempotency-key': 'the-same' })
      expect(outcome(refused)).toEqual(REFUSED)
      expect(refused.meta.errors[0]).toMatchObject({
        message: 'the team may write 1000 rows a day, and has written 1000 today',
        hint: expect.stringContaining('midnight'),
      })
      const seconds = Number(refused.headers.get('retry-after'))
      expect(Math.abs(seconds - (MORNING - (MORNING % DAY_MS) + DAY_MS - Date.now()) / 1_000)).toBeLessThan(60)
      expect(outcome(await call('PUT', `${LEADS}/${id}`, { data: { city: 'Pune' } }))).toEqual(REFUSED)
      expect(outcome(await call('POST', `${LEADS}/bulk-create`, [lead('C')]))).toEqual(REFUSED)
      expect((await call('POST', `${LEADS}/list`, {})).data).toHaveLength(1)
      expect((await call('GET', `${LEADS}/${id}`)).data.data.city).toBe('Oslo')
    }
    expect(await countRows(team)).toBe(before)
    expect((await other.call('POST', LEADS, lead('B'))).status).toBe(201)
    advanceTo(MORNING + DAY_MS)
    const key = { 'idempotency-key': 'the-same' }
    expect((await team.call('POST', LEADS, lead('B'), key)).status).toBe(201)
  })

  it('may write again at midnight, whatever an isolate has read before it', async () => {
    const team = await newLeadTeam()
    await limit(team, 10)
    const midnight = MORNING - (MORNING % DAY_MS) + DAY_MS
    const key = await team.as('admin')
    advanceTo(midnight - 5_000)
    await tellWritten(team, 10)
    // The first call of the key caches the used allowance for 25 seconds.
    expect(outcome(await key.call('POST', LEADS, lead('A')))).toEqual(REFUSED)
    advanceTo(midnight + 1_000)
    expect((await key.call('POST', LEADS, lead('A'))).status).toBe(201)
  })

  it('may still delete, end keys and users, and cancel a job; an accepted job is completed', async () => {
    const team = await newLeadTeam()
    const harness = new Harness({ JOB_TUNING: { chunkEntries: 5 } })
    const { id } = (await team.call('POST', LEADS, lead('A'))).data
    const made = (await team.call('POST', '/v1/ext/api-key', { name: 'leaked', role: 'viewer' })).data
    const other = (await team.call('POST', '/v1/ext/api-key', { name: 'old', role: 'viewer' })).data
    const accept = async () => {
      const items = Array.from({ length: 12 }, (_, nth) => lead(`${nth} ${crypto.randomUUID()}`))
      return (await harness.request(team, 'POST', `${LEADS}/bulk-create`, items)).body._data.id
    }
    const [job, unwanted] = [await accept(), await accept()]
    await limit(team, 20)
    advanceOneMinute()
    // The entries of both jobs are counted.
    expect(outcome(await team.call('POST', LEADS, lead('B')))).toEqual(REFUSED)
    expect((await team.call('POST', `${JOBS}/${unwanted}/cancel`)).status).toBe(200)
    await harness.settle(team)
    expect((await waitForJob(team, job)).meta.bjEntryCompletionStatusVsCount).toMatchObject({ SUCCESS: 12 })
    expect(outcome(await team.call('POST', `${JOBS}/${job}/undo`))).toEqual(REFUSED)
    expect((await team.call('DELETE', `${LEADS}/${id}`)).status).toBe(200)
    expect((await team.call('DELETE', `/v1/ext/api-key/${made.id}`)).status).toBe(200)
    expect((await team.call('POST', `/v1/ext/api-key/${other.id}/rotate`, {})).status).toBe(201)
    await limit(team, null)
    advanceOneMinute()
    expect((await team.call('POST', LEADS, lead('B'))).status).toBe(201)
  })

  it('has used it by the rows of its own requests, as isolates report them', async () => {
    const team = await newLeadTeam()
    await limit(team, 5)
    const bindings = { ...env, REQUEST_RETENTION_DAYS: '7' } as unknown as Env
    const post = async (key: string) => {
      const headers = { authorization: `Bearer ${team.token}`, 'content-type': 'application/json' }
      const init = { method: 'POST', headers, body: JSON.stringify(lead(key)) }
      const response = await fetchWorker(LEADS, init, bindings)
      await response.text()
      return response.status
    }
    const statuses: number[] = []
    for (const key of ['A', 'B', 'C', 'D', 'E', 'F']) {
      statuses.push(await post(key))
      advanceOneMinute()
    }
    const refusedFrom = statuses.indexOf(429)
    expect(refusedFrom).toBeGreaterThan(0)
    expect(statuses).toEqual(statuses.map((_, nth) => (nth < refusedFrom ? 201 : 429)))
    expect((await team.call('POST', `${LEADS}/list`, {})).data).toHaveLength(refusedFrom)
  })
})

it('the write allowance costs a request nothing: it is read with the token', async () => {
  const [team, limited] = [await newLeadTeam(), await newLeadTeam()]
  await limit(limited, 1_000_000)
  const trips: number[] = []
  for (const each of [team, limited]) {
    advanceOneMinute()
    const first = await each.call('POST', LEADS, lead('A'))
    const second = await each.call('POST', LEADS, lead('B'))
    expect([first.status, second.status]).toEqual([201, 201])
    trips.push(first.cost.trips, second.cost.trips)
  }
  expect(trips.slice(2)).toEqual(trips.slice(0, 2))
})

it('an alert is raised from 80 % of the allowance on, and at its end; a day later it is over', async () => {
  connectReceivers()
  const [team, other] = [await newTeam(), await newTeam()]
  const receiver = newReceiver()
  const harness = new Harness({ ALERT_URL: receiver.url })
  const shortId = await env.DB.prepare('SELECT short_id FROM team WHERE no = ?').bind(team.no).first('short_id')
  const told = async (at: number) => {
    const before = receiver.arrivals.length
    await harness.runCron(at)
    return receiver.arrivals
      .slice(before)
      .flatMap(({ event }) => event.alerts.map((each: Record<string, string>) => `${each.alert} ${each.status}`))
      .filter((each: string) => each.startsWith(`allowance of ${shortId}`))
  }
  const now = Date.now()
  await limit(team, 100)
  await tellWritten(team, 79)
  await tellWritten(other, 1_000)
  expect(await told(now)).toEqual([])
  await tellWritten(team, 80)
  expect(await told(now + MINUTE_MS)).toEqual([`allowance of ${shortId} begun`])
  await tellWritten(team, 100)
  expect(await told(now + 2 * MINUTE_MS)).toEqual([`allowance of ${shortId} used begun`])
  expect(await told(now + 3 * MINUTE_MS)).toEqual([])
  expect((await told(now + DAY_MS)).toSorted()).toEqual([
    `allowance of ${shortId} ended`,
    `allowance of ${shortId} used ended`,
  ])
})
