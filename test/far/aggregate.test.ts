import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { type FarReply, type FarTeam, far } from './far.ts'
import { LEADS, teamWithLeads } from './leads.ts'
import { HERE } from './platform/options.ts'

const COUNT = 6_500
/** A thousand processes take as long here as some millions do at 150 ms. */
const SLOW = { ...HERE, databaseMs: 4_500, replicaMs: 4_500 }

/** Nine texts that are looked for in each document, so that one statement reads a thousand processes. */
const contains = Array.from({ length: 9 }, (_, nth) => `text ${nth}`)
const WHERE = { a1: { '!=': 1 }, or: [{ a1: { '!=': 1 } }, { note: { contains } }] }

async function placeWithLeads() {
  const place = far(HERE)
  const team = await teamWithLeads(place)
  const proc = await env.DB.prepare('SELECT no FROM procedure WHERE team = ?').bind(team.no).first<number>('no')
  const sql = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
    INSERT INTO process (rid, id, proc, team, status, state, updated_at, data)
    SELECT 7000000000000000 + ?3 * 10000 + i, printf('01900000-0000-7000-8000-%04d%08d', ?3, i), ?2, ?3, 1 + i % 3, 'NEW', 1000,
      jsonb_object('shape', i % 5, 'weight', i, 'a1', iif(i % 10 = 0, 1, 2)) FROM n`
  await place.store([{ sql, params: [COUNT, proc, team.no] }])
  Object.assign(place.options, SLOW)
  return { place, team }
}

/** Each request continues where the one before it stopped. */
async function loadFigures(ask: (cursor: string | null) => Promise<FarReply>): Promise<FarReply[]> {
  const replies: FarReply[] = []
  let cursor: string | null = null
  do {
    const reply: FarReply = await ask(cursor)
    replies.push(reply)
    expect([reply.status, reply.errors]).toEqual([200, []])
    expect(reply.ms).toBeLessThan(15_000)
    expect(reply.meta.isComplete).toBe(reply.meta.next === null)
    cursor = reply.meta.next
  } while (cursor !== null && replies.length < 20)
  return replies
}

const aggregate = (team: FarTeam, body: object) => (cursor: string | null) =>
  team.call('POST', `${LEADS}/aggregate`, { ...body, ...(cursor === null ? {} : { cursor }) })

it('an aggregation that exceeds the time of a request says so, and is exact at the end of its cursors', async () => {
  const { team } = await placeWithLeads()
  const groupBy = ['shape', 'status']
  const replies = await loadFigures(
    aggregate(team, { where: WHERE, groupBy, metrics: [{ count: true }, { sum: 'weight' }, { max: 'weight' }] }),
  )
  expect(replies.length).toBeGreaterThan(1)
  const expected = new Map<string, { count: number; sum: number; max: number }>()
  const words = ['CANCELLED', 'COMPLETED', 'OPEN']
  for (let i = 1; i <= COUNT; i++) {
    if (i % 10 === 0) continue
    const key = `${i % 5} ${words[i % 3]}`
    const { count, sum } = expected.get(key) ?? { count: 0, sum: 0 }
    expected.set(key, { count: count + 1, sum: sum + i, max: i })
  }
  const found = replies
    .at(-1)
    ?.data.map(({ group, count, sum, max }: FarReply['data']) => [
      `${group.shape} ${group.status}`,
      { count, sum: sum.weight, max: max.weight },
    ])
  expect(new Map(found)).toEqual(expected)
  // The values of a part are smaller, and no group of it is lost.
  const parts = replies.map(({ data }) => data.reduce((all: number, { count }: { count: number }) => all + count, 0))
  expect(parts).toEqual([...parts].sort((one, other) => one - other))
  expect(parts[0]).toBeLessThan(parts.at(-1))
})

it('a count continues by its cursor, too, and a cursor of another query is refused', async () => {
  const { team } = await placeWithLeads()
  const where = `where=${encodeURIComponent(JSON.stringify(WHERE))}`
  const replies = await loadFigures(cursor =>
    team.call('GET', `${LEADS}/count?${where}${cursor === null ? '' : `&cursor=${cursor}`}`),
  )
  expect(replies.length).toBeGreaterThan(1)
  expect(replies.at(-1)?.data).toEqual({ count: COUNT * 0.9 })
  const { status, meta } = await team.call('GET', `${LEADS}/count?cursor=${replies[0]?.meta.next}`)
  expect([status, meta.errors[0].path]).toEqual([400, '/query/cursor'])
})
