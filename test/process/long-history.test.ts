import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import { newTeam } from '../support/api.ts'
import { newProcedure } from '../support/procedures.ts'

const CHANGES = 10_000
/** Ten million characters of changes would be ten trips; these are small, so it is 2,000 of them for each. */
const TRIPS_MAX = 8

test('a process that was changed ten thousand times is shown as it was at first, in a few trips', async () => {
  const team = await newTeam()
  const { path, create, update, fetch } = await newProcedure(team)
  const made = await create({ data: { lead_id: 'A', score: 1 } })
  await update(made.data.id, { data: { score: 2 } })
  await changeOften(team.no, made.data.id, CHANGES)

  const first = await fetch(`${made.data.id}?asOf=1`)
  expect(first.errors).toEqual([])
  expect(first.data.data).toEqual({ lead_id: 'A', score: 1 })
  expect(first.cost.trips).toBeLessThanOrEqual(TRIPS_MAX)

  const blamed = await fetch(`${made.data.id}?blame=true`)
  expect(blamed.meta.blame['data.lead_id'].version).toBe(1)
  expect(blamed.meta.blame['data.score'].version).toBe(CHANGES + 2)
  expect(blamed.cost.trips).toBeLessThanOrEqual(TRIPS_MAX)

  const reverted = await team.call('PUT', `${path}/${made.data.id}/revert`, { version: 1 })
  expect(reverted.errors).toEqual([])
  expect(reverted.data.data.score).toBe(1)
  expect(reverted.cost.trips).toBeLessThanOrEqual(TRIPS_MAX + 2)
})

/** Copies of its last event, each of which names the one before it. */
async function changeOften(team: number, id: string, count: number): Promise<void> {
  const row = await env.DB.prepare(
    'SELECT rid, last_event AS last, version, updated_at AS at FROM process WHERE id = ?',
  )
    .bind(id)
    .first<Record<'rid' | 'last' | 'version' | 'at', number>>()
  if (row === null) throw new Error('there is no such process')
  const { rid, last, version, at } = row
  const member = `$."${rid}"`
  await env.DB.batch([
    env.DB.prepare(`INSERT INTO event (team, sequence, count, at, type, proc, by, after, before)
      WITH RECURSIVE change(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM change WHERE n < ?1)
      SELECT team, sequence + n, 1, at + n, type, proc, by, after, jsonb_set(before, ?2 || '[0]', ?3 + n - 1, ?2 || '[1]', ?4 + n - 1, ?2 || '[2]', ?5 + n - 1)
      FROM change CROSS JOIN event WHERE team = ?6 AND sequence = ?4`).bind(count, member, version, last, at, team),
    env.DB.prepare(
      'UPDATE process SET version = version + ?1, last_event = last_event + ?1, updated_at = updated_at + ?1 WHERE rid = ?2',
    ).bind(count, rid),
  ])
}

test('a history does not read the changes of a customer after the process had left it', async () => {
  const team = await newTeam()
  const { create, update, fetch } = await newProcedure(team)
  const made = await create({ data: { lead_id: 'A' }, record: { data: { phone: '491701111111', name: 'Asha' } } })
  const customer = `/v1/ext/record/${made.data.record.id}`
  for (const name of ['Asha R', 'Asha Rao'])
    expect((await team.call('PUT', customer, { data: { name } })).status).toBe(200)
  await update(made.data.id, { record: { data: { phone: '491702222222', name: 'Ben' } } })
  expect((await team.call('PUT', customer, { data: { name: 'Asha Rao-Sen' } })).status).toBe(200)
  const names = async () => {
    const entries = []
    let trips = 0
    for (let path: string | null = `${made.data.id}/history?limit=2`; path !== null; ) {
      const page = await fetch(path)
      expect(page.errors).toEqual([])
      trips = Math.max(trips, page.cost.trips)
      entries.push(...page.data)
      path = page.meta.next && `${made.data.id}/history?limit=2&cursor=${page.meta.next}`
    }
    const changes = entries.flatMap(each => each.changes as { field: string; to: unknown }[])
    return { trips, names: changes.flatMap(({ field, to }) => (field === 'record.name' ? to : [])) }
  }
  const before = await names()
  expect(before.names).toEqual(['Asha Rao', 'Asha R'])
  await changeCustomerOften(team.no, made.data.record.id, CHANGES)
  expect(await names()).toEqual(before)
})

async function changeCustomerOften(team: number, id: string, count: number): Promise<void> {
  const row = await env.DB.prepare('SELECT rid, last_event AS last FROM record WHERE id = ?')
    .bind(id)
    .first<Record<'rid' | 'last', number>>()
  if (row === null) throw new Error('there is no such customer')
  const { rid, last } = row
  const member = `$."${rid}"`
  await env.DB.batch([
    env.DB.prepare(`INSERT INTO event (team, sequence, count, at, type, proc, by, after, before)
      WITH RECURSIVE change(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM change WHERE n < ?1)
      SELECT team, sequence + n, 1, at + n, type, proc, by, after, jsonb_set(before, ?2 || '[0]', (before ->> (?2 || '[0]')) + n, ?2 || '[1]', ?3 + n - 1)
      FROM change CROSS JOIN event WHERE team = ?4 AND sequence = ?3`).bind(count, member, last, team),
    env.DB.prepare('UPDATE record SET version = version + ?1, last_event = last_event + ?1 WHERE rid = ?2').bind(
      count,
      rid,
    ),
  ])
}
