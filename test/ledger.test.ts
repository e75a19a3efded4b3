import { env } from 'cloudflare:workers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fetchWorker, newTeam, type Reply, type Team } from './support/api.ts'
import { ended } from './support/jobs.ts'
import { attribute, newProcedure, type Processes } from './support/procedures.ts'

// What each call costs, as its own Server-Timing header says, on a warm isolate. `npm run ledger` prints it.

interface LedgerTeam extends Processes {
  team: Team
  /** A process of its own for each row: with three indexed attributes, a primary key and no record. */
  process: Reply
}

interface Row {
  operation: string
  /** The call that is measured: what it needs beforehand, it makes beforehand. */
  run: (ledgerTeam: LedgerTeam) => Promise<Reply>
  limits: { trips: number; read: number; written: number }
}

const CPU_MS = 2
/** Cloudflare's published prices, in dollars per million. */
const PRICE = { request: 0.3, cpuMs: 0.02, rowWritten: 1, rowRead: 0.001 }

const indexed = (name: string) => attribute(name, 'string', { indexed: true })
const definition = {
  attributes: [attribute('key', 'string'), indexed('a'), indexed('b'), indexed('c'), attribute('plain', 'string')],
  primaryKey: 'key',
}

let counter = 0
const key = () => `K${++counter}`
const three = { a: 'x', b: 'y', c: 'z' }
const fetching = { trips: 1, read: 2, written: 0 }
const changing = (written: number) => ({ trips: 2, read: 6, written })

/** Three hundred processes with three indexed attributes, made once. */
let listed: Promise<string> | undefined
async function listedOf(team: Team): Promise<string> {
  listed ??= (async () => {
    const { path } = await newProcedure(team, definition, 'listed')
    const many = Array.from({ length: 300 }, () => ({ data: { key: key(), ...three } }))
    await ended(team, (await team.call('POST', `${path}/bulk-create`, many)).data.id)
    return path
  })()
  return listed
}

/** Ten words, of which one is no other text's. */
const words = () => `nine of these ten words are the same each ${key()}`

/** Three hundred processes with two words in common and one of their own, and a city that is indexed. */
let searched: Promise<string> | undefined
async function searchedOf(team: Team): Promise<string> {
  searched ??= (async () => {
    const attributes = [attribute('title', 'string', { searchable: true }), indexed('city')]
    const { path } = await newProcedure(team, { attributes, primaryKey: null }, 'searched')
    const many = Array.from({ length: 300 }, (_, nth) => ({
      data: { title: `common words only${nth}x`, city: `Pune ${nth}.` },
    }))
    await ended(team, (await team.call('POST', `${path}/bulk-create`, many)).data.id)
    return path
  })()
  return searched
}

/** A list in a format that is no envelope. */
async function listAs(team: Team, query: string): Promise<Reply> {
  const path = `${await listedOf(team)}?${query}`
  const response = await fetchWorker(path, { headers: { authorization: `Bearer ${team.token}` } })
  const lines = new TextDecoder().decode(await response.arrayBuffer()).split('\n').length
  const figures = /trips=(\d+) read=(\d+) written=(\d+)/.exec(response.headers.get('server-timing') ?? '')
  const [trips = 0, read = 0, written = 0] = (figures ?? []).slice(1).map(Number)
  return { ...response, status: response.status, data: lines, meta: {}, errors: [], cost: { trips, read, written } }
}

/** A new customer with so many processes. */
async function customerOf(create: LedgerTeam['create'], processes: number): Promise<string> {
  const record = { data: { phone: `96${Date.now()}${counter++}` } }
  let id = ''
  for (let nth = 0; nth < processes; nth++) id = (await create({ record })).data.record.id
  return id
}

