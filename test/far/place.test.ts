import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { definition } from '../support/procedures.ts'
import { type FarTeam, far, type Place } from './far.ts'
import { HERE } from './platform/options.ts'

const LEADS = '/v1/ext/procedure/lead/process'

async function teamWithLeads(place: Place): Promise<FarTeam> {
  const team = await place.newTeam()
  const made = await team.call('PUT', '/v1/ext/procedure/lead', definition())
  expect(made.errors).toEqual([])
  return team
}

/** How long something takes, in virtual time. */
async function msOf(place: Place, act: () => Promise<unknown>): Promise<number> {
  const startedAt = Date.now()
  await place.run(act)
  return Date.now() - startedAt
}

const fails = (act: () => Promise<unknown>): Promise<string> =>
  act().then(
    () => 'it did not fail',
    (error: Error) => error.message,
  )

describe('distance', () => {
  it('makes a request last as long as its trips to the database', async () => {
    const place = far({ ...HERE, databaseMs: 150 })
    const team = await teamWithLeads(place)
    const created = await team.call('POST', LEADS, { data: { lead_id: 'L1' } })
    const reply = await team.call('GET', `${LEADS}/${created.data.id}`)
    expect([reply.trips, reply.ms]).toEqual([1, 150])
  })

  it('passes in no time: a minute of waiting takes the test less than a second', async () => {
    const place = far({ databaseMs: 60_000 })
    const startedAt = Date.now()
    await place.run(() => place.bindings().DB.prepare('SELECT 1').all())
    expect(Date.now() - startedAt).toBeGreaterThanOrEqual(60_000)
  })

  it('lies before objects, the provider, queues and R2, too', async () => {
    const place = far({ objectMs: 70, providerMs: 300, queueMs: 30, mediaMs: 90 })
    const { JOBS, MEDIA, SENDER_PACE, WHATSAPP } = place.bindings()
    const pace = SENDER_PACE.get(SENDER_PACE.idFromName('1'))
    expect(await msOf(place, async () => pace.hold(1))).toBe(70)
    expect(await msOf(place, async () => (WHATSAPP as Fetcher).fetch('http://whatsapp/v23.0/1'))).toBe(300)
    place.broker.paused = true
    expect(await msOf(place, () => JOBS.send({}))).toBe(30)
    expect(await msOf(place, () => MEDIA.put('a', 'b'))).toBe(90)
    expect(place.platform.calls.map(({ kind }) => kind)).toEqual(['object', 'provider', 'queue', 'media'])
  })
})

