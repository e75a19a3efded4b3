import { env } from 'cloudflare:workers'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { fetchWorker, newTeam, type Reply, type Team } from './support/api.ts'
import {
  addPasskey,
  linkFor,
  newSignInChallenge,
  newUser,
  postSignIn,
  startSession,
} from './support/browser-session.ts'
import { deliveryCost } from './support/delivery-cost.ts'
import { switchOnFeed } from './support/due.ts'
import { waitForJob } from './support/jobs.ts'
import { makeLoggedRequest } from './support/logged-request.ts'
import { moveLog } from './support/moved-log.ts'
import { createBindings, createOpenIdProvider, newBrowser, newPerson } from './support/openid-sign-in.ts'
import { attribute, newProcedure, type Processes } from './support/procedures.ts'

// The cost of each call by its own Server-Timing header, on a warm isolate. `npm run costs` prints it.

interface CostsTeam extends Processes {
  team: Team
  /** A process of its own for each row: with three indexed attributes, a primary key and no record. */
  process: Reply
}

interface Row {
  operation: string
  /** The call that is measured: what it needs beforehand, it makes beforehand. */
  run: (costsTeam: CostsTeam) => Promise<Pick<Reply, 'status' | 'errors' | 'cost'>>
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
/** Each change of a process has an event in the log of its team. */
const EVENT = 1
const changing = (written: number) => ({ trips: 2, read: 11, written: EVENT + written })

/** Somebody who has signed in at a provider. */
async function backFromProvider() {
  const provider = await createOpenIdProvider()
  const email = `${crypto.randomUUID()}@acme.example`
  await newPerson(await newTeam(), email)
  const browser = newBrowser(createBindings(provider))
  const answer = await browser.comeBack(provider, email)
  vi.unstubAllGlobals()
  return { browser, answer }
}

/** Three hundred processes with three indexed attributes, made once. */
let listed: Promise<string> | undefined
async function createListed(team: Team): Promise<string> {
  listed ??= (async () => {
    const { path } = await newProcedure(team, definition, 'listed')
    const many = Array.from({ length: 300 }, () => ({ data: { key: key(), ...three } }))
    await waitForJob(team, (await team.call('POST', `${path}/bulk-create`, many)).data.id)
    return path
  })()
  return listed
}

/** Ten words, of which one is no other text's. */
const words = () => `nine of these ten words are the same each ${key()}`

/** Three hundred processes with two words in common and one of their own, and a city that is indexed. */
let searched: Promise<string> | undefined
async function createSearched(team: Team): Promise<string> {
  searched ??= (async () => {
    const attributes = [attribute('title', 'string', { searchable: true }), indexed('city')]
    const { path } = await newProcedure(team, { attributes, primaryKey: null }, 'searched')
    const many = Array.from({ length: 300 }, (_, nth) => ({
      data: { title: `common words only${nth}x`, city: `Pune ${nth}.` },
    }))
    await waitForJob(team, (await team.call('POST', `${path}/bulk-create`, many)).data.id)
    return path
  })()
  return searched
}

/** A team whose feed was on before this isolate has met it. */
async function feedTeam() {
  const team = await newTeam()
  await env.DB.prepare('UPDATE team SET event_feed_since = 1 WHERE no = ?').bind(team.no).run()
  return { team, ...(await newProcedure(team, definition)) }
}

const DRY = {
  name: 'Dry',
  states: [{ shortId: 'NEW' }, { shortId: 'BUSY' }, { shortId: 'WON' }],
  startState: 'NEW',
  completedState: 'WON',
}
const VIEWS = '/v1/ext/saved-view'
const VIEW = { name: 'Open', procedure: 'lead', query: { where: { status: 'OPEN' } } }
const WEBHOOK = { url: 'https://www.example.com/webhooks' }

/** A webhook of a team with one event: what the other rows do is not sent anywhere. */
async function webhookOfAnother() {
  const other = await newTeam()
  await (await newProcedure(other, definition)).create()
  const { data } = await other.call('POST', '/v1/ext/webhook', WEBHOOK)
  return { call: other.call, path: `/v1/ext/webhook/${data.id}` }
}

/** A list in a format that is no envelope. */
async function listAs(team: Team, query: string): Promise<Reply> {
  const path = `${await createListed(team)}?${query}`
  const response = await fetchWorker(path, { headers: { authorization: `Bearer ${team.token}` } })
  const lines = new TextDecoder().decode(await response.arrayBuffer()).split('\n').length
  const figures = /trips=(\d+) read=(\d+) written=(\d+)/.exec(response.headers.get('server-timing') ?? '')
  const [trips = 0, read = 0, written = 0] = (figures ?? []).slice(1).map(Number)
  return { ...response, status: response.status, data: lines, meta: {}, errors: [], cost: { trips, read, written } }
}

/** A new customer with so many processes. */
async function createCustomer(create: CostsTeam['create'], processes: number): Promise<string> {
  const record = { data: { phone: `96${Date.now()}${counter++}` } }
  let id = ''
  for (let nth = 0; nth < processes; nth++) id = (await create({ record })).data.record.id
  return id
}

/** A process with so many changes, and the path to it. */
async function changedTimes({ create, update, path }: CostsTeam, changes: number): Promise<string> {
  const { data } = await create({ data: { key: key() } })
  for (let nth = 0; nth < changes; nth++) await update(data.id, { data: { plain: `${nth}` } })
  return `${path}/${data.id}`
}

const rows: Row[] = [
  {
    operation: 'history of a process with 50 changes, 20 of them',
    limits: { trips: 1, read: 2 * 21 + 6, written: 0 },
    run: async costsTeam => team.call('GET', `${await changedTimes(costsTeam, 50)}/history`),
  },
  {
    operation: 'a process as it was 50 changes before, all of them in one object',
    limits: { trips: 2, read: 27, written: 0 },
    run: async costsTeam => {
      const own = await newTeam()
      const one = await changedTimes({ ...costsTeam, ...(await newProcedure(own, definition)) }, 50)
      await moveLog(own, 0)
      return own.call('GET', `${one}?asOf=1`)
    },
  },
  {
    operation: 'a process as it was 50 changes before',
    limits: { trips: 1, read: 2 * 51 + 6, written: 0 },
    run: async costsTeam => team.call('GET', `${await changedTimes(costsTeam, 50)}?asOf=1`),
  },
  {
    operation: 'a process as it was one change before',
    limits: { trips: 1, read: 2 * 2 + 6, written: 0 },
    run: async costsTeam => team.call('GET', `${await changedTimes(costsTeam, 9)}?asOf=9`),
  },
  {
    operation: 'blame, 50 changes back to the creation',
    limits: { trips: 1, read: 2 * 51 + 6, written: 0 },
    run: async costsTeam => team.call('GET', `${await changedTimes(costsTeam, 50)}?blame=true`),
  },
  {
    operation: 'revert by three changes',
    limits: { trips: 2, read: 2 * 4 + 6 + 9, written: EVENT + 1 },
    run: async costsTeam => team.call('PUT', `${await changedTimes(costsTeam, 3)}/revert`, { version: 1 }),
  },
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
    limits: { trips: 1, read: 11, written: EVENT + 6 + 3 },
    run: () => tagged.create({ data: { tags: ['a', 'b', 'c'] } }),
  },
  {
    operation: 'update of an indexed list, one element for another',
    limits: { trips: 1, read: 42, written: EVENT + 1 + 2 },
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
    limits: { trips: 1, read: 24, written: EVENT + 3 + 3 },
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
    // FTS5 writes into tables of its own, which these figures do not show: `test/process/search-cost.alone.test.ts` counts them.
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
    limits: { trips: 1, read: 13, written: EVENT + 3 + 1 },
    run: async () => noted.remove((await noted.create({ data: { title: words() } })).data.id),
  },
  {
    operation: 'list by a search, ten of 300 that match',
    limits: { trips: 1, read: 114, written: 0 },
    run: async ({ team }) =>
      team.call('POST', `${await createSearched(team)}/list`, { search: 'commo wor', limit: 10 }),
  },
  {
    operation: 'list by a search, the only match of 300',
    limits: { trips: 1, read: 18, written: 0 },
    run: async ({ team }) => team.call('POST', `${await createSearched(team)}/list`, { search: 'only7x', limit: 10 }),
  },
  {
    operation: 'the ten of 300 that fit a search best',
    limits: { trips: 1, read: 4 * 300 + 38, written: 0 },
    run: async ({ team }) => {
      const body = { search: 'commo wor', sort: [{ field: 'relevance' }], limit: 10 }
      return team.call('POST', `${await createSearched(team)}/list`, body)
    },
  },
  {
    operation: 'list by the start of an indexed text, ten of 300 that match',
    limits: { trips: 1, read: 300 + 64, written: 0 },
    run: async ({ team }) =>
      team.call('POST', `${await createSearched(team)}/list`, { where: { city: { startsWith: 'pu' } }, limit: 10 }),
  },
  {
    operation: 'list by the start of an indexed text, the only match of 300',
    limits: { trips: 1, read: 46, written: 0 },
    run: async ({ team }) =>
      team.call('POST', `${await createSearched(team)}/list`, {
        where: { city: { startsWith: 'pune 7.' } },
        limit: 10,
      }),
  },
  {
    operation: 'create with next action and assignee, n = 3',
    limits: changing(6 + 3 + 2),
    run: ({ create }) => create({ data: three, nextActionAt: 1_800_000_000_000, assignedTo: 'admin' }),
  },
  {
    // One row of both is the index entry of a customer's processes; one more of the first is the customer's entry in
    // the list of the team.
    operation: 'create with new record, n = 3',
    limits: { trips: 1, read: 11, written: EVENT + 6 + 3 + 4 },
    run: ({ create }) =>
      create({ data: three, record: { data: { phone: `91${Date.now()}${counter++}`, email: `${key()}@b.co` } } }),
  },
  {
    operation: 'create with known record, n = 3',
    limits: { trips: 2, read: 24, written: EVENT + 6 + 3 + EVENT + 1 },
    run: async ({ create }) => {
      const record = { data: { phone: `92${Date.now()}${counter++}` } }
      await create({ record })
      return create({ data: three, record })
    },
  },
  {
    operation: 'create with idempotency key, n = 3',
    limits: { ...changing(6 + 3 + 1), read: 11 },
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
    limits: { ...changing(1 + 1 + 1), read: 12 },
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
    limits: { ...changing(6 + 3), read: 11 },
    run: ({ upsert }) => upsert({ data: { key: key(), ...three } }),
  },
  {
    // The feed is off, as for all operations above.
    operation: 'update of the next action',
    limits: changing(1 + 1),
    run: ({ update, process }) => update(process.data.id, { nextActionAt: Date.now() + 30_000 }),
  },
  {
    operation: 'the same with the feed on, for tomorrow',
    limits: changing(1 + 1),
    run: async () => due.update((await due.create()).data.id, { nextActionAt: Date.now() + 86_400_000 }),
  },
  {
    operation: 'the same for half a minute later',
    limits: { ...changing(1 + 1), read: 14 },
    run: async () => due.update((await due.create()).data.id, { nextActionAt: Date.now() + 30_000 }),
  },
  {
    // The rows are the event, and the mark that it was notified.
    operation: 'the same for a time that is past',
    limits: { ...changing(1 + 1 + EVENT + 1), read: 16 },
    run: async () => due.update((await due.create()).data.id, { nextActionAt: Date.now() - 1_000 }),
  },
  {
    operation: 'create with a next action for tomorrow, the feed on',
    limits: changing(6 + 1),
    run: () => due.create({ nextActionAt: Date.now() + 86_400_000 }),
  },
  { operation: 'delete', limits: changing(4), run: ({ remove, process }) => remove(process.data.id) },
  {
    operation: 'delete by key',
    limits: changing(4),
    run: ({ remove, process }) => remove(`key/${process.data.data.key}`),
  },
  {
    operation: 'restore, n = 3',
    limits: { ...changing(6 + 3 + 1), read: 11 },
    run: async ({ remove, restore, process }) => {
      await remove(process.data.id)
      return restore(process.data.id)
    },
  },
  {
    operation: 'list of 100 processes',
    limits: { trips: 1, read: 102, written: 0 },
    run: async ({ team }) => team.call('GET', `${await createListed(team)}?limit=100`),
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
    run: async ({ team, create }) => team.call('GET', `/v1/ext/record/${await createCustomer(create, 1)}`),
  },
  {
    // Each has its row in the index of the team, and the record.
    operation: 'list the newest 20 of 100 customers',
    limits: { trips: 1, read: 2 * 21, written: 0 },
    run: async () => {
      const team = await newTeam()
      const { create } = await newProcedure(team, definition)
      for (let nth = 0; nth < 100; nth++) await create({ record: { data: { phone: `97${Date.now()}${counter++}` } } })
      return team.call('GET', '/v1/ext/record?limit=20')
    },
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
    operation: 'history of a customer with 20 changes, 10 of them',
    limits: { trips: 1, read: 2 * 11 + 4, written: 0 },
    run: async ({ team, create }) => {
      const id = await createCustomer(create, 1)
      for (let nth = 0; nth < 20; nth++) await team.call('PUT', `/v1/ext/record/${id}`, { data: { nth } })
      return team.call('GET', `/v1/ext/record/${id}/history`)
    },
  },
  {
    operation: 'list 10 processes of a customer',
    limits: { trips: 1, read: 67, written: 0 },
    run: async ({ team, create }) => team.call('GET', `/v1/ext/record/${await createCustomer(create, 10)}/process`),
  },
  {
    operation: 'list messages of a customer, none',
    limits: { trips: 2, read: 5, written: 0 },
    run: async ({ team, create }) => team.call('GET', `/v1/ext/record/${await createCustomer(create, 1)}/message`),
  },
  {
    // One more row is the word of the name.
    operation: 'update a customer, another name',
    limits: { trips: 2, read: 12, written: EVENT + 2 },
    run: async ({ team, create }) =>
      team.call('PUT', `/v1/ext/record/${await createCustomer(create, 1)}`, { data: { name: 'Asha' } }),
  },
  {
    operation: 'update a customer, another phone number',
    limits: { trips: 2, read: 18, written: EVENT + 3 },
    run: async ({ team, create }) =>
      team.call('PUT', `/v1/ext/record/${await createCustomer(create, 1)}`, { data: { phone: `95${Date.now()}` } }),
  },
  {
    // Two rows for each process, itself and the index entry by which it is found; their events are one row, the merge's is
    // another. The others are the two records, the number before and after, and that one leads to the other. One row read
    // for each process is the former customer's last event, where its history begins.
    operation: 'merge a customer with 10 processes into another',
    limits: { trips: 3, read: 162, written: 2 * 10 + 2 * EVENT + 5 },
    run: async ({ team, create }) => {
      const [id, into] = [await createCustomer(create, 10), await createCustomer(create, 1)]
      return team.call('POST', `/v1/ext/record/${id}/merge`, { into })
    },
  },
  {
    operation: 'fetch a customer by the id of one who was merged',
    limits: { trips: 3, read: 4, written: 0 },
    run: async ({ team, create }) => {
      const [id, into] = [await createCustomer(create, 1), await createCustomer(create, 1)]
      await team.call('POST', `/v1/ext/record/${id}/merge`, { into })
      return team.call('GET', `/v1/ext/record/${id}`)
    },
  },
  {
    operation: 'erase a customer with 10 processes and no message',
    // Nine changes of the customer are in the log, and the erasure comes to it. The team has had jobs, of which others of these
    // operations may have been: what they hold of the customer is noted, and erased behind the response.
    limits: { trips: 2, read: 171, written: 18 + 9 * EVENT + EVENT },
    run: async ({ team, create }) => team.call('DELETE', `/v1/ext/record/${await createCustomer(create, 10)}`),
  },
  {
    operation: 'read 100 events of 100 processes, told one by one',
    limits: { trips: 2, read: 304, written: 0 },
    run: async () => {
      const { team, create } = await feedTeam()
      await Promise.all(Array.from({ length: 100 }, () => create()))
      return team.call('GET', '/v1/ext/event?after=0')
    },
  },
  {
    operation: 'read 100 events of 100 processes, told by a job',
    // 205, and a row or two for each further step that a slow machine makes of the job.
    limits: { trips: 3, read: 225, written: 0 },
    run: async () => {
      const { team, path } = await feedTeam()
      const many = Array.from({ length: 800 }, () => ({ data: three }))
      await waitForJob(team, (await team.call('POST', `${path}/bulk-create`, many)).data.id)
      return team.call('GET', '/v1/ext/event?after=0')
    },
  },
  {
    operation: 'wait a second for an event that does not come',
    limits: { trips: 3, read: 3, written: 0 },
    run: async () => {
      const { team } = await feedTeam()
      return team.call('GET', '/v1/ext/event?after=0&waitSeconds=1')
    },
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
    operation: 'create a webhook',
    limits: { trips: 1, read: 60, written: 6 },
    run: async () => (await webhookOfAnother()).call('POST', '/v1/ext/webhook', WEBHOOK),
  },
  {
    operation: 'update a webhook',
    limits: { trips: 2, read: 9, written: 2 },
    run: async () => {
      const { call, path } = await webhookOfAnother()
      return call('PUT', path, { description: 'Other' })
    },
  },
  {
    operation: 'list deliveries of a webhook',
    limits: { trips: 1, read: 20, written: 0 },
    run: async () => {
      const { call, path } = await webhookOfAnother()
      return call('GET', `${path}/delivery`)
    },
  },
  {
    operation: 'replay events of a webhook',
    limits: { trips: 3, read: 20, written: 2 },
    run: async () => {
      const { call, path } = await webhookOfAnother()
      return call('POST', `${path}/replay`, { from: 1 })
    },
  },
  {
    operation: 'fetch the caller, by a session',
    limits: { trips: 2, read: 3, written: 0 },
    run: async () => {
      const { call } = await startSession(await newTeam())
      await call('GET', '/v1/ext/me')
      return call('GET', '/v1/ext/me')
    },
  },
  {
    operation: 'list users, the first call of a session in an isolate',
    limits: { trips: 2, read: 8, written: 0 },
    run: async () => (await startSession(await newTeam())).call('GET', '/v1/ext/users'),
  },
  {
    operation: 'list users, the first call of a key in an isolate',
    limits: { trips: 2, read: 8, written: 0 },
    run: async () => (await (await newTeam()).as('viewer')).call('GET', '/v1/ext/users'),
  },
  {
    operation: 'create a sign-in link',
    limits: { trips: 2, read: 7, written: 5 },
    run: ({ team }) => team.call('POST', `/v1/ext/user/${team.admin}/sign-in-link`),
  },
  {
    operation: 'sign in by a link',
    limits: { trips: 2, read: 12, written: 7 },
    run: async () => postSignIn({ link: await linkFor(await newTeam()) }),
  },
  {
    operation: 'sign in by a passkey',
    limits: { trips: 2, read: 12, written: 8 },
    run: async () => {
      const { device } = await addPasskey(await newTeam())
      return postSignIn({ passkey: await device.answer(await newSignInChallenge()) })
    },
  },
  {
    operation: 'bring the answer of an OpenID provider',
    limits: { trips: 1, read: 4, written: 0 },
    run: async () => (await backFromProvider()).answer,
  },
  {
    operation: 'sign in by an OpenID provider',
    limits: { trips: 2, read: 6, written: 6 },
    run: async () => {
      const { browser, answer } = await backFromProvider()
      return browser.enter(answer.data.teams[0].shortId)
    },
  },
  {
    operation: 'create a user with an e-mail address',
    limits: { trips: 2, read: 8, written: 6 },
    run: async () => {
      const email = `${crypto.randomUUID()}@acme.example`
      return (await newTeam()).call('POST', '/v1/ext/user', { username: email, email, role: 'agent' })
    },
  },
  {
    operation: 'sign out',
    limits: { trips: 1, read: 3, written: 1 },
    run: async () => (await startSession(await newTeam())).call('DELETE', '/v1/session'),
  },
  {
    operation: "change a user's access",
    limits: { trips: 2, read: 12, written: 1 },
    run: async () => {
      const other = await newTeam()
      return other.call('PUT', `/v1/ext/user/${await newUser(other, 'agent')}/access`, { role: 'viewer' })
    },
  },
  {
    operation: 'fetch a user',
    limits: { trips: 1, read: 3, written: 0 },
    run: ({ team }) => team.call('GET', `/v1/ext/user/${team.admin}`),
  },
  {
    operation: 'dry run of a definition that adds an index, one process',
    limits: { trips: 4, read: 21, written: 0 },
    run: async () => {
      const other = await newTeam()
      const { create } = await newProcedure(other, { attributes: [], primaryKey: null }, 'dry')
      await create({ data: { plain: 'x' } })
      const plain = attribute('plain', 'string', { indexed: true })
      const body = { ...DRY, attributes: [plain] }
      return other.call('PUT', '/v1/ext/procedure/dry?dryRun=true', body)
    },
  },
  {
    operation: 'replace a definition with If-Match, one process',
    limits: { trips: 3, read: 20, written: 1 },
    run: async () => {
      const other = await newTeam()
      const { create } = await newProcedure(other, { attributes: [], primaryKey: null }, 'dry')
      await create({ data: { plain: 'x' } })
      const headers = { 'if-match': (await other.call('GET', '/v1/ext/procedure/dry')).headers.get('etag') ?? '' }
      return other.call('PUT', '/v1/ext/procedure/dry', { ...DRY, name: 'Drier' }, headers)
    },
  },
  {
    operation: 'count messages by status and day, of 30 days without any',
    limits: { trips: 1, read: 2, written: 0 },
    run: () => team.call('GET', '/v1/ext/message/count?by=day&to=2025-06-01T00:00:00Z'),
  },
  {
    operation: 'count jobs by status',
    limits: { trips: 1, read: 40, written: 0 },
    run: () => team.call('GET', '/v1/ext/background-job/count'),
  },
  {
    operation: 'list requests, one batch',
    limits: { trips: 1, read: 15, written: 0 },
    run: async () => {
      const other = await newTeam()
      await makeLoggedRequest(other)
      return other.call('GET', '/v1/ext/request')
    },
  },
  {
    operation: 'fetch a request by its id, one batch',
    limits: { trips: 1, read: 6, written: 0 },
    run: async () => {
      const other = await newTeam()
      return other.call('GET', `/v1/ext/request/${(await makeLoggedRequest(other)).id}`)
    },
  },
  {
    operation: 'usage of a month of 31 days without messages',
    limits: { trips: 2, read: 300, written: 0 },
    run: async () => {
      const other = await newTeam()
      await makeLoggedRequest(other)
      return other.call('GET', '/v1/ext/usage?month=2025-05')
    },
  },
  {
    operation: 'save a view',
    limits: { trips: 1, read: 3, written: 2 },
    run: () => team.call('POST', VIEWS, VIEW),
  },
  {
    operation: 'list saved views, one',
    limits: { trips: 1, read: 5, written: 0 },
    run: async () => {
      await team.call('POST', VIEWS, { ...VIEW, isShared: true })
      const viewer = await team.as('viewer')
      await viewer.call('GET', VIEWS)
      return viewer.call('GET', VIEWS)
    },
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
      await waitForJob(team, (await team.call('POST', `${path}/bulk-create`, many)).data.id)
      return team.call('PATCH', path, { where: { a: 'many' }, update: { data: { plain: 'q' } } })
    },
  },
  // These are the costs of an endpoint's object for an event: no call has them in its header. They come last, since
  // they move the clock.
  {
    operation: 'deliver an event by itself to an endpoint',
    limits: { trips: 5, read: 17, written: 2 },
    run: () => deliveryCost({ events: 1 }),
  },
  {
    operation: 'deliver each of 1,000 events of a job to an endpoint',
    limits: { trips: 0.06, read: 4.5, written: 0.05 },
    run: () => deliveryCost({ events: 1_000, byJob: true }),
  },
  {
    operation: 'the same in strict order',
    limits: { trips: 0.06, read: 4.5, written: 0.05 },
    run: () => deliveryCost({ events: 1_000, byJob: true, order: 'strict' }),
  },
  {
    operation: 'deliver an event whose first attempt fails',
    // One of the rows read is the last one that the object knows of: after a restore it may be gone.
    limits: { trips: 10, read: 37, written: 4 },
    run: async () => {
      const cost = await deliveryCost({ events: 1 }, (_, nth) => new Response('', { status: nth === 1 ? 500 : 200 }))
      expect(cost.attempts).toBe(2)
      return cost
    },
  },
]

const measured: { row: Row; cost: Reply['cost'] }[] = []
let team: Team
let processes: Processes
/** A procedure of its own, with an indexed list. */
let tagged: Processes
/** A procedure of its own, with a searchable attribute. */
let noted: Processes
/** A team whose feed is on. */
let due: Processes

beforeAll(async () => {
  const dueTeam = await newTeam()
  await switchOnFeed(dueTeam)
  due = await newProcedure(dueTeam, definition)
  await due.create()
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
  if (env.COSTS) console.log(`${table()}\n\nAll: with the request and ${CPU_MS} ms of CPU.`)
})
