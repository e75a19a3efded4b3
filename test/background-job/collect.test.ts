import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { findFirstPage } from '../../src/background-job/collect/collection.ts'
import { readJobSettings } from '../../src/background-job/settings.ts'
import { newTeam, type Team } from '../support/api.ts'
import { survivesFaults, survivesRandomFaults, twice } from '../support/faults.ts'
import { type Call, type FaultInjection, Harness, type Message } from '../support/harness.ts'
import { JOBS, LEADS, leadProcedure } from '../support/jobs.ts'
import { SEED } from '../support/seed.ts'

// A page has five chunks: here twenty processes.
const VARS = { JOB_TUNING: { chunkEntries: 4 } }
/** A hanging call is given up soon. Without one, no call of a slow machine is given up, which would be a retry. */
const getVars = ({ fault }: FaultInjection) => (fault ? { JOB_TUNING: { ...VARS.JOB_TUNING, timeLimitMs: 250 } } : VARS)
const PAGE = 20
const COUNT = 2 * PAGE + 7

let team: Team
let runs = 0

beforeAll(async () => {
  team = await newTeam()
  await leadProcedure(team)
})

const calm = new Harness()

/** Leads of one run, the oldest first. */
async function makeLeads(city: string, count = COUNT, by = team): Promise<void> {
  const leads = Array.from({ length: count }, (_, nth) => ({ lead_id: `${city}-${nth}`, data: { city } }))
  const made = await calm.request(by, 'POST', `${LEADS}/bulk-create`, leads)
  expect(made.status).toBe(202)
  await calm.settle(by)
}

const newCity = () => `${SEED}-${runs++}`

/** Accepts a job for all leads of a city, as often as it takes. */
async function accept(harness: Harness, city: string, update: object = { data: { score: 1 } }) {
  const body = { where: { city }, update }
  for (let attempt = 0; ; attempt++) {
    const accepted = await harness.request(team, 'PATCH', LEADS, body, { 'idempotency-key': city })
    if (accepted.status === 202) return accepted.body._data
    expect(accepted.status, JSON.stringify(accepted.body)).toBeGreaterThanOrEqual(500)
    expect(attempt).toBeLessThan(5)
  }
}

interface Lead {
  key: string
  version: number
  score: number | null
}

async function loadLeads(city: string): Promise<Lead[]> {
  const { results } = await env.DB.prepare(
    `SELECT primary_key AS key, version, data ->> '$.score' AS score FROM process
      WHERE proc = (SELECT no FROM procedure WHERE team = ?1) AND data ->> '$.city' = ?2 ORDER BY rid DESC`,
  )
    .bind(team.no, city)
    .all<Lead>()
  return results
}

async function fetchJob(id: string, by = team) {
  const { body } = await calm.request(by, 'GET', `${JOBS}/${id}`)
  const counts = Object.values(body._meta.bjEntryCompletionStatusVsCount as Record<string, number>)
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(body._data.total)
  return { ...body._data, counts: body._meta.bjEntryCompletionStatusVsCount }
}

async function listEntries(id: string, by = team) {
  const { body } = await calm.request(by, 'GET', `${JOBS}/${id}/entries`)
  return body._data as { completionStatus: string; completionResult: { primaryKey: string } | null }[]
}

const numbersFrom = (count: number): number[] => Array.from({ length: count }, (_, nth) => count - 1 - nth)
const isCollectingCall = ({ kind, sql }: Call) => kind === 'database' && sql.includes('"collected_to"')

