import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { MINUTE_MS } from '../../src/time-units.ts'
import { type FarTeam, far, type Place } from './far.ts'
import { LEADS, teamWithLeads } from './leads.ts'
import { HERE } from './platform/options.ts'

const JOBS = '/v1/ext/background-job'

const pause = async (place: Place, value: string) => {
  place.set({ PAUSED: value } as Partial<Env>)
  await place.pass(MINUTE_MS)
}

/** Reads a team's rows of the features: the files of `far` share the database, and some leave much in it. */
async function loadContents({ no }: FarTeam): Promise<string> {
  const tables = ['process', 'background_job', 'job_chunk', 'job_outcome', 'idempotency', 'process_trash', 'message']
  const all = tables.map(table => env.DB.prepare(`SELECT * FROM "${table}" WHERE team = ?`).bind(no))
  return JSON.stringify((await env.DB.batch(all)).map(({ results }) => results))
}

it('a paused installation answers reads, and changes, sends and runs nothing', async () => {
  const place = far(HERE)
  const team = await teamWithLeads(place)
  const { data } = await team.call('POST', LEADS, { data: { lead_id: 'A' } })
  place.broker.paused = true
  const job = await team.call('POST', `${LEADS}/bulk-create`, [{ lead_id: 'B' }])
  await pause(place, 'true')
  place.broker.resume()
  const before = await loadContents(team)
  expect((await team.call('GET', `${LEADS}/${data.id}`)).status).toBe(200)
  expect((await team.call('POST', `${LEADS}/list`, {})).data).toHaveLength(1)
  for (const [method, path] of [
    ['POST', LEADS],
    ['PUT', `${LEADS}/${data.id}`],
    ['DELETE', `${LEADS}/${data.id}`],
    ['POST', `${LEADS}/bulk-create`],
    ['POST', '/webhooks/whatsapp/01/01900000-0000-7000-8000-000000000000'],
  ] as const) {
    const reply = await team.call(method, path, method === 'DELETE' ? undefined : {})
    expect([method, path, reply.status, reply.meta.errors[0].code]).toEqual([method, path, 503, 'maintenance'])
    expect(reply.headers.get('retry-after')).toBe('60')
  }
  await place.cron()
  await place.pass(2 * MINUTE_MS)
  expect(await loadContents(team)).toBe(before)
  await pause(place, 'false')
  await place.cron()
  await place.rest({ cron: true })
  expect((await team.call('GET', `${JOBS}/${job.data.id}`)).data.completionStatus).toBe('SUCCESS')
})
