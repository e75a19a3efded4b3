import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { MINUTE_MS } from '../../src/time-units.ts'
import { far, type Place } from './far.ts'
import { LEADS, teamWithLeads } from './leads.ts'
import { HERE } from './platform/options.ts'
import { connectSender } from './sender.ts'

const JOBS = '/v1/ext/background-job'

type Row = Record<string, unknown>
type Backup = Map<string, Row[]>

/** All rows of all tables, as Time Travel would bring them back. */
async function takeBackup(): Promise<Backup> {
  const { results } = await env.DB.prepare(
    `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB 'sqlite_*' AND name NOT GLOB '_cf_*' AND name NOT GLOB 'process_search*'`,
  ).all<{ name: string }>()
  const backup: Backup = new Map()
  for (const { name } of results) backup.set(name, (await env.DB.prepare(`SELECT * FROM "${name}"`).all<Row>()).results)
  return backup
}

async function restore(backup: Backup): Promise<void> {
  for (const [table, rows] of backup) {
    const insert = (db: D1Database) => (row: Row) => {
      const columns = Object.keys(row)
      const values = Object.values(row).map(value => (Array.isArray(value) ? new Uint8Array(value) : value))
      const text = `INSERT INTO "${table}" (${columns.map(each => `"${each}"`)}) VALUES (${columns.map(() => '?')})`
      return db.prepare(text).bind(...values)
    }
    for (const db of [env.DB, env.REPLICA])
      await db.batch([db.prepare(`DELETE FROM "${table}"`), ...rows.map(insert(db))])
  }
}

const pause = async (place: Place, value: string) => {
  place.set({ PAUSED: value } as Partial<Env>)
  await place.pass(MINUTE_MS)
}

it('a restored database never sends a message again, and goes on with everything else', async () => {
  const place = far(HERE)
  const team = await teamWithLeads(place)
  const line = await connectSender(team)
  const phones = Array.from({ length: 40 }, (_, nth) => `4915530${String(nth).padStart(5, '0')}`)
  place.broker.paused = true
  const sending = await team.call('POST', JOBS, { entries: phones.map(phone => line.entry(phone)) })
  const later = await team.call('POST', JOBS, {
    entries: [line.entry('491553099999')],
    startAt: Date.now() + 24 * 60 * MINUTE_MS,
  })
  const creating = await team.call('POST', `${LEADS}/bulk-create`, [{ lead_id: 'B' }, { lead_id: 'C' }])
  expect([sending.status, later.status, creating.status]).toEqual([202, 202, 202])
  // The state that is restored: some of the messages are sent by then, and more of them afterwards.
  const backup = await takeBackup()
  place.broker.resume()
  await place.rest()
  const sent = async () => (await line.received()).accepted as number
  expect(await sent()).toBe(phones.length)

  await pause(place, 'true')
  await restore(backup)
  place.platform.replica.restored()
  await pause(place, 'restored')
  await place.cron()
  await pause(place, 'false')
  for (let minute = 1; minute <= 5; minute++) {
    await place.cron()
    await place.pass(MINUTE_MS)
  }
  await place.rest({ cron: true })

  expect(await sent()).toBe(phones.length)
  const job = await team.call('GET', `${JOBS}/${sending.data.id}`)
  expect([job.status, job.errors, job.data.completionStatus]).toEqual([200, [], 'CANCELLED'])
  expect(job.data.statusMessage).toMatch(/^Interrupted, because the database was restored\./)
  const entries = await team.call('GET', `${JOBS}/${sending.data.id}/entries`)
  expect(entries.data[0].completionMessage).toBe('the database was restored: whether it was sent is not known')
  expect((await team.call('POST', `${JOBS}/${sending.data.id}/retry`)).status).toBe(409)
  // A job that had not begun, and one that sends nothing, go on.
  expect((await team.call('GET', `${JOBS}/${later.data.id}`)).data.completionStatus).toBe('NOT_STARTED')
  expect((await team.call('GET', `${JOBS}/${creating.data.id}`)).data.completionStatus).toBe('SUCCESS')
  expect((await team.call('GET', `${LEADS}/lead_id/C`)).status).toBe(200)
})
