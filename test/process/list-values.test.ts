import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { newTeam, type Team } from '../support/api.ts'
import { bulk } from '../support/jobs.ts'
import { attribute, newProcedure } from '../support/procedures.ts'

const indexed = { indexed: true }
const NUMBERS = [1, 2.5, 30, 1e21]
const attributes = [
  attribute('lead_id', 'string'),
  attribute('n', 'integer'),
  attribute('tags', 'multiString', indexed),
  attribute('sizes', 'multiFloatEnum', { ...indexed, values: NUMBERS }),
]
const newLeads = (team: Team, more: object = {}) => newProcedure(team, { attributes, ...more })

/** Reads the index of a team: `<lead_id> <slot> <element>`, in the order of the text. */
async function entered({ no }: Team): Promise<string[]> {
  const { results } = await env.DB.prepare(
    `SELECT process.primary_key || ' ' || slot || ' ' || json_quote(value) AS entry
      FROM process_value LEFT JOIN process ON process.rid = process_value.rid WHERE process_value.team = ? ORDER BY entry`,
  )
    .bind(no)
    .all<{ entry: string }>()
  return results.map(({ entry }) => entry)
}

async function found(team: Team, path: string, where: object): Promise<string[]> {
  const { data, errors } = await team.call('POST', `${path}/list`, { where, limit: 100 })
  expect(errors).toEqual([])
  return data.map((each: { data: { lead_id: string } }) => each.data.lead_id)
}

