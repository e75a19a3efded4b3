import { env } from 'cloudflare:workers'
import { Webhook } from 'standardwebhooks'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { connect } from '../../src/db/client.ts'
import { createCost } from '../../src/db/cost.ts'
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../src/time-units.ts'
import { createDeliveryExpiryTask } from '../../src/webhook/expire.ts'
import { advanceTo } from '../support/clock.ts'
import { Harness } from '../support/harness.ts'
import { LEADS, leadProcedure } from '../support/jobs.ts'
import { connectReceivers, newReceiver, ok } from '../support/receiver.ts'
import { deliverUntil, loadWebhook, makeEvents, newQuietTeam, newWebhook } from '../support/webhooks.ts'

beforeEach(() => connectReceivers())

async function leadTeam() {
  const team = await newQuietTeam()
  await leadProcedure(team)
  return team
}

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, nth) => from + nth)
const sequences = ({ arrivals }: ReturnType<typeof newReceiver>) => arrivals.map(({ sequence }) => sequence)

const getObject = (harness: Harness, team: { no: number }, id: string) => {
  const { WEBHOOK_ENDPOINT } = harness.env
  return WEBHOOK_ENDPOINT.get(WEBHOOK_ENDPOINT.idFromName(`${team.no}/${id}`))
}

describe('a webhook that is given more types', () => {
  // The object is told of the events, and not, or not yet, of the change: a signal may be lost.
  it('receives them from then on, although its object still looks for the others', async () => {
    const team = await leadTeam()
    const harness = new Harness()
    let isAsked = false
    const receiver = newReceiver(async () => {
      if (isAsked) return new Response('')
      isAsked = true
      expect((await team.call('PUT', path, { types: ['process.created', 'process.deleted'] })).errors).toEqual([])
      expect((await team.call('DELETE', `${LEADS}/${created}`)).errors).toEqual([])
      await getObject(harness, team, id).wake({ team: team.no, id })
      return new Response('')
    })
    const id = await newWebhook(team, receiver, { types: ['process.created'] })
    const path = `/v1/ext/webhook/${id}`
    const { data } = await team.call('POST', LEADS, { data: { lead_id: 'L1' } })
    const created = data.id
    await harness.runCron()
    await deliverUntil(harness)
    expect(receiver.arrivals.map(({ event }) => event.type)).toContain('process.deleted')
    expect(await loadWebhook(id)).toMatchObject({ position: 2, waiting: '[]' })
  })

  it('receives an event that its object remembers to have passed', async () => {
    const team = await leadTeam()
    const receiver = newReceiver()
    const id = await newWebhook(team, receiver, { types: ['process.deleted'] })
    let isAsked = false
    const slow = new Harness(
      {},
      {
        // The object has loaded the endpoint, and has not looked into the log.
        after: async ({ sql }) => {
          if (isAsked || !sql.includes('"webhook_progress"')) return
          isAsked = true
          expect((await team.call('PUT', `/v1/ext/webhook/${id}`, { types: null })).errors).toEqual([])
          await makeEvents(team, 1)
        },
      },
    )
    await getObject(slow, team, id).wake({ team: team.no, id })
    await deliverUntil(slow)
    expect(isAsked).toBe(true)
    await getObject(slow, team, id).wake({ team: team.no, id })
    await deliverUntil(slow)
    expect(sequences(receiver)).toEqual([1])
  })
})

