import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { newTeam, type Team } from '../support/api.ts'
import { bulk, LEADS, leadProcedure } from '../support/jobs.ts'

// The rows of the log as they are written: what history and the feed are read from.

interface LogRow {
  sequence: number
  count: number
  type: string
  by: Record<string, string>
  after: [rid: string, after: Record<string, unknown>][]
  before: Record<string, unknown[]> | null
}

async function readLog(team: Team): Promise<LogRow[]> {
  const { results } = await env.DB.prepare(
    'SELECT sequence, count, type, json("by") AS by, json(after) AS after, json(before) AS before FROM event WHERE team = ? ORDER BY sequence',
  )
    .bind(team.no)
    .all<{ sequence: number; count: number; type: string; by: string; after: string; before: string | null }>()
  return results.map(row => ({
    ...row,
    by: JSON.parse(row.by),
    after: Object.entries(JSON.parse(row.after)),
    before: row.before === null ? null : JSON.parse(row.before),
  }))
}

async function lastEvents(team: Team): Promise<Record<string, number>> {
  const { results } = await env.DB.prepare('SELECT primary_key AS key, last_event AS last FROM process WHERE team = ?')
    .bind(team.no)
    .all<{ key: string; last: number }>()
  return Object.fromEntries(results.map(({ key, last }) => [key, last]))
}

let team: Team
const lead = async (data: object, more: object = {}) => (await team.call('POST', LEADS, { data, ...more })).data

beforeEach(async () => {
  team = await newTeam()
  await leadProcedure(team)
})