/** Runs a job for all leads of a city under an injection, and checks that each was updated once, the newest first. */
async function survives(injection: FaultInjection): Promise<Harness> {
  const city = newCity()
  await makeLeads(city)
  const harness = new Harness(getVars(injection), injection)
  const accepted = await accept(harness, city)
  expect(accepted).toMatchObject({ isCollecting: true, total: PAGE, completionStatus: 'IN_PROGRESS', completedAt: 0 })
  await harness.settle(team)
  const job = await fetchJob(accepted.id)
  expect(job).toMatchObject({ completionStatus: 'SUCCESS', total: COUNT })
  expect(job).not.toHaveProperty('isCollecting')
  const keys = (await listEntries(accepted.id)).map(({ completionResult }) => completionResult?.primaryKey)
  expect(keys).toEqual(numbersFrom(COUNT).map(nth => `${city}-${nth}`))
  expect((await loadLeads(city)).map(({ version, score }) => [version, score])).toEqual(
    Array.from({ length: COUNT }, () => [2, 1]),
  )
  const jobs = await env.DB.prepare(
    'SELECT count(*) AS n FROM background_job WHERE team = ? AND collecting IS NOT NULL',
  )
    .bind(team.no)
    .first<{ n: number }>()
  expect(jobs?.n).toBe(0)
  return harness
}

describe('a job whose entries are collected by the queue', () => {
  it('survives that any call fails or hangs until all are found, before or after it took effect', async () => {
    const { log } = await survives({})
    const end = log.findIndex(({ sql }) => sql.includes('INTO "job_outcome"'))
    await survivesFaults(log.slice(0, end), survives)
  })

  const disorders: Record<string, FaultInjection> = {
    'every message delivered twice': { deliver: twice },
    'every message delivered twice at once': { deliver: twice, atOnce: true },
    'every message lost but those of the cron': {
      deliver: (list: Message[]) => list.filter(({ sentBy }) => sentBy === 'cron'),
    },
  }
  it.each(Object.entries(disorders))('survives %s', async (_, injection) => {
    const harness = await survives(injection)
    expect(harness.retries).toBe(0)
  })

  it('survives faults at random', async () => {
    await survivesRandomFaults(3, survives)
  })
})

/** Does something before the first of the trips in the queue that find entries, and runs the job to its end. */
async function meanwhile(city: string, act: (jobId: string) => Promise<unknown>, update?: object) {
  let [jobId, isDone] = ['', false]
  const harness = new Harness(VARS, {
    before: async ({ trigger, sql }) => {
      if (isDone || trigger !== 'message' || !sql.includes('FROM "process"')) return
      isDone = true
      await act(jobId)
    },
  })
  jobId = (await accept(harness, city, update)).id
  await harness.settle(team)
  expect(isDone).toBe(true)
  return { job: await fetchJob(jobId), entries: await listEntries(jobId), harness }
}

