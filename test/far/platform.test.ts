import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { sleep } from '../support/sleep.ts'
import { far, slowBody } from './far.ts'
import { catchError, LEADS, measureMs, teamWithLeads } from './leads.ts'
import { QueueBroker, type QueueMessage } from './platform/broker.ts'
import type { Fault, Kind } from './platform/faults.ts'
import { HERE } from './platform/options.ts'

// These are further parts of the place itself: faults of other bindings, objects, queues, and the bytes of bodies.

it.each([
  ['object', 'overloaded', 'Durable Object is overloaded. Too many requests queued.'],
  ['object', 'lost before', 'Network connection lost.'],
  ['object', 'reset after', 'Durable Object reset because its code was updated.'],
  ['queue', 'overloaded', 'Queue is overloaded. Please back off.'],
  ['media', 'lost after', 'Network connection lost.'],
  ['provider', 'lost before', 'Network connection lost.'],
] satisfies [Kind, Fault, string][])('%s: %s', async (kind, fault, text) => {
  const place = far(HERE)
  place.broker.paused = true
  place.faults.add({ kind, fault })
  const { JOBS, MEDIA, NUMBER_RATE_LIMITER, WHATSAPP } = place.bindings()
  const calls: Partial<Record<Kind, () => Promise<unknown>>> = {
    object: async () => NUMBER_RATE_LIMITER.get(NUMBER_RATE_LIMITER.idFromName('1')).block(1),
    queue: () => JOBS.send({}),
    media: () => MEDIA.put('fault', 'text'),
    provider: async () => (WHATSAPP as Fetcher).fetch('http://whatsapp/v23.0/1'),
  }
  const call = calls[kind] ?? (async () => {})
  expect(await place.run(() => catchError(call))).toBe(text)
  expect(await place.run(() => catchError(call))).toBe('it did not fail')
  if (kind === 'media') expect(await env.MEDIA.head('fault')).not.toBeNull()
})

it('a call that never returns is given up by the Worker, after its time limit', async () => {
  const place = far(HERE)
  const team = await teamWithLeads(place)
  place.faults.add({ kind: 'database', fault: 'hangs after', about: 'INTO "process"' })
  const reply = await team.call('POST', LEADS, { data: { lead_id: 'L1' } })
  expect([reply.status, reply.ms]).toEqual([503, 20_000])
})

it('objects keep their memory from one call to the next, and lose it when they are evicted', async () => {
  const place = far(HERE)
  const take = () => {
    const { NUMBER_RATE_LIMITER } = place.bindings()
    return place.run(async () => NUMBER_RATE_LIMITER.get(NUMBER_RATE_LIMITER.idFromName('evicted')).reserve(['1'], 60))
  }
  const { NUMBER_RATE_LIMITER } = place.bindings()
  await place.run(async () => NUMBER_RATE_LIMITER.get(NUMBER_RATE_LIMITER.idFromName('evicted')).block(60_000))
  const held = await take()
  place.evict()
  expect(await take()).not.toEqual(held)
})

it('a queue runs as many batches at once as it may, and repeats what failed until it is a dead letter', async () => {
  const place = far(HERE)
  const log: string[] = []
  const consumers = [
    {
      queue: 'work',
      max_batch_size: 2,
      max_batch_timeout: 0,
      max_retries: 1,
      max_concurrency: 2,
      dead_letter_queue: 'dead',
    },
    { queue: 'dead', max_batch_size: 1, max_batch_timeout: 0 },
  ]
  const startedAt = Date.now()
  const consume = async (queue: string, messages: QueueMessage[]) => {
    log.push(`${Date.now() - startedAt} ${queue} ${messages.map(({ body }) => body).join()}`)
    await sleep(100)
    const failed = queue === 'work' ? messages.filter(({ body }) => body === 1) : []
    return new Map(failed.map(({ id }) => [id, { delaySeconds: 1 }]))
  }
  const broker = new QueueBroker({ producers: [{ binding: 'WORK', queue: 'work' }], consumers }, consume)
  await broker.send(
    'WORK',
    [1, 2, 3, 4, 5].map(body => ({ body })),
  )
  await place.pass(5_000)
  expect(log).toEqual(['1 work 1,2', '1 work 3,4', '101 work 5', '1101 work 1', '1202 dead 1'])
})

it('a rate limit starts again after its period, in the time of the test', async () => {
  const place = far(HERE)
  const setting = env.RATE_LIMITS.find(({ name }) => name === 'RATE_STRANGER')
  const { limit = 0, period = 0 } = setting?.simple ?? {}
  const { RATE_STRANGER } = place.bindings()
  const calls = Array.from({ length: limit + 1 }, () => RATE_STRANGER.limit({ key: 'a' }))
  expect((await Promise.all(calls)).filter(({ success }) => !success)).toHaveLength(1)
  await place.pass(period * 1_000)
  expect(await RATE_STRANGER.limit({ key: 'a' })).toEqual({ success: true })
})

it('the platform counts the bytes of bodies that are read and not yet written', async () => {
  const place = far(HERE)
  const team = await teamWithLeads(place)
  const processes = Array.from({ length: 2_000 }, (_, n) => ({ data: { lead_id: `L${n}`, note: 'x'.repeat(1_000) } }))
  const body = JSON.stringify({ processes })
  const reply = await team.call('POST', `${LEADS}/bulk-create`, slowBody(body, 1_000))
  expect(reply.errors).toEqual([])
  const { now, peak } = place.platform.held
  expect(now).toBe(0)
  expect(peak).toBeGreaterThan(100_000)
  expect(peak).toBeLessThanOrEqual(body.length)
})

it('simulated time passes for concurrent work as if it were one clock', async () => {
  const place = far({ ...HERE, databaseMs: 100 })
  const read = () => place.run(() => place.bindings().DB.prepare('SELECT 1').all())
  expect(await measureMs(place, () => Promise.all([read(), place.pass(250), read()]))).toBe(250)
})
