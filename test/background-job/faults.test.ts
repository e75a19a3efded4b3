import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newTeam, type Team } from '../support/api.ts'
import { survivesFaults, survivesRandomFaults, twice } from '../support/faults.ts'
import { expectEventsOfAll, switchFeed } from '../support/feed.ts'
import { type Call, type FaultInjection, Harness, type Message } from '../support/harness.ts'
import { JOBS, LEADS, leadProcedure, rowEntriesBy } from '../support/jobs.ts'
import { newNumber } from '../support/provider.ts'
import { SEED } from '../support/seed.ts'

const TUNING = { chunkEntries: 4, sliceChunks: 2 }
/** A hanging call is given up soon. Without one, no call of a slow machine is given up, which would be a retry. */
const getVars = ({ fault }: FaultInjection) => ({
  JOB_TUNING: { ...TUNING, ...rowEntriesBy(runs), ...(fault ? { timeLimitMs: 250 } : {}) },
})

let team: Team
let runs = 0

beforeAll(async () => {
  team = await newTeam()
  await switchFeed(team)
  await leadProcedure(team)
})

/** Each job that has ended has one event of it, whatever went wrong. */
afterAll(() => expectEventsOfAll(team))

const update = (key: string, processUpdate: object) => ({
  apiType: 'PROCESS_UPDATE',
  apiData: { procedureId: 'lead', primaryKeyShortId: 'lead_id', primaryKeyValue: key, processUpdate },
})
const remove = (key: string) => ({
  apiType: 'PROCESS_DELETE',
  apiData: { procedureId: 'lead', primaryKeyShortId: 'lead_id', primaryKeyValue: key },
})
const create = (key: string, phone: string, data: object = {}) => ({
  apiType: 'PROCESS_CREATE',
  apiData: {
    procedureId: 'lead',
    processCreate: { data: { lead_id: key, ...data }, record: { data: { phone } } },
  },
})

/** Makes a job of every kind of entry and every outcome, with known results. */
const scenario = (run: string) => {
  const customers = { n: newNumber(), m: newNumber() }
  const [a, b, c, d, n, m] = ['a', 'b', 'c', 'd', 'n', 'm'].map(name => `${run}-${name}`) as [
    string,
    string,
    string,
    string,
    string,
    string,
  ]
  const entries: [object, string][] = [
    [update(a, { data: { score: 1 } }), 'SUCCESS'],
    [update(a, { data: { score: 2, city: 'Goa' } }), 'SUCCESS'],
    [update(b, { state: 'IN_PROGRESS' }), 'SUCCESS'],
    [update(`${run}-missing`, {}), 'ERROR'],
    [update(b, { data: { score: 'many' } }), 'INVALID'],
    [remove(c), 'SUCCESS'],
    [update(c, { data: { score: 9 } }), 'ERROR'],
    [create(n, customers.n, { score: 5 }), 'SUCCESS'],
    [create(n, customers.n), 'ERROR'],
    [create(m, customers.m), 'SUCCESS'],
    [update(n, { data: { score: 6 } }), 'SUCCESS'],
    [{ apiType: 'PROCESS_UPDATE', apiData: {} }, 'INVALID'],
    [update(a, { data: { score: 3 } }), 'SUCCESS'],
    [update(d, { status: 'COMPLETED' }), 'SUCCESS'],
    [update(d, { state: 'IN_PROGRESS' }), 'ERROR'],
  ]
  const processes = {
    [a]: { version: 4, state: 'NEW', data: { lead_id: a, score: 3, city: 'Goa' } },
    [b]: { version: 2, state: 'IN_PROGRESS', data: { lead_id: b } },
    [d]: { version: 2, state: 'WON', data: { lead_id: d } },
    [n]: { version: 2, state: 'NEW', data: { lead_id: n, score: 6 } },
    [m]: { version: 1, state: 'NEW', data: { lead_id: m } },
  }
  const phones = { [n]: customers.n, [m]: customers.m }
  return { before: [a, b, c, d], entries, processes, trashed: [c], phones }
}

interface Ran {
  harness: Harness
  jobId: string
}

