import { beforeEach, expect, it, vi } from 'vitest'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/time-units.ts'
import type { Team } from '../support/api.ts'
import { Harness } from '../support/harness.ts'
import { leadProcedure } from '../support/jobs.ts'
import { type Behave, connectReceivers, newReceiver, type Receiver } from '../support/receiver.ts'
import { sleep } from '../support/sleep.ts'
import {
  deliverUntil,
  loadAttempts,
  loadLastSequence,
  loadWebhook,
  makeEvents,
  newQuietTeam,
  newWebhook,
} from '../support/webhooks.ts'

beforeEach(() => connectReceivers())

const TIMEOUT_MS = 150

const status =
  (code: number, headers: Record<string, string> = {}, body = 'no'): Behave =>
  () =>
    new Response(body, { status: code, headers })
const ok: Behave = () => new Response('thank you')

interface Scene {
  team: Team
  harness: Harness
  receiver: Receiver
  id: string
}

async function scene({ order = 'any', behave = ok }: { order?: string; behave?: Behave } = {}): Promise<Scene> {
  const team = await newQuietTeam()
  await leadProcedure(team)
  const harness = new Harness({ WEBHOOK_TIMEOUT_MS: String(TIMEOUT_MS) })
  const receiver = newReceiver(behave)
  const id = await newWebhook(team, receiver, { order })
  return { team, harness, receiver, id }
}

const sequences = ({ arrivals }: Receiver) => arrivals.map(({ sequence }) => sequence)
const different = (numbers: number[]) => [...new Set(numbers)].sort((a, b) => a - b)
const upTo = (count: number, first = 1) => Array.from({ length: count }, (_, nth) => first + nth)

it('each event is a POST of its own, signed, with its number in the feed', async () => {
  const { team, harness, receiver, id } = await scene()
  await makeEvents(team, 3)
  await harness.runCron()
  await deliverUntil(harness)
  expect(sequences(receiver).sort()).toEqual([1, 2, 3])
  const [first] = receiver.arrivals
  expect(first?.event).toMatchObject({
    id: first?.id,
    type: 'process.created',
    sequence: first?.sequence,
    team: team.id,
  })
  expect(await loadWebhook(id)).toMatchObject({ position: 3, waiting: '[]', failing_since: null })
  const attempts = await loadAttempts(id)
  expect(attempts).toHaveLength(3)
  expect(attempts[0]).toMatchObject({ attempt: 1, status: 200, response: 'thank you', type: 'process.created' })
})

it('in order any a failed event is tried again by the schedule, and later ones are not held up', async () => {
  const fails: Behave = ({ sequence }) => (sequence === 2 ? new Response('no', { status: 500 }) : new Response(''))
  const { team, harness, receiver, id } = await scene({ behave: fails })
  await makeEvents(team, 4)
  const startedAt = Date.now()
  await harness.runCron()
  await deliverUntil(harness, Date.now() + 1_000)
  expect(different(sequences(receiver))).toEqual([1, 2, 3, 4])
  expect(await loadWebhook(id)).toMatchObject({ position: 4 })
  await deliverUntil(harness, startedAt + 84 * HOUR_MS)
  expect(sequences(receiver).filter(each => each === 2)).toHaveLength(10)
  const attempts = (await loadAttempts(id)).filter(({ sequence }) => sequence === 2)
  expect(attempts.map(({ attempt }) => attempt)).toEqual(upTo(10))
  const waits = attempts.slice(0, -1).map(({ at, ms, nextAt }) => nextAt - at - ms)
  const planned = [5_000, 5 * MINUTE_MS, 30 * MINUTE_MS, ...[2, 5, 10, 14, 20, 24].map(hours => hours * HOUR_MS)]
  for (const [nth, ms] of planned.entries()) {
    expect(waits[nth]).toBeGreaterThanOrEqual(ms)
    expect(waits[nth]).toBeLessThanOrEqual(ms * 1.1 + 1)
  }
  expect(attempts.at(-1)).not.toHaveProperty('nextAt')
  expect(new Set(receiver.arrivals.filter(({ sequence }) => sequence === 2).map(each => each.id)).size).toBe(1)
  expect(await loadWebhook(id)).toMatchObject({ enabled: 1, waiting: '[]' })
})

it.each([500, 503, 429])(
  'in order any a receiver that often answers %i gets the other events meanwhile',
  async code => {
    // Three of ten fail, at the first attempt.
    const fails: Behave = async ({ sequence, attempt }) => {
      await sleep(5)
      return new Response('', { status: attempt === 1 && sequence % 10 < 3 ? code : 200 })
    }
    const { team, harness, receiver } = await scene({ behave: fails })
    await makeEvents(team, 30)
    await harness.runCron()
    await deliverUntil(harness, Date.now() + 1_000)
    expect(different(sequences(receiver))).toEqual(upTo(30))
    expect(receiver.atOnceMax).toBe(5)
  },
)

