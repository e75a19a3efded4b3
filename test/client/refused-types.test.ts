import { beforeAll, expect, it } from 'vitest'
import type { Caseworker } from '../../src/client/client.ts'
import { newTeam } from '../support/api.ts'
import { createClient } from '../support/client.ts'
import { attribute, newProcedure } from '../support/procedures.ts'

// A request that the API refuses does not compile, if the attributes are declared as `caseworker types` declares them.
// Each call here is made, so that neither side is stricter than the other: without the mistake it is the call of
// `WELL`.

interface Order {
  order_no: string
  customer: string
  city?: string
  kind?: 'solar' | 'roof'
  score?: number
  ready?: boolean
  tags?: ('a' | 'b')[]
  place?: unknown
}
type OrderState = 'NEW' | 'BUSY' | 'WON'

let team: Caseworker
let client: Caseworker<{ order: { data: Order; state: OrderState; sortable: 'order_no' | 'city' | 'score' } }>
let id = ''
const orders = () => client.processes('order')

beforeAll(async () => {
  const owner = await newTeam()
  const attributes = [
    attribute('order_no', 'string', { required: true }),
    attribute('customer', 'string', { required: true }),
    attribute('city', 'string', { indexed: true }),
    attribute('kind', 'stringEnum', { values: ['solar', 'roof'] }),
    attribute('score', 'integer', { indexed: true }),
    attribute('ready', 'boolean'),
    attribute('tags', 'multiStringEnum', { values: ['a', 'b'] }),
    attribute('place', 'geolocation'),
  ]
  await newProcedure(owner, { attributes, primaryKey: 'order_no', strict: true }, 'order')
  team = createClient(owner)
  client = team as unknown as typeof client
  id = (await orders().create({ data: { order_no: '1', customer: 'Asha' } })).id
})

type Cases = Record<string, () => Promise<unknown>>

const WELL: Cases = {
  create: () => orders().create({ state: 'BUSY', data: { order_no: 'W1', customer: 'Asha', tags: ['a'], city: null } }),
  upsert: () => orders().createOrUpdate({ data: { order_no: '1', score: 5 } }),
  update: () => orders().update(id, { status: 'OPEN', data: { score: null, kind: 'solar' } }),
  list: () =>
    orders()
      .list({
        where: {
          city: { startsWith: 'P' },
          score: { '>=': 1 },
          ready: true,
          tags: 'a',
          kind: ['roof', null],
          place: null,
          assignedTo: null,
          nextActionAt: [null, '2026-12-01T00:00:00Z'],
          createdAt: { '>': { now: '-P7D' } },
          state: { startsWith: 'N' },
          'record.phone': { '!=': '919448300001' },
        },
        sort: [{ field: 'score', order: 'desc' }, { field: 'order_no' }, { field: 'createdAt' }],
      })
      .page(),
  newest: () => orders().newest({ status: 'OPEN', state: 'NEW' }).page(),
  aggregate: () =>
    orders().aggregate({
      groupBy: ['city', { field: 'createdAt', by: 'month' }],
      metrics: [{ count: true }, { sum: 'score' }, { min: 'city' }, { max: 'updatedAt' }],
    }),
  export: () =>
    orders()
      .export({ fields: ['city', 'state', 'record.data.anything'] })
      .next(),
  key: () => orders().get({ order_no: '1' }),
  'bulk update': () =>
    orders().bulkUpdate([
      { order_no: '1', update: { data: { score: 1 } } },
      { id, state: 'NEW', data: { score: 1 } },
    ]),
  'bulk create': () => orders().bulkCreate([{ order_no: 'W2', data: { customer: 'Mei' } }]),
  'bulk upsert': () => orders().bulkUpsert([{ order_no: 'W2', data: { customer: 'Mei' } }]),
  'bulk where': () => orders().bulkUpdateWhere({ city: 'Nowhere' }, { data: { score: 2 } }),
}

