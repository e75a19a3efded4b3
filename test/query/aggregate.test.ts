import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { newTeam, type Team } from '../support/api.ts'
import { attribute, newProcedure, type Processes } from '../support/procedures.ts'

let team: Team
let leads: Processes

const definition = {
  attributes: [
    attribute('lead_id', 'string'),
    attribute('city', 'string', { indexed: true }),
    attribute('score', 'integer', { indexed: true }),
    attribute('deal', 'float'),
    attribute('hot', 'boolean', { indexed: true }),
    attribute('tags', 'multiString'),
    attribute('labels', 'multiString', { indexed: true }),
    attribute('interests', 'multiStringEnum', { values: ['loan', 'card'], indexed: true }),
    attribute('wishes', 'multiStringEnum', { values: ['loan', 'card'] }),
    attribute('place', 'geolocation'),
    attribute('due', 'date'),
    attribute('met', 'datetimeISO8601'),
    attribute('seen', 'datetime', { indexed: true }),
  ],
}

beforeAll(async () => {
  team = await newTeam()
  leads = await newProcedure(team, definition)
  const data = [
    { city: 'Pune', score: 10, deal: 0.1, hot: true, due: '2026-03-01', met: '2026-03-29T01:30:00+01:00' },
    { city: 'Pune', score: 20, deal: 0.2, hot: false, due: '2026-03-31', met: '2026-03-29T02:00:00+0200' },
    { city: 'Oslo', score: 30, hot: true, seen: Date.parse('2026-03-08T06:59:59Z'), met: '2026-03-29T23:59:59' },
    { city: 'Oslo', seen: Date.parse('2026-03-08T07:00:00Z') },
    { score: 40, deal: 5, seen: Date.parse('2026-03-09T03:59:59Z') },
  ]
  for (const [nth, each] of data.entries()) {
    const { status } = await leads.create({ data: { lead_id: `L${nth}`, ...each }, state: nth === 0 ? 'WON' : 'NEW' })
    expect(status).toBe(201)
  }
})

const aggregate = (body: unknown) => team.call('POST', `${leads.path}/aggregate`, body)
const count = (query = '') => team.call('GET', `${leads.path}/count${query}`)
const toQuery = (where: unknown) => `where=${encodeURIComponent(JSON.stringify(where))}`

describe('the count of processes', () => {
  it.each([
    ['', 5],
    ['?status=OPEN', 5],
    ['?state=WON', 1],
    ['?assignedTo=admin', 0],
    [`?${toQuery({ city: 'Pune' })}`, 2],
    [`?state=NEW&${toQuery({ city: 'Pune' })}`, 1],
    [`?${toQuery({ score: { '>=': 20 } })}`, 3],
    [`?${toQuery({ city: { '!=': 'Pune' } })}`, 3],
    [`?${toQuery({ city: null })}`, 1],
    [`?${toQuery({ or: [{ city: 'Oslo' }, { deal: { '>': 1 } }] })}`, 3],
    [`?${toQuery({ status: [] })}`, 0],
  ])('is right: %s is %d', async (query, expected) => {
    const { status, data, meta } = await count(query)
    expect([status, data, meta.isComplete, meta.next]).toEqual([200, { count: expected }, true, null])
  })

  it('refuses what a list refuses, and says where it is', async () => {
    const refused = await count(`?state=NEWW&${toQuery({ score: { gte: 5 } })}`)
    expect(refused.status).toBe(400)
    expect(refused.meta.errors).toMatchObject([
      { path: '/query/state', hint: 'NEW' },
      { path: '/query/where/score/gte', hint: '>=' },
    ])
    expect((await count('?where=city')).meta.errors).toMatchObject([{ path: '/query/where', hint: '{"city": "Pune"}' }])
    for (const [where, message] of [
      ['{"score":{">=":70},"score":{"<":20}}', '"score" is there twice (/score)'],
      ['{"and":[{"deal":{">":1e999}}]}', 'the number is too large (/and/0/deal/>)'],
      [`${'{"and":['.repeat(60)}{}${']}'.repeat(60)}`, 'nested at most 100 levels deep'],
    ]) {
      const { status, meta } = await count(`?where=${encodeURIComponent(where ?? '')}`)
      expect([status, meta.errors]).toMatchObject([
        ...[400, [{ path: '/query/where', message: expect.stringContaining(message ?? '') }]],
      ])
    }
    const unknown = await count('?city=Pune')
    expect([unknown.status, unknown.meta.errors[0].path]).toEqual([400, '/query/city'])
  })

  it('warns of a name that is not declared', async () => {
    const { data, meta } = await count(`?${toQuery({ citty: 'Pune' })}`)
    expect(data).toEqual({ count: 0 })
    expect(meta.warnings).toMatchObject([
      { code: 'undeclared_attribute', path: '/query/where/citty', hint: 'did you mean "city"?' },
    ])
  })
})

