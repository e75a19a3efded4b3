import { describe, expect, it } from 'vitest'
import { newTeam } from '../support/api.ts'
import { newProcedure } from '../support/procedures.ts'

describe('an update by primary key that is sent again with its idempotency key', () => {
  it.each([
    ['removes the key', null],
    ['changes the key', 'B'],
    ['leaves the key', undefined],
  ])('and %s is answered as the first time', async (_, lead_id) => {
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
