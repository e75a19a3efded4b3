import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { newTeam, type Team } from '../support/api.ts'

const PATH = '/v1/ext/procedure/visit/process'
const PROCEDURE = {
  name: 'Visit',
  states: [{ shortId: 'NEW' }, { shortId: 'DONE' }],
  startState: 'NEW',
  completedState: 'DONE',
  attributes: [
    { shortId: 'key', type: 'string' },
    { shortId: 'day', type: 'date', indexed: true },
    { shortId: 'at', type: 'datetime' },
    { shortId: 'local', type: 'datetimeISO8601' },
    { shortId: 'clock', type: 'time' },
    { shortId: 'city', type: 'string' },
  ],
  primaryKey: 'key',
}

let team: Team
const { DateTimeFormat } = Intl
/** Sunday night in India already, Saturday evening in London. */
const NOW = Date.parse('2026-03-28T20:00:00Z')

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW })
  team = await newTeam()
  expect((await team.call('PUT', '/v1/ext/procedure/visit', PROCEDURE)).status).toBe(201)
})
afterEach(() => {
  Intl.DateTimeFormat = DateTimeFormat
  vi.useRealTimers()
})

const create = async (key: string, data: object, fields: object = {}) =>
  expect((await team.call('POST', PATH, { data: { key, ...data }, ...fields })).status).toBe(201)
const found = async (where: unknown): Promise<string[]> => {
  const reply = await team.call('POST', `${PATH}/list`, { where, sort: [{ field: 'key' }], limit: 100 })
  expect([reply.status, reply.errors]).toEqual([200, []])
  return reply.data.map((each: { data: { key: string } }) => each.data.key)
}

