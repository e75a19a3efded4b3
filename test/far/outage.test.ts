import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { MINUTE_MS } from '../../src/time-units.ts'
import { far } from './far.ts'
import { LEADS, teamWithLeads } from './leads.ts'
import type { Fault } from './platform/faults.ts'

const JOBS = '/v1/ext/background-job'
const ENTRIES = 1_200

beforeEach(() => void vi.spyOn(console, 'error').mockImplementation(() => {}))
afterEach(() => void vi.restoreAllMocks())

const FAULTS: Fault[] = ['overloaded', 'lost before', 'lost after', 'reset after', 'unreachable']
const OUTAGE_MINUTES = 120

/** Each fault lasts the whole outage at night; otherwise one follows the other. */
it.each(env.CHAOS === 'full' ? FAULTS.map(fault => [fault]) : [FAULTS])(
  'an outage of two hours (%s …) ends no entry of a job, and its dead letters are taken one at a time',
  async (...faults: Fault[]) => {
    const place = far()
    const team = await teamWithLeads(place)
    place.broker.paused = true
    const items = Array.from({ length: ENTRIES }, (_, nth) => ({ lead_id: `L${nth}` }))
    const { data } = await team.call('POST', `${LEADS}/bulk-create`, items)
    const begin = (fault: Fault, skip: number) => {
      place.faults.clear()
      for (const trigger of ['message', 'cron'] as const)
        place.faults.add({ kind: 'database', fault, trigger, skip: trigger === 'message' ? skip : 0, times: 1_000_000 })
    }
    place.broker.resume()
    let most = 0
    for (const [nth, fault] of faults.entries()) {
      begin(fault, nth === 0 ? 3 : 0)
      for (let minute = 1; minute <= OUTAGE_MINUTES / faults.length; minute++) {
        await place.cron()
        await place.pass(MINUTE_MS)
        most = Math.max(most, place.broker.running)
      }
    }
    const counts = async () => (await team.call('GET', `${JOBS}/${data.id}`)).meta.bjEntryCompletionStatusVsCount
    expect(await counts()).toMatchObject({ ERROR: 0, INVALID: 0 })
    expect(most).toBeLessThanOrEqual(2)
    place.faults.clear()
    for (let minute = 1; minute <= 5; minute++) {
      await place.cron()
      await place.pass(MINUTE_MS)
    }
    await place.rest({ cron: true })
    expect(await counts()).toMatchObject({ SUCCESS: ENTRIES, ERROR: 0 })
    const list = await team.call('POST', `${LEADS}/list`, { limit: 1, where: { lead_id: `L${ENTRIES - 1}` } })
    expect(list.data).toHaveLength(1)
  },
)

it.each<[Fault, string]>([
  ['overloaded', 'nothing was changed'],
  ['queued too long', 'nothing was changed'],
  ['full', 'nothing was changed'],
  ['lost before', 'it may have taken effect'],
  ['lost after', 'it may have taken effect'],
  ['reset before', 'it may have taken effect'],
  ['reset after', 'it may have taken effect'],
  ['memory', 'it may have taken effect'],
  ['hangs after', 'it may have taken effect'],
])('a change that meets a failing database (%s) gets a response that is certain', async (fault, hint) => {
  const place = far()
  const team = await teamWithLeads(place)
  place.faults.add({ kind: 'database', fault, about: 'INSERT INTO "process"' })
  const reply = await team.call('POST', LEADS, { data: { lead_id: 'A' } })
  expect(reply.status).toBe(fault === 'full' ? 507 : 503)
  expect(reply.meta.errors[0].hint).toContain(hint)
  const isThere = (await team.call('GET', `${LEADS}/lead_id/A`)).status === 200
  if (hint === 'nothing was changed') expect(isThere).toBe(false)
  // With a key the caller learns the outcome, and completes it.
  const key = { 'idempotency-key': 'once' }
  place.faults.add({ kind: 'database', fault, about: 'INSERT INTO "process"' })
  await team.call('POST', LEADS, { data: { lead_id: 'B' } }, key)
  const again = await team.call('POST', LEADS, { data: { lead_id: 'B' } }, key)
  expect([again.status, again.data.data.lead_id]).toEqual([201, 'B'])
  // And the response is as certain where the outcome can't be looked up.
  place.faults.add({ kind: 'database', fault, about: 'INSERT INTO "process"' })
  place.faults.add({ kind: 'database', fault: 'overloaded', about: 'lower(hex(', times: 10 })
  const unknown = await team.call('POST', LEADS, { data: { lead_id: 'C' } }, { 'idempotency-key': 'unknown' })
  expect(unknown.meta.errors[0].hint).toContain(hint)
})
