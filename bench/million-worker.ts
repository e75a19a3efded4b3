import { connect } from '../src/db/client.ts'
import { createCost } from '../src/db/cost.ts'
import { getFirstRid, readCreatedAt } from '../src/ids.ts'
import type { AttributeType, Procedure } from '../src/procedure/model.ts'
import { aggregateProcesses } from '../src/process/query/aggregate/aggregate.ts'
import { type ListRequest, prepareList, writeListCursor } from '../src/process/query/list.ts'
import { readPage as readWholePage } from '../src/process/query/output/parts.ts'
import type { SortRequest } from '../src/process/query/read/sort.ts'
import { SCAN_LIMITS } from '../src/process/query/scan-limits.ts'
import { createTeamScope, type Scope } from '../src/scope.ts'

import { type AggregateShape, aggregatesFor } from './million-aggregates.ts'

interface BenchEnv {
  DB: D1Database
  SCHEMA: string
}

const START_MS = 1_710_000_000_000
const MS_BETWEEN = 60_000
const CITIES = 114
const USERS = 110

const attribute = (shortId: string, type: AttributeType, indexed = false) => ({
  shortId,
  name: shortId,
  type,
  required: false,
  indexed,
})

const procedure: Procedure = {
  no: 1,
  id: 'procedure-1',
  shortId: 'lead',
  name: 'Lead',
  version: 1,
  createdAt: 0,
  updatedAt: 0,
  states: ['new', 'visit', 'quote', 'won', 'lost'].map(shortId => ({ shortId, name: shortId })),
  startState: 'new',
  completedState: 'won',
  primaryKey: 'leadNumber',
  phoneAttribute: null,
  strict: false,
  attributes: [
    ...['stage', 'isHot', 'city', 'customerCode', 'phone'].map(shortId => attribute(shortId, 'string', true)),
    attribute('dealValue', 'float', true),
    ...['leadNumber', 'source', 'notes'].map(shortId => attribute(shortId, 'string')),
    ...['email', 'address'].map(shortId => ({ ...attribute(shortId, 'string'), searchable: true })),
    attribute('score', 'integer'),
  ],
  slots: Object.fromEntries(
    ['stage', 'isHot', 'city', 'dealValue', 'customerCode', 'phone'].map((shortId, index) => [
      shortId,
      { column: index + 1, ready: true },
    ]),
  ),
  wordsReady: true,
}

/** Values as a recursive table `n` gives them; every eleventh row belongs to one of twenty other procedures. */
const LOAD = `WITH RECURSIVE n(i) AS (SELECT ?1 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?2),
r AS MATERIALIZED (SELECT CAST(i AS INTEGER) AS i, abs(random()) AS a, abs(random()) AS b, abs(random()) AS c, abs(random()) AS d FROM n),
v AS (SELECT i, (?3 + i * ${MS_BETWEEN}) * 4096 + a % 4096 AS rid, 's_' || (b % 9) AS stage, iif(c % 2, 'yes', 'no') AS hot,
  'city ' || (a / 4096 % ${CITIES}) AS city, d % 1000000 AS deal, 'C' || (b / 16 % 100000) AS code, '9198' || (10000000 + i) AS phone,
  c / 8 % 101 AS score, d / 1000000 % 100 AS die, a / 65536 % 5 AS state, b / 65536 % ${USERS} AS user, c, d, b FROM r)
INSERT INTO process (rid, id, proc, team, status, state, assigned_to, next_action_at, updated_at, primary_key, s1, s2, s3, s4, s5, s6, words, data)
SELECT rid, printf('018f0000-0000-7000-8000-%012d', i), 1 + (i % 11 = 10) * (1 + i / 11 % 20), 1,
  CASE WHEN die < 2 THEN 1 WHEN die < 76 THEN 2 ELSE 3 END, json_extract('["new","visit","quote","won","lost"]', '$[' || state || ']'),
  printf('018f0000-0000-7000-8000-0000000%05d', user), iif(die >= 76, 1800000000000 + d % 100000000, NULL), ${START_MS} + i * ${MS_BETWEEN} + c % 10000000,
  'L' || i, stage, hot, city, deal, code, phone,
  jsonb(json_object('leadNumber', 'l' || i, 'email', 'person' || i || ' example com',
    'address', i || ' long street ' || city || ' behind the old mill second floor')),
  jsonb(json_object('stage', stage, 'isHot', hot, 'city', city, 'dealValue', deal, 'customerCode', code, 'phone', phone, 'leadNumber', 'L' || i,
    'email', 'person' || i || '@example.com', 'score', score, 'address', i || ' Long Street, ' || city || ', behind the old mill, second floor',
    'source', 'campaign ' || (b % 7), 'notes', hex(zeroblob(300)))) FROM v`

