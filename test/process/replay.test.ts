import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { FIELD_NAMES } from '../../src/process/fields.ts'
import { newTeam } from '../support/api.ts'
import { newProcedure } from '../support/procedures.ts'

describe('an update by primary key that is sent again with its idempotency key', () => {
  it.each([
    ['removes the key', null],
    ['changes the key', 'B'],
    ['leaves the key', undefined],
  ])('has the same response as the first time, also where it %s', async (_, lead_id) => {
    const { create, update, fetch } = await newProcedure(await newTeam())
    const { data } = await create({ data: { lead_id: 'A', score: 1 } })
    const headers = { 'idempotency-key': crypto.randomUUID() }
    const body = { data: { score: 2, ...(lead_id === undefined ? {} : { lead_id }) } }
    const first = await update('lead_id/A', body, headers)
    expect(first.status, first.errors[0]).toBe(200)
    const again = await update('lead_id/A', body, headers)
    expect(again.status).toBe(200)
    expect(again.headers.get('idempotency-replayed')).toBe('true')
    expect(again.data).toEqual(first.data)
    expect((await fetch(data.id)).data).toEqual(first.data)
  })
})

describe('the record of a request with an idempotency key', () => {
  it('restores every member of the first response, with a customer and without', async () => {
    const { create } = await newProcedure(await newTeam())
    for (const record of [{}, { record: { data: { phone_number: '919448300007', name: 'Asha' } } }]) {
      const headers = { 'idempotency-key': crypto.randomUUID() }
      const nextActionAt = Date.now() + 1_000
      const body = { data: { lead_id: crypto.randomUUID(), score: 1, list: [1, null, 'é'] }, nextActionAt, ...record }
      const [first, again] = [await create(body, headers), await create(body, headers)]
      expect(again.headers.get('idempotency-replayed')).toBe('true')
      for (const name of ['etag', 'location']) expect(again.headers.get(name)).toBe(first.headers.get(name))
      expect([again.status, again.data]).toEqual([first.status, first.data])
    }
  })

  it('keeps hashes as bytes, and values without the names of their fields', async () => {
    const team = await newTeam()
    const { create } = await newProcedure(team)
    await create({ data: { lead_id: 'A', city: 'Pune', source: 'referral' } }, { 'idempotency-key': 'small' })
    const row = await env.DB.prepare(`SELECT octet_length(lookup) + octet_length(fingerprint) AS hashes,
        octet_length(outcome) AS outcome FROM idempotency WHERE team = ?`)
      .bind(team.no)
      .first<{ hashes: number; outcome: number }>()
    expect(row?.hashes).toBe(32)
    expect(row?.outcome).toBeLessThan(300)
  })

  it('is found with an outcome that the previous version stored, too', async () => {
    const team = await newTeam()
    const { create } = await newProcedure(team)
    const body = { data: { lead_id: 'A' } }
    const headers = { 'idempotency-key': 'old' }
    const first = await create(body, headers)
    const kept = await env.DB.prepare('SELECT json(outcome) AS outcome FROM idempotency WHERE team = ?')
      .bind(team.no)
      .first<{ outcome: string }>()
    const [id, shortId, rid, data, record, ...values] = JSON.parse(kept?.outcome ?? '[]')
    const fields = Object.fromEntries(FIELD_NAMES.map((name, place) => [name, values[place]]))
    const outcome = { row: { rid, ...fields, data, record }, procedure: { id, shortId } }
    await env.DB.prepare('UPDATE idempotency SET outcome = jsonb(?2) WHERE team = ?1')
      .bind(team.no, JSON.stringify(outcome))
      .run()
    const again = await create(body, headers)
    expect([again.status, again.data]).toEqual([201, first.data])
    expect(again.headers.get('idempotency-replayed')).toBe('true')
    expect((await create({ data: { lead_id: 'B' } }, headers)).status).toBe(422)
  })

  it('keeps fields by their places: a new field comes last', () => {
    expect(FIELD_NAMES.slice(0, 10)).toEqual([
      ...['id', 'status', 'state', 'nextActionAt', 'assignedTo', 'createdBy', 'completedAt', 'updatedAt'],
      ...['version', 'primaryKey'],
    ])
  })
})
