import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { openDatabase } from '../../src/db/databases.ts'
import { buildIndexes } from '../../src/procedure/index/build.ts'
import { newTeam, type Team } from '../support/api.ts'
import { attribute, newProcedure } from '../support/procedures.ts'

const declared = (more: Record<string, unknown> = {}) => ({
  attributes: [attribute('lead_id', 'string'), attribute('tags', 'multiString', more)],
})
const indexed = declared({ indexed: true })

async function loadReady(team: Team): Promise<boolean | undefined> {
  const { data } = await team.call('GET', '/v1/ext/procedure/lead')
  return data.attributes.find((each: { shortId: string }) => each.shortId === 'tags')?.indexReady
}

async function found(team: Team, path: string, where: object): Promise<{ names: string[]; read: number }> {
  const { data, errors, cost } = await team.call('POST', `${path}/list`, { where, limit: 100 })
  expect(errors).toEqual([])
  return { names: data.map((each: { data: { lead_id: string } }) => each.data.lead_id), read: cost.read }
}

async function elements({ no }: Team): Promise<number> {
  const row = await env.DB.prepare('SELECT count(*) AS n FROM process_value WHERE team = ?')
    .bind(no)
    .first<{ n: number }>()
  return row?.n ?? 0
}

async function loadNumber({ no }: Team): Promise<number> {
  const row = await env.DB.prepare('SELECT no FROM procedure WHERE team = ?').bind(no).first<{ no: number }>()
  return row?.no ?? 0
}

/** Inserts so many processes as the API stores them, in one statement, after the existing one. */
const copies = (id: string, many: number) =>
  env.DB.prepare(
    `INSERT INTO process (rid, id, proc, team, status, state, updated_at, version, data)
      SELECT p.rid - n, printf('%08x-0000-7000-8000-%012x', n, p.proc), p.proc, p.team, 3, 'NEW', p.updated_at, 1,
        jsonb_object('lead_id', 'L' || n, 'tags', jsonb_array('t' || (n % 100), 'all'))
      FROM process p, (WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < ?2) SELECT n FROM s)
      WHERE p.id = ?1`,
  )
    .bind(id, many)
    .run()

describe('an attribute of lists that becomes indexed', () => {
  it('is entered for the existing processes, in steps, and its elements are removed with the index', async () => {
    const team = await newTeam()
    const { create, path, define } = await newProcedure(team, declared())
    const made = await create({ data: { lead_id: 'first', tags: ['t7'] } })
    await copies(made.data.id, 6_000)
    expect((await define(indexed)).status).toBe(200)
    expect(await loadReady(team)).toBe(false)
    const before = await found(team, path, { tags: 't7' })
    expect(before.names).toHaveLength(61)
    const no = await loadNumber(team)
    while (!(await buildIndexes(openDatabase(env), no, 1)));
    expect(await loadReady(team)).toBe(true)
    expect(await elements(team)).toBe(12_001)
    const after = await found(team, path, { tags: 't7' })
    expect(after.names).toEqual(before.names)
    // An entry and a process for each, and little more.
    expect(after.read).toBeLessThan(61 * 2 + 10)
    await define(declared())
    while (!(await buildIndexes(openDatabase(env), no, 1)));
    expect(await elements(team)).toBe(0)
    expect((await found(team, path, { tags: 't7' })).names).toEqual(before.names)
  })

  it.each([
    ['a text that is too long', ['x'.repeat(1001), 'a']],
    ['too many elements', [...Array.from({ length: 100 }, (_, n) => `t${n}`), 'a']],
    ['a document', { a: 'a' }],
  ])('stays without an index where %s was stored before', async (_, tags) => {
    const team = await newTeam()
    const { create, path, define } = await newProcedure(team, { attributes: [attribute('lead_id', 'string')] })
    await create({ data: { lead_id: 'A', tags } })
    await create({ data: { lead_id: 'B', tags: ['a'] } })
    await define(indexed)
    expect(await loadReady(team)).toBe(false)
    expect(await elements(team)).toBe(0)
    expect((await found(team, path, { tags: 'a' })).names).toEqual(Array.isArray(tags) ? ['B', 'A'] : ['B'])
  })

  it('keeps its elements from one type of lists to another, and drops them for a type of single values', async () => {
    const team = await newTeam()
    const { create, path, define } = await newProcedure(team, indexed)
    await create({ data: { lead_id: 'A', tags: ['a', 'b'] } })
    const tags = (type: string, more: object = {}) =>
      define({ attributes: [attribute('lead_id', 'string'), attribute('tags', type, { indexed: true, ...more })] })
    await tags('multiStringEnum', { values: ['a', 'b', 'c'] })
    expect([await loadReady(team), await elements(team)]).toEqual([true, 2])
    expect((await found(team, path, { tags: 'b' })).names).toEqual(['A'])
    await tags('string')
    expect([await loadReady(team), await elements(team)]).toEqual([false, 0])
    expect((await found(team, path, { tags: 'b' })).names).toEqual(['A'])
  })
})

describe('code of an earlier version, which does not know elements', () => {
  it('leaves nothing out of a list; its values are entered when the definition is sent again', async () => {
    const team = await newTeam()
    const { create, path, define } = await newProcedure(team, indexed)
    for (const lead_id of ['A', 'B', 'C', 'D']) await create({ data: { lead_id, tags: ['x', lead_id] } })
    // Acts as the old code: it writes a list to the column of the slot, removes one there, and deletes processes.
    const asBefore = () =>
      env.DB.prepare(
        `UPDATE process SET s1 = ?2, data = jsonb_patch(data, json_object('tags', json(coalesce(?2, 'null')))) WHERE proc = ?3 AND primary_key = ?1`,
      )
    const no = await loadNumber(team)
    await asBefore().bind('A', '["y","z"]', no).run()
    await asBefore().bind('B', null, no).run()
    await env.DB.prepare("DELETE FROM process WHERE proc = ? AND primary_key = 'C'").bind(no).run()
    const answers = async () => [
      (await found(team, path, { tags: 'x' })).names,
      (await found(team, path, { tags: ['y', 'B'] })).names,
      (await found(team, path, { tags: ['A', 'B', 'C', 'D', 'E', 'y'] })).names,
      (await team.call('GET', `${path}/count?state=NEW`)).data.count,
      (await team.call('POST', `${path}/aggregate`, { where: { tags: ['x', 'y'] } })).data[0].count,
    ]
    expect(await answers()).toEqual([['D'], ['A'], ['D', 'A'], 3, 2])
    await define(indexed)
    expect(await loadReady(team)).toBe(true)
    expect(await answers()).toEqual([['D'], ['A'], ['D', 'A'], 3, 2])
    const left = await env.DB.prepare('SELECT count(s1) AS n FROM process WHERE proc = ?').bind(no).first()
    expect(left).toEqual({ n: 0 })
    const { read } = await found(team, path, { tags: 'y' })
    expect(read).toBeLessThan(6)
  })
})