const rows: Row[] = [
  { operation: 'fetch by id', limits: fetching, run: ({ fetch, process }) => fetch(process.data.id) },
  { operation: 'fetch by key', limits: fetching, run: ({ fetch, process }) => fetch(`key/${process.data.data.key}`) },
  {
    operation: 'fetch, not modified since',
    limits: fetching,
    run: ({ fetch, process }) => fetch(process.data.id, { 'if-none-match': process.headers.get('etag') ?? '' }),
  },
  {
    operation: 'fetch with record',
    limits: { trips: 1, read: 2, written: 0 },
    run: async ({ create, fetch }) => fetch((await create({ record: { data: { phone: key() } } })).data.id),
  },
  { operation: 'create, n = 0', limits: changing(6), run: ({ create }) => create() },
  { operation: 'create with key, n = 0', limits: changing(6), run: ({ create }) => create({ data: { key: key() } }) },
  {
    operation: 'create with key, n = 3',
    limits: changing(6 + 3),
    run: ({ create }) => create({ data: { key: key(), ...three, plain: 'p' } }),
  },
  {
    operation: 'create with an indexed list of three elements',
    limits: { trips: 1, read: 11, written: 6 + 3 },
    run: () => tagged.create({ data: { tags: ['a', 'b', 'c'] } }),
  },
  {
    operation: 'update of an indexed list, one element for another',
    limits: { trips: 1, read: 40, written: 1 + 2 },
    run: async () => {
      const { data } = await tagged.create({ data: { tags: ['a', 'b', 'c'] } })
      return tagged.update(data.id, { data: { tags: ['a', 'b', 'd'] } })
    },
  },
  {
    operation: 'update beside an indexed list, k = 0',
    limits: changing(1),
    run: async () => {
      const { data } = await tagged.create({ data: { tags: ['a', 'b', 'c'] } })
      return tagged.update(data.id, { data: { plain: 'q' } })
    },
  },
  {
    operation: 'delete with an indexed list of three elements',
    limits: { trips: 1, read: 20, written: 2 + 3 },
    run: async () => tagged.remove((await tagged.create({ data: { tags: ['a', 'b', 'c'] } })).data.id),
  },
  {
    operation: 'list by an element of an indexed list, ten of them',
    limits: { trips: 1, read: 24, written: 0 },
    run: async () => {
      for (let nth = 0; nth < 12; nth++) await tagged.create({ data: { tags: ['ten', `t${nth}`] } })
      return team.call('POST', `${tagged.path}/list`, { where: { tags: 'ten' }, limit: 10 })
    },
  },
  {
    // FTS5 writes into tables of its own, which these figures do not show: `test/process/search-cost.test.ts` counts them.
    operation: 'create with ten words to be searched',
    limits: changing(6 + 1),
    run: () => noted.create({ data: { title: words() } }),
  },
  {
    operation: 'update of ten words to be searched',
    limits: changing(1 + 1),
    run: async () => {
      const { data } = await noted.create({ data: { title: words() } })
      return noted.update(data.id, { data: { title: words() } })
    },
  },
  {
    operation: 'update beside ten words to be searched, k = 0',
    limits: changing(1),
    run: async () => {
      const { data } = await noted.create({ data: { title: words() } })
      return noted.update(data.id, { data: { plain: 'q' } })
    },
  },
  {
    operation: 'delete with ten words to be searched',
    limits: { trips: 1, read: 8, written: 2 + 1 },
    run: async () => noted.remove((await noted.create({ data: { title: words() } })).data.id),
  },
  {
    operation: 'list by a search, ten of 300 that match',
    limits: { trips: 1, read: 100, written: 0 },
    run: async ({ team }) => team.call('POST', `${await searchedOf(team)}/list`, { search: 'commo wor', limit: 10 }),
  },
  {
    operation: 'list by a search, the only match of 300',
    limits: { trips: 1, read: 11, written: 0 },
    run: async ({ team }) => team.call('POST', `${await searchedOf(team)}/list`, { search: 'only7x', limit: 10 }),
  },
  {
    operation: 'the ten of 300 that fit a search best',
    limits: { trips: 1, read: 4 * 300 + 2, written: 0 },
    run: async ({ team }) => {
      const body = { search: 'commo wor', sort: [{ field: 'relevance' }], limit: 10 }
      return team.call('POST', `${await searchedOf(team)}/list`, body)
    },
  },
  {
    operation: 'list by the start of an indexed text, ten of 300 that match',
    limits: { trips: 1, read: 300 + 64, written: 0 },
    run: async ({ team }) =>
      team.call('POST', `${await searchedOf(team)}/list`, { where: { city: { startsWith: 'pu' } }, limit: 10 }),
  },
  {
    operation: 'list by the start of an indexed text, the only match of 300',
    limits: { trips: 1, read: 46, written: 0 },
    run: async ({ team }) =>
      team.call('POST', `${await searchedOf(team)}/list`, { where: { city: { startsWith: 'pune 7.' } }, limit: 10 }),
  },
  {
    operation: 'create with next action and assignee, n = 3',
    limits: changing(6 + 3 + 2),
    run: ({ create }) => create({ data: three, nextActionAt: 1_800_000_000_000, assignedTo: 'admin' }),
  },
  {
    // Of these two one row is the index entry by which a customer's processes are found.
    operation: 'create with new record, n = 3',
    limits: { trips: 1, read: 11, written: 6 + 3 + 3 },
    run: ({ create }) =>
      create({ data: three, record: { data: { phone: `91${Date.now()}${counter++}`, email: `${key()}@b.co` } } }),
  },
  {
    operation: 'create with known record, n = 3',
    limits: { trips: 2, read: 17, written: 6 + 3 + 1 },
    run: async ({ create }) => {
      const record = { data: { phone: `92${Date.now()}${counter++}` } }
      await create({ record })
      return create({ data: three, record })
    },
  },
  {
    operation: 'create with idempotency key, n = 3',
    limits: { ...changing(6 + 3 + 1), read: 7 },
    run: ({ create }) => create({ data: three }, { 'idempotency-key': crypto.randomUUID() }),
  },
  {
    operation: 'replay of a create by idempotency key',
    limits: { trips: 2, read: 7, written: 0 },
    run: async ({ create }) => {
      const headers = { 'idempotency-key': crypto.randomUUID() }
      await create({ data: three }, headers)
      return create({ data: three }, headers)
    },
  },
  {
    operation: 'update, k = 0',
    limits: changing(1),
    run: ({ update, process }) => update(process.data.id, { data: { plain: 'q' } }),
  },
  {
    operation: 'update by key, k = 0',
    limits: changing(1),
    run: ({ update, process }) => update(`key/${process.data.data.key}`, { data: { plain: 'q' } }),
  },
  {
    operation: 'update, k = 1 attribute',
    limits: changing(1 + 1),
    run: ({ update, process }) => update(process.data.id, { data: { a: 'changed' } }),
  },
  {
    operation: 'update, k = 3 attributes',
    limits: changing(1 + 3),
    run: ({ update, process }) => update(process.data.id, { data: { a: '1', b: '2', c: '3' } }),
  },
  {
    operation: 'update, k = 2: status and state',
    limits: changing(1 + 2),
    run: ({ update, process }) => update(process.data.id, { status: 'COMPLETED' }),
  },
  {
    operation: 'update with If-Match, k = 1',
    limits: changing(1 + 1),
    run: ({ update, process }) =>
      update(process.data.id, { data: { a: '1' } }, { 'if-match': process.headers.get('etag') ?? '' }),
  },
  {
    operation: 'update with idempotency key, k = 1',
    limits: { ...changing(1 + 1 + 1), read: 7 },
    run: ({ update, process }) =>
      update(process.data.id, { data: { a: '1' } }, { 'idempotency-key': crypto.randomUUID() }),
  },
  {
    operation: 'create or update, there was one, k = 1',
    limits: changing(1 + 1),
    run: ({ upsert, process }) => upsert({ data: { key: process.data.data.key, a: '1' } }),
  },
  {
    operation: 'create or update, there was none, n = 3',
    limits: { ...changing(6 + 3), read: 7 },
    run: ({ upsert }) => upsert({ data: { key: key(), ...three } }),
  },
  { operation: 'delete', limits: changing(2), run: ({ remove, process }) => remove(process.data.id) },
  {
    operation: 'delete by key',
    limits: changing(2),
    run: ({ remove, process }) => remove(`key/${process.data.data.key}`),
  },
  {
    operation: 'restore, n = 3',
    limits: { ...changing(6 + 3 + 1), read: 7 },
    run: async ({ remove, restore, process }) => {
      await remove(process.data.id)
      return restore(process.data.id)
    },
  },
  {
    operation: 'list of 100 processes',
    limits: { trips: 1, read: 102, written: 0 },
    run: async ({ team }) => team.call('GET', `${await listedOf(team)}?limit=100`),
  },
  {
    operation: 'the same as CSV',
    limits: { trips: 1, read: 102, written: 0 },
    run: ({ team }) => listAs(team, 'limit=100&format=csv'),
  },
  {
    operation: 'the same as lines of JSON, three fields',
    limits: { trips: 1, read: 102, written: 0 },
    run: ({ team }) => listAs(team, 'limit=100&format=ndjson&fields=id,key,a'),
  },
  {
    operation: 'all of a list of 300, by `all=true`',
    limits: { trips: 1, read: 302, written: 0 },
    run: ({ team }) => listAs(team, 'all=true&format=csv'),
  },
  {
    operation: 'list 10 by the phone number of a customer',
    limits: { trips: 2, read: 4 + 10 + 10, written: 0 },
    run: async ({ team, path, create }) => {
      const record = { data: { phone: `93${Date.now()}${counter++}` } }
      for (let nth = 0; nth < 10; nth++) await create({ record })
      return team.call('POST', `${path}/list`, { where: { 'record.phone': record.data.phone } })
    },
  },
  {
    operation: 'list by a phone number that nobody has',
    limits: { trips: 2, read: 2, written: 0 },
    run: ({ team, path }) => team.call('POST', `${path}/list`, { where: { 'record.phone': '919999999999' } }),
  },
  {
    operation: 'count all processes, one row each',
    limits: { trips: 1, read: 200, written: 0 },
    run: ({ team, path }) => team.call('GET', `${path}/count`),
  },
  {
    operation: 'count by one equality, one match',
    limits: { trips: 1, read: 3, written: 0 },
    run: async ({ team, path, create }) => {
      const a = key()
      await create({ data: { a } })
      return team.call('GET', `${path}/count?where=${encodeURIComponent(JSON.stringify({ a }))}`)
    },
  },
  {
    operation: 'count by state, one row each',
    limits: { trips: 1, read: 200, written: 0 },
    run: ({ team, path }) => team.call('POST', `${path}/aggregate`, { groupBy: ['state'] }),
  },
  {
    operation: 'greatest value of an indexed attribute',
    limits: { trips: 1, read: 3, written: 0 },
    run: ({ team, path }) => team.call('POST', `${path}/aggregate`, { metrics: [{ max: 'a' }] }),
  },
  {
    operation: 'fetch a customer',
    limits: { trips: 1, read: 1, written: 0 },
    run: async ({ team, create }) => team.call('GET', `/v1/ext/record/${await customerOf(create, 1)}`),
  },
  {
    operation: 'find a customer by phone number',
    limits: { trips: 1, read: 2, written: 0 },
    run: async ({ team, create }) => {
      const { data } = await create({ record: { data: { phone: `94${Date.now()}${counter++}` } } })
      return team.call('GET', `/v1/ext/record?phone=${data.record.data.phone}`)
    },
  },
  {
    operation: 'list 10 processes of a customer',
    limits: { trips: 1, read: 67, written: 0 },
    run: async ({ team, create }) => team.call('GET', `/v1/ext/record/${await customerOf(create, 10)}/process`),
  },
  {
    operation: 'list messages of a customer, none',
    limits: { trips: 2, read: 5, written: 0 },
    run: async ({ team, create }) => team.call('GET', `/v1/ext/record/${await customerOf(create, 1)}/message`),
  },
  {
    operation: 'update a customer',
    limits: { trips: 2, read: 5, written: 1 },
    run: async ({ team, create }) =>
      team.call('PUT', `/v1/ext/record/${await customerOf(create, 1)}`, { data: { name: 'Asha' } }),
  },
  {
    operation: 'update a customer, another phone number',
    limits: { trips: 2, read: 12, written: 3 },
    run: async ({ team, create }) =>
      team.call('PUT', `/v1/ext/record/${await customerOf(create, 1)}`, { data: { phone: `95${Date.now()}` } }),
  },
  {
    operation: 'erase a customer with 10 processes and no message',
    limits: { trips: 3, read: 100, written: 12 },
    run: async ({ team, create }) => team.call('DELETE', `/v1/ext/record/${await customerOf(create, 10)}`),
  },
  {
    operation: 'list users (v1)',
    limits: { trips: 1, read: 4, written: 0 },
    run: ({ team }) => team.call('GET', '/v1/ext/users'),
  },
  {
    operation: 'list users (v2)',
    limits: { trips: 1, read: 4, written: 0 },
    run: ({ team }) => team.call('GET', '/v2/ext/users'),
  },
  {
    operation: 'fetch a user',
    limits: { trips: 1, read: 3, written: 0 },
    run: ({ team }) => team.call('GET', `/v1/ext/user/${team.admin}`),
  },
  {
    operation: 'bulk update by `where`, one match',
    limits: { trips: 2, read: 8, written: 7 },
    run: ({ team, path, process }) =>
      team.call('PATCH', path, { where: { key: process.data.data.key }, update: { data: { plain: 'q' } } }),
  },
  {
    operation: 'bulk update by `where`, 2,000 matches found at once, the rest by the queue',
    limits: { trips: 2, read: 2_010, written: 11 },
    run: async ({ team, path }) => {
      const many = Array.from({ length: 2_001 }, () => ({ key: key(), data: { a: 'many' } }))
      await ended(team, (await team.call('POST', `${path}/bulk-create`, many)).data.id)
      return team.call('PATCH', path, { where: { a: 'many' }, update: { data: { plain: 'q' } } })
    },
  },
]

