import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { type FarReply, type FarTeam, far } from './far.ts'
import { LEADS, teamWithLeads } from './leads.ts'
import { HERE } from './platform/options.ts'

const COUNT = 6_500
const NEEDLES = 5
/** An end for a list that would have none. */
const PAGES_MAX = 50

/** A thousand processes take as long here as a million do at 150 ms: the whole scan lasts 24 seconds. */
const SLOW = { ...HERE, databaseMs: 3_000, replicaMs: 3_000 }

/** Nine texts that are looked for in each document, so that one statement reads a thousand processes. */
const contains = Array.from({ length: 9 }, (_, nth) => `text ${nth}`)
const WHERE = { needle: true, or: [{ needle: true }, { note: { contains } }] }

/** Thousands of leads, of which only the oldest are what is looked for. */
async function placeWithNeedles() {
  const place = far(HERE)
  const team = await teamWithLeads(place)
  const proc = await env.DB.prepare('SELECT no FROM procedure WHERE team = ?').bind(team.no).first<number>('no')
  const sql = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
    INSERT INTO process (rid, id, proc, team, status, state, updated_at, data)
    SELECT 7000000000000000 + ?3 * 10000 + i, printf('01900000-0000-7000-8000-%04d%08d', ?3, i), ?2, ?3, 3, 'NEW', 1000 + i * 7 % 13,
      jsonb(CASE WHEN i <= ?4 THEN '{"needle": true}' ELSE '{}' END) FROM n`
  await place.store([{ sql, params: [COUNT, proc, team.no, NEEDLES] }])
  Object.assign(place.options, SLOW)
  return { place, team }
}

async function listAll(team: FarTeam, body: object): Promise<FarReply[]> {
  const replies: FarReply[] = []
  let cursor: string | null = null
  do {
    const reply = await team.call('POST', `${LEADS}/list`, { ...body, ...(cursor === null ? {} : { cursor, skip: 0 }) })
    replies.push(reply)
    expect([reply.status, reply.errors]).toEqual([200, []])
    expect(reply.ms).toBeLessThan(15_000)
    expect(reply.meta.hasMore).toBe(reply.meta.next !== null)
    cursor = reply.meta.next
  } while (cursor !== null && replies.length < PAGES_MAX)
  return replies
}

const listIds = (replies: FarReply[]): string[] =>
  replies.flatMap(({ data }) => data.map(({ id }: { id: string }) => id))
const getSerials = (replies: FarReply[]): number[] => listIds(replies).map(id => Number(id.slice(-8)))

it('a list that exceeds the time of a request stops in time with a cursor, and continues from there to the end', async () => {
  const { team } = await placeWithNeedles()
  const replies = await listAll(team, { where: WHERE })
  expect(replies.length).toBeGreaterThan(2)
  expect(replies[0]?.data).toEqual([])
  expect(getSerials(replies)).toEqual([5, 4, 3, 2, 1])
})

it('processes passed by `skip` stay passed on the pages that follow', async () => {
  const { team } = await placeWithNeedles()
  expect(getSerials(await listAll(team, { where: WHERE, skip: 2 }))).toEqual([3, 2, 1])
})

it('a list in an order without an index continues to sort where it stopped', async () => {
  const { team } = await placeWithNeedles()
  const sort = [{ field: 'updatedAt', order: 'asc' }]
  // Updated at 1007, 1001, 1008, 1002 and 1009.
  expect(getSerials(await listAll(team, { where: WHERE, sort }))).toEqual([2, 4, 1, 3, 5])
  expect(getSerials(await listAll(team, { where: WHERE, sort, skip: 1, limit: 2 }))).toEqual([4, 1, 3, 5])
})

it('a `skip` that is too deep to sort in pieces is refused, and the response says how to continue', async () => {
  const { team } = await placeWithNeedles()
  const sort = [{ field: 'updatedAt', order: 'asc' }]
  const reply = await team.call('POST', `${LEADS}/list`, { where: WHERE, sort, skip: 990 })
  expect([reply.status, reply.meta.errors[0].path]).toEqual([400, '/body/skip'])
  expect(reply.meta.errors[0].message).toContain('cursor')
})
