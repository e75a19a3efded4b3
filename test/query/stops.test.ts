import { env } from 'cloudflare:workers'
import { beforeEach, expect, test } from 'vitest'
import { connect } from '../../src/db/client.ts'
import { createCost } from '../../src/db/cost.ts'
import { getFirstRid } from '../../src/ids.ts'
import { SCAN_LIMITS } from '../../src/process/query/scan-limits.ts'
import { LEADS } from '../support/leads.ts'
import { listProcesses, type ProcessPage } from '../support/list-page.ts'
import { idsIn, storeProcedure, storeProcesses, toId } from '../support/stored.ts'

const START_MS = 1_750_000_000_000
const COUNT = 600

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
const HURRIED = { ...SCAN_LIMITS, candidates: 100, candidatesMin: 100, listTrips: 2 }
const BY_UPDATE = [{ field: 'updatedAt', order: 'desc' as const }]

beforeEach(async () => {
  await env.DB.batch([env.DB.prepare('DELETE FROM process'), env.DB.prepare('DELETE FROM procedure')])
  await storeProcedure(env.DB, LEADS)
  const processes = Array.from({ length: COUNT }, (_, index) => {
    const rid = getFirstRid(START_MS + index * 1000)
    const times = { nextActionAt: null, updatedAt: START_MS + index }
    return {
      rid,
      id: toId(rid),
      state: 'new',
      assignedTo: null,
      status: 'OPEN' as const,
      record: null,
      data: {},
      ...times,
    }
  })
  await storeProcesses(env.DB, LEADS, processes)
})

const list = (cursor: string | null, request: object): Promise<ProcessPage> =>
  listProcesses(scope, LEADS, { skip: 0, limit: 10, ...request, ...(cursor && { cursor }) }, undefined, HURRIED)

test('a request for a list makes no more round trips than it may', async () => {
  const where = { score: 1 }
  let [cursor, requests]: [string | null, number] = [null, 0]
  do {
    const before = cost.trips
    const page: ProcessPage = await list(cursor, { where })
    expect(page.rows).toEqual([])
    expect(cost.trips - before).toBeLessThanOrEqual(2)
    cursor = page.next
    requests += 1
  } while (cursor !== null)
  expect(requests).toBe(4)
})

test('a list that is sorted in pieces neither repeats nor skips a process while others are changed', async () => {
  const stored = await env.DB.prepare('SELECT id FROM process ORDER BY updated_at DESC, rid DESC').all<{ id: string }>()
  const [first, second, third, ...others] = stored.results.map(({ id }) => id)
  const moved = [first, second, third]
  const seen: string[] = []
  let [cursor, requests]: [string | null, number] = [null, 0]
  do {
    const page: ProcessPage = await list(cursor, { sort: BY_UPDATE })
    seen.push(...idsIn(page))
    cursor = page.next
    requests += 1
    // The first ones of an earlier request move to the end, and one of them ends.
    if (requests === 1) {
      await env.DB.prepare('UPDATE process SET updated_at = 1 WHERE id IN (?, ?)').bind(first, second).run()
      await env.DB.prepare('DELETE FROM process WHERE id = ?').bind(third).run()
    }
  } while (cursor !== null)
  expect(seen.filter(id => !moved.includes(id))).toEqual(others)
  expect(seen.slice(-2)).toEqual([second, first].sort().reverse())
})