/** The words of all procedures, as `indexWords` writes them for one. */
const INDEX_WORDS = `INSERT INTO process_search (rowid, words) SELECT rid, replace(
    (SELECT ' ' || group_concat(value, ' ') FROM json_each(words)), ' ', ' ' || proc || '§')
  FROM process WHERE rid >= (?3 + ?1 * ${MS_BETWEEN}) * 4096 AND rid < (?3 + ?2 * ${MS_BETWEEN}) * 4096`

async function prepare(db: D1Database, schema: string): Promise<number> {
  const existing = await db
    .prepare(`SELECT count(*) AS n FROM sqlite_master WHERE name = 'process'`)
    .first<{ n: number }>()
  if (existing?.n === 0) {
    const statements = schema.split('--> statement-breakpoint').filter(sql => !/INDEX `process_/.test(sql))
    await db.batch(statements.map(sql => db.prepare(sql)))
    await db
      .prepare(
        `INSERT INTO procedure (no, id, team, short_id, version, definition, created_at, updated_at) VALUES (1, 'procedure-1', 1, 'lead', 1, jsonb('{}'), 0, 0)`,
      )
      .run()
    const user = `INSERT INTO user (id, team, username, role, created_at, updated_at)
      SELECT printf('018f0000-0000-7000-8000-0000000%05d', value), 1, 'user' || value, 'agent', 0, 0 FROM json_each(?)`
    await db
      .prepare(user)
      .bind(JSON.stringify(Array.from({ length: USERS }, (_, index) => index)))
      .run()
  }
  const count = await db.prepare('SELECT count(*) AS n FROM process').first<{ n: number }>()
  return count?.n ?? 0
}

interface Shape {
  name: string
  where: unknown
  search?: string
  sort?: SortRequest[]
  skip?: number
  limit?: number
  aim?: number
  /** Measured is the page after this many processes, by cursor. */
  after?: number
}

const day = (rows: number, at: number) => START_MS + Math.floor(rows * at) * MS_BETWEEN

function shapesFor(rows: number): Shape[] {
  const [mid, next] = [day(rows, 0.5), day(rows, 0.5) + 86_400_000]
  return [
    { name: 'newest, limit 10', where: {}, aim: 12 },
    { name: 'newest, limit 100', where: {}, limit: 100, aim: 102 },
    { name: 'newest, after 500,000, by cursor', where: {}, after: Math.floor(rows / 2), aim: 12 },
    { name: 'newest, skip 10,000', where: {}, skip: 10_000 },
    { name: 'status OPEN (24 %)', where: { status: 'OPEN' }, aim: 12 },
    { name: 'state visit (20 %)', where: { state: 'visit' }, aim: 12 },
    { name: 'assignedTo (0.9 %)', where: { assignedTo: 'user7' }, aim: 15 },
    { name: 'customerCode (10)', where: { customerCode: 'C77' }, aim: 12 },
    { name: 'isHot (50 %)', where: { isHot: 'yes' }, aim: 12 },
    { name: 'isHot (50 %), after 100,000, by cursor', where: { isHot: 'yes' }, after: Math.floor(rows / 10), aim: 12 },
    { name: 'primary key', where: { leadNumber: 'L77' }, aim: 12 },
    { name: 'city (0.9 %) and CANCELLED (2 %)', where: { city: 'city 7', status: 'CANCELLED' }, aim: 800 },
    { name: 'isHot and OPEN', where: { isHot: 'yes', status: 'OPEN' }, aim: 800 },
    { name: 'city and stage (11 %)', where: { city: 'city 7', stage: 's_3' }, aim: 800 },
    { name: 'customerCode and isHot', where: { isHot: 'yes', customerCode: 'C77' }, aim: 800 },
    { name: 'city, stage and OPEN', where: { city: 'city 7', stage: 's_3', status: 'OPEN' }, aim: 800 },
    { name: 'isHot, stage and OPEN', where: { isHot: 'yes', stage: 's_3', status: 'OPEN' }, aim: 800 },
    { name: 'assignedTo and OPEN', where: { assignedTo: 'user7', status: 'OPEN' }, aim: 803 },
    { name: 'city and assignedTo (both 0.9 %)', where: { city: 'city 7', assignedTo: 'user7' }, aim: 803 },
    ...[999_990, 999_900, 999_000, 998_000, 997_000, 995_000, 990_000, 900_000, 500_000].map(value => ({
      name: `dealValue >= ${value} (${(1_000_000 - value) / 10_000} %)`,
      where: { dealValue: { '>=': value } },
      aim: 4_000,
    })),
    {
      name: 'dealValue >= 990000, second page by cursor',
      where: { dealValue: { '>=': 990_000 } },
      after: 10,
      aim: 4_000,
    },
    { name: 'dealValue between (0.1 %)', where: { dealValue: { '>=': 500_000, '<': 501_000 } }, aim: 4_000 },
    { name: 'dealValue >= 990000 (1 %) and OPEN', where: { dealValue: { '>=': 990_000 }, status: 'OPEN' } },
    { name: 'createdAt one day', where: { createdAt: { '>=': mid, '<': next } }, aim: 12 },
    { name: 'createdAt one day and city', where: { createdAt: { '>=': mid, '<': next }, city: 'city 7' }, aim: 12 },
    { name: 'city, 3 values', where: { city: ['city 1', 'city 2', 'city 3'] } },
    { name: 'city, 20 values', where: { city: Array.from({ length: 20 }, (_, index) => `city ${index}`) } },
    { name: 'customerCode, 20 values', where: { customerCode: Array.from({ length: 20 }, (_, index) => `C${index}`) } },
    { name: 'status != OPEN', where: { status: { '!=': 'OPEN' } } },
    { name: 'stage != s_3', where: { stage: { '!=': 's_3' } } },
    { name: 'phone or customerCode', where: { or: [{ phone: '919810000077' }, { customerCode: 'C77' }] } },
    {
      name: '(city and stage) or (dealValue >= 1 % and OPEN)',
      where: {
        or: [
          { city: 'city 7', stage: 's_3' },
          { dealValue: { '>=': 990_000 }, status: 'OPEN' },
        ],
      },
    },
    { name: 'score > 50, not indexed (50 %)', where: { score: { '>': 50 } } },
    { name: 'OPEN and score = 100, not indexed (1 %)', where: { status: 'OPEN', score: 100 } },
    { name: 'e-mail, not indexed (1 process)', where: { email: 'person77@example.com' } },
    { name: 'isHot and COMPLETED and no match', where: { isHot: 'yes', status: 'COMPLETED', email: 'nobody' } },
    { name: 'sort nextActionAt', where: {}, sort: [{ field: 'nextActionAt', order: 'asc' }] },
    {
      name: 'sort nextActionAt, second page by cursor',
      where: {},
      sort: [{ field: 'nextActionAt', order: 'asc' }],
      after: 10,
    },
    { name: 'sort nextActionAt of OPEN', where: { status: 'OPEN' }, sort: [{ field: 'nextActionAt', order: 'asc' }] },
    {
      name: 'sort nextActionAt of assignedTo and OPEN',
      where: { assignedTo: 'user7', status: 'OPEN' },
      sort: [{ field: 'nextActionAt', order: 'asc' }],
    },
    { name: 'sort dealValue, descending', where: {}, sort: [{ field: 'dealValue', order: 'desc' }] },
    { name: 'sort createdAt, oldest first', where: {}, sort: [{ field: 'createdAt', order: 'asc' }] },
    { name: 'sort status', where: {}, sort: [{ field: 'status', order: 'asc' }] },
    {
      name: 'sort updatedAt of assignedTo (no index)',
      where: { assignedTo: 'user7' },
      sort: [{ field: 'updatedAt', order: 'desc' }],
    },
    { name: 'search for a word of all', where: {}, search: 'mill', aim: 220 },
    {
      name: 'search for a word of all, after 100,000, by cursor',
      where: {},
      search: 'mill',
      after: Math.floor(rows / 10),
      aim: 220,
    },
    { name: 'search for a word of one', where: {}, search: 'person777', limit: 1, aim: 130 },
    { name: 'search for a word of all and one of 1,000', where: {}, search: 'mill person777', aim: 220 },
    { name: 'search for two words of all', where: {}, search: 'street mill', aim: 220 },
    { name: 'search for the beginning of a word of all', where: {}, search: 'pers', aim: 220 },
    { name: 'search for a word of none', where: {}, search: 'pune', aim: 15 },
    { name: 'search for a word of all, of CANCELLED (2 %)', where: { status: 'CANCELLED' }, search: 'mill' },
    { name: 'search for a word of all, of city 7 (0.9 %)', where: { city: 'city 7' }, search: 'mill' },
    {
      name: 'search for a word of all, by relevance',
      where: {},
      search: 'mill',
      sort: [{ field: 'relevance', order: 'desc' }],
      aim: 6_500,
    },
    { name: 'city startsWith (20 of 114)', where: { city: { startsWith: 'city 10' } }, aim: 4_000 },
    { name: 'customerCode startsWith (1,111 of 100,000)', where: { customerCode: { startsWith: 'C77' } }, aim: 4_000 },
    { name: 'phone startsWith (1 process)', where: { phone: { startsWith: '919810000077' } }, aim: 25 },
    { name: 'primary key startsWith (1,111)', where: { leadNumber: { startsWith: 'L777' } }, aim: 4_000 },
    { name: 'email startsWith, not indexed (1,111)', where: { email: { startsWith: 'person777' } } },
    { name: 'city contains (19 of 114), indexed', where: { city: { contains: '7' } } },
    { name: 'address contains, not indexed (0.9 %)', where: { address: { contains: 'city 7,' } } },
    { name: 'address contains, not indexed (none)', where: { address: { contains: 'pune' } } },
    {
      name: 'address contains, not indexed (none), of a city',
      where: { city: 'city 7', address: { contains: 'pune' } },
    },
    { name: 'sort updatedAt (no index)', where: {}, sort: [{ field: 'updatedAt', order: 'desc' }] },
  ]
}

/** A connection that counts, and remembers its slowest statement. */
function watch(db: D1Database) {
  const cost = createCost()
  const watched = { cost, slowest: 0 }
  const binding = {
    prepare: (sql: string) => db.prepare(sql),
    batch: async <T>(statements: D1PreparedStatement[]) => {
      const results = await db.batch<T>(statements)
      for (const { meta } of results) watched.slowest = Math.max(watched.slowest, meta.duration)
      return results
    },
  } as unknown as D1Database
  const team = { no: 1, id: 'team', shortId: 'team', name: 'Team', eventFeedSince: null }
  return {
    watched,
    scope: createTeamScope(
      connect(binding, cost),
      { team, user: { id: 'nobody' }, origin: { job: 'bench' } },
      Date.now(),
    ),
  }
}

async function measureAggregate(db: D1Database, { where = {}, groupBy = [], metrics, aim }: AggregateShape) {
  const { watched, scope } = watch(db)
  const request = { filters: [{ where, pointer: '/body/where' }], groupBy, metrics, limit: 10_000 }
  for (let [cursor, requests]: [string | undefined, number] = [undefined, 1]; ; requests++) {
    const { found, next } = await aggregateProcesses({ ...scope, db: scope.db.reconnect() }, procedure, {
      ...request,
      cursor,
    })
    if (next === null) return { ...watched.cost, slowest: watched.slowest, found, aim: aim ?? null, requests }
    cursor = next
  }
}

async function measure(db: D1Database, shape: Shape) {
  const { watched, scope } = watch(db)
  const { where, search, sort = [], skip = 0, limit = 10, after } = shape
  let at: { cursor?: string } = {}
  if (after !== undefined) {
    const before = await readPage(scope, { where, search, sort, skip: Math.max(0, after - 10), limit: 10 })
    if (before.next !== null) at = { cursor: before.next }
  }
  Object.assign(watched.cost, createCost())
  watched.slowest = 0
  const { found } = await readPage(scope, { where, search, sort, skip, limit, ...at })
  return { ...watched.cost, slowest: watched.slowest, found: found.length, aim: shape.aim ?? null }
}

async function readPage(scope: Scope, request: ListRequest) {
  const list = await prepareList(scope, procedure, request)
  const { rows, next } = await readWholePage(scope, list, { limit: request.limit, limits: SCAN_LIMITS })
  return { found: rows, next: writeListCursor(list, next) }
}

export default {
  async fetch(request: Request, { DB, SCHEMA }: BenchEnv): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url)
    const rows = async () => (await DB.prepare('SELECT max(rid) AS n FROM process').first<{ n: number }>())?.n ?? 0
    switch (pathname) {
      case '/prepare':
        return Response.json({ stored: await prepare(DB, SCHEMA) })
      case '/load': {
        const [from, to] = [Number(searchParams.get('from')), Number(searchParams.get('to'))]
        const start = getFirstRid(START_MS) / 4096
        await DB.batch([LOAD, INDEX_WORDS].map(sql => DB.prepare(sql).bind(from, to, start)))
        return Response.json({})
      }
      case '/index':
        for (const sql of SCHEMA.split('--> statement-breakpoint').filter(each => /INDEX `process_/.test(each))) {
          await DB.prepare(sql).run()
        }
        return Response.json({})
      case '/shapes':
        return Response.json([...shapesFor(0), ...aggregatesFor(0, [0, 0])].map(({ name }) => ({ name })))
      default: {
        const count = Math.round((readCreatedAt(await rows()) - START_MS) / MS_BETWEEN)
        const name = searchParams.get('shape')
        const aggregate = aggregatesFor(count, [day(count, 0.5), day(count, 0.5) + 86_400_000]).find(
          each => each.name === name,
        )
        if (aggregate !== undefined) {
          await measureAggregate(DB, aggregate)
          return Response.json(await measureAggregate(DB, aggregate))
        }
        const shape = shapesFor(count).find(each => each.name === name)
        if (shape === undefined) return new Response('no such shape', { status: 404 })
        await measure(DB, shape)
        return Response.json(await measure(DB, shape))
      }
    }
  },
}