describe.each(['any', 'strict'])('a webhook that is given fewer types or procedures, order %s', order => {
  async function setUp(procedures: string[] | null = null) {
    const team = await leadTeam()
    const harness = new Harness()
    const receiver = newReceiver(() => new Response('', { status: 500 }))
    const id = await newWebhook(team, receiver, { order, procedures })
    const { data } = await team.call('POST', LEADS, { data: { lead_id: 'L1' } })
    await team.call('PUT', `${LEADS}/${data.id}`, { data: { name: 'Asha' } })
    await harness.runCron()
    // The next attempt after this one is made after half an hour.
    await deliverUntil(harness, Date.now() + 10 * MINUTE_MS)
    return { team, harness, receiver, id, path: `/v1/ext/webhook/${id}`, process: data.id as string }
  }

  it.each([
    ['its address stays', undefined],
    ['it has another address', newReceiver],
  ])('is not sent again what it no longer wants: %s', async (_, toOther) => {
    const { team, harness, receiver, id, path } = await setUp()
    const next = toOther?.() ?? receiver
    next.secret = receiver.secret
    const before = next.arrivals.length
    receiver.behave = ok
    const change = { types: ['process.updated'], ...(toOther ? { url: next.url } : {}) }
    expect((await team.call('PUT', path, change)).errors).toEqual([])
    await getObject(harness, team, id).wake({ team: team.no, id })
    await deliverUntil(harness)
    expect(next.arrivals.slice(before).map(({ event }) => event.type)).toEqual(['process.updated'])
    expect(await loadWebhook(id)).toMatchObject({ waiting: '[]', position: 2, due_at: null })
  })

  it('is not sent again what is of other procedures', async () => {
    const { team, harness, receiver, id, path } = await setUp()
    const states = { states: [{ shortId: 'NEW' }], startState: 'NEW', completedState: 'NEW' }
    const made = await team.call('PUT', '/v1/ext/procedure/other', { name: 'Other', ...states })
    expect(made.errors).toEqual([])
    const before = receiver.arrivals.length
    receiver.behave = ok
    expect((await team.call('PUT', path, { procedures: ['other'] })).errors).toEqual([])
    await getObject(harness, team, id).wake({ team: team.no, id })
    await deliverUntil(harness)
    expect(sequences(receiver).slice(before)).toEqual([])
    expect(await loadWebhook(id)).toMatchObject({ waiting: '[]', due_at: null })
  })

  it('is still sent what waits and is wanted as before', async () => {
    const { team, harness, receiver, id, path } = await setUp(['lead'])
    const before = receiver.arrivals.length
    const replay = await harness.request(team, 'POST', `${path}/replay`, { from: 1 })
    expect(replay.body._errors).toEqual([])
    receiver.behave = ok
    expect((await team.call('PUT', path, { types: ['process.created', 'process.updated'] })).errors).toEqual([])
    await getObject(harness, team, id).wake({ team: team.no, id })
    await deliverUntil(harness)
    expect(new Set(sequences(receiver).slice(before))).toEqual(new Set([1, 2]))
  })

  it('does not forget what a replay has named before, though it never wanted it', async () => {
    const { team, harness, receiver, id, path } = await setUp(['lead'])
    expect((await team.call('PUT', path, { types: ['process.deleted', 'process.restored'] })).errors).toEqual([])
    const { data } = await team.call('GET', '/v1/ext/event?after=0')
    expect((await harness.request(team, 'POST', `${path}/replay`, { events: [data[0].id] })).body._errors).toEqual([])
    await deliverUntil(harness, Date.now() + SECOND_MS)
    const before = receiver.arrivals.length
    expect(before).toBeGreaterThan(0)
    receiver.behave = ok
    expect((await team.call('PUT', path, { types: ['process.deleted'] })).errors).toEqual([])
    await getObject(harness, team, id).wake({ team: team.no, id })
    await deliverUntil(harness)
    expect(sequences(receiver).slice(before)).toEqual([1])
  })

  it('is not sent again what fails while it is changed', async () => {
    const team = await leadTeam()
    const harness = new Harness()
    let isAsked = false
    const receiver = newReceiver(async () => {
      if (!isAsked) {
        isAsked = true
        expect((await team.call('PUT', path, { types: ['process.deleted'] })).errors).toEqual([])
        return new Response('', { status: 500 })
      }
      return new Response('')
    })
    const id = await newWebhook(team, receiver, { order })
    const path = `/v1/ext/webhook/${id}`
    await makeEvents(team, 1)
    await harness.runCron()
    await deliverUntil(harness)
    await harness.runCron()
    await deliverUntil(harness)
    expect(sequences(receiver)).toEqual([1])
  })
})

it('a webhook that gets the number of a removed one is told nothing of a delivery that was under way', async () => {
  const team = await leadTeam()
  const harness = new Harness()
  const next = newReceiver()
  let made = ''
  const receiver = newReceiver(async () => {
    await team.call('DELETE', `/v1/ext/webhook/${id}`)
    const task = createDeliveryExpiryTask(() => connect(env.DB, createCost()), Date.now() + 2 * DAY_MS)
    while ((await task.step()).hasMore);
    made = await newWebhook(team, next)
    return new Response('', { status: 500 })
  })
  const id = await newWebhook(team, receiver)
  await makeEvents(team, 1)
  await harness.runCron()
  await deliverUntil(harness)
  expect(receiver.arrivals).toHaveLength(1)
  expect((await team.call('GET', `/v1/ext/webhook/${made}/delivery`)).data).toEqual([])
  expect(await loadWebhook(made)).toMatchObject({ waiting: '[]', failing_since: null })
})

