import { runDurableObjectAlarm } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeEach, expect, it } from 'vitest'
import { DAY_MS } from '../../src/time-units.ts'
import { advanceTo } from '../support/clock.ts'
import { Harness } from '../support/harness.ts'
import { leadProcedure } from '../support/jobs.ts'
import { connectReceivers, newReceiver } from '../support/receiver.ts'
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

async function leadTeam() {
  const team = await newQuietTeam()
  await leadProcedure(team)
  return team
}

const sequences = ({ arrivals }: ReturnType<typeof newReceiver>) => arrivals.map(({ sequence }) => sequence)

it('the object of an endpoint sends when its alarm rings, and knows by itself which endpoint it is of', async () => {
  const team = await leadTeam()
  const receiver = newReceiver()
  const id = await newWebhook(team, receiver)
  await makeEvents(team, 2)
  const object = env.WEBHOOK_ENDPOINT.get(env.WEBHOOK_ENDPOINT.idFromName(`${team.no}/${id}`))
  await object.wake({ team: team.no, id })
  // The alarm is due already: it may have rung by itself.
  await runDurableObjectAlarm(object)
  await expect.poll(async () => (await loadWebhook(id)).position).toBe(2)
  expect(sequences(receiver).sort()).toEqual([1, 2])
})

it('a signal of another team reaches no endpoint, and an object with a wrong name finds nothing', async () => {
  const [team, other] = [await leadTeam(), await leadTeam()]
  const receiver = newReceiver()
  const id = await newWebhook(team, receiver)
  await makeEvents(other, 2)
  await makeEvents(team, 1)
  const harness = new Harness()
  const wrong = { team: other.no, id }
  await harness.env.WEBHOOK_ENDPOINT.get(harness.env.WEBHOOK_ENDPOINT.idFromName(`${other.no}/${id}`)).wake(wrong)
  await deliverUntil(harness)
  expect(receiver.arrivals).toEqual([])
  await harness.runCron()
  await deliverUntil(harness)
  expect(receiver.arrivals.map(({ event }) => event.team)).toEqual([team.id])
})

it('a replay of a range is sent in its order, each event with the id that it had', async () => {
  const team = await leadTeam()
  const receiver = newReceiver()
  const id = await newWebhook(team, receiver, { order: 'strict' })
  await makeEvents(team, 5)
  const harness = new Harness()
  await harness.runCron()
  await deliverUntil(harness)
  const ids = receiver.arrivals.map(each => each.id)
  expect((await team.call('POST', `/v1/ext/webhook/${id}/replay`, { from: 2, to: 4 })).errors).toEqual([])
  await harness.runCron()
  await deliverUntil(harness)
  expect(sequences(receiver)).toEqual([1, 2, 3, 4, 5, 2, 3, 4])
  expect(receiver.arrivals.slice(5).map(each => each.id)).toEqual(ids.slice(1, 4))
  await harness.runCron()
  await deliverUntil(harness)
  expect(receiver.arrivals).toHaveLength(8)
})

it.each([
  ['a replay', 'POST', '/replay', { from: 1 }, [1, 1]],
  ['another address', 'PUT', '', {}, [1]],
])('%s that is requested while the endpoint sends is not left to the cron', async (_, method, path, body, arrived) => {
  const team = await leadTeam()
  const harness = new Harness()
  const elsewhere = newReceiver()
  let isAsked = false
  const receiver = newReceiver(async () => {
    if (isAsked) return new Response('')
    isAsked = true
    const change = method === 'PUT' ? { url: elsewhere.url } : body
    expect((await harness.request(team, method, `/v1/ext/webhook/${id}${path}`, change)).body._errors).toEqual([])
    return new Response('')
  })
  const id = await newWebhook(team, receiver)
  elsewhere.secret = receiver.secret
  await makeEvents(team, 1)
  await harness.runCron()
  await deliverUntil(harness)
  expect(sequences(receiver)).toEqual(arrived)
  await makeEvents(team, 1)
  await harness.env.WEBHOOK_ENDPOINT.get(harness.env.WEBHOOK_ENDPOINT.idFromName(`${team.no}/${id}`)).wake({
    team: team.no,
    id,
  })
  await deliverUntil(harness)
  expect(sequences(method === 'PUT' ? elsewhere : receiver).at(-1)).toBe(2)
})

it('a replay of a range does not wait for the next attempt of what failed', async () => {
  const team = await leadTeam()
  let isBroken = true
  const receiver = newReceiver(({ sequence }) => new Response('', { status: isBroken && sequence === 2 ? 500 : 200 }))
  const id = await newWebhook(team, receiver)
  await makeEvents(team, 3)
  const harness = new Harness()
  await harness.runCron()
  // The next attempt after this one is made after five minutes.
  await deliverUntil(harness, Date.now() + 10_000)
  isBroken = false
  const before = receiver.arrivals.length
  expect((await team.call('POST', `/v1/ext/webhook/${id}/replay`, { from: 1 })).errors).toEqual([])
  await harness.runCron()
  await deliverUntil(harness, Date.now() + 1_000)
  expect(sequences(receiver).slice(before).sort()).toEqual([1, 2, 3])
})