// biome-ignore format: each mistake stands in the line behind what is said of it
const REFUSED: Cases = {
  // @ts-expect-error A required attribute is missing.
  'create without an attribute': () => orders().create({ data: { order_no: '2' } }),
  // @ts-expect-error All required attributes are missing.
  'create without data': () => orders().create({ state: 'NEW' }),
  // @ts-expect-error The body is missing.
  'create without a body': () => orders().create(),
  // @ts-expect-error A required attribute is null.
  'create with null': () => orders().create({ data: { order_no: '2', customer: null } }),
  // @ts-expect-error The attribute is misspelt.
  'create misspelt': () => orders().create({ data: { order_no: '2', customer: 'Asha', cty: 'Pune' } }),
  // @ts-expect-error The field is misspelt.
  'create unknown field': () => orders().create({ stat: 'NEW', data: { order_no: '2', customer: 'Asha' } }),
  // @ts-expect-error There is no such state.
  'create in a state': () => orders().create({ state: 'NWE', data: { order_no: '2', customer: 'Asha' } }),
  // @ts-expect-error The value is none of the enum.
  'create enum': () => orders().create({ data: { order_no: '2', customer: 'Asha', kind: 'Solar' } }),
  // @ts-expect-error The value is none of the list's.
  'create list': () => orders().create({ data: { order_no: '2', customer: 'Asha', tags: ['c'] } }),
  // @ts-expect-error An upsert names its process by data.
  'upsert without data': () => orders().createOrUpdate({ state: 'NEW' }),
  // @ts-expect-error A required attribute is removed.
  'update removes': () => orders().update(id, { data: { customer: null } }),
  // @ts-expect-error There is no such status.
  'update status': () => orders().update(id, { status: 'DONE' }),
  // @ts-expect-error The attribute stands beside data.
  'update beside data': () => orders().update(id, { city: 'Pune' }),
  // @ts-expect-error The type is another.
  'update type': () => orders().update(id, { data: { score: 'high' } }),
  // @ts-expect-error The order of a list is a list.
  'sort as text': () => orders().list({ sort: '-score' }).page(),
  // @ts-expect-error The order of a list is a list of fields.
  'sort as names': () => orders().list({ sort: ['score'] }).page(),
  // @ts-expect-error The attribute is misspelt.
  'sort misspelt': () => orders().list({ sort: [{ field: 'scor' }] }).page(),
  // @ts-expect-error There is no such direction.
  'sort direction': () => orders().list({ sort: [{ field: 'score', order: 'descending' }] }).page(),
  // @ts-expect-error Lists have no order.
  'sort by a list': () => orders().list({ sort: [{ field: 'tags' }] }).page(),
  // @ts-expect-error The attribute is not indexed.
  'sort unindexed': () => orders().list({ sort: [{ field: 'customer' }] }).page(),
  // @ts-expect-error The attribute is not indexed.
  'export unindexed': () => orders().export({ sort: [{ field: 'customer' }] }).next(),
  // @ts-expect-error It is called where.
  'list filter': () => orders().list({ filter: { city: 'Pune' } }).page(),
  // @ts-expect-error The attribute is misspelt.
  'where misspelt': () => orders().list({ where: { cty: 'Pune' } }).page(),
  // @ts-expect-error The type is another.
  'where type': () => orders().list({ where: { score: 'high' } }).page(),
  // @ts-expect-error The value is none of the enum.
  'where enum': () => orders().list({ where: { kind: 'Solar' } }).page(),
  // @ts-expect-error There is no such state.
  'where state': () => orders().list({ where: { state: 'NWE' } }).page(),
  // @ts-expect-error There is no such status.
  'where status': () => orders().list({ where: { status: 'DONE' } }).page(),
  // @ts-expect-error A state is always set.
  'where null state': () => orders().list({ where: { state: null } }).page(),
  // @ts-expect-error A time is always set.
  'where null time': () => orders().list({ where: { createdAt: null } }).page(),
  // @ts-expect-error States have no order.
  'where order of states': () => orders().list({ where: { state: { '>': 'NEW' } } }).page(),
  // @ts-expect-error Users have no parts.
  'where part of a user': () => orders().list({ where: { assignedTo: { startsWith: 'me' } } }).page(),
  // @ts-expect-error Customers have no order.
  'where order of customers': () => orders().list({ where: { 'record.phone': { '>': '91' } } }).page(),
  // @ts-expect-error There is no such operator.
  'where operator': () => orders().list({ where: { score: { gte: 1 } } }).page(),
  // @ts-expect-error Numbers have no parts.
  'where part of a number': () => orders().list({ where: { score: { contains: '1' } } }).page(),
  // @ts-expect-error Times have no parts.
  'where part of a time': () => orders().list({ where: { createdAt: { startsWith: '2026' } } }).page(),
  // @ts-expect-error True and false have no order.
  'where order of booleans': () => orders().list({ where: { ready: { '>': false } } }).page(),
  // @ts-expect-error A part of a text is a text.
  'where part': () => orders().list({ where: { city: { contains: 1 } } }).page(),
  // @ts-expect-error All of these are a list.
  'where and': () => orders().list({ where: { and: { city: 'Pune' } } }).page(),
  // @ts-expect-error Not is no operator.
  'where not': () => orders().list({ where: { not: [{ city: 'Pune' }] } }).page(),
  // @ts-expect-error Deep inside, too.
  'where deep': () => orders().list({ where: { or: [{ and: [{ cty: 'Pune' }] }] } }).page(),
  // @ts-expect-error A query does not ask for this field.
  'where completedAt': () => orders().list({ where: { completedAt: { '>': 1_790_000_000_000 } } }).page(),
  // @ts-expect-error There is no such status.
  'newest status': () => orders().newest({ status: 'DONE' }).page(),
  // @ts-expect-error There is no such state.
  'newest state': () => orders().newest({ state: 'NWE' }).page(),
  // @ts-expect-error Groups are a list.
  'group by text': () => orders().aggregate({ groupBy: 'city' }),
  // @ts-expect-error The attribute is misspelt.
  'group misspelt': () => orders().aggregate({ groupBy: ['cty'] }),
  // @ts-expect-error Each process has an id of its own.
  'group by id': () => orders().aggregate({ groupBy: ['id'] }),
  // @ts-expect-error Times are grouped by a unit.
  'group by a time': () => orders().aggregate({ groupBy: ['createdAt'] }),
  // @ts-expect-error There is no such unit.
  'group by quarter': () => orders().aggregate({ groupBy: [{ field: 'createdAt', by: 'quarter' }] }),
  // @ts-expect-error True and false are no time.
  'group boolean by month': () => orders().aggregate({ groupBy: [{ field: 'ready', by: 'month' }] }),
  // @ts-expect-error Text has no sum.
  'sum of text': () => orders().aggregate({ metrics: [{ sum: 'city' }] }),
  // @ts-expect-error Times have no sum.
  'sum of a time': () => orders().aggregate({ metrics: [{ sum: 'createdAt' }] }),
  // @ts-expect-error Lists have no smallest.
  'min of a list': () => orders().aggregate({ metrics: [{ min: 'tags' }] }),
  // @ts-expect-error A figure is one of these.
  'two figures in one': () => orders().aggregate({ metrics: [{ sum: 'score', avg: 'score' }] }),
  // @ts-expect-error Figures are a list.
  'figures as one': () => orders().aggregate({ metrics: { count: true } }),
  // @ts-expect-error A number is not left out by saying so.
  'count false': () => orders().aggregate({ metrics: [{ count: false }] }),
  // @ts-expect-error The attribute is misspelt.
  'count misspelt': () => orders().count({ cty: 'Pune' }),
  // @ts-expect-error The attribute is misspelt.
  'export misspelt': () => orders().export({ fields: ['cty'] }).next(),
  // @ts-expect-error The attribute is misspelt.
  'bulk where misspelt': () => orders().bulkUpdateWhere({ cty: 'Pune' }, { data: { score: 1 } }),
  // @ts-expect-error The field is misspelt.
  'bulk where changes': () => orders().bulkUpdateWhere({ city: 'Pune' }, { dat: { score: 1 } }),
}