describe('the elements of an indexed list', () => {
  it('are entered once each, and follow each single change', async () => {
    const team = await newTeam()
    const { create, update, upsert, remove, restore, path } = await newLeads(team)
    const made = await create({ data: { lead_id: 'A', tags: ['x', 'y', 'x'], sizes: [1, '2.5'] } })
    expect(await entered(team)).toEqual(['A 1 "x"', 'A 1 "y"', 'A 2 1', 'A 2 2.5'])
    await create({ data: { lead_id: 'B', tags: [] } })
    await create({ data: { lead_id: 'C' } })
    expect(await found(team, path, { tags: 'x' })).toEqual(['A'])
    expect(await found(team, path, { sizes: ['2.5', 30] })).toEqual(['A'])

    const changed = await update(made.data.id, { data: { tags: ['y', 'z'], n: 1 } })
    expect(await entered(team)).toEqual(['A 1 "y"', 'A 1 "z"', 'A 2 1', 'A 2 2.5'])
    // The row, its event, and one element less and one more.
    expect(changed.cost.written).toBe(4)
    expect((await update(made.data.id, { data: { n: 2 } })).cost.written).toBe(2)
    await upsert({ data: { lead_id: 'A', sizes: [30] } })
    await upsert({ data: { lead_id: 'D', tags: ['x'] } })
    expect(await entered(team)).toEqual(['A 1 "y"', 'A 1 "z"', 'A 2 30', 'D 1 "x"'])
    await update('lead_id/A', { data: { lead_id: 'E', sizes: null } })
    expect(await entered(team)).toEqual(['D 1 "x"', 'E 1 "y"', 'E 1 "z"'])

    const removed = await remove(made.data.id)
    // The row, the two elements, the event, and the trash with its two indexes: by time, and by primary key.
    expect(removed.cost.written).toBe(1 + 2 + 1 + 3)
    expect(await entered(team)).toEqual(['D 1 "x"'])
    expect((await restore(made.data.id)).status).toBe(200)
    expect(await entered(team)).toEqual(['D 1 "x"', 'E 1 "y"', 'E 1 "z"'])
    expect(await found(team, path, { tags: ['z', 'x', 'y'] })).toEqual(['D', 'E'])
  })

  it('stay as they are where a change is refused', async () => {
    const team = await newTeam()
    const states = [{ shortId: 'NEW', next: ['BUSY'] }, { shortId: 'BUSY' }, { shortId: 'WON' }]
    const { create, update, remove } = await newLeads(team, { states })
    const { data } = await create({ data: { lead_id: 'A', tags: ['x'] } })
    await create({ data: { lead_id: 'B', tags: ['y'] } })
    const before = await entered(team)
    const tags = ['z']
    const stale = { 'if-match': '"7-0"' }
    const refused = [
      () => update(data.id, { data: { tags } }, stale),
      () => update('lead_id/A', { data: { tags, lead_id: 'C' } }, stale),
      () => update('lead_id/A', { data: { tags, lead_id: 'B' } }),
      () => update(data.id, { data: { tags }, state: 'WON' }),
      () => update('lead_id/A', { data: { tags, lead_id: 'C' }, state: 'WON' }),
      () => create({ data: { lead_id: 'B', tags } }),
      () => remove(data.id, stale),
      () => update('lead_id/nobody', { data: { tags } }),
    ]
    const statuses: number[] = []
    for (const call of refused) {
      statuses.push((await call()).status)
      expect(await entered(team)).toEqual(before)
    }
    expect(statuses).toEqual([412, 412, 409, 409, 409, 409, 412, 404])
  })

  it('follow idempotent requests once, and requests that name a known customer', async () => {
    const team = await newTeam()
    const { create, update } = await newLeads(team)
    const record = { data: { phone: `91${Date.now()}` } }
    await create({ data: { lead_id: 'A', tags: ['x'] }, record })
    const key = { 'idempotency-key': crypto.randomUUID() }
    for (let time = 0; time < 2; time++) {
      const { status } = await create({ data: { lead_id: 'B', tags: ['x', 'y'] }, record }, key)
      expect(status).toBe(201)
    }
    const again = { 'idempotency-key': crypto.randomUUID() }
    const first = await update('lead_id/B', { data: { tags: ['z'] } }, again)
    await update('lead_id/B', { data: { tags: ['w'] } })
    const replayed = await update('lead_id/B', { data: { tags: ['z'] } }, again)
    expect([replayed.headers.get('idempotency-replayed'), replayed.data]).toEqual(['true', first.data])
    expect(await entered(team)).toEqual(['A 1 "x"', 'B 1 "w"'])
  })

  it('follow jobs: creates, updates of several forms, several of one process, deletions, and all matches', async () => {
    const team = await newTeam()
    const { path } = await newLeads(team)
    const created = ['A', 'B', 'C', 'D'].map(lead_id => ({ lead_id, data: { tags: ['x', lead_id] } }))
    expect((await bulk(team, 'POST', [...created, { lead_id: 'E', data: {} }])).data.completionStatus).toBe('SUCCESS')
    expect(await entered(team)).toEqual(['A', 'B', 'C', 'D'].flatMap(id => [`${id} 1 "${id}"`, `${id} 1 "x"`]).sort())
    const processes = [
      { lead_id: 'A', update: { data: { tags: ['x', 'y'] } } },
      { lead_id: 'B', update: { data: { sizes: [1], n: 1 } } },
      { lead_id: 'C', update: { data: { tags: null, sizes: [2.5] } } },
      { lead_id: 'A', update: { data: { tags: ['z'] } } },
      { lead_id: 'A', update: { data: { tags: ['z', 'w'], lead_id: 'F' } } },
      { lead_id: 'D', update: { isDeleted: true } },
      { lead_id: 'E', update: { state: 'WON' } },
    ]
    const updated = await bulk(team, 'PATCH', { processes })
    expect(updated.data.completionStatus).toBe('SUCCESS')
    expect(await entered(team)).toEqual(['B 1 "B"', 'B 1 "x"', 'B 2 1', 'C 2 2.5', 'F 1 "w"', 'F 1 "z"'])
    await bulk(team, 'PATCH', { where: { tags: ['x', 'w'] }, update: { data: { tags: ['x', 'v'] } } })
    expect(await entered(team)).toEqual(['B 1 "v"', 'B 1 "x"', 'B 2 1', 'C 2 2.5', 'F 1 "v"', 'F 1 "x"'])
    expect(await found(team, path, { tags: 'v' })).toEqual(['B', 'F'])
    await bulk(team, 'PATCH', { where: { tags: 'v' }, update: { isDeleted: true } })
    expect(await entered(team)).toEqual(['C 2 2.5'])
  })
})

describe('a value that an index cannot hold', () => {
  it('is refused, by the name of the attribute', async () => {
    const team = await newTeam()
    const { create } = await newLeads(team)
    const many = Array.from({ length: 100 }, (_, n) => `t${n}`)
    expect((await create({ data: { lead_id: 'A', tags: many } })).status).toBe(201)
    expect(await entered(team)).toHaveLength(100)
    const over = await create({ data: { tags: [...many, 'one more'] } })
    expect([over.status, over.errors]).toEqual([400, ['"tags" has an index, and holds at most 100 values']])
    const long = await create({ data: { tags: ['a', 'x'.repeat(1001)] } })
    expect([long.status, long.errors]).toEqual([
      400,
      ['"tags" has an index, and holds at most 1000 characters in each value'],
    ])
    expect((await create({ data: { tags: ['x'.repeat(1000)] } })).status).toBe(201)
  })

  it('is not needed for an order: lists cannot be sorted by', async () => {
    const team = await newTeam()
    const { path } = await newLeads(team)
    const sorted = await team.call('POST', `${path}/list`, { sort: [{ field: 'tags', order: 'asc' }] })
    expect([sorted.status, sorted.errors]).toEqual([400, ['"tags" cannot be sorted by: its values are lists']])
  })
})