describe('the log of a team', () => {
  it('has each single change, with its author, the new values and the replaced ones', async () => {
    const { id } = await lead({ lead_id: 'A', city: 'Ulm', score: 1 })
    await team.call('PUT', `${LEADS}/${id}`, { data: { score: 2, city: null, isHot: true } })
    await team.call('PUT', `${LEADS}/lead_id/A`, { status: 'COMPLETED', data: { lead_id: 'B' } })
    await team.call('DELETE', `${LEADS}/${id}`)
    await team.call('POST', `${LEADS}/${id}/restore`)
    const log = await readLog(team)
    expect(log.map(({ sequence, count, type }) => [sequence, count, type])).toEqual([
      [1, 1, 'process.created'],
      [2, 1, 'process.updated'],
      [3, 1, 'process.updated'],
      [4, 1, 'process.deleted'],
      [5, 1, 'process.restored'],
    ])
    const [rid] = log[0]?.after[0] ?? []
    expect(log.map(({ after }) => after)).toEqual([
      [[rid, { id }]],
      [[rid, { id, set: { score: 2, isHot: true }, unset: ['city'] }]],
      [[rid, { id, set: { lead_id: 'B' }, status: 2, state: 'WON', primaryKey: 'B' }]],
      [[rid, { id }]],
      [[rid, { id, version: 4, last: 4 }]],
    ])
    const time = expect.any(Number)
    expect(log.map(({ before }) => before?.[rid ?? ''])).toEqual([
      undefined,
      [1, 1, time, 0, {}, [[1, null, 'Ulm']]],
      [2, 2, time, 0, { status: 3, state: 'NEW', primaryKey: 'A' }, [['A']]],
      [3, 3, time, time, {}, []],
      undefined,
    ])
    expect(await lastEvents(team)).toEqual({ B: 5 })
    const { data: key } = await team.call('GET', '/v1/ext/me')
    for (const { by } of log) expect(by).toEqual({ user: team.admin, apiKey: key.key.id, request: expect.any(String) })
  })

  it('has all changes of a step of a job in one row, with the entries', async () => {
    const items = Array.from({ length: 5 }, (_, nth) => ({ data: { lead_id: `L${nth}`, score: nth } }))
    const created = await bulk(team, 'POST', items)
    const processes = ['L3', 'L1', 'L3', 'none'].map((lead_id, nth) => ({
      lead_id,
      update: { data: { city: `C${nth}` } },
    }))
    const updated = await bulk(team, 'PATCH', { processes })
    const log = await readLog(team)
    // The second change of L3 is a statement of its own, after the first.
    expect(log.map(({ sequence, count, type }) => [sequence, count, type])).toEqual([
      [5, 5, 'process.created'],
      [7, 2, 'process.updated'],
      [8, 1, 'process.updated'],
    ])
    expect(log.map(({ by }) => by)).toEqual(
      [created, updated, updated].map(({ data }) => ({ user: team.admin, job: data.id })),
    )
    expect(log[0]?.after.map(([, { entry }]) => entry)).toEqual([0, 1, 2, 3, 4])
    expect(log[1]?.after.map(([, { entry, set }]) => [entry, set])).toEqual([
      [0, { city: 'C0' }],
      [1, { city: 'C1' }],
    ])
    expect(Object.values(log[2]?.before ?? {})).toEqual([[2, 7, expect.any(Number), 0, {}, [['C0']]]])
    expect(await lastEvents(team)).toEqual({ L0: 5, L1: 7, L2: 5, L3: 8, L4: 5 })
  })

  it('keeps the values that updates of several forms replace, and more attributes than a single call takes', async () => {
    const many = (value: string) =>
      Object.fromEntries(Array.from({ length: 70 }, (_, nth) => [`a${nth}`, `${value}${nth}`]))
    await bulk(team, 'POST', [
      { data: { lead_id: 'A', ...many('x') } },
      { data: { lead_id: 'B', city: 'Ulm', score: 7 } },
      { data: { lead_id: 'C', 'odd "name"': 'odd' } },
    ])
    await bulk(team, 'PATCH', {
      processes: [
        { lead_id: 'A', update: { data: many('y') } },
        { lead_id: 'B', update: { data: { score: 8, isHot: true } } },
        { lead_id: 'C', update: { data: { 'odd "name"': null, score: 1 } } },
      ],
    })
    await team.call('PUT', `${LEADS}/lead_id/A`, { data: many('z') })
    const log = await readLog(team)
    const values = log
      .slice(1)
      .flatMap(({ before, after }) =>
        after.map(([rid, { set, unset }]) => [
          Object.keys(set as object).length + ((unset as string[]) ?? []).length,
          ((before?.[rid]?.[5] ?? []) as unknown[][]).flat(),
        ]),
      )
    expect(values).toContainEqual([70, Object.values(many('x'))])
    expect(values).toContainEqual([2, [7, null]])
    expect(values).toContainEqual([2, [null, 'odd']])
    expect(values.at(-1)).toEqual([70, Object.values(many('y'))])
  })

  it('has nothing of requests that were refused or changed nothing', async () => {
    const { id } = await lead({ lead_id: 'A' }, { state: 'LOST' })
    expect((await team.call('PUT', `${LEADS}/${id}`, { state: 'NEW' })).status).toBe(409)
    expect((await team.call('PUT', `${LEADS}/${id}`, { data: { score: 1 } }, { 'if-match': '"9-0"' })).status).toBe(412)
    expect((await team.call('DELETE', `${LEADS}/${id}`, undefined, { 'if-match': '"9-0"' })).status).toBe(412)
    expect((await team.call('POST', LEADS, { data: { lead_id: 'A' } })).status).toBe(409)
    expect((await team.call('PUT', `${LEADS}/lead_id/none`, { data: { score: 1 } })).status).toBe(404)
    const headers = { 'idempotency-key': 'once' }
    await team.call('PUT', `${LEADS}/${id}`, { data: { score: 1 } }, headers)
    await team.call('PUT', `${LEADS}/${id}`, { data: { score: 1 } }, headers)
    expect((await readLog(team)).map(({ type }) => type)).toEqual(['process.created', 'process.updated'])
  })

  it('is numbered without a gap by concurrent writers', async () => {
    const ids = await Promise.all(Array.from({ length: 10 }, async (_, nth) => (await lead({ lead_id: `L${nth}` })).id))
    await Promise.all(ids.flatMap(id => [1, 2].map(score => team.call('PUT', `${LEADS}/${id}`, { data: { score } }))))
    const log = await readLog(team)
    expect(log.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 30 }, (_, nth) => nth + 1))
  })

  it('has a new customer as a part of the new process, and links each event to the one before', async () => {
    const record = { data: { phone: `49${Date.now()}` } }
    const { id } = await lead({ lead_id: 'A' }, { record })
    await team.call('PUT', LEADS, { data: { lead_id: 'A', score: 1 }, record: { data: { phone: record.data.phone } } })
    await team.call('PUT', `${LEADS}/${id}`, { data: { score: 2 } })
    const log = (await readLog(team)).filter(({ type }) => type.startsWith('process.'))
    const [rid = ''] = log[0]?.after[0] ?? []
    const before = log.slice(1).map(({ before }) => before?.[rid]?.[1])
    expect(before).toEqual(log.slice(0, -1).map(({ sequence }) => sequence))
    expect(await lastEvents(team)).toEqual({ A: log.at(-1)?.sequence })
  })
})
