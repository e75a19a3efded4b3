import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { connect } from '../../src/db/client.ts'
import { createCost } from '../../src/db/cost.ts'
import { getFirstRid } from '../../src/ids.ts'
import { aggregateProcesses } from '../../src/process/query/aggregate/aggregate.ts'
import { CountQuery } from '../../src/process/query/aggregate/schema.ts'
import { SCAN_LIMITS } from '../../src/process/query/scan-limits.ts'
import { newTeam, type Team } from '../support/api.ts'
import { LEADS } from '../support/leads.ts'
import { attribute, newProcedure } from '../support/procedures.ts'
import { storeProcedure, storeProcesses, toId } from '../support/stored.ts'

const declare = (...indexed: string[]) => ({
  attributes: ['lead_id', 'reason'].map(name => attribute(name, 'string', { indexed: indexed.includes(name) })),
})

async function listKeys(team: Team, path: string, body: object): Promise<string[]> {
  const keys: string[] = []
  let cursor: string | undefined
  do {
    const page = await team.call('POST', `${path}/list`, { ...body, ...(cursor && { cursor }) })
    expect(page.errors).toEqual([])
    keys.push(...page.data.map(({ data }: { data: { lead_id: string } }) => data.lead_id))
    cursor = page.meta.next
  } while (cursor)
  return keys
}

describe('a text that is too long for an index', () => {
  it('is sorted by its first 1,000 characters, page by page', async () => {
    const team = await newTeam()
    const { create, path, define } = await newProcedure(team, declare())
    for (const [lead_id, end] of Object.entries({ A: 'a', B: 'b', C: 'c' }))
      await create({ data: { lead_id, reason: `${'😀'.repeat(lead_id === 'C' ? 999 : 80_000)}${end}` } })
    await define(declare('reason'))
    // C comes before a thousand smileys; of the same beginning the newest is first.
    expect(await listKeys(team, path, { sort: [{ field: 'reason' }], limit: 1 })).toEqual(['C', 'B', 'A'])
    expect(await listKeys(team, path, { sort: [{ field: 'reason', order: 'desc' }], limit: 1 })).toEqual([
      ...['B', 'A', 'C'],
    ])
  })

  it('is in the group of its first 1,000 characters, and a shorter one in the same group with an index and without', async () => {
    const team = await newTeam()
    const { create, path, define } = await newProcedure(team, declare())
    const group = async () => {
      const { data } = await team.call('POST', `${path}/aggregate`, { groupBy: ['reason'] })
      return data.map((each: { group: { reason: string }; count: number }) => [each.group.reason.length, each.count])
    }
    for (const length of [300, 300, 1_000]) await create({ data: { reason: `${'x'.repeat(length - 1)}a` } })
    await create({ data: { reason: `${'x'.repeat(299)}b` } })
    const groups = [
      [300, 2],
      [300, 1],
      [1_000, 1],
    ]
    expect(await group()).toEqual(groups)
    await define(declare('reason'))
    expect((await team.call('GET', '/v1/ext/procedure/lead')).data.attributes[1].indexReady).toBe(true)
    expect(await group()).toEqual(groups)
    for (const end of ['c', 'd']) {
      await define(declare())
      await create({ data: { reason: `${'y'.repeat(1_000)}${end}` } })
    }
    expect(await group()).toContainEqual([1_000, 2])
  })
})

const scope = {
  db: connect(env.DB, createCost()),
  idempotency: null,
  team: { no: 1, id: 'team', shortId: 'team', name: 'Team', eventFeedSince: null },
  user: { id: 'nobody' },
  origin: { job: 'none' },
  now: 0,
}

const PROCESSES_AT_ONCE = 50

/** Stores so many leads in place of all others. */
async function storeLeads(count: number, toData: (nth: number) => Record<string, unknown>) {
  await env.DB.batch([env.DB.prepare('DELETE FROM process'), env.DB.prepare('DELETE FROM procedure')])
  await storeProcedure(env.DB, LEADS)
  const processes = Array.from({ length: count }, (_, nth) => {
    const rid = getFirstRid(1_750_000_000_000 + nth * 1_000)
    const times = { nextActionAt: null, updatedAt: 1_750_000_000_000 }
    const plain = { state: 'new', assignedTo: null, status: 'OPEN' as const, record: null }
    return { rid, id: toId(rid), ...plain, data: { number: `L${nth}`, ...toData(nth) }, ...times }
  })
  for (let from = 0; from < count; from += PROCESSES_AT_ONCE)
    await storeProcesses(env.DB, LEADS, processes.slice(from, from + PROCESSES_AT_ONCE))
}

it('a count that stops at a long text of an index writes a cursor that it takes', async () => {
  await storeLeads(300, nth => ({ city: `पु${'े'.repeat(990)}${String(nth).padStart(4, '0')}` }))
  const filters = [{ where: { city: { startsWith: 'पु' } }, pointer: '/query/where' }]
  const limits = { ...SCAN_LIMITS, candidates: 50, candidatesMin: 50, countedEntriesMax: 200, listTrips: 1 }
  const request = { filters, groupBy: [], limit: 1 }
  const { next } = await aggregateProcesses(scope, LEADS, request, '/query/cursor', limits)
  expect(next?.length).toBeGreaterThan(3_000)
  expect(CountQuery.safeParse({ cursor: next }).success).toBe(true)
})

it('figures whose texts take too much memory together are refused', async () => {
  const texts = Array.from({ length: 10 }, (_, nth) => `text${nth}`)
  const data = Object.fromEntries(texts.map(name => [name, 'x'.repeat(1_000)]))
  const metrics = texts.map(name => ({ min: name }))
  await storeLeads(300, () => data)
  const request = { filters: [], metrics, limit: 10_000 }
  const read = (groupBy: string[]) => aggregateProcesses(scope, LEADS, { ...request, groupBy })
  expect((await read(['score'])).groups).toHaveLength(1)
  await storeLeads(450, nth => ({ ...data, score: nth }))
  await expect(read(['score'])).rejects.toMatchObject({
    code: 'invalid_request',
    faults: [{ message: expect.stringContaining('8000000 characters'), path: '/body/groupBy' }],
  })
})
