import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { openDatabase } from '../../src/db/databases.ts'
import { runCron } from '../../src/maintenance/cron.ts'
import { buildIndexes, findUnfinishedBuilds } from '../../src/procedure/index/build.ts'
import { newTeam, type Team } from '../support/api.ts'
import { databaseThrough, requestWith } from '../support/broken-bindings.ts'
import { attribute, definition, newProcedure } from '../support/procedures.ts'
import { withSessions } from '../support/sessions.ts'

const PROCEDURE = '/v1/ext/procedure/lead'
const database = () => openDatabase(env)
const get = (team: Team, shortId = 'lead') => team.call('GET', `/v1/ext/procedure/${shortId}`)

/** Reads the state of the build past the API: a build in progress cannot be awaited otherwise. */
const loadReady = async (team: Team, shortId = 'lead'): Promise<Record<string, boolean>> =>
  Object.fromEntries(
    (await get(team, shortId)).data.attributes
      .filter((each: { indexed: boolean }) => each.indexed)
      .map((each: { shortId: string; indexReady: boolean }) => [each.shortId, each.indexReady]),
  )

const found = async (team: Team, path: string, where: object) =>
  (await team.call('POST', `${path}/list`, { where, limit: 100 })).data.map(
    (each: { data: { n: number } }) => each.data.n,
  )

