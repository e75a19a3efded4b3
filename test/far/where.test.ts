import { describe, expect, it } from 'vitest'
import { far } from './far.ts'
import { LEADS, teamWithLeads } from './leads.ts'

describe('a job for all processes that match', () => {
  it('is accepted though finding them takes longer than one trip may take', async () => {
    const place = far()
    const team = await teamWithLeads(place)
    const processes = Array.from({ length: 4_001 }, (_, n) => ({ data: { lead_id: `L${n}` } }))
    expect((await team.call('POST', `${LEADS}/bulk-create`, { processes })).errors).toEqual([])
    await place.rest()
    place.platform.options.databaseMs = 9_000
    const reply = await team.call('PATCH', LEADS, { where: {}, all: true, update: { state: 'WON' } })
    expect([reply.status, reply.errors]).toEqual([202, []])
    expect(reply.ms).toBeGreaterThan(20_000)
    expect(reply.data.total).toBe(4_001)
  })
})