describe('a job that is still being collected', () => {
  it('leaves out what is created meanwhile and what stops to match, and keeps what was found', async () => {
    const city = newCity()
    await makeLeads(city)
    const change = (nth: number, body: object) => calm.request(team, 'PUT', `${LEADS}/lead_id/${city}-${nth}`, body)
    const { job, entries } = await meanwhile(city, async () => {
      await calm.request(team, 'POST', LEADS, { data: { lead_id: `${city}-new`, city } })
      await change(COUNT - 1, { data: { city: 'Elsewhere' } })
      await change(3, { data: { city: 'Elsewhere' } })
      await calm.request(team, 'DELETE', `${LEADS}/lead_id/${city}-5`)
      await change(4, { data: { isHot: true } })
    })
    expect([job.total, job.completionStatus]).toEqual([COUNT - 2, 'SUCCESS'])
    const expected = numbersFrom(COUNT).filter(nth => nth !== 3 && nth !== 5)
    expect(entries.map(({ completionResult }) => completionResult?.primaryKey)).toEqual(
      expected.map(nth => `${city}-${nth}`),
    )
  })

  it('ends by a cancellation: no further entry appears, and nothing is changed', async () => {
    const city = newCity()
    await makeLeads(city)
    const { job, entries } = await meanwhile(city, async id => {
      const cancelled = await calm.request(team, 'POST', `${JOBS}/${id}/cancel`)
      expect(cancelled.body._data).toMatchObject({ completionStatus: 'CANCELLED', total: PAGE })
      expect(cancelled.body._data).not.toHaveProperty('isCollecting')
    })
    expect(job).toMatchObject({ completionStatus: 'CANCELLED', total: PAGE })
    expect(job.counts.CANCELLED).toBe(PAGE)
    expect(entries.map(each => each.completionStatus)).toEqual(Array.from({ length: PAGE }, () => 'CANCELLED'))
    expect((await loadLeads(city)).every(({ version }) => version === 1)).toBe(true)
  })

  it('is cancelled, with the reason, by a definition that makes its query unreadable', async () => {
    const other = await newTeam()
    await leadProcedure(other)
    await makeLeads('Oslo', COUNT, other)
    let isChanged = false
    const harness = new Harness(VARS, {
      before: async ({ trigger, sql }) => {
        if (isChanged || trigger !== 'message' || !sql.includes('FROM "process"')) return
        isChanged = true
        const states = [{ shortId: 'NEW' }, { shortId: 'WON' }]
        const changed = await calm.request(other, 'PUT', '/v1/ext/procedure/lead', {
          name: 'Lead',
          states,
          startState: 'NEW',
          completedState: 'WON',
          primaryKey: 'lead_id',
          attributes: [{ shortId: 'lead_id', type: 'string' }],
        })
        expect(changed.body._errors).toEqual([])
      },
    })
    const body = { where: { state: { '!=': 'LOST' } }, update: { data: { score: 1 } } }
    const { id } = (await harness.request(other, 'PATCH', LEADS, body)).body._data
    // The job runs when the other has ended.
    const next = await calm.request(other, 'PATCH', LEADS, { processes: [{ lead_id: 'Oslo-1', update: {} }] })
    await harness.settle(other)
    const job = await fetchJob(id, other)
    expect(job).toMatchObject({ completionStatus: 'CANCELLED', total: PAGE })
    expect(job.statusMessage).toContain('Cancelled: "LOST" is not a state of lead')
    expect(job.statusMessage).toContain('20 not run')
    expect((await fetchJob(next.body._data.id, other)).completionStatus).toBe('SUCCESS')
  })

  describe('a definition by which a query may match more than was meant', () => {
    /** Half of the states go, and all attributes but the key, before the queue looks for the rest. */
    async function collectAfterChange(request: object) {
      const other = await newTeam()
      await leadProcedure(other)
      await makeLeads('Oslo', COUNT, other)
      let isChanged = false
      const harness = new Harness(VARS, {
        before: async ({ trigger, sql }) => {
          if (isChanged || trigger !== 'message' || !sql.includes('FROM "process"')) return
          isChanged = true
          const changed = await calm.request(other, 'PUT', '/v1/ext/procedure/lead', {
            name: 'Lead',
            states: [{ shortId: 'NEW' }, { shortId: 'WON' }],
            startState: 'NEW',
            completedState: 'WON',
            primaryKey: 'lead_id',
            attributes: [{ shortId: 'lead_id', type: 'string' }],
          })
          expect(changed.body._errors).toEqual([])
        },
      })
      const body = { ...request, update: { state: 'WON' } }
      const accepted = await harness.request(other, 'PATCH', LEADS, body)
      expect(accepted.body._data).toMatchObject({ isCollecting: true, total: PAGE })
      await harness.settle(other)
      expect(isChanged).toBe(true)
      return fetchJob(accepted.body._data.id, other)
    }

    it.each([
      ['everything', { where: { state: ['NEW', 'WON'] } }, 'the query matches every process of lead'],
      ['what nobody declares', { where: { city: 'Oslo' } }, '"city"'],
    ])('cancels the job, with the reason: %s', async (_, request, reason) => {
      const job = await collectAfterChange(request)
      expect(job).toMatchObject({ completionStatus: 'CANCELLED', total: PAGE })
      expect(job.statusMessage).toContain(reason)
    })

    it.each([
      ['everything', { where: { state: ['NEW', 'WON'] }, all: true }],
      ['what nobody declares', { where: { city: 'Oslo' }, allowUndeclared: true }],
    ])('does not cancel a job whose request allowed it: %s', async (_, request) => {
      expect(await collectAfterChange(request)).toMatchObject({ completionStatus: 'SUCCESS', total: COUNT })
    })
  })

  it('more matches than a job can have cancel it with the reason, and nothing was changed', async () => {
    const city = newCity()
    await makeLeads(city, 905)
    const harness = new Harness({ JOB_TUNING: { chunkEntries: 1 } })
    const { id } = await accept(harness, city)
    await harness.settle(team)
    const job = await fetchJob(id)
    expect(job).toMatchObject({ completionStatus: 'CANCELLED', total: 900 })
    expect(job.statusMessage).toContain('more than 900 processes match')
    expect((await loadLeads(city)).every(({ version }) => version === 1)).toBe(true)
  })

  it('a job that fails again and again while it is collected is cancelled in the end, and the next one of the team runs', async () => {
    const city = newCity()
    await makeLeads(city)
    const before = ({ trigger, sql }: Call) => {
      const isSearch =
        sql.includes('FROM "process"') && !sql.includes('json_group_array') && !sql.includes('INTO "event"')
      if (trigger === 'message' && isSearch) throw new TypeError('nobody knows why')
    }
    const harness = new Harness({ JOB_TUNING: { ...VARS.JOB_TUNING, teamJobs: 1 } }, { before })
    const { id } = await accept(harness, city)
    const processes = Array.from({ length: 101 }, () => ({ lead_id: `${city}-0`, update: {} }))
    const next = await harness.request(team, 'PATCH', LEADS, { processes })
    await harness.settle(team)
    const job = await fetchJob(id)
    expect(job).toMatchObject({ completionStatus: 'CANCELLED', total: PAGE })
    expect(job.statusMessage).toContain('it failed repeatedly')
    expect((await fetchJob(next.body._data.id)).completionStatus).toBe('SUCCESS')
  })

  it('an outage of the database does not end a job that is being collected', async () => {
    let failures = 0
    const before = (call: Call) => {
      if (call.trigger === 'message' && isCollectingCall(call) && call.sql.includes('UPDATE') && ++failures <= 30)
        throw new Error('Network connection lost')
    }
    await survives({ before })
    expect(failures).toBeGreaterThan(30)
  })

  it('a job for which nothing was found yet has not ended', async () => {
    const other = await newTeam()
    await leadProcedure(other)
    await makeLeads('Lima', 1, other)
    // These are more than one statement looks at, where a filter searches for so many texts in each.
    await makeLeads('Quito', 1_100, other)
    const contains = Array.from({ length: 10 }, (_, nth) => `text ${nth}`)
    const where = { isHot: null, lead_id: { '!=': 'x' }, and: [{ or: [{ city: 'Lima' }, { note: { contains } }] }] }
    const harness = new Harness(VARS)
    const body = { where, allowUndeclared: true, update: { data: { score: 1 } } }
    const { _data: accepted } = (await harness.request(other, 'PATCH', LEADS, body)).body
    expect(accepted).toMatchObject({ isCollecting: true, total: 0, completedAt: 0 })
    expect(accepted.statusMessage).toBe('Finding what matches: 0 entries so far')
    const cancelled = await calm.request(other, 'POST', `${JOBS}/${accepted.id}/cancel`)
    expect(cancelled.body._data).toMatchObject({ completionStatus: 'CANCELLED', total: 0 })
    const again = (await harness.request(other, 'PATCH', LEADS, body)).body._data
    await harness.settle(other)
    expect(await fetchJob(again.id, other)).toMatchObject({ completionStatus: 'SUCCESS', total: 1 })
  })

  it('entries that are too large for a job refuse the request', async () => {
    const collection = {
      apiType: 'TEMPLATE_MESSAGE',
      apiData: { mapping: 'x'.repeat(1_100_000) },
      where: {},
      moment: 0,
    }
    const find = async () => ({ names: [], rest: null })
    const refused = findFirstPage(collection, readJobSettings(env), find)
    await expect(refused).rejects.toMatchObject({ code: 'request_too_large' })
  })

  it('a job that finds all in one round trip has them when it is accepted', async () => {
    const city = newCity()
    await makeLeads(city, PAGE - 1)
    const accepted = await accept(new Harness(VARS), city)
    expect(accepted.total).toBe(PAGE - 1)
    expect(accepted).not.toHaveProperty('isCollecting')
  })
})
