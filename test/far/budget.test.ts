import { describe, expect, it, vi } from 'vitest'
import { sleep } from '../support/sleep.ts'
import { type FarReply, type FarTeam, far, type Place } from './far.ts'
import { LEADS, teamWithLeads } from './leads.ts'

/** The time for which each read occupies the database. */
const HEAVY_MS = 20
const heavy = { readMs: HEAVY_MS }
const vars = { TEAM_DATABASE_MS_PER_SECOND: '200', TEAM_DATABASE_BURST_MS: '1000' } as unknown as Partial<Env>
const get = (team: FarTeam) => team.call('GET', '/v1/ext/users')

const objectCalls = (place: Place) =>
  place.platform.calls.filter(({ kind, about }) => kind === 'object' && /TEAM_BUDGET|DATABASE_CONTENTION/.test(about))
    .length

interface Load {
  connections: number
  /** The pause of a connection between two calls, and after a refused one. */
  pauseMs: number
  forMs: number
}

/** Calls as fast as they are answered. */
async function load(team: FarTeam, { connections, pauseMs, forMs }: Load): Promise<FarReply[]> {
  const until = Date.now() + forMs
  const replies: FarReply[] = []
  const connect = async () => {
    while (Date.now() < until) {
      const reply = await get(team)
      replies.push(reply)
      await sleep(reply.status === 429 ? 200 : pauseMs)
    }
  }
  await Promise.all(Array.from({ length: connections }, connect))
  return replies
}

const served = (replies: readonly FarReply[]) => replies.filter(({ status }) => status === 200)
/** A team that needs little, and has to wait for whoever needs much. */
const little = { connections: 1, pauseMs: 300 }

describe('a team that uses much database time while others wait', () => {
  it('is refused until it is within its budget again, and no other team is', async () => {
    const place = far(heavy, vars)
    const [busy, other] = [await teamWithLeads(place), await teamWithLeads(place)]
    const [replies, others] = await place.run(() =>
      Promise.all([
        load(busy, { connections: 10, pauseMs: 0, forMs: 10_000 }),
        load(other, { ...little, forMs: 10_000 }),
      ]),
    )
    const refused = replies.find(({ status, errors }) => status === 429 && `${errors}`.includes('share'))
    expect(refused?.meta.errors[0]).toMatchObject({
      code: 'rate_limited',
      message: expect.stringContaining('database'),
    })
    expect(refused?.headers.get('retry-after')).toBe(String(refused?.meta.errors[0].retryAfterSeconds))
    expect(refused?.trips).toBe(0)
    expect(others).toEqual(served(others))
    await place.pass(11_000)
    expect((await get(busy)).status).toBe(200)
  })

  it('gets its share, however hard it tries, from many isolates', async () => {
    const place = far(heavy, vars)
    const [busy, other] = [await teamWithLeads(place), await teamWithLeads(place)]
    place.vanish(4)
    await place.pass(20_000)
    const [replies] = await place.run(() =>
      Promise.all([
        load(busy, { connections: 20, pauseMs: 0, forMs: 30_000 }),
        load(other, { ...little, forMs: 30_000 }),
      ]),
    )
    // A second at once, and then a fifth of the time; what comes in before an isolate knows is on top.
    expect(served(replies).length * HEAVY_MS).toBeLessThan(1_000 + 30 * 200 * 1.3)
    expect(served(replies).length * HEAVY_MS).toBeGreaterThan(30 * 200 * 0.7)
  })

  it('gets no more than its share where its budget object takes reports, and no reservations', async () => {
    const place = far(heavy, vars)
    const [busy, other] = [await teamWithLeads(place), await teamWithLeads(place)]
    place.faults.add({ kind: 'object', fault: 'overloaded', about: 'TEAM_BUDGET.reserve', times: 10_000 })
    const [replies] = await place.run(() =>
      Promise.all([
        load(busy, { connections: 10, pauseMs: 0, forMs: 30_000 }),
        load(other, { ...little, forMs: 30_000 }),
      ]),
    )
    expect(served(replies).length * HEAVY_MS).toBeLessThan(1_000 + 30 * 200 * 1.5)
  })

  it('is served where its budget object cannot be reached', async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => {})
    const place = far(heavy, vars)
    const [busy, other] = [await teamWithLeads(place), await teamWithLeads(place)]
    place.faults.add({ kind: 'object', fault: 'overloaded', about: 'TEAM_BUDGET', times: 10_000 })
    const [replies] = await place.run(() =>
      Promise.all([
        load(busy, { connections: 3, pauseMs: 0, forMs: 10_000 }),
        load(other, { ...little, forMs: 10_000 }),
      ]),
    )
    expect(replies).toEqual(served(replies))
    vi.restoreAllMocks()
  })
})

