import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { HOUR_MS } from '../../src/time-units.ts'
import { OPERATOR_TOKEN } from '../support/operator.ts'
import { type FarTeam, far, type Place } from './far.ts'
import { LEADS, teamWithLeads } from './leads.ts'
import type { FaultRule } from './platform/faults.ts'

const DEEP = '/v1/health?deep=true'
const ALWAYS = { times: Number.POSITIVE_INFINITY }

beforeEach(() => void vi.spyOn(console, 'error').mockImplementation(() => {}))
afterEach(() => void vi.restoreAllMocks())

/** Lists the failing checks, with the status that a monitor sees. */
async function failing(team: FarTeam) {
  const { status, data, ms } = await team.call('GET', DEEP, undefined, { authorization: `Bearer ${OPERATOR_TOKEN}` })
  const checks = Object.entries(data.checks as Record<string, { status: string }>)
  const failed = checks.filter(([, check]) => check.status === 'failing').map(([name]) => name)
  expect([status, data.status]).toEqual(failed.length > 0 ? [503, 'failing'] : [200, 'ok'])
  return { failed, ms }
}

/** Returns a place without the open work of other tests. */
async function healthyPlace(): Promise<{ place: Place; team: FarTeam }> {
  const place = far({}, { OPERATOR_TOKEN } as Partial<Env>)
  await place.store([{ sql: 'UPDATE background_job SET completed_at = 1', params: [] }])
  return { place, team: await teamWithLeads(place) }
}

it('the deep health check asks all parts at the same time, and costs a few trips', async () => {
  const { team } = await healthyPlace()
  const { failed, ms } = await failing(team)
  expect(failed).toEqual([])
  expect(ms).toBeLessThan(400)
})

it.each<[string, FaultRule, string[]]>([
  ['the queue for messages', { kind: 'queue', fault: 'lost before', about: 'SENDS', ...ALWAYS }, ['queues']],
  ['a bucket', { kind: 'media', fault: 'lost before', about: 'ARCHIVE', ...ALWAYS }, ['buckets']],
  [
    'the database',
    { kind: 'database', fault: 'unreachable', ...ALWAYS },
    ['schema', 'secrets', 'size', 'jobs', 'webhooks', 'maintenance'],
  ],
])('the deep health check names a failing part, and the others answer: %s', async (_, rule, parts) => {
  const { place, team } = await healthyPlace()
  expect((await failing(team)).failed).toEqual([])
  place.faults.add(rule)
  expect((await failing(team)).failed).toEqual(parts)
  place.faults.clear()
  expect((await failing(team)).failed).toEqual([])
})

it('the deep health check reports jobs that nobody runs and maintenance that is behind, until the queue works again', async () => {
  const { place, team } = await healthyPlace()
  place.broker.paused = true
  const job = await team.call('POST', `${LEADS}/bulk-create`, [{ lead_id: 'A' }])
  expect(job.status).toBe(202)
  await place.pass(3 * HOUR_MS)
  expect((await failing(team)).failed).toEqual(['jobs', 'maintenance'])
  place.broker.resume()
  await place.cron()
  await place.rest({ cron: true })
  expect((await failing(team)).failed).toEqual([])
})