it('a key that a procedure does not have matches nothing', async () => {
  // @ts-expect-error No key is an attribute of this name.
  await expect(orders().get({ ordr_no: '1' })).rejects.toMatchObject({ status: 404 })
})

/** A job is accepted whatever its entries are: these end as INVALID. */
// biome-ignore format: each mistake stands in the line behind what is said of it
const INVALID: Record<string, () => Promise<{ id: string }>> = {
  // @ts-expect-error The attribute is misspelt.
  'update misspelt': () => orders().bulkUpdate([{ order_no: '1', update: { data: { scor: 1 } } }]),
  // @ts-expect-error The field is misspelt.
  'update unknown field': () => orders().bulkUpdate([{ order_no: '1', updaet: { data: { score: 1 } } }]),
  // @ts-expect-error No key has this name.
  'update unknown key': () => orders().bulkUpdate([{ ordr_no: '1', update: { data: { score: 1 } } }]),
  // @ts-expect-error There is no such state.
  'update state': () => orders().bulkUpdate([{ order_no: '1', state: 'NWE' }]),
  // @ts-expect-error The attribute is misspelt.
  'create misspelt': () => orders().bulkCreate([{ data: { order_no: '9', customer: 'A', scor: 1 } }]),
  // @ts-expect-error The field is misspelt.
  'create unknown field': () => orders().bulkCreate([{ stat: 'NEW', data: { order_no: '9', customer: 'A' } }]),
}

it.each(Object.entries(WELL))('correct types compile, and are accepted: %s', async (_, call) => {
  await call()
})

it.each(Object.entries(REFUSED))('wrong types do not compile, and are refused: %s', async (_, call) => {
  await expect((async () => call())()).rejects.toMatchObject({ status: 400 })
})

it.each(Object.entries(INVALID))('an entry whose types do not compile is not run: %s', async (_, call) => {
  const job = await client.jobs.wait((await call()).id)
  expect([job.counts.SUCCESS, job.total]).toEqual([0, 1])
})