describe('figures by groups', () => {
  it('come with the largest group first, equal ones by their values, and the unset one last', async () => {
    const { data, meta } = await aggregate({ groupBy: ['city'] })
    expect(data).toEqual([
      { group: { city: 'Oslo' }, count: 2 },
      { group: { city: 'Pune' }, count: 2 },
      { group: { city: null }, count: 1 },
    ])
    expect(meta).toMatchObject({ isComplete: true, next: null, groups: 3 })
  })

  it('have as many groups as requested, and say how many there are', async () => {
    const { data, meta } = await aggregate({ groupBy: ['city'], limit: 1 })
    expect(data).toEqual([{ group: { city: 'Oslo' }, count: 2 }])
    expect(meta.groups).toBe(3)
  })

  it('add up numbers, and leave out unset ones', async () => {
    const metrics = [{ count: true }, { sum: 'deal' }, { avg: 'deal' }, { min: 'score' }, { max: 'score' }]
    const { data } = await aggregate({ groupBy: ['city'], metrics, where: { city: ['Pune', 'Oslo'] } })
    const [oslo, pune] = data
    expect(oslo).toEqual({
      group: { city: 'Oslo' },
      count: 2,
      sum: { deal: 0 },
      avg: { deal: null },
      min: { score: 30 },
      max: { score: 30 },
    })
    expect(pune.sum.deal).toBeCloseTo(0.3, 12)
    expect(pune.avg.deal).toBeCloseTo(0.15, 12)
  })

  it('are one row without groups, also of no processes', async () => {
    expect((await aggregate({})).data).toEqual([{ group: {}, count: 5 }])
    const nothing = { where: { city: 'Lima' }, metrics: [{ count: true }, { sum: 'score' }, { max: 'score' }] }
    expect((await aggregate(nothing)).data).toEqual([{ group: {}, count: 0, sum: { score: 0 }, max: { score: null } }])
    expect((await aggregate({ where: { city: 'Lima' }, groupBy: ['city'] })).data).toEqual([])
  })

  it('show values as a process does: words, true and false, user ids', async () => {
    expect(
      (await aggregate({ groupBy: ['hot', 'status'] })).data.map(({ group }: { group: unknown }) => group),
    ).toEqual([
      { hot: true, status: 'OPEN' },
      { hot: null, status: 'OPEN' },
      { hot: false, status: 'OPEN' },
    ])
    expect((await aggregate({ groupBy: ['state'] })).data).toEqual([
      { group: { state: 'NEW' }, count: 4 },
      { group: { state: 'WON' }, count: 1 },
    ])
  })

  it('have no count where only other figures are requested', async () => {
    const { data, cost } = await aggregate({ metrics: [{ max: 'score' }, { min: 'createdAt' }] })
    expect(Object.keys(data[0])).toEqual(['group', 'max', 'min'])
    expect(data[0].max).toEqual({ score: 40 })
    // The rows are one at each end of each index, and the definition.
    expect(cost.read).toBeLessThanOrEqual(5)
  })
})

describe('groups of times', () => {
  const groups = async (field: string, by: string, timeZone?: string) => {
    const { data } = await aggregate({
      groupBy: [{ field, by, ...(timeZone && { timeZone }) }],
      where: { [field]: { '!=': null } },
    })
    return Object.fromEntries(
      data.map(({ group, count }: { group: Record<string, string>; count: number }) => [group[field], count]),
    )
  }

  it('take the days of a time zone, on which a clock may be put forward', async () => {
    // In New York summer time began on 8 March 2026, at 07:00 UTC.
    expect(await groups('seen', 'day', 'America/New_York')).toEqual({ '2026-03-08': 3 })
    expect(await groups('seen', 'day')).toEqual({ '2026-03-08': 2, '2026-03-09': 1 })
    expect(await groups('seen', 'day', 'Pacific/Honolulu')).toEqual({ '2026-03-07': 2, '2026-03-08': 1 })
  })

  it('begin weeks on Monday', async () => {
    expect(await groups('seen', 'week', 'America/New_York')).toEqual({ '2026-03-02': 3 })
    expect(await groups('seen', 'week')).toEqual({ '2026-03-02': 2, '2026-03-09': 1 })
  })

  it('leave dates, and texts without an offset, as they are', async () => {
    expect(await groups('due', 'month', 'Pacific/Kiritimati')).toEqual({ '2026-03-01': 2 })
    expect(await groups('due', 'day', 'Pacific/Honolulu')).toEqual({ '2026-03-01': 1, '2026-03-31': 1 })
    // 00:30 UTC, midnight UTC, and a time without an offset.
    expect(await groups('met', 'day', 'UTC')).toEqual({ '2026-03-29': 3 })
    expect(await groups('met', 'day', 'Atlantic/Azores')).toEqual({ '2026-03-28': 2, '2026-03-29': 1 })
  })
})

