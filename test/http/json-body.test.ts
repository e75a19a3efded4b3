import { describe, expect, it } from 'vitest'
import { newTeam, request } from '../support/api.ts'
import { newProcedure } from '../support/procedures.ts'

describe('a body that is not UTF-8 is refused, by each kind of route alike:', () => {
  it.each([
    ['POST', ''],
    ['PUT', '/lead_id/A'],
    ['POST', '/list'],
    ['POST', '/bulk-create'],
    ['PATCH', ''],
  ])('%s …/process%s', async (method, more) => {
    const team = await newTeam()
    const { path, create } = await newProcedure(team)
    await create({ data: { lead_id: 'A' } })
    const json =
      more === '/bulk-create' || method === 'PATCH'
        ? '{"processes": [{"id": "A", "data": {"city": "M\u00fcnchen"}}]}'
        : '{"data": {"city": "M\u00fcnchen"}, "where": {"city": "M\u00fcnchen"}}'
    // The text is Latin-1: one byte for the ü.
    const body = Uint8Array.from(json, char => char.charCodeAt(0))
    const headers = { authorization: `Bearer ${team.token}`, 'content-type': 'application/json' }
    const reply = await request(method, path + more, { headers, body })
    expect(reply.status).toBe(400)
    expect(reply.meta.errors[0].code).toBe('malformed_json')
    expect((await team.call('GET', path)).data).toHaveLength(1)
  })
})
