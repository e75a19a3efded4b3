import { afterEach, describe, expect, it, vi } from 'vitest'
import { type FarTeam, far, type Place } from './far.ts'
import { LEADS, teamWithLeads } from './leads.ts'

const JOBS = '/v1/ext/background-job'
const FULL = 10_000_000_000

afterEach(() => void vi.restoreAllMocks())

/** Every isolate learns the size of the database with its first trip. */
async function placeOfSize(share: number) {
  const place = far({ databaseBytes: share * FULL }, { DATABASE_BYTES_MAX: String(FULL) } as Partial<Env>)
  return { place, team: await teamWithLeads(place) }
}

const bulkRequests = [
  ['POST', `${LEADS}/bulk-create`, [{ data: { lead_id: 'B' } }]],
  ['PATCH', LEADS, { processes: [{ lead_id: 'A', update: { data: { score: 1 } } }] }],
  ['POST', JOBS, { entries: [{ apiType: 'PROCESS_DELETE', apiData: { procedureId: 'lead', processId: 'A' } }] }],
] as const

const single = async (team: FarTeam) => {
  const made = await team.call('POST', LEADS, { data: { lead_id: crypto.randomUUID() } })
  const changed = await team.call('PUT', `${LEADS}/${made.data.id}`, { data: { city: 'Ulm' } })
  const deleted = await team.call('DELETE', `${LEADS}/${made.data.id}`)
  return [made.status, changed.status, deleted.status]
}

describe('the size of the database', () => {
  it('is in the line of metrics, and is a warning from 85 % on', async () => {
    const lines: string[] = []
    vi.spyOn(console, 'warn').mockImplementation((line: string) => void lines.push(line))
    const { place, team } = await placeOfSize(0.86)
    expect((await team.call('GET', LEADS)).status).toBe(200)
    await place.cron()
    const [metrics] = lines.flatMap(line => JSON.parse(line).metrics ?? [])
    expect(metrics).toMatchObject({ databaseBytes: 0.86 * FULL, databaseShare: 0.86 })
  })

  it('of 85 % refuses bulk requests by name, also in a new isolate, and takes single ones', async () => {
    const { place, team } = await placeOfSize(0.86)
    for (const [method, path, body] of bulkRequests) {
      place.vanish()
      const { status, meta, errors } = await team.call(method, path, body)
      expect([path, status, meta.errors?.[0].code]).toEqual([path, 507, 'storage_full'])
      expect(errors[0]).toContain('nearly full: bulk requests are refused')
    }
    expect(await single(team)).toEqual([201, 200, 200])
    expect((await team.call('GET', JOBS)).data).toEqual([])
    place.platform.options.databaseBytes = 0.84 * FULL
    place.vanish()
    const [[method, path, body]] = bulkRequests
    expect((await team.call(method, path, body)).status).toBe(202)
  })
})

describe('a database that is full', () => {
  const fill = (place: Place) =>
    place.faults.add({ kind: 'database', fault: 'full', about: 'INSERT INTO', times: Number.POSITIVE_INFINITY })

  it('is reported as 507; reads and deletions still work, and freed space can be used', async () => {
    const place = far()
    const team = await teamWithLeads(place)
    const { data } = await team.call('POST', LEADS, { data: { lead_id: 'A', city: 'Ulm' } })
    fill(place)
    const refused = await team.call('POST', LEADS, { data: { lead_id: 'B' } })
    expect([refused.status, refused.meta.errors[0].code]).toEqual([507, 'storage_full'])
    expect(refused.meta.errors[0].hint).toContain('nothing was changed')
    // An update has no room for its event.
    expect((await team.call('PUT', `${LEADS}/${data.id}`, { data: { score: 1 } })).status).toBe(507)
    expect((await team.call('GET', `${LEADS}/lead_id/A`)).data.data).toEqual({ lead_id: 'A', city: 'Ulm' })
    const deleted = await team.call('DELETE', `${LEADS}/${data.id}`)
    expect([deleted.status, deleted.data.isDeleted]).toEqual([200, true])
    expect((await team.call('GET', `${LEADS}/${data.id}`)).status).toBe(404)
    place.faults.clear()
    expect((await team.call('POST', LEADS, { data: { lead_id: 'A' } })).status).toBe(201)
  })
})
