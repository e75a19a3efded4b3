import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { newTeam, type Team } from '../support/api.ts'
import { attribute, definition, newProcedure } from '../support/procedures.ts'

const PATH = '/v1/ext/procedure/lead'
const dryRun = (team: Team, changes: object = {}, path = PATH) =>
  team.call('PUT', `${path}?dryRun=true`, definition({ ...changes }))
const ATTRIBUTES = [
  attribute('lead_id', 'string'),
  attribute('city', 'string', { indexed: true }),
  attribute('score', 'integer', { indexed: true }),
]

/** Reads all stored rows of a team's procedures. */
const stored = async (team: Team) =>
  JSON.stringify((await env.DB.prepare('SELECT * FROM procedure WHERE team = ?').bind(team.no).all()).results)

describe('the dry run of a definition', () => {
  it('describes a new procedure, and makes none', async () => {
    const team = await newTeam()
    const { status, data } = await dryRun(team)
    expect(status).toBe(200)
    expect(data).toMatchObject({ isNew: true, isAllowed: true, refusals: [], search: null, values: [] })
    expect(data.processes).toEqual({ count: 0, isMore: false, sampled: 0 })
    expect(data.changes.map((each: { subject: string; shortId: string }) => `${each.subject} ${each.shortId}`)).toEqual(
      [
        'procedure lead',
        ...['state NEW', 'state BUSY', 'state WON'],
        ...['attribute lead_id', 'attribute city', 'attribute score'],
      ],
    )
    expect(data.indexes).toEqual([
      { attribute: 'city', change: 'build' },
      { attribute: 'score', change: 'build' },
    ])
    expect((await team.call('GET', PATH)).status).toBe(404)
  })

  it('shows no change if the definition is the one in force', async () => {
    const team = await newTeam()
    await newProcedure(team)
    expect((await dryRun(team)).data).toMatchObject({
      isNew: false,
      changes: [],
      indexes: [],
      search: null,
      values: [],
    })
  })

  it('names what is added, removed and changed, with the values before and after', async () => {
    const team = await newTeam()
    await newProcedure(team)
    const { data } = await dryRun(team, {
      name: 'Prospect',
      states: [{ shortId: 'BUSY' }, { shortId: 'NEW', next: ['BUSY'] }, { shortId: 'WON' }, { shortId: 'LOST' }],
      attributes: [ATTRIBUTES[0], attribute('score', 'integer', { name: 'Points', required: true })],
    })
    expect(data.changes).toEqual([
      {
        subject: 'procedure',
        shortId: 'lead',
        change: 'changed',
        fields: [
          { field: 'name', from: 'Lead', to: 'Prospect' },
          { field: 'states', from: ['NEW', 'BUSY', 'WON'], to: ['BUSY', 'NEW', 'WON'] },
        ],
      },
      { subject: 'state', shortId: 'NEW', change: 'changed', fields: [{ field: 'next', from: null, to: ['BUSY'] }] },
      { subject: 'state', shortId: 'LOST', change: 'added', fields: [{ field: 'name', from: null, to: 'LOST' }] },
      {
        subject: 'attribute',
        shortId: 'score',
        change: 'changed',
        fields: [
          { field: 'name', from: 'score', to: 'Points' },
          { field: 'required', from: false, to: true },
          { field: 'indexed', from: true, to: false },
        ],
      },
      {
        subject: 'attribute',
        shortId: 'city',
        change: 'removed',
        fields: [
          { field: 'name', from: 'city', to: null },
          { field: 'type', from: 'string', to: null },
          { field: 'indexed', from: true, to: null },
        ],
      },
    ])
    expect(data.indexes).toEqual([
      { attribute: 'city', change: 'remove' },
      { attribute: 'score', change: 'remove' },
    ])
  })

  it('lists all that would refuse it, with the processes in the way, in the words of the request itself', async () => {
    const team = await newTeam()
    const leads = await newProcedure(team)
    await leads.create({ data: { lead_id: 'a' }, state: 'BUSY' })
    await leads.create({ data: { lead_id: 'b' }, state: 'BUSY' })
    const changes = { states: [{ shortId: 'NEW' }, { shortId: 'WON' }], primaryKey: 'city' }
    const before = await stored(team)
    const { status, data } = await dryRun(team, changes)
    const refused = await leads.define(changes)
    expect({ status, isAllowed: data.isAllowed }).toEqual({ status: 200, isAllowed: false })
    expect(refused.status).toBe(409)
    expect(data.refusals).toEqual(
      refused.meta.errors.map((each: Record<string, unknown>) => ({
        code: each.code,
        message: each.message,
        path: each.path,
        processes: each.processes,
      })),
    )
    expect(data.refusals.map((each: { processes: number }) => each.processes)).toEqual([2, 2])
    expect(await stored(team)).toBe(before)
  })

  it('refuses a definition that is wrong in itself, as the request itself', async () => {
    const team = await newTeam()
    expect((await dryRun(team, { startState: 'NEWW' })).status).toBe(400)
    expect((await team.call('PUT', `${PATH}?dryRun=yes`, definition())).status).toBe(400)
  })

  it('checks stored values by the rule for new ones, and says which keep an index from being built', async () => {
    const team = await newTeam()
    const leads = await newProcedure(team, { attributes: ATTRIBUTES.slice(0, 1) })
    const odd = await leads.create({ data: { lead_id: '1', size: 'XL', age: 'old', 'a"b': 1 } })
    for (const nth of [2, 3, 4]) await leads.create({ data: { lead_id: String(nth), size: 'S', age: nth } })
    const before = await stored(team)
    const { data } = await dryRun(team, {
      attributes: [
        ATTRIBUTES[0],
        attribute('size', 'stringEnum', { values: ['S', 'M'], indexed: true }),
        attribute('age', 'integer', { indexed: true }),
        attribute('a"b', 'integer', { indexed: true }),
        attribute('none', 'string', { searchable: true }),
      ],
    })
    expect(data.processes).toEqual({ count: 4, isMore: false, sampled: 4 })
    expect(data.values).toEqual([
      {
        attribute: 'size',
        isDeclared: true,
        stored: 4,
        unfit: 1,
        preventIndex: 0,
        examples: [{ process: odd.data.id, message: 'must be one of S, M' }],
      },
      {
        attribute: 'age',
        isDeclared: true,
        stored: 4,
        unfit: 1,
        preventIndex: 1,
        examples: [{ process: odd.data.id, message: 'must be a number' }],
      },
      { attribute: 'a"b', isDeclared: true, stored: 1, unfit: 0, preventIndex: 0, examples: [] },
      { attribute: 'none', isDeclared: true, stored: 0, unfit: 0, preventIndex: 0, examples: [] },
    ])
    expect(data.indexes.map((each: { attribute: string }) => each.attribute)).toEqual(['size', 'age', 'a"b'])
    expect(data.search).toEqual({ change: 'build', attributes: ['none'] })
    expect(await stored(team)).toBe(before)
  })

  it('counts values of another form, which no filter of the new type finds until they are written again', async () => {
    const team = await newTeam()
    const leads = await newProcedure(team, { attributes: ATTRIBUTES.slice(0, 1) })
    const odd = await leads.create({ data: { lead_id: '1', age: '5', tags: ['a'] } })
    await leads.create({ data: { lead_id: '2', age: 5, tags: ['b'] } })
    const changes = {
      attributes: [ATTRIBUTES[0], attribute('age', 'integer'), attribute('tags', 'multiString')],
    }
    const message = 'is stored as "5": no filter finds it as 5 until it is written again'
    const { data } = await dryRun(team, changes)
    expect(data.values).toEqual([
      {
        attribute: 'age',
        isDeclared: true,
        stored: 2,
        unfit: 1,
        preventIndex: 0,
        examples: [{ process: odd.data.id, message }],
      },
      { attribute: 'tags', isDeclared: true, stored: 2, unfit: 0, preventIndex: 0, examples: [] },
    ])
    await leads.define(changes)
    const find = async (age: unknown) => {
      const { data: found } = await team.call('POST', `${leads.path}/list`, { where: { age } })
      return found.map((each: { data: { lead_id: string } }) => each.data.lead_id).sort()
    }
    expect([await find(5), await find({ '!=': 5 })]).toEqual([['2'], ['1']])
    await team.call('PUT', `${leads.path}/lead_id/1`, { data: { age: '5' } })
    expect([await find(5), (await dryRun(team, changes)).data.values]).toEqual([['1', '2'], []])
  })

  it('quotes the beginning of a long value that would be converted', async () => {
    const team = await newTeam()
    const leads = await newProcedure(team, { attributes: ATTRIBUTES.slice(0, 1) })
    await leads.create({ data: { lead_id: '1', sizes: Array.from({ length: 1_000 }, () => '1') } })
    const attributes = [ATTRIBUTES[0], attribute('sizes', 'multiIntegerEnum', { values: [1, 2] })]
    const [{ examples, unfit }] = (await dryRun(team, { attributes })).data.values
    expect(unfit).toBe(1)
    expect(examples[0].message).toMatch(
      /^is stored as \["1",.{50,70}…: no filter finds it as \[1,.{50,70}… until it is written again$/,
    )
  })

  it('comes true: attributes whose values prevent an index have none, and the others have one', async () => {
    const team = await newTeam()
    const leads = await newProcedure(team, { attributes: ATTRIBUTES.slice(0, 1) })
    await leads.create({ data: { lead_id: '1', age: 'old', size: 7, long: 'x'.repeat(1001), tags: ['a'] } })
    const attributes = [
      ATTRIBUTES[0],
      attribute('age', 'integer', { indexed: true }),
      attribute('size', 'integer', { indexed: true }),
      attribute('long', 'string', { indexed: true }),
      attribute('tags', 'multiString', { indexed: true }),
    ]
    const told = (await dryRun(team, { attributes })).data.values.map(
      (each: { attribute: string; preventIndex: number }) => [each.attribute, each.preventIndex === 0],
    )
    await leads.define({ attributes })
    const { data } = await team.call('GET', PATH)
    const indexed = data.attributes.filter((each: { indexed: boolean }) => each.indexed)
    expect(told).toEqual(
      indexed.map((each: { shortId: string; indexReady: boolean }) => [each.shortId, each.indexReady]),
    )
    expect(told.map(([, isReady]: [string, boolean]) => isReady)).toEqual([false, true, false, true])
  })

  it('says what becomes of the values of an attribute that is removed', async () => {
    const team = await newTeam()
    const leads = await newProcedure(team)
    await leads.create({ data: { lead_id: '1', city: 'Pune' } })
    const { data } = await dryRun(team, { attributes: ATTRIBUTES.filter(each => each.shortId !== 'city') })
    expect(data.values).toEqual([
      { attribute: 'city', isDeclared: false, stored: 1, unfit: 0, preventIndex: 0, examples: [] },
    ])
  })

  it('accepts an id for the procedure, keeps no idempotency record, and needs the permission of the change', async () => {
    const team = await newTeam()
    await newProcedure(team)
    const { id } = (await team.call('GET', PATH)).data
    expect((await dryRun(team, { name: 'Other' }, `/v1/ext/procedure/${id}`)).data.changes).toHaveLength(1)
    const key = { 'idempotency-key': crypto.randomUUID() }
    const once = await team.call('PUT', `${PATH}?dryRun=true`, definition({ name: 'Other' }), key)
    expect(once.data.changes).toHaveLength(1)
    await team.call('PUT', PATH, definition({ name: 'Other' }))
    const twice = await team.call('PUT', `${PATH}?dryRun=true`, definition({ name: 'Other' }), key)
    expect(twice.data.changes).toEqual([])
  })
})
