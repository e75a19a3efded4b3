import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { newId, toRowNo } from '../../src/ids.ts'
import { DAY_MS } from '../../src/time-units.ts'
import { newNumber } from '../support/provider.ts'
import { far } from './far.ts'
import { LEADS, teamWithLeads } from './leads.ts'
import { HERE } from './platform/options.ts'
import { connectSender } from './sender.ts'

const JOBS = '/v1/ext/background-job'
const COUNT = 6_500
const WANTED = 1_500

/** A thousand processes take as long here as a million do at 150 ms: the whole scan lasts 24 seconds. */
const SLOW = { ...HERE, databaseMs: 3_000, replicaMs: 3_000 }

/** Nine texts that are looked for in each document, so that one statement reads a thousand processes. */
const contains = Array.from({ length: 9 }, (_, nth) => `text ${nth}`)
const WHERE = { wanted: true, or: [{ wanted: true }, { note: { contains } }] }

/** Each place has a day of its own in the past: files share the database, and others make rows in the time that is to come. */
let places = 0

/** Thousands of leads; those that are wanted are the oldest ones. Resolves to their ids, the newest first. */
async function placeWithLeads() {
  const place = far(HERE)
  const team = await teamWithLeads(place)
  const proc = await env.DB.prepare('SELECT no FROM procedure WHERE team = ?').bind(team.no).first<number>('no')
  const from = Date.now() - ++places * DAY_MS
  const ids = Array.from({ length: COUNT }, (_, nth) => newId(from + nth, 0))
  const sql = `INSERT INTO process (rid, id, proc, team, status, state, updated_at, data)
    SELECT value ->> 0, value ->> 1, ?2, ?3, 3, 'NEW', 1000, jsonb(iif(key < ?4, '{"wanted": true}', '{}')) FROM json_each(?1)`
  const rows = JSON.stringify(ids.map(id => [toRowNo(id), id]))
  await place.store([{ sql, params: [rows, proc, team.no, WANTED] }])
  return { place, team, wanted: ids.slice(0, WANTED).reverse() }
}

async function listIds(job: string): Promise<string[]> {
  const { results } = await env.DB.prepare(
    `SELECT value ->> '$[1].processId' AS id FROM job_chunk, json_each(job_chunk.entries)
      WHERE job = (SELECT no FROM background_job WHERE id = ?) ORDER BY first, key`,
  )
    .bind(job)
    .all<{ id: string }>()
  return results.map(({ id }) => id)
}

it('a job by `where` is accepted as quickly as any other, and then has each process that matches, once', async () => {
  const { place, team, wanted } = await placeWithLeads()
  Object.assign(place.options, SLOW)
  const reply = await team.call('PATCH', LEADS, { where: WHERE, allowUndeclared: true, update: { state: 'WON' } })
  expect([reply.status, reply.errors]).toEqual([202, []])
  expect(reply.ms).toBeLessThan(12_000)
  expect(reply.data).toMatchObject({ isCollecting: true, completionStatus: 'IN_PROGRESS', total: 0, completedAt: 0 })
  Object.assign(place.options, HERE)
  await place.rest()
  const job = await team.call('GET', `${JOBS}/${reply.data.id}`)
  expect(job.data).toMatchObject({ completionStatus: 'SUCCESS', total: WANTED })
  expect(job.data).not.toHaveProperty('isCollecting')
  expect(job.meta.bjEntryCompletionStatusVsCount.SUCCESS).toBe(WANTED)
  expect(await listIds(reply.data.id)).toEqual(wanted)
})