describe('an attribute that becomes indexed', () => {
  const declared = (...indexed: string[]) => ({
    attributes: ['lead_id', 'city', 'score'].map(name =>
      attribute(name, name === 'score' ? 'integer' : 'string', { indexed: indexed.includes(name) }),
    ),
  })
  it('is entered for the existing processes, and then found by index', async () => {
    const team = await newTeam()
    const { create, path, define } = await newProcedure(team, declared())
    for (let n = 0; n < 20; n++) await create({ data: { n, city: `c${n % 4}`, score: n } })
    const before = await found(team, path, { city: 'c1', score: { '>': 5 } })
    await define(declared('city', 'score'))
    expect(await loadReady(team)).toEqual({ city: true, score: true })
    expect(await found(team, path, { city: 'c1', score: { '>': 5 } })).toEqual(before)
    expect(before).toEqual([17, 13, 9])
    const columns = await env.DB.prepare(
      'SELECT count(s1) AS s1, count(s2) AS s2 FROM process p JOIN procedure d ON d.no = p.proc WHERE d.team = ?',
    )
      .bind(team.no)
      .first()
    expect(columns).toEqual({ s1: 20, s2: 20 })
  })

  it.each(['constructor', '__proto__', 'toString', 'hasOwnProperty'])('may be called %s', async name => {
    const team = await newTeam()
    const plain = { primaryKey: null, attributes: [attribute(name, 'string')] }
    const { create, path, define } = await newProcedure(team, plain)
    await create({ data: JSON.parse(`{"n": 1, ${JSON.stringify(name)}: "x"}`) })
    await create({ data: { n: 2 } })
    await define({ primaryKey: null, attributes: [attribute(name, 'string', { indexed: true })] })
    await create({ data: { n: 3 } })
    await create({ data: JSON.parse(`{"n": 4, ${JSON.stringify(name)}: "x"}`) })
    expect(await loadReady(team)).toEqual(Object.fromEntries([[name, true]]))
    expect(await found(team, path, JSON.parse(`{${JSON.stringify(name)}: "x"}`))).toEqual([4, 1])
    expect(await found(team, path, JSON.parse(`{${JSON.stringify(name)}: null}`))).toEqual([3, 2])
  })

  it('gives right answers while it is being entered, in steps of no more than 2,000 processes', async () => {
    const team = await newTeam()
    const { create, path, define } = await newProcedure(team, declared())
    const { data } = await create({ data: { n: 0, city: 'Pune' } })
    await insertCopies(data.id, 24_999)
    const defined = await define(declared('city', 'score'))
    expect(defined.status).toBe(200)
    expect(defined.cost.trips).toBeLessThan(40)
    expect(await loadReady(team)).toEqual({ city: false, score: false })
    const numbers = await findUnfinishedBuilds(database(), 0)
    const row = await env.DB.prepare('SELECT no, indexing_below AS below FROM procedure WHERE team = ?')
      .bind(team.no)
      .first<{ no: number; below: number }>()
    expect(numbers).toContain(row?.no)
    const goa = [5000, 10000, 15000, 20000]
    expect(await found(team, path, { city: 'Goa' })).toEqual(goa)
    // Written meanwhile, above and below the place the build has come to.
    await create({ data: { n: -1, city: 'Goa', score: 1 } })
    const [low] = (await team.call('POST', `${path}/list`, { where: { n: 24_999 } })).data
    const copy = await env.DB.prepare('SELECT id FROM process WHERE proc = ? ORDER BY rid LIMIT 1')
      .bind(row?.no ?? 0)
      .first<{ id: string }>()
    expect(low.id).toBe(copy?.id)
    let calls = 0
    while (!(await buildIndexes(database(), row?.no ?? 0, 1))) expect(++calls).toBeLessThan(10)
    expect(await loadReady(team)).toEqual({ city: true, score: true })
    expect(await found(team, path, { city: 'Goa' })).toEqual([-1, ...goa])
    expect(await findUnfinishedBuilds(database(), 0)).not.toContain(row?.no)
    const left = await env.DB.prepare('SELECT count(*) - count(s1) AS missing FROM process WHERE proc = ?')
      .bind(row?.no ?? 0)
      .first()
    expect(left).toEqual({ missing: 0 })
  })

  it('goes on being entered when the same definition is sent again, and is ready although that happens all the time', async () => {
    const team = await newTeam()
    const { create, define } = await newProcedure(team, declared('score'))
    const { data } = await create({ data: { n: 0, city: 'Pune' } })
    await insertCopies(data.id, 24_999)
    expect((await define(declared('city', 'score'))).status).toBe(200)
    expect(await loadReady(team)).toEqual({ city: false, score: true })
    expect((await define(declared('city', 'score'))).status).toBe(200)
    expect(await loadReady(team)).toEqual({ city: true, score: true })
    const left = await env.DB.prepare('SELECT count(*) - count(s2) AS missing FROM process WHERE proc = ?')
      .bind(await loadNumber(team))
      .first()
    expect(left).toEqual({ missing: 0 })
  })

  it('stays without an index where values of another kind were stored before, and filters still find everything', async () => {
    const team = await newTeam()
    const { create, path, define } = await newProcedure(team, { attributes: [attribute('lead_id', 'string')] })
    await create({ data: { n: 1, score: 'not a number' } })
    await create({ data: { n: 2, score: 7 } })
    await define(declared('city', 'score'))
    expect(await loadReady(team)).toEqual({ city: true, score: false })
    await create({ data: { n: 3, score: 8 } })
    expect(await found(team, path, { score: { '>=': 7 } })).toEqual([3, 2])
    // Put right and declared anew, it is entered.
    const [odd] = (await team.call('POST', `${path}/list`, { where: { n: 1 } })).data
    await team.call('PUT', `${path}/${odd.id}`, { data: { score: 9 } })
    await define(declared('city', 'score'))
    expect(await loadReady(team)).toEqual({ city: true, score: true })
    expect(await found(team, path, { score: { '>=': 7 } })).toEqual([3, 2, 1])
  })

  it('stays without an index where a text is too long for one', async () => {
    const team = await newTeam()
    const { create, path, define } = await newProcedure(team, declared())
    await create({ data: { n: 1, city: 'x'.repeat(1001) } })
    await define(declared('city'))
    expect(await loadReady(team)).toEqual({ city: false })
    expect(await found(team, path, { city: 'x'.repeat(1001) })).toEqual([1])
  })

  it('takes again a text of characters that count twice in JavaScript, with which the index was built', async () => {
    const team = await newTeam()
    const { create, path, define } = await newProcedure(team, declared())
    const city = '😀'.repeat(1000)
    const { data } = await create({ data: { n: 1, city } })
    await define(declared('city'))
    expect(await loadReady(team)).toEqual({ city: true })
    const again = await team.call('PUT', `${path}/${data.id}`, { data: { city } })
    expect([again.status, again.errors]).toEqual([200, []])
    const longer = await team.call('PUT', `${path}/${data.id}`, { data: { city: `${city}x` } })
    expect([longer.status, longer.errors]).toEqual([400, ['"city" has an index, and holds at most 1000 characters']])
  })

  it('is found by its own values while another attribute gives its column back', async () => {
    const team = await newTeam()
    const { create, path, define } = await newProcedure(team, declared('city'))
    for (let n = 1; n <= 3; n++) await create({ data: { n, city: 'Pune', score: n } })
    await define(declared('score'))
    expect(await loadReady(team)).toEqual({ score: true })
    expect(await found(team, path, { score: 2 })).toEqual([2])
    expect(await found(team, path, { score: { '>': 1 } })).toEqual([3, 2])
  })

  it('gives its column back when it is no longer indexed, and others get clean ones', async () => {
    const team = await newTeam()
    const { create, path, define } = await newProcedure(team, declared('city', 'score'))
    await create({ data: { n: 1, city: 'Pune', score: 5 } })
    await define(declared('score'))
    await define(declared('city', 'score'))
    await define(declared())
    await define({ attributes: [attribute('lead_id', 'string'), attribute('score', 'string', { indexed: true })] })
    const rows = await env.DB.prepare(
      'SELECT coalesce(s1, s2, s3, s4) AS value FROM process p JOIN procedure d ON d.no = p.proc WHERE d.team = ?',
    )
      .bind(team.no)
      .all()
    expect(rows.results).toEqual([{ value: null }])
    expect(await found(team, path, { city: 'Pune' })).toEqual([1])
  })
})

