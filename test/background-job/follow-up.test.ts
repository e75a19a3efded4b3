import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { HOUR_MS } from '../../src/time-units.ts'
import type { Team } from '../support/api.ts'
import { eraseEverywhere, expectNothingLeft, personalTeam, somePerson, untilErased } from '../support/erasing.ts'
import { survivesFaults, survivesRandomFaults, twice } from '../support/faults.ts'
import { type Call, type FaultInjection, Harness, type Message } from '../support/harness.ts'
import { JOBS, LEADS, newLeadTeam, rowEntriesBy } from '../support/jobs.ts'

// A step takes five chunks of another job: here ten entries.
const VARS = { JOB_TUNING: { chunkEntries: 2 } }
/** A hanging call is given up soon. Without one, no call of a slow machine is given up, which would be a retry. */
const getVars = ({ fault }: FaultInjection) => ({
  JOB_TUNING: { ...VARS.JOB_TUNING, ...rowEntriesBy(runs++), ...(fault ? { timeLimitMs: 250 } : {}) },
})
const STEP = 10
const COUNT = 2 * STEP + 8

const calm = new Harness(VARS)

interface Entry {
  data: { apiData: { processCreate: { data: { score: number } } } }
}

const key = (nth: number) => `L${String(nth).padStart(3, '0')}`

/** Runs a bulk request to its end. */
async function run(team: Team, path: string, body: object, query = ''): Promise<string> {
  const method = path === LEADS ? 'PATCH' : 'POST'
  const accepted = await calm.request(team, method, `${path}${query}`, body)
  expect(accepted.body._errors).toEqual([])
  await calm.settle(team)
  return accepted.body._data.id
}

const create = (team: Team, count = COUNT, query = '') =>
  run(
    team,
    `${LEADS}/bulk-create`,
    Array.from({ length: count }, (_, nth) => ({ data: { lead_id: key(nth), score: nth } })),
    query,
  )

async function fetchJob(team: Team, id: string) {
  const { body } = await calm.request(team, 'GET', `${JOBS}/${id}`)
  const counts = body._meta.bjEntryCompletionStatusVsCount as Record<string, number>
  expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).toBe(body._data.total)
  return { ...body._data, counts, meta: body._meta }
}

async function listKeys(team: Team, id: string): Promise<string[]> {
  const { body } = await calm.request(team, 'GET', `${JOBS}/${id}/entries?limit=100`)
  return body._data.map((entry: { primaryKey: string }) => entry.primaryKey)
}

const countProcesses = async ({ no }: Team): Promise<number> => {
  const counted = env.DB.prepare(
    'SELECT count(*) AS n FROM process WHERE proc IN (SELECT no FROM procedure WHERE team = ?)',
  )
  return (await counted.bind(no).first<{ n: number }>())?.n ?? -1
}

/** Asks for a follow-up of a job, as often as it takes, and runs it to its end. */
async function follow(harness: Harness, team: Team, of: string, does: string, body?: object) {
  for (let attempt = 0; ; attempt++) {
    const accepted = await harness.request(team, 'POST', `${JOBS}/${of}/${does}`, body, {
      'idempotency-key': does + of,
    })
    if (accepted.status === 202) {
      const { _data: job } = accepted.body
      expect(job).toMatchObject({ isCollecting: true, total: STEP, completionStatus: 'IN_PROGRESS', completedAt: 0 })
      expect(job.statusMessage).toBe(`Reading background job ${of}: ${STEP} entries so far`)
      await harness.settle(team)
      return fetchJob(team, job.id)
    }
    expect(accepted.status, JSON.stringify(accepted.body)).toBeGreaterThanOrEqual(500)
    expect(attempt).toBeLessThan(5)
  }
}

const numbers = Array.from({ length: COUNT }, (_, nth) => nth)
const KEYS = numbers.map(key)

let runs = 0

/** An undo of a job of many steps takes back each entry once, the last one first. */
async function survives(injection: FaultInjection): Promise<Harness> {
  const team = await newLeadTeam()
  const created = await create(team)
  const harness = new Harness(getVars(injection), injection)
  const undone = await follow(harness, team, created, 'undo')
  expect(undone).toMatchObject({ completionStatus: 'SUCCESS', total: COUNT, undoOf: created })
  expect(undone).not.toHaveProperty('isCollecting')
  expect(await listKeys(team, undone.id)).toEqual(KEYS.toReversed())
  expect(await countProcesses(team)).toBe(0)
  return harness
}

