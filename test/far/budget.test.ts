import { describe, expect, it, vi } from 'vitest'
import { definition } from '../support/procedures.ts'
import { type FarTeam, far, type Place } from './far.ts'

const LEADS = '/v1/ext/procedure/lead/process'

async function teamWithLeads(place: Place): Promise<FarTeam> {
  const team = await place.newTeam()
  expect((await team.call('PUT', '/v1/ext/procedure/lead', definition())).errors).toEqual([])
  return team
}

/** A call that keeps the database busy for 100 ms. */
const heavy = { readMs: 100 }
const vars = { TEAM_DATABASE_MS_PER_SECOND: '200', TEAM_DATABASE_BURST_MS: '1000' } as unknown as Partial<Env>
const get = (team: FarTeam) => team.call('GET', '/v1/ext/users')

const objectCalls = (place: Place) =>
  place.platform.calls.filter(({ kind, about }) => kind === 'object' && about.includes('TEAM_BUDGET')).length

describe('a team that uses much time of the database', () => {
  it('is refused until it is within its budget again, and nobody else is', async () => {
    const place = far(heavy, vars)
    const [busy, other] = [await teamWithLeads(place), await teamWithLeads(place)]
    const replies = []
    for (let nth = 1; nth <= 30; nth++) replies.push(await get(busy))
    const refused = replies.find(({ status }) => status === 429)
    expect(replies.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(10)
    expect(refused?.meta.errors[0]).toMatchObject({
      code: 'rate_limited',
      message: expect.stringContaining('database'),
    })
    expect(refused?.headers.get('retry-after')).toBe(String(refused?.meta.errors[0].retryAfterSeconds))
    expect(refused?.trips).toBe(0)
    expect((await get(other)).status).toBe(200)
    await place.pass(11_000)
    expect((await get(busy)).status).toBe(200)
  })

  it('gets its share, however hard it tries, from many isolates', async () => {
    const place = far(heavy, vars)
    const busy = await teamWithLeads(place)
    place.vanish(4)
    await place.pass(20_000)
    const startedAt = Date.now()
    let served = 0
    while (Date.now() - startedAt < 60_000) {
      const { status } = await get(busy)
      if (status === 200) served += 1
      else await place.pass(200)
    }
    // A second at once, and then a fifth of the time; what comes in before an isolate knows is on top.
    expect(served * 100).toBeLessThan(1_000 + 60 * 200 * 1.3)
    expect(served * 100).toBeGreaterThan(60 * 200 * 0.7)
  })

  it('costs no call of an object before it uses much', async () => {
    const place = far({ readMs: 0.5 }, vars)
    const team = await teamWithLeads(place)
    const before = objectCalls(place)
    for (let nth = 1; nth <= 20; nth++) await get(team)
    expect(objectCalls(place)).toBe(before)
  })

  it('is served where its object cannot be reached', async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => {})
    const place = far(heavy, vars)
    const busy = await teamWithLeads(place)
    place.faults.add({ kind: 'object', fault: 'overloaded', about: 'TEAM_BUDGET', times: 100 })
    for (let nth = 1; nth <= 30; nth++) expect((await get(busy)).status).toBe(200)
    vi.restoreAllMocks()
  })

  it('says in each response what it has cost', async () => {
    const place = far(heavy, vars)
    const team = await teamWithLeads(place)
    expect((await team.call('GET', `${LEADS}?limit=1`)).headers.get('server-timing')).toMatch(/sql;dur=\d/)
  })
})
