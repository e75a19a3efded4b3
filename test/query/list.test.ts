import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, test } from 'vitest'
import { connect } from '../../src/db/client.ts'
import { createCost } from '../../src/db/cost.ts'
import { getFirstRid } from '../../src/ids.ts'
import { isStale } from '../../src/procedure/definition-guard.ts'
import type { ListRequest } from '../../src/process/query/list.ts'
import { findMatches, type MatchResult } from '../../src/process/query/matches.ts'
import type { SortRequest } from '../../src/process/query/read/sort.ts'
import { SCAN_LIMITS } from '../../src/process/query/scan-limits.ts'
import { CUSTOMERS } from '../support/cases.ts'
import { LEADS } from '../support/leads.ts'
import { listProcesses } from '../support/list-page.ts'
import { idsIn, storeCustomers, storeProcedure, storeProcesses, toId } from '../support/stored.ts'

const START_MS = 1_750_000_000_000
const COUNT = 3_000

const cost = createCost()
const scope = {
  /** A connection at each look: one has twenty seconds of database time in all. */
  get db() {
    return connect(env.DB, cost)
  },
  idempotency: null,
  team: { no: 1, id: 'team', shortId: 'team', name: 'Team', eventFeedSince: null },
  user: { id: 'nobody' },
  origin: { job: 'none' },
  now: 0,
}

beforeAll(async () => {
  await storeProcedure(env.DB, LEADS)
  const processes = Array.from({ length: COUNT }, (_, index) => {
    const rid = getFirstRid(START_MS + index * 1000) + (index % 7)
    return {
      rid,
      id: toId(rid),
      state: 'new',
      assignedTo: null,
      updatedAt: START_MS + ((index * 7) % 1000),
      status: index % 3 === 0 ? ('OPEN' as const) : ('COMPLETED' as const),
      nextActionAt: index % 3 === 0 ? START_MS + ((index * 31) % 500) : null,
      record: index % 100 === 0 ? (CUSTOMERS[0]?.rid ?? null) : null,
      data: {
        number: `L${index}`,
        city: `city ${index % 20}`,
        value: (index * 37) % 1000,
        hot: index % 2 === 0,
        score: index % 100,
      },
    }
  })
  await storeProcesses(env.DB, LEADS, processes)
  await storeCustomers(env.DB, CUSTOMERS)
  // The same customer has far more of another procedure.
  const others = processes.map(({ rid, ...each }) => ({ ...each, rid: rid + 1, record: CUSTOMERS[0]?.rid ?? null }))
  await storeProcesses(env.DB, { ...LEADS, no: LEADS.no + 1, slots: {} }, others)
})

describe('the largest filters stay within the limits of D1', () => {
  const list = (length: number) => Array.from({ length }, (_, index) => `value ${index}`)
  const wheres: [string, unknown][] = [
    [
      '64 different attributes',
      Object.fromEntries(list(64).map(name => [name, { '!=': ['a', 1, true, false, null] }])),
    ],
    ['64 lists under or', { or: list(64).map(name => ({ [name]: list(100) })) }],
    [
      'three indexes and 61 conditions',
      { city: 'a', status: 'OPEN', hot: true, or: list(61).map(name => ({ [name]: ['a', 1] })) },
    ],
    [
      'as deep as allowed',
      { city: 'a', and: [{ or: [{ and: [{ or: [{ and: [{ or: [{ and: [{ x: 1 }] }, { y: 2 }] }] }, { z: 1 }] }] }] }] },
    ],
    ['a thousand values', { city: list(1000), value: { '!=': Array.from({ length: 1000 }, (_, index) => index) } }],
  ]
  test.each(wheres)('%s', async (_, where) => {
    const page = await listProcesses(scope, LEADS, { where, skip: 0, limit: 100 })
    expect(page.rows.length).toBeLessThanOrEqual(100)
    for (const field of ['updatedAt', 'nextActionAt', 'number']) {
      const sort: SortRequest[] = [{ field, order: 'asc' }]
      const sorted = await listProcesses(scope, LEADS, { where, sort, skip: 0, limit: 100 })
      expect(sorted.rows.length).toBe(page.rows.length)
      expect((await listProcesses(scope, LEADS, { where, sort, skip: 1, limit: 100 })).rows.length).toBeLessThanOrEqual(
        100,
      )
    }
  })
})

