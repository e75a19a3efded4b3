import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { HOUR_MS } from '../../src/time-units.ts'
import { type FarTeam, far, type Place } from './far.ts'
import { LEADS, teamWithLeads } from './leads.ts'
import type { FaultRule } from './platform/faults.ts'

const JOBS = '/v1/ext/background-job'
const COUNT = 1_000

beforeEach(async () => {
  vi.spyOn(console, 'error').mockImplementation(() => {})
  // Jobs that other files have left would be archived first, and may take the minutes of the cron.
  await far().store(
    ['job_outcome', 'job_chunk', 'background_job'].map(table => ({ sql: `DELETE FROM ${table}`, params: [] })),
  )
})
afterEach(() => void vi.restoreAllMocks())

async function endedJob(place: Place) {
  const team = await teamWithLeads(place)
  const items = Array.from({ length: COUNT }, (_, nth) => ({ data: { lead_id: nth % 7 === 6 ? 'L0' : `L${nth}` } }))
  const { data } = await team.call('POST', `${LEADS}/bulk-create`, items)
  await place.rest()
  return { team, path: `${JOBS}/${data.id}` }
}

const countRows = async ({ no }: FarTeam): Promise<number> => {
  const sql =
    'SELECT (SELECT count(*) FROM job_chunk WHERE team = ?1) + (SELECT count(*) FROM job_outcome WHERE team = ?1) AS n'
  return (await env.DB.prepare(sql).bind(no).first<{ n: number }>())?.n ?? 0
}

/** Reads a job as callers do: its counts, pages of its entries, and its results as a file. */
async function read(team: FarTeam, path: string): Promise<unknown[]> {
  const replies = []
  for (const query of ['entries', 'entries?skip=990&limit=20', 'entries?completionStatus=ERROR&limit=50', 'results'])
    replies.push(await team.call('GET', `${path}/${query}`, undefined, { accept: 'application/json' }))
  const job = await team.call('GET', path)
  return [job.meta.bjEntryCompletionStatusVsCount, ...replies.map(({ status, data }) => [status, data])]
}

async function anHour(place: Place): Promise<void> {
  await place.pass(HOUR_MS + 60_000)
  await place.cron()
  await place.rest()
}

it('the entries of a job leave the database an hour after its end, and every response stays the same', async () => {
  const place = far()
  const { team, path } = await endedJob(place)
  const before = await read(team, path)
  expect(await countRows(team)).toBeGreaterThan(0)
  await anHour(place)
  expect(await countRows(team)).toBe(0)
  place.vanish()
  expect(await read(team, path)).toEqual(before)
})

const faults: [string, FaultRule][] = [
  ['the bucket cannot be reached', { kind: 'media', fault: 'lost before', about: 'ARCHIVE.put' }],
  ['the answer of the bucket is lost', { kind: 'media', fault: 'lost after', about: 'ARCHIVE.put' }],
  ['what was written cannot be read back', { kind: 'media', fault: 'lost before', about: 'ARCHIVE.get' }],
  ['the mark is not written', { kind: 'database', fault: 'lost before', about: 'archived_at' }],
  ['the answer to the mark is lost', { kind: 'database', fault: 'lost after', about: 'archived_at' }],
]

it.each(faults)('no entry is ever without a place: %s', async (_, rule) => {
  const place = far()
  const { team, path } = await endedJob(place)
  const before = await read(team, path)
  place.faults.add({ ...rule, trigger: 'cron' })
  await anHour(place)
  expect(await read(team, path)).toEqual(before)
  await anHour(place)
  expect(await countRows(team)).toBe(0)
  expect(await read(team, path)).toEqual(before)
  const { objects } = await env.ARCHIVE.list({ prefix: `jobs/${team.id}/` })
  expect(objects).toHaveLength(1)
})