describe('a filter by a relative time', () => {
  it('compares days with today, in the zone of the reader', async () => {
    for (const day of ['2026-02-28', '2026-03-21', '2026-03-27', '2026-03-28', '2026-03-29', '2026-04-28'])
      await create(day, { day })
    expect(await found({ day: { today: 'P0D' } })).toEqual(['2026-03-28'])
    expect(await found({ day: { today: 'P0D', timeZone: 'Asia/Kolkata' } })).toEqual(['2026-03-29'])
    expect(await found({ day: { '<': { today: 'P0D' } } })).toEqual(['2026-02-28', '2026-03-21', '2026-03-27'])
    expect(await found({ day: { '>=': { today: '-P7D' }, '<': { today: 'P1D' } } })).toEqual([
      ...['2026-03-21', '2026-03-27', '2026-03-28'],
    ])
    expect(await found({ day: { '=': [{ today: '-P1D' }, { today: 'P1M' }] } })).toEqual(['2026-03-27', '2026-04-28'])
    expect(await found({ day: { '=': { today: '-P1M' } } })).toEqual(['2026-02-28'])
    expect(await found({ day: { '=': { today: '-P4W' } } })).toEqual(['2026-02-28'])
  })

  it('compares times with now, and with the beginning of a day', async () => {
    const at = (iso: string) => create(iso, { at: iso }, { nextActionAt: iso })
    for (const iso of ['2026-03-28T00:00:00Z', '2026-03-28T18:30:00Z', '2026-03-28T19:59:59Z', '2026-03-28T20:00:00Z'])
      await at(iso)
    for (const field of ['at', 'nextActionAt']) {
      expect(await found({ [field]: { '>': { now: '-PT1S' } } })).toEqual(['2026-03-28T20:00:00Z'])
      expect(await found({ [field]: { '>=': { now: 'P0D' } } })).toEqual(['2026-03-28T20:00:00Z'])
      expect(await found({ [field]: { '<': { now: '-PT1H30M' } } })).toEqual(['2026-03-28T00:00:00Z'])
      expect(await found({ [field]: { '<=': { today: 'P0D' } } })).toEqual(['2026-03-28T00:00:00Z'])
      expect(await found({ [field]: { '>=': { today: 'P0D', timeZone: 'Asia/Kolkata' } } })).toHaveLength(3)
    }
  })

  it('moves by the calendar of the zone, over the change to summer time', async () => {
    // In Berlin, 29 March 2026 has 23 hours.
    const next = Date.parse('2026-03-29T19:00:00Z')
    await create('exact', { at: NOW + 86_400_000 })
    await create('calendar', { at: next })
    const berlin = { timeZone: 'Europe/Berlin' }
    expect(await found({ at: { '<=': { now: 'P1D', ...berlin } } })).toEqual(['calendar'])
    expect(await found({ at: { '<=': { now: 'PT24H', ...berlin } } })).toEqual(['calendar', 'exact'])
    const midnight = Date.parse('2026-03-29T22:00:00Z')
    await create('midnight', { at: midnight })
    expect(await found({ at: { '>=': { today: 'P2D', ...berlin } } })).toEqual(['midnight'])
  })

  it('writes a time that is stored as text in the zone', async () => {
    await create('early', { local: '2026-03-29T01:29:59+05:30' })
    await create('late', { local: '2026-03-29T01:30:00+05:30' })
    expect(await found({ local: { '>=': { now: 'P0D', timeZone: 'Asia/Kolkata' } } })).toEqual(['late'])
  })

  it('asks the calendar for a zone once, however many times and spellings name it', async () => {
    await create('tomorrow', { day: '2026-03-29' })
    const zones = ['Asia/Kolkata', 'asia/kolkata', 'ASIA/KOLKATA', 'Pacific/Kiritimati']
    let formats = 0
    const construct: ProxyHandler<Intl.DateTimeFormatConstructor>['construct'] = (target, given) => {
      formats += 1
      return Reflect.construct(target, given)
    }
    Intl.DateTimeFormat = new Proxy(DateTimeFormat, { construct })
    const days = Array.from({ length: 1_000 }, (_, nth) => ({ today: 'P0D', timeZone: zones[nth % zones.length] }))
    expect(await found({ day: { '=': days } })).toEqual(['tomorrow'])
    expect(formats).toBeLessThanOrEqual(2)
  })

  it('is refused where it has no meaning, each with a correction', async () => {
    const getFault = async (where: unknown) => {
      const { status, meta } = await team.call('POST', `${PATH}/list`, { where })
      const [{ path, message, hint } = {} as Record<string, string>] = meta.errors
      expect(status).toBe(400)
      return [path, message, hint]
    }
    expect(await getFault({ day: { '<': { now: '-P7D' } } })).toEqual([
      ...['/body/where/day/<', '"day" is a day, and has no time', '{"today":"-P7D"}'],
    ])
    expect((await getFault({ city: { today: 'P0D' } }))[1]).toContain('"city" is not declared as a date or as a time')
    expect((await getFault({ clock: { '>': { now: 'P0D' } } }))[1]).toContain('is not declared as a date')
    expect((await getFault({ other: { '>': { now: 'P0D' } } }))[1]).toContain('is not declared as a date')
    expect((await getFault({ state: { today: 'P0D' } }))[1]).toContain('is not declared as a date')
    expect(await getFault({ createdAt: { today: 'P0D' } })).toEqual([
      '/body/where/createdAt',
      '"createdAt" is a time, and hardly any is equal to this one: compare it by >=, >, < or <=',
      '{">=":{"today":"P0D"}}',
    ])
    expect(await getFault({ day: { '<': { today: 'yesterday' } } })).toEqual([
      ...['/body/where/day/</today', '"today" must be an ISO 8601 duration, such as -P7D for seven days ago', '-P7D'],
    ])
    for (const duration of ['P', 'PT', '7D', 'P7', 7, null, '-P1DT', 'P1.5D'])
      expect((await getFault({ at: { '<': { now: duration } } }))[1]).toContain('must be an ISO 8601 duration')
    expect((await getFault({ day: { '<': { today: 'PT1H' } } }))[2]).toBe('now')
    expect((await getFault({ day: { '<': { today: 'P999999Y' } } }))[1]).toContain('year 9999')
    // The last days that a Date can hold.
    for (const days of Array.from({ length: 40 }, (_, nth) => nth))
      expect(await getFault({ at: { '<': { now: `P273733Y9M${days}D`, timeZone: 'Asia/Kolkata' } } })).toEqual([
        ...['/body/where/at/</now', expect.stringContaining('year 9999'), undefined],
      ])
    expect(await getFault({ day: { '<': { today: 'P0D', timeZone: 'Asia/Kolkatta' } } })).toEqual([
      '/body/where/day/</timeZone',
      ...['"Asia/Kolkatta" is not a time zone of the IANA database', 'Asia/Kolkata'],
    ])
    expect(await getFault({ day: { '<': { today: 'P0D', timezone: 'UTC' } } })).toEqual([
      ...['/body/where/day/</timezone', 'unknown field "timezone"', 'timeZone'],
    ])
    expect((await getFault({ at: { '<': { now: 'P0D', today: 'P0D' } } }))[1]).toContain('not both')
  })

  it('stays right in a saved view, and a list continues from the time of its first page', async () => {
    const query = { where: { day: { today: 'P0D' } }, sort: [{ field: 'key', order: 'desc' }] }
    for (const [key, day] of Object.entries({ a: '2026-03-28', b: '2026-03-28', c: '2026-03-29' }))
      await create(key, { day })
    const view = await team.call('POST', '/v1/ext/saved-view', { name: 'Today', procedure: 'visit', query })
    expect(view.data.query).toEqual(query)
    const page = await team.call('POST', `${PATH}/list`, { ...query, limit: 1 })
    const figures = await team.call('POST', `${PATH}/aggregate`, { where: query.where })
    expect(figures.data[0].count).toBe(2)
    vi.setSystemTime(NOW + 86_400_000)
    const rest = await team.call('POST', `${PATH}/list`, { ...query, limit: 10, cursor: page.meta.next })
    expect([...page.data, ...rest.data].map(({ data }) => data.key)).toEqual(['b', 'a'])
    expect(await found(view.data.query.where)).toEqual(['c'])
    const other = { ...query, where: { day: { today: 'P1D' } }, cursor: page.meta.next }
    expect((await team.call('POST', `${PATH}/list`, other)).status).toBe(400)
  })

  it('works in counts, exports and bulk changes', async () => {
    for (const [key, day] of Object.entries({ past: '2026-03-27', now: '2026-03-28' })) await create(key, { day })
    const where = { day: { '<': { today: 'P0D' } } }
    const count = await team.call('GET', `${PATH}/count?where=${encodeURIComponent(JSON.stringify(where))}`)
    expect(count.data.count).toBe(1)
    const changed = await team.call('PATCH', PATH, { where, update: { data: { city: 'Pune' } } })
    expect([changed.status, changed.data.total]).toEqual([202, 1])
    const all = { createdAt: { '<': { now: 'P1D' } } }
    const refused = await team.call('PATCH', PATH, { where: all, update: { data: { city: 'Pune' } } })
    expect([refused.status, refused.meta.errors[0].hint]).toEqual([400, 'if you mean it, send "all": true'])
  })
})