describe('a list reads no more rows than it must', () => {
  const costs: [string, Omit<ListRequest, 'skip' | 'limit'>, number][] = [
    ['the newest', {}, 12],
    ['one equality', { where: { city: 'city 3' } }, 12],
    ['two equalities', { where: { city: 'city 3', status: 'OPEN' } }, 250],
    ['a narrow range', { where: { value: { '>=': 990 } } }, 120],
    ['the start of a text', { where: { city: { startsWith: 'CITY 13' } } }, 260],
    ['an order by an index', { sort: [{ field: 'value', order: 'asc' }] }, 120],
    ['the oldest', { sort: [{ field: 'createdAt', order: 'asc' }] }, 100],
  ]
  test.each(costs)('%s', async (_, request, most) => {
    Object.assign(cost, createCost())
    const page = await listProcesses(scope, LEADS, { ...request, skip: 0, limit: 10 })
    expect(page.rows).toHaveLength(10)
    expect(cost.trips).toBe(1)
    expect(cost.rowsRead).toBeLessThanOrEqual(most)
    Object.assign(cost, createCost())
    await listProcesses(scope, LEADS, { ...request, skip: 0, limit: 10, cursor: page.next ?? '' })
    expect(cost.rowsRead).toBeLessThanOrEqual(most)
  })

  const { phone, email, id } = CUSTOMERS[0] ?? { phone: '', email: '', id: '' }
  const ofCustomer: [string, Record<string, unknown>, number, number][] = [
    ['the phone number of a customer', { 'record.phone': phone }, 10, 26],
    ['the id of a customer', { record: id }, 10, 26],
    ['one of two customers', { 'record.email': [email, CUSTOMERS[1]?.email] }, 10, 40],
    ['a customer and an attribute without an index', { record: id, score: 0 }, 10, 120],
    ['a customer and an equality', { record: id, hot: true }, 10, 250],
    ['a customer or another', { or: [{ record: id }, { city: 'none' }] }, 10, 40],
    ['a customer whom nobody knows', { 'record.phone': '919999999999' }, 0, 2],
    ['a customer whom nobody knows, and an attribute', { 'record.email': 'x@example.com', score: 1 }, 0, 2],
    ['several whom nobody knows', { record: [toId(3), toId(4)] }, 0, 5],
  ]
  test.each(ofCustomer)('%s', async (_, where, found, most) => {
    Object.assign(cost, createCost())
    const page = await listProcesses(scope, LEADS, { where, skip: 0, limit: 10 })
    expect(page.rows).toHaveLength(found)
    // One trip finds the customer.
    expect(cost.trips).toBe(2)
    expect(cost.rowsRead).toBeLessThanOrEqual(most)
  })

  test('a scan without a match ends at the limit', async () => {
    const limits = { ...SCAN_LIMITS, candidates: 1000 }
    Object.assign(cost, createCost())
    const page = await listProcesses(scope, LEADS, { where: { score: 1000 }, skip: 0, limit: 10 }, undefined, limits)
    expect(page.rows).toEqual([])
    // Three full steps, and one that finds nothing left.
    expect(cost.trips).toBe(4)
    expect(cost.rowsRead).toBeLessThanOrEqual(2 * COUNT + 40)
  })
})