it('a replay of named events is sent, and those of them that wait do not wait any longer', async () => {
  const team = await leadTeam()
  let isBroken = true
  const receiver = newReceiver(() => new Response('', { status: isBroken ? 500 : 200 }))
  const id = await newWebhook(team, receiver)
  await makeEvents(team, 3)
  const harness = new Harness()
  await harness.runCron()
  await deliverUntil(harness, Date.now() + 20 * 60_000)
  isBroken = false
  const before = receiver.arrivals.length
  const events = [...new Set(receiver.arrivals.filter(({ sequence }) => sequence !== 2).map(each => each.id))]
  expect((await team.call('POST', `/v1/ext/webhook/${id}/replay`, { events })).errors).toEqual([])
  await harness.runCron()
  await deliverUntil(harness, Date.now() + 1_000)
  expect(sequences(receiver).slice(before).sort()).toEqual([1, 2, 3])
  expect(await loadWebhook(id)).toMatchObject({ waiting: '[]' })
})

it('an endpoint receives only the events that it selects, and its position moves all the same', async () => {
  const team = await leadTeam()
  const receiver = newReceiver()
  const id = await newWebhook(team, receiver, { types: ['process.deleted'] })
  await makeEvents(team, 3)
  const harness = new Harness()
  await harness.runCron()
  await deliverUntil(harness)
  expect(receiver.arrivals).toEqual([])
  expect(await loadWebhook(id)).toMatchObject({ position: await loadLastSequence(team) })
  const { written } = harness.rows
  await harness.runCron()
  await deliverUntil(harness)
  expect(harness.rows.written - written).toBeLessThanOrEqual(2)
})

it('attempts are removed after thirty days, and a removed webhook with all that belongs to it', async () => {
  const team = await leadTeam()
  const receiver = newReceiver()
  const id = await newWebhook(team, receiver)
  await makeEvents(team, 2)
  const harness = new Harness()
  await harness.runCron()
  await deliverUntil(harness)
  expect(await loadAttempts(id)).toHaveLength(2)
  advanceTo(Date.now() + 29 * DAY_MS)
  await harness.runCron()
  expect(await loadAttempts(id)).toHaveLength(2)
  advanceTo(Date.now() + 3 * DAY_MS)
  await harness.runCron()
  expect(await loadAttempts(id)).toEqual([])
  await makeEvents(team, 1)
  await harness.runCron()
  await deliverUntil(harness)
  expect((await team.call('DELETE', `/v1/ext/webhook/${id}`)).errors).toEqual([])
  for (let day = 0; day < 2; day++) {
    advanceTo(Date.now() + DAY_MS + 60_000)
    await harness.runCron()
  }
  for (const table of ['webhook', 'webhook_progress', 'webhook_delivery']) {
    const left = await env.DB.prepare(`SELECT count(*) AS n FROM ${table} WHERE team = ?`)
      .bind(team.no)
      .first<{ n: number }>()
    expect([table, left?.n]).toEqual([table, 0])
  }
})

it('later events are not read behind a thousand waiting ones: the state of an endpoint is bounded', async () => {
  const team = await leadTeam()
  const receiver = newReceiver(() => new Response('', { status: 500 }))
  const id = await newWebhook(team, receiver, { types: ['process.created'] })
  receiver.secret = null
  const harness = new Harness()
  const processes = Array.from({ length: 1_300 }, (_, nth) => ({ data: { lead_id: `L${nth}` } }))
  await harness.request(team, 'POST', '/v1/ext/procedure/lead/process/bulk-create', { processes })
  await harness.settle(team)
  await harness.runCron()
  await deliverUntil(harness, Date.now() + 1_000)
  const { position, waiting } = await loadWebhook(id)
  expect([position, JSON.parse(waiting).length]).toEqual([1_000, 1_000])
  receiver.behave = () => new Response('')
  await deliverUntil(harness)
  // The last event is the end of the job, which it is not told of.
  expect(await loadWebhook(id)).toMatchObject({ position: 1_301, waiting: '[]' })
})

it('a waiting event is sent although its alarm was lost', async () => {
  const team = await leadTeam()
  const receiver = newReceiver((_, nth) => new Response('', { status: nth === 1 ? 500 : 200 }))
  await newWebhook(team, receiver)
  await makeEvents(team, 1)
  const harness = new Harness()
  await harness.runCron()
  await deliverUntil(harness, Date.now() + 1_000)
  harness.endpoints.loseAlarms()
  advanceTo(Date.now() + 60_000)
  await harness.runCron()
  await deliverUntil(harness)
  expect(sequences(receiver)).toEqual([1, 1])
})

it('an unreachable receiver costs another endpoint nothing: its object makes the same calls', async () => {
  const loadCalls = async (isBesideDead: boolean) => {
    const team = await leadTeam()
    const good = newReceiver()
    const dead = newReceiver(() => 'hang')
    const id = await newWebhook(team, good)
    const deadId = await newWebhook(team, dead)
    await makeEvents(team, 30)
    const [own, others] = [new Harness(), new Harness({ WEBHOOK_TIMEOUT_MS: '800' })]
    const wake = (harness: Harness, webhook: string) => {
      const { WEBHOOK_ENDPOINT: objects } = harness.env
      return objects.get(objects.idFromName(`${team.no}/${webhook}`)).wake({ team: team.no, id: webhook })
    }
    await wake(own, id)
    if (isBesideDead) await wake(others, deadId)
    const waiting = isBesideDead ? others.endpoints.ringDue() : undefined
    if (isBesideDead) await expect.poll(() => dead.arrivals.length).toBe(5)
    await deliverUntil(own)
    const arrivedBeside = good.arrivals.length
    // A run sends for three quarters of a minute, as long as there is something to send.
    dead.behave = () => new Response('')
    await waiting
    expect(arrivedBeside).toBe(30)
    return own.log.map(({ kind }) => kind).filter(kind => kind === 'database').length
  }
  const alone = await loadCalls(false)
  // A save more where the machine is slow: one is made each second.
  expect(await loadCalls(true)).toBeLessThanOrEqual(alone + 1)
})