describe('groups of times of processes that primary keys name', () => {
  it.each(['met', 'due', 'seen', 'createdAt'])('are counted in a zone of many changes: %s', async field => {
    const groupBy = [{ field, by: 'week', timeZone: 'America/St_Johns' }]
    const { status, data } = await aggregate({ where: { lead_id: ['L0', 'L1'] }, groupBy })
    expect(status).toBe(200)
    expect(data.reduce((sum: number, each: { count: number }) => sum + each.count, 0)).toBe(2)
  })
})

describe('a senseless aggregation', () => {
  it.each([
    [{ groupBy: ['createdAt'] }, '/body/groupBy/0', '{"field":"createdAt","by":"month"}'],
    [{ groupBy: ['id'] }, '/body/groupBy/0', undefined],
    [{ groupBy: ['lead_id'] }, '/body/groupBy/0', undefined],
    [{ groupBy: ['city', 'city'] }, '/body/groupBy/1', undefined],
    [{ groupBy: ['place'] }, '/body/groupBy/0', undefined],
    [{ groupBy: ['record.phone'] }, '/body/groupBy/0', undefined],
    [{ groupBy: ['tags'] }, '/body/groupBy/0', 'count one of its values with `where`'],
    [{ groupBy: ['interests'] }, '/body/groupBy/0', 'count one of its values with `where`'],
    [{ groupBy: ['wishes'] }, '/body/groupBy/0', 'count one of its values with `where`'],
    [{ groupBy: ['city', 'labels'] }, '/body/groupBy/1', 'count one of its values with `where`'],
    [{ groupBy: [{ field: 'score', by: 'day' }] }, '/body/groupBy/0/field', undefined],
    [
      { groupBy: [{ field: 'createdAt', by: 'day', timeZone: 'Asia/Kolkatta' }] },
      '/body/groupBy/0/timeZone',
      'Asia/Kolkata',
    ],
    [{ groupBy: [{ field: 'createdAt', by: 'day', timeZone: '+05:30' }] }, '/body/groupBy/0/timeZone', 'Asia/Kolkata'],
    [{ groupBy: ['city', 'hot', 'state', 'status'] }, '/body/groupBy', undefined],
    [{ metrics: [{ sum: 'city' }] }, '/body/metrics/0/sum', undefined],
    [{ metrics: [{ sum: 'createdAt' }] }, '/body/metrics/0/sum', undefined],
    [{ metrics: [{ min: 'hot' }] }, '/body/metrics/0/min', undefined],
    [{ metrics: [{ max: 'status' }] }, '/body/metrics/0/max', undefined],
    [{ metrics: [{ sum: 'score', avg: 'score' }] }, '/body/metrics/0', undefined],
    [{ metrics: [{}] }, '/body/metrics/0', undefined],
    [{ limit: 10_001 }, '/body/limit', undefined],
    [{ cursor: 'x' }, '/body/cursor', undefined],
  ])('%j is refused at %s', async (body, path, hint) => {
    const { status, meta } = await aggregate(body)
    expect(status).toBe(400)
    expect(meta.errors[0].path).toBe(path)
    expect(meta.errors[0].hint).toBe(hint)
  })

  it('is answered with what a metric is', async () => {
    const { errors } = await aggregate({ metrics: ['count'] })
    expect(errors[0]).toContain('{"count": true} or {"sum": "<field>"}')
    const listed = await team.call('GET', '/v1/ext/message?process=LEAD-1')
    expect(listed.errors[0]).toContain('must be the id of a process (a UUID), not its primary key')
  })

  it('is warned of for undeclared names, and refused on a strict procedure', async () => {
    const { data, meta } = await aggregate({ groupBy: ['citty'], metrics: [{ count: true }, { sum: 'scroe' }] })
    expect(data).toEqual([{ group: { citty: null }, count: 5, sum: { scroe: 0 } }])
    expect(meta.warnings).toMatchObject([
      { path: '/body/groupBy/0', hint: 'did you mean "city"?' },
      { path: '/body/metrics/1/sum', hint: 'did you mean "score"?' },
    ])
    const strict = await newProcedure(team, { ...definition, strict: true }, 'strict')
    const refused = await team.call('POST', `${strict.path}/aggregate`, {
      groupBy: ['citty'],
      metrics: [{ sum: 'scroe' }],
    })
    expect([refused.status, refused.meta.errors.length]).toEqual([400, 2])
    expect(refused.meta.errors[0]).toMatchObject({ path: '/body/groupBy/0', hint: 'did you mean "city"?' })
    for (const list of ['tags', 'labels', 'interests', 'wishes'])
      expect((await team.call('POST', `${strict.path}/aggregate`, { groupBy: [list] })).status, list).toBe(400)
  })
})

