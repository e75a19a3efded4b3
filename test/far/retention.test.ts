import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { getFirstRid } from '../../src/ids.ts'
import { DAY_MS, MINUTE_MS } from '../../src/time-units.ts'
import { type FarTeam, far, type Place } from './far.ts'
import { LEADS, teamWithLeads } from './leads.ts'
import { connectSender } from './sender.ts'

const JOBS = '/v1/ext/background-job'
const PNG = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

const countRows = async (table: string, { no }: FarTeam): Promise<number> =>
  (await env.DB.prepare(`SELECT count(*) AS n FROM ${table} WHERE team = ?`).bind(no).first<{ n: number }>())?.n ?? 0

/** The cron of some minutes, and all that it leads to. */
async function runMaintenance(place: Place, minutes = 2): Promise<void> {
  for (let minute = 1; minute <= minutes; minute++) {
    await place.cron()
    await place.pass(MINUTE_MS)
  }
  await place.rest()
}

async function upload(place: Place, team: FarTeam, base: string): Promise<string> {
  const body = new FormData()
  body.set('file', new File([PNG], 'a.png'))
  const init = { method: 'POST', body, headers: { authorization: `Bearer ${team.token}` } }
  const response = await place.run(() => place.fetch(`${base}/upload-public-media`, init))
  const { _data: data } = (await response.json()) as { _data: { publicMediaUrl: string } }
  return new URL(data.publicMediaUrl).pathname
}

it('everything with a lifetime is there until its end and gone after it: records, jobs, the trash, messages, files', async () => {
  const place = far()
  const team = await teamWithLeads(place)
  const line = await connectSender(team)
  const file = await upload(place, team, line.base)
  const message = await line.send('4915510000001')
  const made = await team.call('POST', LEADS, { data: { lead_id: 'A' } }, { 'idempotency-key': 'once' })
  expect((await team.call('DELETE', `${LEADS}/${made.data.id}`)).status).toBe(200)
  const job = await team.call('POST', `${LEADS}/bulk-create`, [{ lead_id: 'B' }])
  await place.rest()

  const there = async () => ({
    records: await countRows('idempotency', team),
    job: (await team.call('GET', `${JOBS}/${job.data.id}`)).status,
    entries: (await team.call('GET', `${JOBS}/${job.data.id}/entries`)).status,
    trash: await countRows('process_trash', team),
    message: (await team.call('GET', `/v1/ext/message/${message.data.id}`)).status,
    file: (await place.run(() => place.fetch(file))).status,
  })
  const after = async (days: number) => {
    await place.pass(days * DAY_MS)
    await runMaintenance(place)
    return there()
  }
  const all = { records: 1, job: 200, entries: 200, trash: 1, message: 200, file: 200 }
  expect(await after(0)).toEqual(all)
  // 3, 31, 92 and 367 days after it was made.
  expect(await after(3)).toEqual({ ...all, records: 0 })
  const withoutJob = { ...all, records: 0, job: 404, entries: 404 }
  expect(await after(28)).toEqual(withoutJob)
  expect(await after(61)).toEqual({ ...withoutJob, trash: 0 })
  expect(await after(275)).toEqual({ ...withoutJob, trash: 0, message: 404, file: 404 })
  expect((await env.ARCHIVE.list({ prefix: `jobs/${team.id}/` })).objects).toEqual([])
})

it('expiry keeps up with any inflow, in bounded steps, and reports what is left', async () => {
  const place = far()
  const team = await place.newTeam()
  const endedAt = Date.now() - 40 * DAY_MS
  const job = `${getFirstRid(endedAt - 1_000)} + i`
  const numbers = 'WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 11999) SELECT'
  const rows = [
    `INSERT INTO background_job (no, id, team, type, completion_status, total, cursor, created_by, updated_at, completed_at,
      wake_at) ${numbers} ${job}, '', ?1, 'bulk_api_job', 'SUCCESS', 1, 1, '', ?2, ?2, ?2 FROM n`,
    `INSERT INTO job_chunk (team, job, first, count, invalid, entries) ${numbers} ?1, ${job}, 0, 1, 0, '[]' FROM n WHERE ?2`,
  ]
  await place.store(rows.map(sql => ({ sql, params: [team.no, endedAt] })))
  // Each round is one minute: the queue continues the work for which the cron has no time.
  let minutes = 0
  while ((await countRows('background_job', team)) + (await countRows('job_chunk', team)) > 0 && minutes < 5) {
    await runMaintenance(place, 1)
    minutes += 1
  }
  expect(minutes).toBeLessThanOrEqual(2)
  // No call held the database up for long: a person's waits behind one of them at most.
  const longest = Math.max(...place.platform.calls.map(({ startedAt, endedAt: end }) => (end ?? startedAt) - startedAt))
  expect(longest).toBeLessThan(1_000)
})