describe('a page', () => {
  const wheres: [string, unknown, string?][] = [
    ['of everything', {}],
    ['of what cannot be', { city: [] }],
    ['of one value that nobody has', { city: 'nowhere' }],
    ['of several values that nobody has', { city: ['nowhere', 'nobody'] }],
    ['of an unknown id', { id: toId(5) }],
    ['of an empty range', { value: { '>': 5, '<': 5 } }],
    ['of an attribute without an index', { score: 5 }],
    ['of what is sorted by an index', { score: 1000 }, 'value'],
    ['of an unknown id, sorted', { id: toId(5) }, 'updatedAt'],
    ['of what is sorted in memory', { city: 'nowhere' }, 'updatedAt'],
  ]
  test.each(wheres)('%s is refused when the definition is older than the stored one', async (_, where, field) => {
    const old = { ...LEADS, version: LEADS.version - 1 }
    const sort: SortRequest[] = field === undefined ? [] : [{ field, order: 'asc' }]
    const caught = (reading: Promise<unknown>) => reading.then(() => null).catch((error: unknown) => error)
    expect(await caught(listProcesses(scope, old, { where, sort, skip: 0, limit: 10 }))).toSatisfy(isStale)
    const wanted = { where, moment: 0, before: null, limit: 10, mayGoOn: () => true }
    expect(await caught(findMatches(scope, old, wanted))).toSatisfy(isStale)
  })

  test('continues with the same query, in whatever order its fields are written', async () => {
    const list = (where: object, cursor?: string) =>
      listProcesses(scope, LEADS, { where, skip: 0, limit: 2, ...(cursor === undefined ? {} : { cursor }) })
    const first = await list({ city: 'city 3', status: 'OPEN' })
    const again = await list({ status: 'OPEN', city: 'city 3' }, first.next ?? '')
    expect(again.rows).toHaveLength(2)
  })

  test('is refused by the cursor of another query, by a damaged cursor, and with both skip and cursor', async () => {
    const first = await listProcesses(scope, LEADS, { where: { city: 'city 3' }, skip: 0, limit: 5 })
    const cursor = first.next ?? ''
    const faults = async (request: Partial<ListRequest>) => {
      const error = await listProcesses(scope, LEADS, { skip: 0, limit: 5, ...request }).catch(
        (caught: unknown) => caught,
      )
      return (error as { faults: unknown[] }).faults
    }
    const at = (message: RegExp) => [{ path: '/body/cursor', message: expect.stringMatching(message) }]
    expect(await faults({ where: { city: 'city 4' }, cursor })).toEqual(at(/another query/))
    const by = (field: string): SortRequest => ({ field, order: 'asc' })
    for (const sort of [[by('city')], [by('city'), by('createdAt')]])
      expect(await faults({ where: { city: 'city 3' }, sort, cursor })).toEqual(at(/another query/))
    expect(await faults({ where: { city: 'city 3' }, cursor: `${cursor}!` })).toEqual(at(/damaged/))
    expect(await faults({ where: { city: 'city 3' }, cursor, skip: 5 })).toEqual(at(/not both/))
    await expect(
      listProcesses(scope, LEADS, { where: { city: 'city 3' }, skip: 0, limit: 50, cursor }),
    ).resolves.toBeDefined()
  })

  test('neither repeats nor skips a process by cursor while others are written', async () => {
    const seen: string[] = []
    let cursor: string | null = null
    for (let page = 0; cursor !== null || page === 0; page++) {
      const at: { cursor?: string } = cursor === null ? {} : { cursor }
      const list = await listProcesses(scope, LEADS, { where: { city: 'city 3' }, skip: 0, limit: 20, ...at })
      seen.push(...idsIn(list))
      cursor = list.next
      const rid = getFirstRid(START_MS + 10_000_000 + page)
      const fresh = { rid, id: toId(rid), status: 'OPEN' as const, state: 'new', assignedTo: null, nextActionAt: null }
      await storeProcesses(env.DB, LEADS, [{ ...fresh, record: null, updatedAt: START_MS, data: { city: 'city 3' } }])
    }
    expect(seen).toHaveLength(COUNT / 20)
    expect(new Set(seen).size).toBe(seen.length)
  })

  test('follows the one before it also in a narrow range, in whatever order', async () => {
    for (const fields of [['updatedAt'], ['state', 'updatedAt'], ['value'], ['createdAt']]) {
      const sort: SortRequest[] = fields.map(field => ({ field, order: 'asc' }))
      const where = { value: { '>=': 980 } }
      const all = await listProcesses(scope, LEADS, { where, sort, skip: 0, limit: 100 })
      expect(all.rows).toHaveLength(COUNT / 50)
      const paged: string[] = []
      let cursor: string | null = null
      for (let page = 0; cursor !== null || page === 0; page++) {
        const at: { cursor?: string } = cursor === null ? {} : { cursor }
        const list = await listProcesses(scope, LEADS, { where, sort, skip: 0, limit: 9, ...at })
        paged.push(...idsIn(list))
        cursor = list.next
      }
      expect(paged).toEqual(idsIn(all))
    }
  })

  test('can be continued by a job wherever it stopped', async () => {
    const ids: string[] = []
    let before: number | null = null
    do {
      const wanted = { where: { hot: true }, moment: 0, before, limit: 400, mayGoOn: () => true }
      const found: MatchResult = await findMatches(scope, LEADS, wanted)
      ids.push(...found.ids)
      before = found.rest
    } while (before !== null)
    expect(ids).toHaveLength(COUNT / 2)
    expect(ids).toEqual([...ids].sort().reverse())
  })

  test('has the newest matches for a job by a range, whichever process has the highest value', async () => {
    const ids: string[] = []
    let before: number | null = null
    do {
      const wanted = { where: { value: { '<': 9 } }, moment: 0, before, limit: 5, mayGoOn: () => false }
      const found: MatchResult = await findMatches(scope, LEADS, wanted)
      ids.push(...found.ids)
      before = found.rest
    } while (before !== null)
    expect(ids).toHaveLength((COUNT * 9) / 1000)
    expect(ids).toEqual([...ids].sort().reverse())
  })
})

test('skipped processes are passed in bounded statements, with and without a filter that no index has', async () => {
  for (const where of [{}, { status: 'COMPLETED' }, { hot: true }]) {
    const whole = await listProcesses(scope, LEADS, { where, skip: 1_250, limit: 100 })
    const limits = { ...SCAN_LIMITS, skippedMax: 500 }
    const before = { ...cost }
    const inPieces = await listProcesses(scope, LEADS, { where, skip: 1_250, limit: 100 }, undefined, limits)
    expect(idsIn(inPieces)).toEqual(idsIn(whole))
    expect(idsIn(inPieces)).toHaveLength(100)
    expect(cost.trips - before.trips).toBeGreaterThanOrEqual(3)
  }
})