describe('a large team beside which nobody waits', () => {
  /** More than twice the budget: each creation takes more than three milliseconds. */
  const CALLS_EACH_SECOND = 150
  const SECONDS = 10

  it.each([1, 3])(
    'is refused nothing at 150 creations a second, without long waits, in %i isolates',
    async isolates => {
      const place = far()
      const team = await teamWithLeads(place)
      place.vanish(isolates)
      const replies = await place.run(async () => {
        const calls: Promise<FarReply>[] = []
        for (let nth = 0; nth < CALLS_EACH_SECOND * SECONDS; nth++) {
          if (nth % 15 === 0) await sleep(100)
          calls.push(team.call('POST', LEADS, { data: { note: `${nth}` } }))
        }
        return Promise.all(calls)
      })
      expect(replies.filter(({ status }) => status !== 201)).toEqual([])
      const ms = replies.map(reply => reply.ms).sort((one, other) => one - other)
      // Fifteen arrive at once, so the last of them waits for fourteen.
      expect(ms[Math.floor(ms.length * 0.99)]).toBeLessThan(200)
    },
  )

  it('is refused nothing with five lists at a time that read everything', async () => {
    const place = far()
    const team = await teamWithLeads(place)
    const processes = Array.from({ length: 5_000 }, () => ({ data: { note: 'x' } }))
    await team.call('POST', `${LEADS}/bulk-create`, { processes })
    await place.rest()
    place.vanish(2)
    const until = Date.now() + 4_000
    const statuses: number[] = []
    const loop = async () => {
      while (Date.now() < until)
        statuses.push((await team.call('POST', `${LEADS}/list`, { where: { note: 'nowhere' } })).status)
    }
    await place.run(() => Promise.all(Array.from({ length: 5 }, loop)))
    expect(new Set(statuses)).toEqual(new Set([200]))
    expect(statuses.length).toBeGreaterThan(60)
  })
})

describe('a team that uses little database time', () => {
  it('causes no call of a Durable Object', async () => {
    const place = far({ readMs: 0.5 }, vars)
    const team = await teamWithLeads(place)
    const before = objectCalls(place)
    for (let nth = 1; nth <= 20; nth++) await get(team)
    expect(objectCalls(place)).toBe(before)
  })

  it('sees in each response what it has cost', async () => {
    const place = far(heavy, vars)
    const team = await teamWithLeads(place)
    expect((await team.call('GET', `${LEADS}?limit=1`)).headers.get('server-timing')).toMatch(/sql;dur=\d/)
  })
})

it.each([0, 1])(
  'a new isolate that receives a hundred calls of one token, %i ms apart, looks it up four times',
  async apartMs => {
    const place = far()
    const team = await teamWithLeads(place)
    place.vanish()
    place.platform.calls = []
    const calls = Array.from({ length: 100 }, async (_, nth) => {
      await sleep(nth * apartMs)
      return get(team)
    })
    const replies = await place.run(() => Promise.all(calls))
    expect(replies).toEqual(served(replies))
    const lookUps = place.platform.calls.filter(({ kind, about }) => kind === 'database' && about.includes('"api_key"'))
    expect(lookUps.filter(({ about }) => about.startsWith('SELECT') || about.startsWith('select'))).toHaveLength(4)
  },
)
