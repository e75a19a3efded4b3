import { expect, it } from 'vitest'
import { definition } from '../support/procedures.ts'
import { type FarTeam, far, type Place } from './far.ts'
import { HERE } from './platform/options.ts'

const LEADS = '/v1/ext/procedure/lead/process'
const BOOKMARK = 'x-caseworker-bookmark'

async function teamWithLeads(place: Place): Promise<FarTeam> {
  const team = await place.newTeam()
  await team.call('PUT', '/v1/ext/procedure/lead', definition())
  return team
}

const trips = (place: Place) =>
  place.platform.calls.filter(({ kind }) => kind === 'database' || kind === 'replica').map(({ kind }) => kind)

it('a new isolate reads the token and the procedure in one trip, and then does the request', async () => {
  const place = far({ ...HERE, databaseMs: 150, replicaMs: 150 })
  const team = await teamWithLeads(place)
  const { data } = await team.call('POST', LEADS, { data: { lead_id: 'A' } })
  for (const [method, path, body] of [
    ['GET', `${LEADS}/${data.id}`],
    ['POST', LEADS, { data: { lead_id: 'B' } }],
    ['PUT', `${LEADS}/${data.id}`, { data: { city: 'Lima' } }],
    ['GET', LEADS],
  ] as const) {
    place.vanish()
    const cold = await team.call(method, path, body)
    expect([method, cold.errors, cold.ms]).toEqual([method, [], 300])
  }
  const warm = await team.call('GET', `${LEADS}/${data.id}`)
  expect(warm.ms).toBe(150)
})

it('a new isolate refuses an address without a procedure like any other', async () => {
  const place = far(HERE)
  const team = await teamWithLeads(place)
  place.vanish()
  const reply = await team.call('GET', '/v1/ext/procedure/leed/process')
  expect([reply.status, reply.meta.errors[0].hint]).toEqual([404, 'did you mean "lead"?'])
})

it('a read without a bookmark is answered by the primary, with all writes before it', async () => {
  const place = far({ ...HERE, databaseMs: 100, replicaMs: 5, replicaLagMs: 60_000 })
  const team = await teamWithLeads(place)
  const { data } = await team.call('POST', LEADS, { data: { lead_id: 'A' } })
  place.platform.calls.length = 0
  const reply = await team.call('GET', `${LEADS}/${data.id}`)
  expect([reply.status, trips(place)]).toEqual([200, ['database']])
})

it('a read with the bookmark of a write is answered nearby, and sees the write', async () => {
  const place = far({ ...HERE, databaseMs: 100, replicaMs: 5, replicaLagMs: 1_000 })
  const team = await teamWithLeads(place)
  const written = await team.call('POST', LEADS, { data: { lead_id: 'A' } })
  const bookmark = written.headers.get(BOOKMARK) ?? ''
  place.platform.calls.length = 0
  const reply = await team.call('GET', `${LEADS}/${written.data.id}`, undefined, { [BOOKMARK]: bookmark })
  // The replica waits until it has what the caller has seen.
  expect([reply.status, trips(place)]).toEqual([200, ['replica']])
  expect(reply.ms).toBeLessThanOrEqual(1_005)
  const later = await team.call('GET', LEADS, undefined, { [BOOKMARK]: reply.headers.get(BOOKMARK) ?? '' })
  expect([later.data.length, later.ms]).toEqual([1, 5])
})

it('a read that accepts any state may be older than a write just before it', async () => {
  const place = far({ ...HERE, databaseMs: 100, replicaMs: 5, replicaLagMs: 60_000 })
  const team = await teamWithLeads(place)
  await place.pass(60_000)
  const { data } = await team.call('POST', LEADS, { data: { lead_id: 'A' } })
  const stale = await team.call('GET', `${LEADS}/${data.id}`, undefined, { [BOOKMARK]: 'any' })
  expect(stale.status).toBe(404)
  await place.pass(60_000)
  expect((await team.call('GET', `${LEADS}/${data.id}`, undefined, { [BOOKMARK]: 'any' })).status).toBe(200)
})

it('a change reads its data from the primary, whatever bookmark it has', async () => {
  const place = far({ ...HERE, databaseMs: 100, replicaMs: 5, replicaLagMs: 60_000 })
  const team = await teamWithLeads(place)
  const { data } = await team.call('POST', LEADS, { data: { lead_id: 'A' } })
  place.platform.calls.length = 0
  const reply = await team.call('PUT', `${LEADS}/${data.id}`, { data: { city: 'Lima' } }, { [BOOKMARK]: 'any' })
  expect([reply.status, [...new Set(trips(place))]]).toEqual([200, ['database']])
})

it('a revoked token stops working within 30 seconds, however far behind a replica is', async () => {
  const place = far({ ...HERE, replicaMs: 5, replicaLagMs: 600_000 })
  const team = await teamWithLeads(place)
  const key = await team.call('POST', '/v1/ext/api-key', { name: 'k', role: 'viewer' })
  const headers = { authorization: `Bearer ${key.data.token}`, [BOOKMARK]: 'any' }
  expect((await team.call('GET', '/v1/ext/users', undefined, headers)).status).toBe(200)
  await team.call('DELETE', `/v1/ext/api-key/${key.data.id}`)
  await place.pass(30_000)
  expect((await team.call('GET', '/v1/ext/users', undefined, headers)).status).toBe(401)
})

it('a malformed bookmark is refused, and the header is named', async () => {
  const place = far(HERE)
  const team = await teamWithLeads(place)
  for (const bookmark of ['latest', '-', `${'0'.repeat(17)}-1`, "1-2'"]) {
    const reply = await team.call('GET', LEADS, undefined, { [BOOKMARK]: bookmark })
    expect([reply.status, reply.meta.errors[0].path]).toEqual([400, `/header/${BOOKMARK}`])
  }
})