/** A build in the middle: `score` of two processes is a number, of an older one a text. No index may ever leave it out. */
async function unfitValues() {
  const team = await newTeam()
  const { create, path } = await newProcedure(team, { attributes: [attribute('lead_id', 'string')] })
  await create({ data: { n: 1, score: 'seven' } })
  await create({ data: { n: 2, score: 7 } })
  await create({ data: { n: 3, score: 7 } })
  const matching = () => found(team, path, { score: '7' })
  return { team, path, matching }
}

const withScore = [attribute('lead_id', 'string'), attribute('score', 'integer', { indexed: true })]
const indexedScore = definition({ attributes: withScore })

/** A PUT of a definition in which the given round trip, counted from 1, goes as the test says. */
async function putThrough(
  team: Team,
  body: unknown,
  around: (nth: number, call: () => Promise<unknown>) => Promise<unknown>,
) {
  let nth = 0
  const through = databaseThrough(<T>(call: () => Promise<T>) => around(++nth, call) as Promise<T>)
  const headers = { authorization: `Bearer ${team.token}`, 'content-type': 'application/json' }
  const response = await requestWith({ DB: through }, PROCEDURE, { method: 'PUT', headers, body: JSON.stringify(body) })
  return { response, trips: nth }
}

const TRIPS_MAX = 12
const everyTrip = Array.from({ length: TRIPS_MAX }, (_, index) => index + 1)

describe('an index is never ready with a value missing', () => {
  it.each(everyTrip)('where another builder comes in before round trip %i', async trip => {
    const { team, matching } = await unfitValues()
    const no = await loadNumber(team)
    await putThrough(team, indexedScore, async (nth, call) => {
      if (nth === trip) await buildIndexes(database(), no)
      return call()
    })
    await buildIndexes(database(), no)
    expect(await loadReady(team)).toEqual({ score: false })
    expect(await matching()).toEqual([3, 2])
  })

  it.each(everyTrip)('where round trip %i fails, before or after it took effect', async trip => {
    for (const failure of ['before', 'after']) {
      const { team, matching } = await unfitValues()
      const { response } = await putThrough(team, indexedScore, async (nth, call) => {
        if (nth === trip && failure === 'after') await call()
        if (nth === trip) throw new Error('broken on demand')
        return call()
      })
      if (response.status !== 200) continue
      await buildIndexes(database(), await loadNumber(team))
      expect(await loadReady(team)).toEqual({ score: false })
      expect(await matching()).toEqual([3, 2])
    }
  })

  it.each([1, 2, 3, 4, 5])(
    'where a definition is sent before round trip %i of a build, and that definition is in force',
    async trip => {
      const { team } = await unfitValues()
      const next = definition({ attributes: [...withScore, attribute('city', 'string', { indexed: true })] })
      let tripsOfBuild: number | null = null
      await putThrough(team, indexedScore, async (_, call) => {
        if (tripsOfBuild !== null && ++tripsOfBuild === trip) await team.call('PUT', PROCEDURE, next)
        const result = await call()
        if (JSON.stringify(result).includes('"held":')) tripsOfBuild ??= 0
        return result
      })
      expect(tripsOfBuild).toBeGreaterThanOrEqual(trip)
      await buildIndexes(database(), await loadNumber(team))
      expect(await loadReady(team)).toEqual({ score: false, city: true })
    },
  )

  it.each(everyTrip)('where the same definition is sent before round trip %i of its build', async trip => {
    const { team, matching } = await unfitValues()
    await putThrough(team, indexedScore, async (nth, call) => {
      if (nth === trip) await team.call('PUT', PROCEDURE, indexedScore)
      return call()
    })
    await buildIndexes(database(), await loadNumber(team))
    expect(await loadReady(team)).toEqual({ score: false })
    expect(await matching()).toEqual([3, 2])
  })

  it.each(everyTrip)('where more attributes become searchable before round trip %i of a build of words', async trip => {
    const { team, path } = await unfitValues()
    const [odd] = (await team.call('POST', `${path}/list`, { where: { n: 1 } })).data
    await team.call('PUT', `${path}/${odd.id}`, { data: { name: 'Asha', city: 'Pune' } })
    const searchable = (...names: string[]) =>
      definition({
        attributes: ['lead_id', 'name', 'city'].map(name =>
          attribute(name, 'string', { searchable: names.includes(name) }),
        ),
      })
    const { response } = await putThrough(team, searchable('name'), async (nth, call) => {
      if (nth === trip) await team.call('PUT', PROCEDURE, searchable('name', 'city'))
      return call()
    })
    await team.call('PUT', PROCEDURE, searchable('name', 'city'))
    await buildIndexes(database(), await loadNumber(team))
    const search = (text: string) => team.call('POST', `${path}/list`, { search: text })
    for (const text of ['asha', 'pune'])
      expect([response.status, text, (await search(text)).data.length]).toEqual([200, text, 1])
  })

  it('after the value is put right and the definition is sent again', async () => {
    const { team, path, matching } = await unfitValues()
    await team.call('PUT', PROCEDURE, indexedScore)
    const [odd] = (await team.call('POST', `${path}/list`, { where: { n: 1 } })).data
    await team.call('PUT', `${path}/${odd.id}`, { data: { score: 7 } })
    await team.call('PUT', PROCEDURE, indexedScore)
    expect(await loadReady(team)).toEqual({ score: true })
    expect(await matching()).toEqual([3, 2, 1])
  })
})

