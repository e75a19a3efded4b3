import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { REPLAY } from '../../src/maintenance/replayed.ts'
import { MINUTE_MS } from '../../src/time-units.ts'
import { attribute, definition } from '../support/procedures.ts'
import { tablesWith } from '../support/tables-with.ts'
import { far, type Place } from './far.ts'
import { LEADS, teamWithLeads } from './leads.ts'
import { HERE } from './platform/options.ts'
import { connectSender } from './sender.ts'

const JOBS = '/v1/ext/background-job'

type Row = Record<string, unknown>
type Backup = Map<string, Row[]>

/** Copies all rows of all tables, as Time Travel would bring them back. */
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

it('a restored database never sends a message again, and continues everything else', async () => {
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

it('an erasure that a restore has undone is repeated before anybody reads the data', async () => {
  const place = far(HERE)
  const team = await teamWithLeads(place)
  const attributes = [
    attribute('lead_id', 'string'),
    attribute('address', 'string', { personal: true, required: false }),
  ]
  expect((await team.call('PUT', '/v1/ext/procedure/lead', { ...definition(), attributes })).errors).toEqual([])
  const lead = async (nth: number) => {
    const data = { lead_id: `E${nth}`, address: `Hauptstr ${nth}` }
    const made = await team.call('POST', LEADS, {
      data,
      record: { data: { name: `Asha ${nth}`, phone: `49155400000${nth}` } },
    })
    expect(made.errors).toEqual([])
    return {
      path: `${LEADS}/${made.data.id}`,
      record: `/v1/ext/record/${made.data.record.id}`,
      id: made.data.record.id,
    }
  }
  const [erased, everywhere, purged, trashed, survivor, merged, kept] = [
    await lead(1),
    await lead(2),
    await lead(3),
    await lead(4),
    await lead(5),
    await lead(6),
    await lead(7),
  ]
  await team.call('DELETE', trashed.path)
  const backup = await takeBackup()
  const done = [
    await team.call('DELETE', erased.record),
    await team.call('DELETE', `${everywhere.record}?everywhere=true`),
    await team.call('DELETE', `${purged.path}?purge=true`),
    await team.call('DELETE', `${trashed.path}?purge=true`),
    await team.call('POST', `${merged.record}/merge`, { into: survivor.id }),
    await team.call('DELETE', survivor.record),
    // A refused erasure is not done later, either.
    await team.call('DELETE', kept.record, undefined, { 'if-match': '"99"' }),
  ]
  expect(done.map(({ status }) => Math.floor(status / 100))).toEqual([2, 2, 2, 2, 2, 2, 4])
  await place.rest({ cron: true })

  await pause(place, 'closed')
  await restore(backup)
  place.platform.replica.restored()
  place.vanish()
  // The command does the same: the database knows of an earlier restore.
  await env.DB.prepare('DELETE FROM maintenance_position WHERE task = ?').bind(REPLAY).run()
  for (const state of ['closed', 'restored']) {
    await pause(place, state)
    const read = await team.call('GET', erased.record)
    expect([read.status, read.meta.errors[0].code]).toEqual([503, 'maintenance'])
  }
  const isReplayed = async () => {
    await place.cron()
    const told = env.DB.prepare('SELECT position FROM maintenance_position WHERE task = ?').bind(REPLAY)
    return (await told.first<{ position: string }>())?.position
  }
  expect(JSON.parse((await isReplayed()) ?? '')).toMatchObject({ failed: [], failedRuns: 0 })
  for (let minute = 0; minute < 5 && (await isReplayed()) !== 'done'; minute++) await place.pass(MINUTE_MS)
  expect(await isReplayed()).toBe('done')
  await pause(place, 'false')
  await place.rest({ cron: true })

  const statuses = async (paths: string[]) =>
    Promise.all(paths.map(async path => [path, (await team.call('GET', path)).status]))
  const gone = [erased.record, everywhere.record, survivor.record, merged.record, purged.path, trashed.path]
  expect(await statuses(gone)).toEqual(gone.map(path => [path, 404]))
  expect((await team.call('GET', kept.record)).status).toBe(200)
  expect((await team.call('GET', everywhere.path)).data).toMatchObject({ data: { lead_id: 'E2' }, record: null })
  const persons = [1, 2, 5, 6].map(nth => `Asha ${nth}`)
  const values = [2, 3, 4].map(nth => `Hauptstr ${nth}`)
  expect((await tablesWith(...persons, ...values)).filter(table => !table.startsWith('process_search'))).toEqual([])
  expect(await tablesWith('Asha 7')).toContain('record')
})