/** Runs the scenario under an injection until nothing moves any more, and checks that it came out as it had to. */
async function survives(injection: FaultInjection, betweenDeliveries?: (jobId: string) => Promise<void>): Promise<Ran> {
  const run = `${SEED}-${runs++}`
  const { before, entries, processes, trashed, phones } = scenario(run)
  const calm = new Harness()
  await calm.request(
    team,
    'POST',
    `${LEADS}/bulk-create`,
    before.map(key => ({ lead_id: key })),
  )
  await calm.settle(team)

  const harness = new Harness(getVars(injection), injection)
  const body = { entries: entries.map(([entry]) => entry) }
  let accepted = await harness.request(team, 'POST', JOBS, body, { 'idempotency-key': run })
  for (let attempt = 0; accepted.status !== 202; attempt++) {
    expect(accepted.status, JSON.stringify(accepted.body)).toBeGreaterThanOrEqual(500)
    expect(attempt).toBeLessThan(5)
    accepted = await harness.request(team, 'POST', JOBS, body, { 'idempotency-key': run })
  }
  const jobId = accepted.body._data.id
  if (betweenDeliveries)
    while (harness.messages.length > 0) {
      await harness.deliver()
      await betweenDeliveries(jobId)
    }
  await harness.settle(team)

  const job = await calm.request(team, 'GET', `${JOBS}/${jobId}`)
  const counts: Record<string, number> = {}
  for (const [, status] of entries) counts[status] = (counts[status] ?? 0) + 1
  expect(job.body._data).toMatchObject({ completionStatus: 'ERROR', total: entries.length })
  expect(job.body._meta.bjEntryCompletionStatusVsCount).toEqual({
    NOT_STARTED: 0,
    IN_PROGRESS: 0,
    CANCELLED: 0,
    ...counts,
  })
  const page = await calm.request(team, 'GET', `${JOBS}/${jobId}/entries`)
  expect(page.body._data.map((each: { completionStatus: string }) => each.completionStatus)).toEqual(
    entries.map(([, status]) => status),
  )
  const rows = await env.DB.prepare(
    `SELECT primary_key AS key, version, state, json(data) AS data FROM process
      WHERE proc = (SELECT no FROM procedure WHERE team = ?1) AND primary_key >= ?2 AND primary_key < ?3 ORDER BY primary_key`,
  )
    .bind(team.no, `${run}-`, `${run}.`)
    .all<{ key: string; version: number; state: string; data: string }>()
  const found = rows.results.map(({ key, data, ...row }) => [key, { ...row, data: JSON.parse(data) }])
  expect(Object.fromEntries(found)).toEqual(processes)
  expect(found.length).toBe(Object.keys(processes).length)
  const trash = await env.DB.prepare(
    `SELECT row ->> '$.primaryKey' AS key FROM process_trash WHERE row ->> '$.primaryKey' >= ?1 AND row ->> '$.primaryKey' < ?2`,
  )
    .bind(`${run}-`, `${run}.`)
    .all<{ key: string }>()
  expect(trash.results.map(({ key }) => key)).toEqual(trashed)
  for (const [key, phone] of Object.entries(phones)) {
    const { body } = await calm.request(team, 'GET', `${LEADS}/lead_id/${key}`)
    expect(body._data.record.data, key).toEqual({ phone })
  }
  const records = await env.DB.prepare(
    `SELECT data ->> '$.phone' AS phone FROM record
      WHERE team = ?1 AND data ->> '$.phone' IN (SELECT value FROM json_each(?2)) ORDER BY 1`,
  )
    .bind(team.no, JSON.stringify(Object.values(phones)))
    .all<{ phone: string }>()
  expect(records.results.map(({ phone }) => phone)).toEqual(Object.values(phones).sort())
  return { harness, jobId }
}

describe('a job', () => {
  it('survives that any call to the database, the queue or its object fails or hangs, before or after it took effect', async () => {
    const { harness } = await survives({})
    await survivesFaults(harness.log, injection => survives(injection))
  })

  const disorders: Record<string, FaultInjection> = {
    'every message delivered twice': { deliver: twice },
    'every message delivered twice at once': { deliver: twice, atOnce: true },
    'messages in reverse, and twice': { deliver: messages => twice(messages).reverse() },
    'every message lost but those of the cron': { deliver: list => list.filter(({ sentBy }) => sentBy === 'cron') },
    ...Object.fromEntries(
      [2, 3].map(n => {
        let count = 0
        return [`every ${n}th message lost`, { deliver: (list: Message[]) => list.filter(() => ++count % n !== 0) }]
      }),
    ),
  }
  it.each(Object.entries(disorders))('survives %s', async (_, injection) => {
    const { harness } = await survives(injection)
    // A runner that finds that another one was faster has nothing to complain of.
    expect(harness.retries).toBe(0)
  })

  it('survives that its object is thrown away after every message', async () => {
    await survives({}, async jobId => {
      const no = await env.DB.prepare('SELECT no FROM background_job WHERE id = ?').bind(jobId).first<{ no: number }>()
      const stub = env.JOB_PROGRESS.get(env.JOB_PROGRESS.idFromName(`${team.no}/${no?.no}`))
      await runInDurableObject(stub, (_, state) => state.abort('thrown away')).catch(() => {})
    })
  })

  it('survives faults at random: calls that fail or hang, and messages that are doubled, lost or shuffled', async () => {
    await survivesRandomFaults(3, survives)
  })
})

