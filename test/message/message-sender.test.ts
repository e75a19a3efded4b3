import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { dispatch, dispatchInTurn, type SenderPool } from '../../src/message/sender/dispatch.ts'
import type { Dispatch, MessageSender, OutboundMessage } from '../../src/message/sender/message-sender.ts'
import { newTeam } from '../support/api.ts'
import { withLateTimers } from '../support/late-timers.ts'
import { newMessageSender } from '../support/message-senders.ts'
import { type Connected, connectPlugin, newNumber } from '../support/provider.ts'
import { sleep } from '../support/sleep.ts'

const ACCEPTED = { status: 'SENT', externalId: 'wamid.1' }
const NOT_ATTEMPTED = { status: 'FAILED', reason: 'NOT_ATTEMPTED' }
const INTERRUPTED = { status: 'UNKNOWN', reason: 'INTERRUPTED' }

/** The ids of messages that the provider was called for, and how many calls were open at once in each sender. */
let called: string[]
let open: Map<string, number>
let openMax: number
let planned: (() => void)[]
let background: Promise<unknown>[]
let answerMs: number
let senders: Map<string, Promise<MessageSender>>
let faults: ((name: string, deliver: () => Promise<unknown>) => Promise<unknown>)[]

beforeEach(() => {
  ;[called, open, openMax, planned, background, answerMs] = [[], new Map(), 0, [], [], 5]
  ;[senders, faults] = [new Map(), []]
})

const getProvider = (sender: string): Fetcher =>
  ({
    fetch: async (request: Request) => {
      const { id } = await request.json<{ id: string }>()
      called.push(id)
      open.set(sender, (open.get(sender) ?? 0) + 1)
      openMax = Math.max(openMax, open.get(sender) ?? 0)
      await sleep(answerMs)
      open.set(sender, (open.get(sender) ?? 0) - 1)
      return Response.json({ messages: [{ id: 'wamid.1' }] })
    },
  }) as unknown as Fetcher

const getSender = (name: string): Promise<MessageSender> => {
  const MESSAGE_SENDER = { idFromName: (part: string) => part, get: (part: string) => reach().get(part) }
  const bindings = { ...env, MESSAGE_SENDER, WHATSAPP: getProvider(name) } as unknown as Env
  const sender = senders.get(name) ?? newMessageSender(bindings, work => void background.push(work))
  senders.set(name, sender)
  return sender
}

/** Stores the timers of a sender, which the test runs. */
const plan = (_: number, act: () => void) => {
  planned.push(act)
  return () => {
    planned = planned.filter(each => each !== act)
  }
}

const reach = (): SenderPool => ({
  incarnations: new Map(),
  last: -1,
  busy: new Set(),
  get: name =>
    ({
      open: async () => (await getSender(name)).open(),
      acknowledge: async (id: string) => (await getSender(name)).acknowledge(id),
      dispatch: (dispatched: Dispatch) => {
        const deliver = async () => withLateTimers(plan, async () => (await getSender(name)).dispatch(dispatched))
        const fault = faults.shift()
        return fault ? fault(name, deliver) : deliver()
      },
    }) as unknown as ReturnType<SenderPool['get']>,
})

const lost = async (_: string, deliver: () => Promise<unknown>) => {
  await deliver()
  throw new Error('Network connection lost')
}
const unreached = async () => {
  throw new Error('Network connection lost')
}
const overloaded = async () => {
  throw Object.assign(new Error('overloaded'), { overloaded: true })
}
const restarted = async (name: string, deliver: () => Promise<unknown>) => {
  await deliver()
  senders.delete(name)
  throw new Error('the object was reset')
}

const messages = (count: number, startInMs = 0): OutboundMessage[] =>
  Array.from({ length: count }, (_, nth) => ({
    call: { path: '/v23.0/1/messages', body: JSON.stringify({ id: `m${nth}` }), token: 'token' },
    team: 1,
    settlement: { id: `m${nth}`, plugin: 1, sender: '1', template: null, begunAt: Date.now() },
    startAt: Date.now() + startInMs,
    lastStart: Date.now() + 30_000,
    answerMs: 3_000,
  }))
const ids = (count: number) => Array.from({ length: count }, (_, nth) => `m${nth}`)

