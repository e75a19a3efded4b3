import { beforeEach, describe, expect, it } from 'vitest'
import { handOver, type Lanes } from '../../src/message/lane/handover.ts'
import { type Lane, newLane } from '../../src/message/lane/lane.ts'
import type { Handover, LaneMessage } from '../../src/message/lane/message.ts'
import type { SettlementMessage } from '../../src/message/ledger/settle.ts'

const ACCEPTED = { status: 'SENT', externalId: 'wamid.1' }
const NOT_ATTEMPTED = { status: 'FAILED', reason: 'NOT_ATTEMPTED' }
const INTERRUPTED = { status: 'UNKNOWN', reason: 'INTERRUPTED' }

/** The ids of messages that the provider was called for, and how many calls were open at once in each lane. */
let called: string[]
let open: Map<string, number>
let openMax: number
let settled: SettlementMessage[]
let planned: (() => void)[]
let answerMs: number
let lanes: Map<string, Lane>
let faults: ((name: string, deliver: () => Promise<unknown>) => Promise<unknown>)[]

beforeEach(() => {
  ;[called, open, openMax, settled, planned, answerMs] = [[], new Map(), 0, [], [], 5]
  ;[lanes, faults] = [new Map(), []]
})

const providerOf = (lane: string): Fetcher =>
  ({
    fetch: async (request: Request) => {
      const { id } = await request.json<{ id: string }>()
      called.push(id)
      open.set(lane, (open.get(lane) ?? 0) + 1)
      openMax = Math.max(openMax, open.get(lane) ?? 0)
      await new Promise(resolve => setTimeout(resolve, answerMs))
      open.set(lane, (open.get(lane) ?? 0) - 1)
      return Response.json({ messages: [{ id: 'wamid.1' }] })
    },
  }) as unknown as Fetcher

const laneOf = (name: string): Lane => {
  const lane =
    lanes.get(name) ??
    newLane({
      provider: { binding: providerOf(name), url: 'https://provider.test', timeoutMs: 1_000 },
      lanes: reach(),
      settle: async message => void settled.push(message),
      keepAlive: () => {},
      after: (_, act) => {
        planned.push(act)
        return () => {
          planned = planned.filter(each => each !== act)
        }
      },
    })
  lanes.set(name, lane)
  return lane
}

const reach = (): Lanes => ({
  instances: new Map(),
  of: name => ({
    open: async () => laneOf(name).open(),
    release: async id => laneOf(name).release(id),
    send: (handover: Handover) => {
      const deliver = async () => laneOf(name).send(handover)
      const fault = faults.shift()
      return (fault ? fault(name, deliver) : deliver()) as ReturnType<Lane['send']>
    },
  }),
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
  lanes.delete(name)
  throw new Error('the object was reset')
}

const messages = (count: number, startInMs = 0): LaneMessage[] =>
  Array.from({ length: count }, (_, nth) => ({
    call: { path: '/v23.0/1/messages', body: JSON.stringify({ id: `m${nth}` }), token: 'token' },
    team: 1,
    settlement: { id: `m${nth}`, plugin: 1, sender: '1', template: null, begunAt: Date.now() },
    startAt: Date.now() + startInMs,
    lastStart: Date.now() + 10_000,
    answerMs: 200,
  }))
const ids = (count: number) => Array.from({ length: count }, (_, nth) => `m${nth}`)

describe('a handover', () => {
  it.each([1, 6, 7, 36, 40, 96, 216])(
    'of %i messages sends each once, by six connections of each lane',
    async count => {
      const results = await handOver(reach(), 'a', messages(count))
      expect(results).toEqual(Array(count).fill(ACCEPTED))
      expect(called.toSorted()).toEqual(ids(count).toSorted())
      expect(openMax).toBeLessThanOrEqual(6)
    },
  )

  it.each(Object.entries({ lost, unreached }))(
    'that is %s is repeated, and sends each message once',
    async (_, fault) => {
      faults = [fault, fault]
      expect(await handOver(reach(), 'a', messages(6))).toEqual(Array(6).fill(ACCEPTED))
      expect(called.toSorted()).toEqual(ids(6))
    },
  )

  it('to a lane that is overloaded was not attempted', async () => {
    faults = [overloaded]
    expect(await handOver(reach(), 'a', messages(2))).toEqual([NOT_ATTEMPTED, NOT_ATTEMPTED])
    expect(called).toEqual([])
  })

  it('whose lane is restarted sends nothing twice, and nobody knows what became of it', async () => {
    faults = [restarted]
    expect(await handOver(reach(), 'a', messages(3))).toEqual([INTERRUPTED, INTERRUPTED, INTERRUPTED])
    expect(called.toSorted()).toEqual(ids(3))
  })

  it('whose lane was restarted before it is sent by the new one', async () => {
    const known = reach()
    await handOver(known, 'a', messages(1))
    lanes.delete('a')
    called = []
    expect(await handOver(known, 'a', messages(3))).toEqual(Array(3).fill(ACCEPTED))
    expect(called.toSorted()).toEqual(ids(3))
  })

  it('of messages that start later was not attempted, if the lane is restarted before', async () => {
    faults = [
      async name => {
        await laneOf(name)
        lanes.delete(name)
        throw new Error('the object was reset')
      },
    ]
    expect(await handOver(reach(), 'a', messages(2, 5_000))).toEqual([NOT_ATTEMPTED, NOT_ATTEMPTED])
    expect(called).toEqual([])
  })
})

describe('a lane', () => {
  it('does not wait for a slow answer: it writes the result itself', async () => {
    answerMs = 400
    expect(await handOver(reach(), 'a', messages(2))).toEqual([null, null])
    expect(settled).toEqual([])
    await new Promise(resolve => setTimeout(resolve, 400))
    expect(settled.flatMap(({ settlements }) => settlements)).toMatchObject([
      { id: 'm0', result: ACCEPTED },
      { id: 'm1', result: ACCEPTED },
    ])
  })

  it('writes down what a runner that is gone does not, and nothing else', async () => {
    const [known, sent] = [reach(), messages(8)]
    await handOver(known, 'a', sent, true)
    expect(planned).toHaveLength(1)
    for (const act of planned) act()
    expect(settled).toMatchObject([{ team: 1, settlements: sent.map(() => ({ result: ACCEPTED })) }])
    await handOver(known, 'b', sent, true)
    await known.of('b').release('m0')
    expect(planned.length).toBe(1)
  })

  it('sends nothing after the last moment at which a message may be sent', async () => {
    const late = messages(1).map(each => ({ ...each, lastStart: Date.now() - 1 }))
    expect(await handOver(reach(), 'a', late)).toEqual([NOT_ATTEMPTED])
    expect(called).toEqual([])
  })
})