describe('a rotated secret of an endpoint that is sending', () => {
  async function setUp(order: string) {
    const team = await leadTeam()
    const harness = new Harness()
    const signed: boolean[][] = []
    const secrets: string[] = []
    const receiver = newReceiver()
    const id = await newWebhook(team, receiver, { order })
    secrets.push(receiver.secret ?? '')
    receiver.secret = null
    const network = vi.mocked(globalThis.fetch).getMockImplementation() ?? globalThis.fetch
    vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
      const request = new Request(input, init)
      if (new URL(request.url).host === new URL(receiver.url).host) {
        const text = await request.clone().text()
        signed.push(
          secrets.map(secret => {
            const sent = request.headers.get('webhook-signature')?.split(' ') ?? []
            const at = new Date(Number(request.headers.get('webhook-timestamp')) * SECOND_MS)
            return sent.includes(new Webhook(secret).sign(request.headers.get('webhook-id') ?? '', at, text))
          }),
        )
      }
      return network(request)
    })
    const rotate = async (overlapSeconds: number) => {
      const path = `/v1/ext/webhook/${id}/rotate-secret`
      const { body } = await harness.request(team, 'POST', path, { overlapSeconds })
      secrets.push(body._data.secret)
    }
    return { team, harness, receiver, id, signed, rotate }
  }

  it('signs nothing any more once it has ended', async () => {
    const { team, harness, receiver, signed, rotate } = await setUp('strict')
    receiver.behave = async (_, nth) => {
      if (nth === 1) await rotate(0)
      return new Response('')
    }
    await makeEvents(team, 3)
    await harness.runCron()
    await deliverUntil(harness)
    expect(sequences(receiver)).toEqual([1, 2, 3])
    expect(signed).toEqual([[true], [false, true], [false, true]])
  })

  it('signs until the overlap ends, and not until the pass does', async () => {
    const { team, harness, receiver, signed, rotate } = await setUp('strict')
    // A pass lasts for a minute.
    await rotate(40)
    receiver.behave = (_, nth) => {
      if (nth === 2) advanceTo(Date.now() + 40 * SECOND_MS)
      return new Response('')
    }
    await makeEvents(team, 3)
    await harness.runCron()
    await deliverUntil(harness)
    expect(sequences(receiver)).toEqual([1, 2, 3])
    expect(signed).toEqual([
      [true, true],
      [true, true],
      [false, true],
    ])
  })
})

describe.each(['any', 'strict'])('a webhook that was disabled for long, order %s', order => {
  it('continues with the oldest event that the feed has', async () => {
    const team = await leadTeam()
    const harness = new Harness()
    const receiver = newReceiver(() => new Response('', { status: 500 }))
    const id = await newWebhook(team, receiver, { order })
    await makeEvents(team, 2)
    await harness.runCron()
    await deliverUntil(harness, Date.now() + SECOND_MS)
    const path = `/v1/ext/webhook/${id}`
    await team.call('PUT', path, { enabled: false })
    await makeEvents(team, 3)
    await env.DB.prepare('UPDATE event SET at = at - ? WHERE team = ? AND sequence <= 3')
      .bind(31 * DAY_MS, team.no)
      .run()
    const before = receiver.arrivals.length
    receiver.behave = ok
    expect((await team.call('PUT', path, { enabled: true })).errors).toEqual([])
    await harness.runCron()
    await deliverUntil(harness)
    expect(sequences(receiver).slice(before).toSorted()).toEqual([4, 5])
    expect(await loadWebhook(id)).toMatchObject({ position: 5, waiting: '[]', due_at: null })
  })
})