const measured: { row: Row; cost: Reply['cost'] }[] = []
let team: Team
let processes: Processes
/** Of a procedure of its own, with an indexed list. */
let tagged: Processes
/** Of a procedure of its own, with an attribute that is searchable. */
let noted: Processes

beforeAll(async () => {
  team = await newTeam()
  processes = await newProcedure(team, definition)
  const tags = attribute('tags', 'multiString', { indexed: true })
  tagged = await newProcedure(team, { attributes: [tags, attribute('plain', 'string')], primaryKey: null }, 'tagged')
  await tagged.create()
  const title = attribute('title', 'string', { searchable: true })
  noted = await newProcedure(team, { attributes: [title, attribute('plain', 'string')], primaryKey: null }, 'noted')
  await noted.create()
  await processes.create()
})

describe.each(rows)('$operation', row => {
  it('stays within its budget on a warm isolate', async () => {
    const process = await processes.create({ data: { key: key(), ...three } })
    const reply = await row.run({ ...processes, team, process })
    expect(reply.status, reply.errors[0]).toBeLessThan(400)
    measured.push({ row, cost: reply.cost })
    expect(reply.cost.trips).toBeGreaterThan(0)
    for (const figure of ['trips', 'read', 'written'] as const)
      expect(reply.cost[figure], `${figure} of ${row.operation}`).toBeLessThanOrEqual(row.limits[figure])
  })
})

const dollarText = (dollars: number) => `$${dollars.toFixed(dollars < 1 ? 3 : 2)}`

const table = () =>
  [
    '| operation | round trips | rows read | rows written | D1 per million | all per million |',
    '|---|---|---|---|---|---|',
    ...measured.map(({ row, cost }) => {
      const { trips, read, written } = cost
      const d1 = written * PRICE.rowWritten + read * PRICE.rowRead
      const all = d1 + PRICE.request + CPU_MS * PRICE.cpuMs
      return `| ${row.operation} | ${trips} | ${read} | ${written} | ${dollarText(d1)} | ${dollarText(all)} |`
    }),
  ].join('\n')

afterAll(() => {
  if (env.LEDGER) console.log(`${table()}\n\nAll: with the request and ${CPU_MS} ms of CPU.`)
})