describe('a dispatch', () => {
  it.each([1, 6, 7, 36, 40, 96, 216])(
    'sends %i messages once each, over six connections of each sender',
    async count => {
      const results = await dispatch(reach(), 'a', messages(count))
      expect(results).toEqual(Array(count).fill(ACCEPTED))
      expect(called.toSorted()).toEqual(ids(count).toSorted())
      expect(openMax).toBeLessThanOrEqual(6)
    },
  )

  it.each(Object.entries({ lost, unreached }))(
    'is repeated if it is %s, and sends each message once',
    async (_, fault) => {
      faults = [fault, fault]
      expect(await dispatch(reach(), 'a', messages(6))).toEqual(Array(6).fill(ACCEPTED))
      expect(called.toSorted()).toEqual(ids(6))
    },
  )

  it('was not attempted where the sender is overloaded', async () => {
    faults = [overloaded]
    expect(await dispatch(reach(), 'a', messages(2))).toEqual([NOT_ATTEMPTED, NOT_ATTEMPTED])
    expect(called).toEqual([])
  })

  it('sends nothing twice where its sender is restarted, and its outcome is unknown', async () => {
    faults = [restarted]
    expect(await dispatch(reach(), 'a', messages(3))).toEqual([INTERRUPTED, INTERRUPTED, INTERRUPTED])
    expect(called.toSorted()).toEqual(ids(3))
  })

  it('is sent by a new sender where the old one was restarted before', async () => {
    const pool = reach()
    await dispatch(pool, 'a', messages(1))
    senders.delete('a')
    called = []
    expect(await dispatch(pool, 'a', messages(3))).toEqual(Array(3).fill(ACCEPTED))
    expect(called.toSorted()).toEqual(ids(3))
  })

  it('was not attempted where it starts later and the sender is restarted before', async () => {
    faults = [
      async name => {
        await getSender(name)
        senders.delete(name)
        throw new Error('the object was reset')
      },
    ]
    expect(await dispatch(reach(), 'a', messages(2, 5_000))).toEqual([NOT_ATTEMPTED, NOT_ATTEMPTED])
    expect(called).toEqual([])
  })
})

describe('a message sender', () => {
  let whatsapp: Connected

  /** Messages that are claimed in the database. */
  async function claimed(count: number): Promise<{ outbound: OutboundMessage[]; statuses: () => Promise<string[]> }> {
    const team = await newTeam()
    whatsapp = await connectPlugin(team)
    const sent = await Promise.all(Array.from({ length: count }, () => whatsapp.send(newNumber())))
    const all = sent.map(({ data }) => data.id as string)
    const list = JSON.stringify(all)
    const ofThese = 'id IN (SELECT value FROM json_each(?))'
    await env.DB.prepare(`UPDATE message SET delivery = 0, steps = NULL, history = jsonb('[]') WHERE ${ofThese}`)
      .bind(list)
      .run()
    const outbound = messages(count).map((each, nth) => ({
      ...each,
      team: team.no,
      settlement: { ...each.settlement, id: all[nth] ?? '', plugin: 0 },
    }))
    const statuses = async () => {
      await Promise.all(background.splice(0))
      const replies = await Promise.all(all.map(id => team.call('GET', `/v1/ext/message/${id}`)))
      return replies.map(({ data }) => data.deliveryStatus as string)
    }
    return { outbound, statuses }
  }

  it('does not wait for a slow response: it writes the result itself', async () => {
    const { outbound, statuses } = await claimed(2)
    answerMs = 400
    expect(
      await dispatch(
        reach(),
        'a',
        outbound.map(each => ({ ...each, answerMs: 100 })),
      ),
    ).toEqual([null, null])
    expect(await statuses()).toEqual(['SENT', 'SENT'])
  })

  it('writes what a vanished runner does not, and nothing else', async () => {
    const [gone, there] = [await claimed(8), await claimed(8)]
    const pool = reach()
    await dispatchInTurn(pool, 'job', gone.outbound)
    const { acknowledge } = await dispatchInTurn(pool, 'job', there.outbound)
    expect(planned).toHaveLength(2)
    await acknowledge()
    expect(planned).toHaveLength(1)
    for (const act of planned) act()
    expect(await gone.statuses()).toEqual(Array(8).fill('SENT'))
    expect(await there.statuses()).toEqual(Array(8).fill('PENDING'))
  })

  it('sends nothing after the last moment at which a message may be sent', async () => {
    const late = messages(1).map(each => ({ ...each, lastStart: Date.now() - 1 }))
    expect(await dispatch(reach(), 'a', late)).toEqual([NOT_ATTEMPTED])
    expect(called).toEqual([])
  })
})