it('a replay of a range in strict order sends the blocking event at once', async () => {
  const team = await leadTeam()
  const harness = new Harness()
  const receiver = newReceiver(() => new Response('', { status: 500 }))
  const id = await newWebhook(team, receiver, { order: 'strict' })
  await makeEvents(team, 3)
  await harness.runCron()
  // The next attempt after this one is made after half an hour.
  await deliverUntil(harness, Date.now() + 10 * MINUTE_MS)
  receiver.behave = ok
  const before = receiver.arrivals.length
  const replay = await harness.request(team, 'POST', `/v1/ext/webhook/${id}/replay`, { from: 1 })
  expect(replay.body._errors).toEqual([])
  await deliverUntil(harness, Date.now() + 20 * SECOND_MS)
  expect(new Set(sequences(receiver).slice(before))).toEqual(new Set([1, 2, 3]))
  expect(await loadWebhook(id)).toMatchObject({ waiting: '[]', position: 3 })
})

describe('a replay in strict order of an event whose turn has not come', () => {
  // These are more than a page of new events: a replay and new events take turns, a page of each.
  const EVENTS = 106
  const LATE = 105

  it.each([
    ['by its id', 'all events', {}, [LATE, LATE]],
    ['as a range', 'all events', {}, [LATE, LATE]],
    ['by its id', 'none of these events', { types: ['process.deleted'] }, [LATE]],
    ['as a range', 'none of these events', { types: ['process.deleted'] }, []],
  ])('%s, sends it after its turn, to an endpoint that wants %s', async (named, _, wanted, ofLate) => {
    const team = await leadTeam()
    const harness = new Harness()
    const receiver = newReceiver(({ sequence }) => new Response('', { status: sequence === 2 ? 500 : 200 }))
    const id = await newWebhook(team, receiver, { order: 'strict', ...wanted })
    await makeEvents(team, EVENTS)
    await harness.runCron()
    await deliverUntil(harness, Date.now() + SECOND_MS)
    const { data } = await team.call('GET', `/v1/ext/event?after=${LATE - 1}`)
    const body = named === 'as a range' ? { from: LATE, to: LATE } : { events: [data[0].id] }
    const replay = await harness.request(team, 'POST', `/v1/ext/webhook/${id}/replay`, body)
    expect(replay.body._errors).toEqual([])
    receiver.behave = ok
    await deliverUntil(harness)
    const firstArrivals = [...new Set(sequences(receiver))]
    expect(firstArrivals).toEqual('types' in wanted ? [...new Set(ofLate)] : range(1, EVENTS))
    expect(sequences(receiver).filter(sequence => sequence === LATE)).toEqual(ofLate)
    expect(await loadWebhook(id)).toMatchObject({ waiting: '[]' })
    const { results } = await env.DB.prepare('SELECT * FROM webhook_replay WHERE team = ?').bind(team.no).all()
    expect(results).toEqual([])
  })
})

it('a receiver that asks for a pause gets it, although it accepts deliveries in flight', async () => {
  const team = await leadTeam()
  const harness = new Harness()
  const refused = Promise.withResolvers<void>()
  const receiver = newReceiver(async ({ sequence }) => {
    if (sequence === 1) {
      setTimeout(refused.resolve, 20)
      return new Response('', { status: 429, headers: { 'retry-after': '600' } })
    }
    if (sequence <= 5) await refused.promise
    return new Response('')
  })
  const id = await newWebhook(team, receiver)
  await makeEvents(team, 12)
  await harness.runCron()
  await deliverUntil(harness, Date.now() + MINUTE_MS)
  expect(sequences(receiver).toSorted()).toEqual([1, 2, 3, 4, 5])
  receiver.behave = ok
  await deliverUntil(harness)
  expect(new Set(sequences(receiver)).size).toBe(12)
  expect(await loadWebhook(id)).toMatchObject({ waiting: '[]', position: 12 })
})

it('a long attempt is waited for without polling', async () => {
  const team = await leadTeam()
  const harness = new Harness({ WEBHOOK_TIMEOUT_MS: '2500' })
  const receiver = newReceiver(() => 'hang')
  await newWebhook(team, receiver)
  await makeEvents(team, 1)
  await harness.runCron()
  const timers = vi.spyOn(globalThis, 'setTimeout')
  await deliverUntil(harness, Date.now() + SECOND_MS)
  expect(receiver.arrivals).toHaveLength(1)
  expect(timers.mock.calls.length).toBeLessThan(100)
  timers.mockRestore()
})
