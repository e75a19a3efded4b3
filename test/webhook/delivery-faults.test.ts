import { beforeEach, describe, expect, it } from 'vitest'
import { MINUTE_MS } from '../../src/time-units.ts'
import { advanceTo } from '../support/clock.ts'
import { type CallFault, callNames, chooseCalls, randomFaults, survivesFaults } from '../support/faults.ts'
import { type Call, type FaultInjection, Harness } from '../support/harness.ts'
import { leadProcedure } from '../support/jobs.ts'
import { createRandom } from '../support/random.ts'
import { type Behave, connectReceivers, newReceiver } from '../support/receiver.ts'
import { deliverUntil, loadWebhook, makeEvents, newQuietTeam, newWebhook } from '../support/webhooks.ts'

beforeEach(() => connectReceivers())

const EVENTS = 6
const TIMEOUT_MS = 100
const ORDERS = ['any', 'strict'] as const

/** The third event is refused at first, so that it waits, and the alarm rings once more. */
const refusesOnce = (): Behave => {
  let isRefused = false
  return ({ sequence }) => {
    if (sequence !== 3 || isRefused) return new Response('')
    isRefused = true
    return new Response('', { status: 500 })
  }
}

interface Ran {
  harness: Harness
  arrived: number[]
}

/** Delivers with all faults, and then a quarter of an hour without any. */
async function deliverAll(order: string, injection: (harness: () => Harness) => FaultInjection): Promise<Ran> {
  const team = await newQuietTeam()
  await leadProcedure(team)
  const holder: { harness?: Harness } = {}
  const getHarness = () => holder.harness as Harness
  const receiver = newReceiver(refusesOnce(), getHarness)
  const id = await newWebhook(team, receiver, { order })
  await makeEvents(team, EVENTS)
  const harness = new Harness({ WEBHOOK_TIMEOUT_MS: String(TIMEOUT_MS) }, injection(getHarness))
  holder.harness = harness
  for (let minute = 0; minute < 20; minute++) {
    await harness.runCron()
    await deliverUntil(harness, Date.now() + MINUTE_MS)
    const { position, waiting } = await loadWebhook(id)
    if (position === EVENTS && waiting === '[]' && minute > 0) break
    if (minute < 19) advanceTo(Date.now() + MINUTE_MS)
  }
  const arrived = receiver.arrivals.map(({ sequence }) => sequence)
  expect([...new Set(arrived)].sort()).toEqual([1, 2, 3, 4, 5, 6])
  const firstOnes = arrived.filter((each, nth) => arrived.indexOf(each) === nth)
  if (order === 'strict') expect(firstOnes).toEqual([1, 2, 3, 4, 5, 6])
  expect(await loadWebhook(id)).toMatchObject({ position: EVENTS, waiting: '[]', enabled: 1, failing_since: null })
  return { harness, arrived }
}

const isOfEndpoint = ({ kind, trigger }: Call) => trigger === 'endpoint' || kind === 'endpoint'

/** A call that hangs for as long as a test can't wait is a death, which has tests of its own. */
const isShort = ([kind, , fault]: CallFault) => kind === 'receiver' || !fault.startsWith('hangs')

type Deaths = Partial<Record<'before' | 'after', string>>

/** Delivers though the process dies before or after calls with these names; resolves to the deaths that never came. */
async function dieAt(order: string, deaths: Deaths): Promise<Deaths> {
  const left = { ...deaths }
  await deliverAll(order, of => {
    const die = (moment: keyof Deaths) => {
      const nameOf = callNames()
      return (call: Call) => {
        if (nameOf(call) !== left[moment]) return
        delete left[moment]
        of().endpoints.die()
      }
    }
    return { before: die('before'), after: die('after') }
  })
  return left
}

describe.each(ORDERS)('a webhook in order %s', order => {
  it('delivers each event though any call may fail, before or after it took effect', async () => {
    const { harness } = await deliverAll(order, () => ({}))
    const calls = harness.log.filter(isOfEndpoint)
    expect(calls.length).toBeGreaterThan(10)
    await survivesFaults(calls, injection => deliverAll(order, () => injection), isShort)
  })

  it('delivers each event though the process may die between any two calls', async () => {
    const { harness } = await deliverAll(order, () => ({}))
    const calls = harness.log.filter(({ trigger }) => trigger === 'endpoint')
    const name = callNames()
    const names = new Map(calls.map(call => [call, name(call)]))
    const chosen = chooseCalls(calls).map(call => names.get(call) ?? '')
    // Each call has a death before it and one after it: two in a run, which are far apart, or one where the other prevents it.
    for (const [nth, call] of chosen.entries()) {
      const other = chosen[(nth + Math.ceil(chosen.length / 2)) % chosen.length] ?? call
      const left = await dieAt(order, { before: call, after: other })
      if (left.before !== undefined) await dieAt(order, { before: call })
      if (left.after !== undefined) await dieAt(order, { after: other })
    }
  })

  it('delivers by the cron though every alarm may be lost', async () => {
    let lost = 0
    await deliverAll(order, of => ({
      after: ({ kind }) => {
        if (kind === 'alarm' && ++lost <= 6) queueMicrotask(() => of().endpoints.loseAlarms())
      },
    }))
  })

  it.each([1, 2, 3])('delivers each event though many calls fail, seed %i', async seed => {
    const random = createRandom(seed)
    await deliverAll(order, () => {
      const { fault } = randomFaults(random, 0.08)
      return {
        fault: (kind, nth, about, call) => {
          const chosen = call && isOfEndpoint(call) ? fault?.(kind, nth, about, call) : undefined
          return chosen && (kind === 'receiver' || !chosen.startsWith('hangs')) ? chosen : undefined
        },
      }
    })
  })
})

it('a second instance of the object sends again, and overwrites nothing of the first', async () => {
  const team = await newQuietTeam()
  await leadProcedure(team)
  const late = Promise.withResolvers<Response>()
  const receiver = newReceiver((_, nth) => (nth === 1 ? late.promise : new Response('')))
  const id = await newWebhook(team, receiver, { order: 'strict' })
  await makeEvents(team, EVENTS)
  const [first, second] = [new Harness(), new Harness()]
  await first.runCron()
  const ringing = first.endpoints.ringDue()
  await expect.poll(() => receiver.arrivals.length).toBe(1)
  await second.runCron()
  await deliverUntil(second)
  expect(await loadWebhook(id)).toMatchObject({ position: EVENTS, waiting: '[]' })
  late.resolve(new Response('', { status: 500 }))
  await ringing
  expect(await loadWebhook(id)).toMatchObject({ position: EVENTS, waiting: '[]', failing_since: null })
})