describe('an entry that fails', () => {
  const isOfOne = (call: Call) =>
    call.kind === 'database' && call.about.includes('NEVER') && call.sql.includes('UPDATE "process"')

  /** Three updates, of which the second is the one that fails. */
  async function updateThree(injection: FaultInjection) {
    const key = `one-${crypto.randomUUID()}`
    const calm = new Harness()
    const keys = ['x', 'y', 'z'].map(each => `${key}-${each}`)
    await calm.request(
      team,
      'POST',
      `${LEADS}/bulk-create`,
      keys.map(lead_id => ({ lead_id })),
    )
    await calm.settle(team)
    const harness = new Harness(getVars(injection), injection)
    const processes = keys.map(lead_id => ({
      lead_id,
      update: { data: { city: lead_id.endsWith('y') ? 'NEVER' : 'Goa' } },
    }))
    const accepted = await harness.request(team, 'PATCH', LEADS, { processes })
    await harness.settle(team)
    const page = await calm.request(team, 'GET', `${JOBS}/${accepted.body._data.id}/entries`)
    return page.body._data.map((each: Record<string, string>) => [each.completionStatus, each.completionMessage])
  }

  it('ends as ERROR with the reason after several tries, alone, and the job goes on', async () => {
    const before = (call: Call) => {
      if (isOfOne(call)) throw new Error('nobody knows why')
    }
    expect(await updateThree({ before })).toEqual([
      ['SUCCESS', ''],
      ['ERROR', 'it failed repeatedly: something went wrong on our side'],
      ['SUCCESS', ''],
    ])
  })

  it('is run once the database works again, however long that takes', async () => {
    let failures = 0
    const before = (call: Call) => {
      if (isOfOne(call) && ++failures <= 30) throw new Error('Network connection lost')
    }
    expect(await updateThree({ before })).toEqual([
      ['SUCCESS', ''],
      ['SUCCESS', ''],
      ['SUCCESS', ''],
    ])
    expect(failures).toBeGreaterThan(30)
  })
})

/** Reads a run's processes, without the number of their changes. */
async function storedProcesses(run: string): Promise<unknown> {
  const { results } = await env.DB.prepare(
    `SELECT id, primary_key, status, state, completed_at, record, json(data) AS data FROM process
      WHERE proc = (SELECT no FROM procedure WHERE team = ?1) AND primary_key >= ?2 AND primary_key < ?3 ORDER BY id`,
  )
    .bind(team.no, `${run}-`, `${run}.`)
    .all()
  return results
}

type Undone = 'a job' | 'an undo'

/**
 * Runs the scenario, and undoes it under an injection: then everything is as it was before. Of an undo, it is as the job
 * had left it.
 */
async function undoSurvives(undone: Undone, injection: FaultInjection): Promise<Harness> {
  const run = `${SEED}-undo-${runs++}`
  const { before, entries } = scenario(run)
  const calm = new Harness()
  await calm.request(
    team,
    'POST',
    `${LEADS}/bulk-create`,
    before.map(key => ({ lead_id: key })),
  )
  await calm.settle(team)
  const first = await storedProcesses(run)
  const { body: job } = await calm.request(team, 'POST', JOBS, { entries: entries.map(([entry]) => entry) })
  await calm.settle(team)
  const second = await storedProcesses(run)
  let target = job._data.id
  if (undone === 'an undo') {
    const { body: undo } = await calm.request(team, 'POST', `${JOBS}/${target}/undo`)
    await calm.settle(team)
    expect(await storedProcesses(run)).toEqual(first)
    target = undo._data.id
  }

  const harness = new Harness(getVars(injection), injection)
  const path = `${JOBS}/${target}/undo`
  let accepted = await harness.request(team, 'POST', path, undefined, { 'idempotency-key': run })
  for (let attempt = 0; accepted.status !== 202; attempt++) {
    expect(accepted.status, JSON.stringify(accepted.body)).toBeGreaterThanOrEqual(500)
    expect(attempt).toBeLessThan(5)
    accepted = await harness.request(team, 'POST', path, undefined, { 'idempotency-key': run })
  }
  await harness.settle(team)
  const shown = await calm.request(team, 'GET', `${JOBS}/${accepted.body._data.id}`)
  const succeeded = entries.filter(([, status]) => status === 'SUCCESS').length
  expect(shown.body._data).toMatchObject({ completionStatus: 'SUCCESS', total: succeeded })
  expect(await storedProcesses(run)).toEqual(undone === 'a job' ? first : second)
  return harness
}

describe.each<Undone>(['a job', 'an undo'])('an undo of %s survives', undone => {
  it('each call failing or hanging, before or after it took effect', async () => {
    const { log } = await undoSurvives(undone, {})
    await survivesFaults(log, injection => undoSurvives(undone, injection))
  })

  it.each([
    ['every message delivered twice', { deliver: twice }],
    ['every message delivered twice at once', { deliver: twice, atOnce: true }],
    [
      'every message lost but those of the cron',
      { deliver: (list: Message[]) => list.filter(({ sentBy }) => sentBy === 'cron') },
    ],
  ] satisfies [string, FaultInjection][])('%s', async (_, injection) => {
    expect((await undoSurvives(undone, injection)).retries).toBe(0)
  })
})