it('a job by `where` is accepted after two trips at 150 ms, and survives isolates that vanish and responses that are lost', async () => {
  const { place, team, wanted } = await placeWithLeads()
  await team.call('GET', LEADS)
  Object.assign(place.options, { ...HERE, databaseMs: 150 })
  const reply = await team.call('PATCH', LEADS, { where: WHERE, allowUndeclared: true, update: { isDeleted: true } })
  expect([reply.status, reply.data.isCollecting]).toEqual([202, true])
  expect([reply.trips, reply.ms]).toEqual([2, 300])
  // A step looks for two seconds.
  place.platform.options.databaseMs = 1_200
  place.platform.calls = []
  const about = '"collected_to" ='
  place.faults.add(
    { kind: 'database', fault: 'lost before', about, trigger: 'message' },
    { kind: 'database', fault: 'lost after', about, trigger: 'message', skip: 1 },
    { kind: 'database', fault: 'reset after', about: 'FROM "process"', trigger: 'message', skip: 3 },
  )
  for (let second = 0; second < 60; second++) {
    place.vanish()
    await place.pass(1_000)
  }
  await place.rest({ cron: true })
  const tried = place.platform.calls.filter(call => call.kind === 'database' && call.about.includes(about))
  expect(tried.length).toBeGreaterThan(3)
  const job = await team.call('GET', `${JOBS}/${reply.data.id}`)
  expect(job.data).toMatchObject({ completionStatus: 'SUCCESS', total: WANTED })
  expect(await listIds(reply.data.id)).toEqual(wanted)
  const left = await env.DB.prepare(
    'SELECT count(*) AS n FROM process WHERE proc = (SELECT no FROM procedure WHERE team = ?)',
  )
    .bind(team.no)
    .first<{ n: number }>()
  expect(left?.n).toBe(COUNT - WANTED)
})

it('messages to all matches are sent once all are found, each once', async () => {
  const vars: object = { JOB_TUNING: { chunkEntries: 4 } }
  const place = far({}, vars)
  const team = await teamWithLeads(place)
  const sender = await connectSender(team)
  const phones = Array.from({ length: 47 }, newNumber)
  const processes = phones.map((phone, nth) => ({ data: { lead_id: `L${nth}` }, record: { data: { phone } } }))
  await team.call('POST', `${LEADS}/bulk-create`, { processes })
  await place.rest()
  place.platform.calls = []
  const body = { whatsappPhoneNumberId: sender.phones[0]?.id, templateName: 'hello_world', where: {}, all: true }
  const reply = await team.call('POST', `${sender.base}/process/lead/bulk-send-template-message`, body)
  expect(reply.data).toMatchObject({ isCollecting: true, total: 20 })
  await place.rest()
  const { calls } = place.platform
  const found = calls.findLastIndex(({ about }) => about.includes('INTO "job_chunk"'))
  const sent = calls.findIndex(({ kind }) => kind === 'provider')
  expect(found).toBeGreaterThan(0)
  expect(sent).toBeGreaterThan(found)
  const { data: messages } = await sender.received()
  expect(messages.map(({ to }: { to: string }) => to).sort()).toEqual(phones.toSorted())
  const job = await team.call('GET', `${JOBS}/${reply.data.id}`)
  expect(job.meta.bjEntryCompletionStatusVsCount.SUCCESS).toBe(47)
})

it("two jobs that scan very many processes let people's calls pass: these wait for two scans at most", async () => {
  const { place, team, wanted } = await placeWithLeads()
  // A look at a thousand processes takes the database 400 ms here.
  const slow = { databaseMs: 5, readMs: 0.5, rowsReadPerMs: 10 }
  Object.assign(place.options, HERE, slow)
  const other = await teamWithLeads(place)
  const waits = async (calls: number) => {
    const ms: number[] = []
    for (let nth = 0; nth < calls; nth++) {
      ms.push((await other.call('GET', '/v1/ext/users')).ms)
      await place.pass(7)
    }
    return ms.slice(1).sort((one, another) => one - another)
  }
  const alone = await waits(10)
  const accept = () =>
    team.call('PATCH', LEADS, { where: WHERE, allowUndeclared: true, update: { data: { score: 1 } } })
  place.broker.paused = true
  const jobs = [await accept(), await accept()]
  for (const { data } of jobs) expect(data.isCollecting).toBe(true)
  place.broker.resume()
  const beside = await waits(40)
  console.info('calls of people, ms:', JSON.stringify({ alone: alone.at(-1), median: beside[20], most: beside.at(-1) }))
  expect(beside.at(-1)).toBeLessThan(850)
  await place.rest()
  for (const { data } of jobs) expect(await listIds(data.id)).toEqual(wanted)
})
