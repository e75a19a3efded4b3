import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { createCost } from '../../src/db/cost.ts'
import { openDatabase } from '../../src/db/databases.ts'
import { write } from '../../src/db/write.ts'
import { createEventExpiryTask } from '../../src/event/expire.ts'
import { scanDueActions } from '../../src/process/due/scan.ts'
import { createTrashExpiryTask } from '../../src/process/rows/trash-expiry.ts'
import { deleteFirstRows, selectRows } from '../../src/team/table-rows.ts'
import { WALKED_TABLES } from '../../src/team/tables.ts'
import { newTeam } from '../support/api.ts'
import { loadDueEvents, switchOnFeed } from '../support/due.ts'
import { Harness } from '../support/harness.ts'
import { waitForJob } from '../support/jobs.ts'
import { newProcedure } from '../support/procedures.ts'

const LARGE = 'x'.repeat(880_000)
const PROCESSES = 12
/** Twelve of them have more than ten million bytes. */
const STEPS_MIN = 3

async function setUp() {
  const team = await newTeam()
  const leads = await newProcedure(team)
  const ids: string[] = []
  for (let nth = 0; nth < PROCESSES; nth++) {
    const { data, errors } = await leads.create({ data: { lead_id: `L-${nth}`, notes: LARGE } })
    expect(errors).toEqual([])
    ids.push(data.id)
  }
  return { team, ids, ...leads }
}

/** Counts the rows of outcomes, one for each step. */
async function countSteps(jobId: string): Promise<number> {
  const row = await env.DB.prepare('SELECT count(*) AS n FROM job_outcome JOIN background_job ON no = job WHERE id = ?')
    .bind(jobId)
    .first<{ n: number }>()
  return row?.n ?? 0
}

it('a job that changes or deletes large processes has as many steps as their bytes need', async () => {
  const { team, path, fetch, ids } = await setUp()
  const changed = await team.call('PATCH', path, { where: {}, all: true, update: { data: { score: 1 } } })
  expect((await waitForJob(team, changed.data.id)).data.completionStatus).toBe('SUCCESS')
  expect(await countSteps(changed.data.id)).toBeGreaterThanOrEqual(STEPS_MIN)
  for (const id of ids) expect((await fetch(id)).data.data.score).toBe(1)

  const deleted = await team.call('PATCH', path, { where: {}, all: true, update: { isDeleted: true } })
  expect((await waitForJob(team, deleted.data.id)).data.completionStatus).toBe('SUCCESS')
  expect(await countSteps(deleted.data.id)).toBeGreaterThanOrEqual(STEPS_MIN)
  expect((await team.call('GET', `${path}/count`)).data.count).toBe(0)

  // The trash, and the log, are emptied by bytes, too.
  const later = Date.now() + 1_000
  const db = () => openDatabase(env, createCost())
  const trashed = async (table: string) => {
    const count = env.DB.prepare(`SELECT count(*) AS n FROM ${table} WHERE team = ?`).bind(team.no)
    return (await count.first<{ n: number }>())?.n ?? 0
  }
  await env.DB.prepare('DELETE FROM maintenance_position').run()
  await env.DB.prepare('UPDATE process_trash SET deleted_at = 1 WHERE team = ?').bind(team.no).run()
  const emptied = [await trashed('process_trash')]
  for (const task = createTrashExpiryTask(db, 0, later); (await task.step()).hasMore; )
    emptied.push(await trashed('process_trash'))
  expect(emptied[0]).toBe(PROCESSES)
  expect(emptied[1]).toBeGreaterThan(0)
  expect(emptied.at(-1)).toBe(0)

  const large = `UPDATE event SET at = 1, after = jsonb_object('large', hex(zeroblob(450000))) WHERE team = ?`
  await env.DB.prepare(large).bind(team.no).run()
  const before = await trashed('event')
  const kept: number[] = []
  for (const task = createEventExpiryTask({ bucket: env.ARCHIVE, db, now: later }, 0); (await task.step()).hasMore; )
    kept.push(await trashed('event'))
  expect(kept.find(each => each < before)).toBeGreaterThan(1)
  expect(await trashed('event')).toBe(1)
})

it('large processes whose time has come are notified in as many pages as their bytes need', async () => {
  const team = await newTeam()
  await switchOnFeed(team)
  const { create } = await newProcedure(team)
  const nextActionAt = Date.now() + 3_600_000
  for (let nth = 0; nth < PROCESSES; nth++) await create({ data: { lead_id: `L-${nth}`, notes: LARGE }, nextActionAt })
  await env.DB.prepare('UPDATE process SET next_action_at = ? WHERE team = ?')
    .bind(Date.now() - 60_000, team.no)
    .run()
  const scan = await scanDueActions({ env: new Harness().env, onNotified: () => {} }, team.no)
  expect(scan.left).toEqual([])
  expect(await loadDueEvents(team)).toHaveLength(PROCESSES)
  const { results } = await env.DB.prepare(
    "SELECT count FROM event WHERE team = ? AND type = 'process.next_action_due'",
  )
    .bind(team.no)
    .all()
  expect(results.length).toBeGreaterThanOrEqual(STEPS_MIN)
})

it('the export and the erasure of a team scan large rows by their bytes', async () => {
  const { team } = await setUp()
  const table = WALKED_TABLES.find(({ name }) => name === 'process')
  if (!table) throw new Error('processes are not walked')
  const db = openDatabase(env, createCost())
  const [exported] = await db.read(selectRows(table, team.no, null))
  expect(exported.length).toBeLessThan(STEPS_MIN)
  const writer = { db: openDatabase(env, createCost()), idempotency: null }
  const [{ changes: n }] = await write(writer, { effect: [deleteFirstRows(table, team.no)], outcome: null })
  expect(n).toBeGreaterThan(0)
  expect(n).toBeLessThan(PROCESSES)
})