describe('the database', () => {
  it('runs one transaction at a time: whoever comes next waits', async () => {
    const place = far({ databaseMs: 10, readMs: 100 })
    const read = () => place.bindings().DB.prepare('SELECT 1').all()
    expect(await msOf(place, () => Promise.all([read(), read(), read()]))).toBe(310)
  })

  it('is held up by a scan, by as much as it reads', async () => {
    const place = far({ databaseMs: 0, readMs: 1, rowsReadPerMs: 10 })
    const numbers = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)`
    await env.DB.prepare('CREATE TABLE scanned (i INTEGER)').run()
    await env.DB.prepare(`INSERT INTO scanned ${numbers} SELECT i FROM n`).run()
    const scan = () => place.bindings().DB.prepare('SELECT count(*) FROM scanned').all()
    const small = () => place.bindings().DB.prepare('SELECT 1').all()
    expect(await msOf(place, () => Promise.all([scan(), small()]))).toBe(52)
  })

  it('refuses at once when too many wait, and after a while what waits too long', async () => {
    const place = far({ databaseMs: 0, readMs: 100, databaseQueueMax: 5, databaseQueueMs: 250 })
    const read = () => fails(() => place.bindings().DB.prepare('SELECT 1').all())
    const outcomes = await place.run(() => Promise.all(Array.from({ length: 7 }, read)))
    const [long, many] = ['Requests queued for too long.', 'Too many requests queued.']
    const overloaded = (why: string) => `D1_ERROR: D1 DB is overloaded. ${why}`
    const did = 'it did not fail'
    expect(outcomes).toEqual([did, did, did, overloaded(long), overloaded(long), overloaded(many), overloaded(many)])
  })

  it('is told by the Worker as overloaded, and nothing was changed', async () => {
    const place = far()
    const team = await teamWithLeads(place)
    place.faults.add({ kind: 'database', fault: 'overloaded', about: 'INTO "process"' })
    const reply = await team.call('POST', LEADS, { data: { lead_id: 'L1' } })
    expect([reply.status, reply.meta.errors[0].code]).toEqual([503, 'storage_unavailable'])
    expect((await team.call('POST', LEADS, { data: { lead_id: 'L1' } })).status).toBe(201)
  })

  it.each([2_000_001, 3_000_000])('refuses a text of %d bytes', async bytes => {
    const { DB } = far().bindings()
    const said = fails(() => DB.prepare('SELECT ?').bind('x'.repeat(bytes)).all())
    await expect(said).resolves.toBe('D1_ERROR: string or blob too big: SQLITE_TOOBIG')
  })

  it('refuses a row that is larger than 2,000,000 bytes altogether, in the middle of a transaction', async () => {
    const place = far()
    const { DB } = place.bindings()
    const insert = (no: number, bytes: number) =>
      DB.prepare(
        'INSERT INTO idempotency (no, team, lookup, fingerprint, outcome, expires_at) VALUES (?, 1, ?, ?, ?, 0)',
      ).bind(no, 'y'.repeat(1_000_000), 'x'.repeat(bytes), new Uint8Array(1))
    const said = await place.run(() => fails(() => DB.batch([insert(1, 1), insert(2, 1_000_000)])))
    expect(said).toBe('D1_ERROR: string or blob too big: SQLITE_TOOBIG')
    const left = await env.DB.prepare(`SELECT count(*) AS n FROM idempotency`).first('n')
    expect(left).toBe(0)
    await place.run(() => DB.batch([insert(1, 1), insert(2, 900_000)]))
  })

  it('comes back with an error to all that wait when it is reset, whether they took effect or not', async () => {
    const place = far({ databaseMs: 0, readMs: 100 })
    const read = () => fails(() => place.bindings().DB.prepare('SELECT 1').all())
    place.faults.add({ kind: 'database', fault: 'reset after', skip: 1 })
    const outcomes = await place.run(() => Promise.all([read(), read(), read()]))
    const reset = 'D1_ERROR: D1 DB storage operation exceeded timeout which caused object to be reset.'
    expect(outcomes).toEqual(['it did not fail', reset, reset])
  })
})

describe('a fault', () => {
  it.each([
    ['lost before', 0],
    ['lost after', 1],
  ] as const)('%s leaves %d processes', async (fault, left) => {
    const place = far()
    const team = await teamWithLeads(place)
    place.faults.add({ kind: 'database', fault, about: 'INTO "process"' })
    const reply = await team.call('POST', LEADS, { data: { lead_id: 'L1' } })
    expect(reply.status).toBe(503)
    const { n } = (await env.DB.prepare('SELECT count(*) AS n FROM process WHERE team = ?')
      .bind(team.no)
      .first<{ n: number }>()) ?? { n: -1 }
    expect(n).toBe(left)
  })

  it('hits as many calls as it should, after those that pass', async () => {
    const place = far()
    place.faults.add({ kind: 'database', fault: 'unreachable', skip: 1, times: 2 })
    const { DB } = place.bindings()
    const read = () => fails(() => DB.prepare('SELECT 1').all())
    const outcomes = await place.run(async () => [await read(), await read(), await read(), await read()])
    expect(outcomes.map(each => each.slice(0, 33))).toEqual([
      'it did not fail',
      'D1_ERROR: Cannot resolve D1 DB du',
      'D1_ERROR: Cannot resolve D1 DB du',
      'it did not fail',
    ])
  })
})

describe('an invocation', () => {
  it('runs 1,000 statements, counted singly, and the next one has its own', async () => {
    const place = far()
    const { DB } = place.bindings()
    const statements = (count: number) => Array.from({ length: count }, () => DB.prepare('SELECT 1'))
    await place.run(() => DB.batch(statements(1_000)))
    const said = await place.run(() => fails(() => DB.batch(statements(1))))
    expect(said).toBe('Too many API requests by single Worker invocation.')
    await place.run(() => place.bindings().DB.prepare('SELECT 1').all())
  })

  it('has six connections: a seventh call waits for one of them', async () => {
    const place = far({ providerMs: 300 })
    const calls = (bindings: Env, count: number) => () =>
      Promise.all(Array.from({ length: count }, () => (bindings.WHATSAPP as Fetcher).fetch('http://whatsapp/v23.0/1')))
    expect(await msOf(place, calls(place.bindings(), 6))).toBe(300)
    expect(await msOf(place, calls(place.bindings(), 7))).toBe(600)
  })

  it('meets an isolate that remembers nothing, if the one before has vanished', async () => {
    const place = far({ databaseMs: 100 })
    const team = await teamWithLeads(place)
    await team.call('GET', '/v1/ext/users')
    const warm = await team.call('GET', '/v1/ext/users')
    place.vanish()
    const cold = await team.call('GET', '/v1/ext/users')
    expect(cold.trips).toBeGreaterThan(warm.trips)
    expect(cold.ms).toBeGreaterThan(warm.ms)
  })
})

describe('the whole Worker', () => {
  it('runs a job to its end over there, with its queue', async () => {
    const place = far({ databaseMs: 50 })
    const team = await teamWithLeads(place)
    const processes = Array.from({ length: 600 }, (_, n) => ({ data: { lead_id: `L${n}` } }))
    const job = await team.call('POST', `${LEADS}/bulk-create`, { processes })
    expect(job.errors).toEqual([])
    await place.rest()
    const ended = await team.call('GET', `/v1/ext/background-job/${job.data.id}`)
    expect(ended.data).toMatchObject({ completionStatus: 'SUCCESS', total: 600 })
  })
})