it('in order any a receiver that refuses everything gets one event at a time, and five again when it accepts them', async () => {
  const atOnce: number[] = []
  let under = 0
  let isBroken = true
  const behave: Behave = async () => {
    atOnce.push(++under)
    await sleep(5)
    under -= 1
    return new Response('', { status: isBroken ? 500 : 200 })
  }
  const { team, harness, receiver } = await scene({ behave })
  await makeEvents(team, 40)
  await harness.runCron()
  await deliverUntil(harness, Date.now() + 1_000)
  expect(different(sequences(receiver))).toEqual(upTo(40))
  expect(Math.max(...atOnce.slice(20))).toBe(1)
  isBroken = false
  const before = atOnce.length
  await makeEvents(team, 40)
  await deliverUntil(harness)
  expect(Math.max(...atOnce.slice(before))).toBe(5)
})

it('in strict order nothing passes a failed event, and nothing is sent twice at once', async () => {
  let left = 3
  const fails: Behave = ({ sequence }) =>
    sequence === 2 && left-- > 0 ? new Response('no', { status: 500 }) : new Response('')
  const { team, harness, receiver } = await scene({ order: 'strict', behave: fails })
  await makeEvents(team, 4)
  await harness.runCron()
  await deliverUntil(harness)
  expect(sequences(receiver)).toEqual([1, 2, 2, 2, 2, 3, 4])
  expect(receiver.atOnceMax).toBe(1)
})

it('in strict order a signal lets nothing pass a failed event', async () => {
  const { team, harness, receiver, id } = await scene({ order: 'strict', behave: status(500) })
  await makeEvents(team, 1)
  await harness.runCron()
  await deliverUntil(harness, Date.now() + 300)
  await makeEvents(team, 1)
  const endpoints = harness.env.WEBHOOK_ENDPOINT
  await endpoints.get(endpoints.idFromName(`${team.no}/${id}`)).wake({ team: team.no, id })
  await deliverUntil(harness, Date.now() + 300)
  expect(sequences(receiver)).toEqual([1])
  receiver.behave = ok
  await deliverUntil(harness)
  expect(sequences(receiver)).toEqual([1, 1, 2])
})

const bad: [name: string, behave: Behave, seen: object][] = [
  ['answers 500', status(500), { status: 500, response: 'no' }],
  ['hangs', () => 'hang', { status: null, error: `no response within ${TIMEOUT_MS} ms` }],
  ['drops the connection after reading', () => 'drop', { status: null, error: 'Network connection lost.' }],
  ['redirects', status(302, { location: 'https://elsewhere.example.com/' }), { status: 302 }],
  ['answers 404', status(404), { status: 404 }],
]
for (const order of ['any', 'strict'])
  for (const [name, behave, seen] of bad)
    it(`a receiver that ${name} gets each event at last, order ${order}`, async () => {
      const { team, harness, receiver, id } = await scene({ order, behave })
      await makeEvents(team, 3)
      await harness.runCron()
      await deliverUntil(harness, Date.now() + 6 * MINUTE_MS)
      expect((await loadAttempts(id))[0]).toMatchObject(seen)
      const before = receiver.arrivals.length
      receiver.behave = ok
      await deliverUntil(harness)
      const after = sequences(receiver).slice(before)
      expect(different(after)).toEqual([1, 2, 3])
      if (order === 'strict') expect(after).toEqual([1, 2, 3])
      expect(await loadWebhook(id)).toMatchObject({ position: 3, waiting: '[]', failing_since: null, enabled: 1 })
    })

it('in strict order nothing passes an event that fails while what was sent before is written down', async () => {
  const saving = Promise.withResolvers<void>()
  const harness = new Harness(
    {},
    {
      before: async ({ sql }) => {
        if (!sql.includes('UPDATE "webhook_progress"')) return
        saving.resolve()
        await sleep(50)
      },
    },
  )
  const team = await newQuietTeam()
  await leadProcedure(team)
  let isBroken = true
  const receiver = newReceiver(async ({ sequence }) => {
    if (sequence !== 2 || !isBroken) return new Response('thank you')
    await saving.promise
    return new Response('no', { status: 500 })
  })
  await newWebhook(team, receiver, { order: 'strict' })
  await makeEvents(team, 4)
  await harness.runCron()
  await deliverUntil(harness, Date.now() + 2_000)
  expect(sequences(receiver)).toEqual([1, 2])
  isBroken = false
  await deliverUntil(harness)
  expect(sequences(receiver)).toEqual([1, 2, 2, 3, 4])
})