/** Processes beside the API, as many as one statement makes. */
async function fill(shortId: string, count: number, city: string): Promise<Processes> {
  const made = await newProcedure(team, definition, shortId)
  const row = await env.DB.prepare(
    'SELECT no, team, json(definition) AS definition FROM procedure WHERE short_id = ? ORDER BY no DESC',
  )
    .bind(shortId)
    .first<{ no: number; team: number; definition: string }>()
  const slot = JSON.parse(row?.definition ?? '{}').slots.city.column
  const sql = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
    INSERT INTO process (rid, id, proc, team, status, state, updated_at, s${slot}, data)
    SELECT ?2 % 1000000 * 1000000 + i, printf('01900000-0000-7000-8000-%04d%08d', ?2 % 10000, i), ?2, ?3, 3, 'NEW', i, ${city}, jsonb_object('city', ${city}, 'free', ${city}) FROM n`
  await env.DB.prepare(sql).bind(count, row?.no, row?.team).run()
  return made
}

it('an aggregation refuses more groups than it could hold, and says what to do', async () => {
  const { path } = await fill('many', 10_100, `'city ' || i`)
  const refused = await team.call('POST', `${path}/aggregate`, { groupBy: ['free'] })
  expect([refused.status, refused.meta.errors[0].path]).toEqual([400, '/body/groupBy'])
  expect(refused.meta.errors[0].message).toContain('10000 groups')
})

it('an aggregation finds the largest of any number of groups by an index, which has them in order', async () => {
  // Every tenth process has a city of its own, the others share 12,000.
  const { path } = await fill(
    'cities',
    40_000,
    `CASE WHEN i > 37500 THEN 'last' WHEN i % 10 = 0 THEN 'own ' || i ELSE 'city ' || (i % 12000) END`,
  )
  const { status, data, meta } = await team.call('POST', `${path}/aggregate`, { groupBy: ['city'], limit: 10_000 })
  expect([status, data.length, meta.isComplete]).toEqual([200, 10_000, true])
  expect(data[0]).toEqual({ group: { city: 'last' }, count: 2_500 })
  const stored = await env.DB.prepare(
    `SELECT data->>'city' AS city, count(*) AS n FROM process WHERE proc = (SELECT max(no) FROM procedure WHERE short_id = 'cities') GROUP BY 1 ORDER BY 2 DESC, 1`,
  ).all<{ city: string; n: number }>()
  expect(meta.groups).toBe(stored.results.length)
  const largest = stored.results.slice(0, 10_000).map(({ city, n }) => ({ group: { city }, count: n }))
  expect(data).toEqual(largest)
})

it('an aggregation reads as many rows as there are entries, and no process, where an index has everything', async () => {
  const COUNT = 3_000
  const { path } = await fill('some', COUNT, `CASE WHEN i % 3 > 0 THEN 'city ' || (i % 20) END`)
  const readBy = async (body: unknown) => {
    const { data, cost } = await team.call('POST', `${path}/aggregate`, body)
    expect(data.reduce((sum: number, { count }: { count: number }) => sum + count, 0)).toBeGreaterThan(0)
    return cost.read
  }
  const definition = 3
  expect(await readBy({})).toBeLessThanOrEqual(COUNT + definition)
  expect(await readBy({ groupBy: ['state'] })).toBeLessThanOrEqual(COUNT + definition)
  expect(await readBy({ where: { city: 'city 1' } })).toBeLessThanOrEqual(100 + definition)
  expect(await readBy({ where: { city: { '>=': 'city 1', '<': 'city 10' } } })).toBeLessThanOrEqual(100 + definition)
  // Processes without a city are counted by the index of all.
  expect(await readBy({ groupBy: ['city'] })).toBeLessThanOrEqual(2_000 + COUNT + 2 * definition)
})