it('a definition is in force, and answered so, although its index build cannot be started', async () => {
  const { team } = await unfitValues()
  let written = false
  const { response } = await putThrough(team, indexedScore, async (_, call) => {
    if (written) throw new Error('D1_ERROR: Network connection lost')
    const result = await call()
    written = JSON.stringify(result).includes('"held":') || written
    return result
  })
  expect([response.status, written]).toEqual([200, true])
  expect((await get(team)).data.attributes.map((each: { shortId: string }) => each.shortId)).toEqual([
    'lead_id',
    'score',
  ])
})

it('a build that fails each time holds up no other, of whichever team', async () => {
  const broken = await unfitValues()
  const healthy = await unfitValues()
  for (const { team } of [broken, healthy])
    await putThrough(team, indexedScore, async (nth, call) => {
      if (nth > 5) throw new Error('broken on demand')
      return call()
    })
  const numbers = [await loadNumber(broken.team), await loadNumber(healthy.team)]
  expect(await findUnfinishedBuilds(database(), 0)).toEqual(expect.arrayContaining(numbers))
  const failing = databaseThrough(call => call())
  const batch = failing.batch.bind(failing)
  // The first build's own rows can not be read.
  await env.DB.prepare("UPDATE procedure SET definition = jsonb('{}') WHERE no = ?")
    .bind(numbers[0] ?? 0)
    .run()
  await runCron({ scheduledTime: 0 }, { ...env, DB: withSessions({ prepare: failing.prepare, batch }) })
  const unfinished = await findUnfinishedBuilds(database(), 0)
  expect(unfinished).toContain(numbers[0])
  expect(unfinished).not.toContain(numbers[1])
})

it('an index build takes bytes into account, not only processes', async () => {
  const team = await newTeam()
  const { create } = await newProcedure(team, { primaryKey: null, attributes: [] })
  for (let n = 0; n < 12; n++) await create({ data: { n, text: 'x'.repeat(800_000) } })
  const body = definition({ primaryKey: null, attributes: [attribute('n', 'integer', { indexed: true })] })
  const steps = new Set<number>()
  await putThrough(team, body, async (_, call) => {
    const result = await call()
    const row = await env.DB.prepare('SELECT indexing_below AS below FROM procedure WHERE no = ?')
      .bind(await loadNumber(team))
      .first<{ below: number | null }>()
    if (row?.below) steps.add(row.below)
    return result
  })
  expect(await loadReady(team)).toEqual({ n: true })
  expect(steps.size).toBeGreaterThanOrEqual(3)
})

/** More processes, older than a given one, as the API stores them, in one statement: 24,999 are more than a request enters by itself. */
const insertCopies = (id: string, copies: number) =>
  env.DB.prepare(
    `INSERT INTO process (rid, id, proc, team, status, state, updated_at, version, data)
      SELECT p.rid - n, printf('%08x-0000-7000-8000-%012x', n, p.proc), p.proc, p.team, 3, 'NEW', p.updated_at, 1,
        jsonb_object('n', n, 'city', iif(n % 5000 = 0, 'Goa', 'Pune'), 'score', n % 100)
      FROM process p, (WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < ?) SELECT n FROM s)
      WHERE p.id = ?`,
  )
    .bind(copies, id)
    .run()

async function loadNumber(team: Team): Promise<number> {
  const row = await env.DB.prepare('SELECT no FROM procedure WHERE team = ?').bind(team.no).first<{ no: number }>()
  return row?.no ?? 0
}