it('410 disables the endpoint, which is an event; enabled again, it continues where it stopped', async () => {
  const { team, harness, receiver, id } = await scene({ behave: status(410) })
  await makeEvents(team, 1)
  await harness.runCron()
  await deliverUntil(harness)
  expect(await loadWebhook(id)).toMatchObject({ enabled: 0, disabled_reason: 'gone' })
  expect(await loadLastSequence(team)).toBe(2)
  await makeEvents(team, 2)
  await harness.runCron()
  // A signal of somebody who does not know it yet.
  const endpoints = harness.env.WEBHOOK_ENDPOINT
  await endpoints.get(endpoints.idFromName(`${team.no}/${id}`)).wake({ team: team.no, id })
  await deliverUntil(harness, Date.now() + DAY_MS)
  expect(receiver.arrivals).toHaveLength(1)
  expect((await team.call('PUT', `/v1/ext/webhook/${id}`, { enabled: true })).errors).toEqual([])
  receiver.behave = ok
  await harness.runCron()
  await deliverUntil(harness)
  expect(different(sequences(receiver))).toEqual([1, 2, 3, 4])
  expect(receiver.arrivals.find(({ sequence }) => sequence === 2)?.event).toMatchObject({
    type: 'webhook.disabled',
    data: { id, webhook: { id, enabled: false, disabledReason: 'gone' } },
    by: { user: null, apiKey: null },
  })
})

it.each([
  ['seconds', () => '90'],
  ['a date', () => new Date(Date.now() + 90_000).toUTCString()],
])('429 with Retry-After as %s: nothing is sent before', async (_, header) => {
  let isBusy = true
  const behave: Behave = () =>
    isBusy ? new Response('', { status: 429, headers: { 'retry-after': header() } }) : new Response('')
  const { team, harness, receiver } = await scene({ behave })
  await makeEvents(team, 20)
  await harness.runCron()
  const startedAt = Date.now()
  await deliverUntil(harness, startedAt + 80_000)
  await harness.runCron()
  await deliverUntil(harness, startedAt + 85_000)
  const early = receiver.arrivals.length
  expect(early).toBeLessThanOrEqual(5)
  isBusy = false
  await deliverUntil(harness)
  expect(different(sequences(receiver))).toEqual(upTo(20))
})

it('an endpoint is disabled after five days without a success, with an event in the same transaction', async () => {
  for (const order of ['any', 'strict']) {
    const { team, harness, receiver, id } = await scene({ order, behave: status(500) })
    await makeEvents(team, 2)
    const startedAt = Date.now()
    await harness.runCron()
    await deliverUntil(harness, startedAt + 74 * HOUR_MS)
    await makeEvents(team, 1)
    await harness.runCron()
    await deliverUntil(harness, startedAt + 119 * HOUR_MS)
    expect(await loadWebhook(id)).toMatchObject({ enabled: 1 })
    await deliverUntil(harness, startedAt + 10 * DAY_MS)
    expect(await loadWebhook(id)).toMatchObject({ enabled: 0, disabled_reason: 'failing' })
    expect(await loadLastSequence(team)).toBe(4)
    const count = receiver.arrivals.length
    await harness.runCron()
    await deliverUntil(harness, Date.now() + DAY_MS)
    expect(receiver.arrivals).toHaveLength(count)
  }
})

it('a webhook that is PAUSED sends nothing', async () => {
  const { team, harness, receiver } = await scene()
  await makeEvents(team, 1)
  await harness.runCron()
  Object.assign(harness.env, { PAUSED: 'true' })
  await deliverUntil(harness, Date.now() + 5 * MINUTE_MS)
  expect(receiver.arrivals).toEqual([])
  expect(harness.calls.alarm).toBeLessThan(10)
  Object.assign(harness.env, { PAUSED: 'false' })
  await deliverUntil(harness)
  expect(sequences(receiver)).toEqual([1])
})

it('an unreachable receiver does not delay another endpoint of the same team', async () => {
  const { team, harness, receiver } = await scene({ behave: () => 'hang' })
  const good = newReceiver()
  await newWebhook(team, good)
  await makeEvents(team, 12)
  await harness.runCron()
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 1 })
  await harness.endpoints.ringDue()
  vi.useRealTimers()
  expect(different(sequences(good))).toEqual(upTo(12))
  expect(receiver.arrivals.length).toBeGreaterThan(0)
})