describe('a job of many entries', () => {
  it('is undone by a job that reads it step by step, the last entry first, and that is undone in turn', async () => {
    const harness = await survives({})
    // However many entries there are, the request reads five chunks, and no invocation all of them.
    expect(harness.statementsMax).toBeLessThan(150)
    const team = await newLeadTeam()
    const created = await create(team)
    const undone = await follow(calm, team, created, 'undo')
    const again = await follow(calm, team, undone.id, 'undo')
    expect(again).toMatchObject({ completionStatus: 'SUCCESS', total: COUNT })
    expect(await listKeys(team, again.id)).toEqual(KEYS)
    expect(await countProcesses(team)).toBe(COUNT)
  })

  it('is applied in its order, and retried with the number of entries that were taken', async () => {
    const team = await newLeadTeam()
    const planned = await create(team, COUNT, '?dryRun=true')
    const applied = await follow(calm, team, planned, 'apply')
    expect(applied).toMatchObject({ completionStatus: 'SUCCESS', total: COUNT, applyOf: planned })
    expect(await listKeys(team, applied.id)).toEqual(KEYS)
    // Each key exists already.
    const failed = await create(team)
    const retried = await follow(calm, team, failed, 'retry', { update: { data: { lead_id: null, note: 'n' } } })
    expect(retried).toMatchObject({ total: COUNT, retryOf: failed })
    expect(retried.counts).toMatchObject({ SUCCESS: COUNT })
    const { meta } = await fetchJob(team, failed)
    expect(meta.retries).toMatchObject({ entries: COUNT, newest: retried.id })
    const { body } = await calm.request(team, 'GET', `${JOBS}/${retried.id}/entries?limit=100`)
    const scores = body._data.map((entry: Entry) => entry.data.apiData.processCreate.data.score)
    expect(scores).toEqual(numbers)
  })

  it('is answered in the same number of round trips however many entries it has', async () => {
    const trips: number[] = []
    for (const count of [COUNT, 3 * COUNT]) {
      const team = await newLeadTeam()
      const created = await create(team, count)
      const harness = new Harness(VARS)
      const accepted = await harness.request(team, 'POST', `${JOBS}/${created}/undo`)
      expect(accepted.body._data).toMatchObject({ total: STEP, isCollecting: true })
      trips.push(harness.calls.database)
      await harness.settle(team)
      expect(await countProcesses(team)).toBe(0)
    }
    expect(trips[1]).toBe(trips[0])
  })

  it('is read although its failed entries stand far apart, and says where a group has none', async () => {
    const team = await newLeadTeam()
    await run(team, `${LEADS}/bulk-create`, [{ data: { lead_id: key(3) } }, { data: { lead_id: key(COUNT - 2) } }])
    const created = await create(team)
    const refused = await calm.request(team, 'POST', `${JOBS}/${created}/retry`, { group: 'nothing' })
    expect(refused.status).toBe(400)
    expect(refused.body._errors[0]).toContain('is in the group "nothing"')
    const retried = await calm.request(team, 'POST', `${JOBS}/${created}/retry`)
    expect(retried.body._data.total).toBe(2)
    await calm.settle(team)
    expect(await listKeys(team, retried.body._data.id)).toEqual([key(3), key(COUNT - 2)])
  })

  it('is read from its archive where it was archived meanwhile', async () => {
    const team = await newLeadTeam()
    const created = await create(team)
    const { body } = await calm.request(team, 'POST', `${JOBS}/${created}/undo`)
    expect(body._data.isCollecting).toBe(true)
    const messages = calm.messages.splice(0)
    await calm.runCron(Date.now() + 2 * HOUR_MS)
    await calm.runCron(Date.now() + 2 * HOUR_MS)
    const left = env.DB.prepare(
      'SELECT count(*) AS n FROM job_chunk WHERE job = (SELECT no FROM background_job WHERE id = ?)',
    )
    expect(await left.bind(created).first()).toEqual({ n: 0 })
    calm.messages.push(...messages)
    await calm.settle(team)
    expect(await fetchJob(team, body._data.id)).toMatchObject({ completionStatus: 'SUCCESS', total: COUNT })
    expect(await countProcesses(team)).toBe(0)
  })

  it('ends the job that follows it, which has changed nothing, if it is removed before it was read to its end', async () => {
    const team = await newLeadTeam()
    const created = await create(team)
    const { body } = await calm.request(team, 'POST', `${JOBS}/${created}/undo`)
    await env.DB.prepare('DELETE FROM background_job WHERE id = ?').bind(created).run()
    await calm.settle(team)
    const job = await fetchJob(team, body._data.id)
    expect(job).toMatchObject({ completionStatus: 'CANCELLED', total: STEP })
    expect(job.statusMessage).toContain(`Cancelled: background job ${created} not found`)
    expect(await countProcesses(team)).toBe(COUNT)
  })

  it('lets the job that reads it be cancelled, and undone again then', async () => {
    const team = await newLeadTeam()
    const created = await create(team)
    const { body } = await calm.request(team, 'POST', `${JOBS}/${created}/undo`)
    const twice = await calm.request(team, 'POST', `${JOBS}/${created}/undo`)
    expect([twice.status, twice.body._errors[0]]).toEqual([409, expect.stringContaining('is being undone')])
    const cancelled = await calm.request(team, 'POST', `${JOBS}/${body._data.id}/cancel`)
    const found = STEP.toLocaleString('en-US')
    expect(cancelled.body._data).toMatchObject({
      completionStatus: 'CANCELLED',
      total: STEP,
      statusMessage: `Cancelled: not all entries had been found yet. Of ${found} entries 0 taken back, ${found} not run`,
    })
    expect((await calm.request(team, 'GET', `${JOBS}/${created}`)).body._meta.undoneBy).toBeUndefined()
    await calm.settle(team)
    expect(await countProcesses(team)).toBe(COUNT)
    await follow(calm, team, created, 'undo')
    expect(await countProcesses(team)).toBe(0)
  })

  it('shows nothing of a person who is erased while it is read, even after the sweep has passed', async () => {
    const team = await personalTeam()
    const person = somePerson()
    const rows = numbers.map(nth => ({ data: { lead_id: key(nth), ...(nth === COUNT - 2 ? person : {}) } }))
    const planned = await run(team, `${LEADS}/bulk-create`, rows, '?dryRun=true')
    const record = await calm.request(team, 'POST', '/v1/ext/record', { data: { phone: person.phone_number } })
    const id: string = record.body._data.id
    let steps = 0
    const harness = new Harness(
      { JOB_TUNING: { ...VARS.JOB_TUNING, rowEntries: 0 } },
      {
        // The last step has read the entry, and has yet to write it.
        before: async call => {
          if (call.trigger !== 'message' || !isReading(call) || !call.sql.includes('INTO "job_chunk"') || ++steps !== 2)
            return
          expect((await eraseEverywhere(team, id)).status).toBe(202)
          await untilErased(team, id)
        },
      },
    )
    const applied = await follow(harness, team, planned, 'apply')
    expect(steps).toBeGreaterThan(2)
    expect(applied).toMatchObject({ completionStatus: 'ERROR', total: COUNT })
    expect(applied.counts).toMatchObject({ SUCCESS: COUNT - 1, ERROR: 1 })
    await expectNothingLeft(person)
  })
})

const isReading = ({ sql }: Call) => sql.includes('"collected_to"')

describe('reading another job step by step', () => {
  it('survives that any call fails or hangs until all is read, before or after it took effect', async () => {
    const { log } = await survives({})
    const end = log.findLastIndex(isReading)
    await survivesFaults(log.slice(0, end + 1), survives)
  })

  const disorders: Record<string, FaultInjection> = {
    'every message delivered twice': { deliver: twice },
    'every message delivered twice at once': { deliver: twice, atOnce: true },
    'every message lost but those of the cron': {
      deliver: (list: Message[]) => list.filter(({ sentBy }) => sentBy === 'cron'),
    },
  }
  it.each(Object.entries(disorders))('survives %s', async (_, injection) => {
    await survives(injection)
  })

  it('survives faults at random', async () => {
    await survivesRandomFaults(2, survives)
  })
})
