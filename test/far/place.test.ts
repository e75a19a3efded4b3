import { describe, expect, it } from 'vitest'
import { newNumber } from '../support/provider.ts'
import { far, slowBody } from './far.ts'
import { catchError, LEADS, measureMs, teamWithLeads } from './leads.ts'
import { HERE } from './platform/options.ts'
import { connectSender } from './sender.ts'

describe('the simulated distance', () => {
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

  it('applies to objects, the provider, queues and R2, too', async () => {
    const place = far({ objectMs: 70, providerMs: 300, queueMs: 30, mediaMs: 90 })
    const { JOBS, MEDIA, NUMBER_RATE_LIMITER, WHATSAPP } = place.bindings()
    const limiter = NUMBER_RATE_LIMITER.get(NUMBER_RATE_LIMITER.idFromName('1'))
    expect(await measureMs(place, async () => limiter.block(1))).toBe(70)
    expect(await measureMs(place, async () => (WHATSAPP as Fetcher).fetch('http://whatsapp/v23.0/1'))).toBe(300)
    place.broker.paused = true
    expect(await measureMs(place, () => JOBS.send({}))).toBe(30)
    expect(await measureMs(place, () => MEDIA.put('a', 'b'))).toBe(90)
    expect(place.platform.calls.map(({ kind }) => kind)).toEqual(['object', 'provider', 'queue', 'media'])
  })
})

describe('a simulated invocation', () => {
  it('runs 1,000 statements, counted singly, and the next one has its own', async () => {
    const place = far()
    const { DB } = place.bindings()
    const statements = (count: number) => Array.from({ length: count }, () => DB.prepare('SELECT 1'))
    await place.run(() => DB.batch(statements(1_000)))
    const said = await place.run(() => catchError(() => DB.batch(statements(1))))
    expect(said).toBe('Too many API requests by single Worker invocation.')
    await place.run(() => place.bindings().DB.prepare('SELECT 1').all())
  })

  it('has six connections: a seventh call waits for one of them', async () => {
    const place = far({ providerMs: 300 })
    const calls = (bindings: Env, count: number) => () =>
      Promise.all(Array.from({ length: count }, () => (bindings.WHATSAPP as Fetcher).fetch('http://whatsapp/v23.0/1')))
    expect(await measureMs(place, calls(place.bindings(), 6))).toBe(300)
    expect(await measureMs(place, calls(place.bindings(), 7))).toBe(600)
  })

  it('runs in an isolate that remembers nothing, if the one before has vanished', async () => {
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

describe('the whole Worker at a distance', () => {
  it('reads a body as slowly as it comes', async () => {
    const place = far()
    const team = await teamWithLeads(place)
    const processes = Array.from({ length: 300 }, (_, n) => ({ data: { lead_id: `L${n}` } }))
    const body = slowBody(JSON.stringify({ processes }), 60_000)
    const reply = await team.call('POST', `${LEADS}/bulk-create`, body)
    expect([reply.status, reply.errors]).toEqual([202, []])
    expect(reply.ms).toBeGreaterThan(60_000)
  })

  it('sends a message to a provider that takes its time', async () => {
    const place = far({ providerMs: 300 })
    const team = await place.newTeam()
    const sender = await connectSender(team)
    const reply = await sender.send(newNumber())
    expect(reply.errors).toEqual([])
    expect(reply.ms).toBeGreaterThan(300)
  })

  it('shows the progress of a job from an object that all isolates share and that can be evicted', async () => {
    const place = far()
    const team = await place.newTeam()
    const sender = await connectSender(team)
    const entries = Array.from({ length: 30 }, () => sender.entry(newNumber()))
    const job = await team.call('POST', '/v1/ext/background-job', { entries })
    expect(job.errors).toEqual([])
    const events = team.call('GET', `/v1/ext/background-job/${job.data.id}/events`)
    await place.pass(200)
    place.evict()
    await place.rest()
    const seen = (await events).data as string
    expect(seen.match(/^event: \w+/gm)?.at(-1)).toBe('event: end')
    expect(await sender.received()).toMatchObject({ accepted: 30 })
  })

  it('answers from several isolates, none of which knows what the others know', async () => {
    const place = far()
    const team = await place.newTeam()
    const trips = async () => (await team.call('GET', '/v1/ext/users')).trips
    await trips()
    place.vanish(2)
    const [first, second, third] = [await trips(), await trips(), await trips()]
    expect([first, third]).toEqual([second, (second ?? 0) - 1])
  })

  it('runs a job to its end with its queue', async () => {
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
