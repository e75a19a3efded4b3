import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { noCost } from '../../src/db/cost.ts'
import { openDatabase } from '../../src/db/databases.ts'
import { trashExpiryChore } from '../../src/process/rows/trash-expiry.ts'
import { newTeam } from '../support/api.ts'
import { ended } from '../support/jobs.ts'
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

/** One row of outcomes is written by each step. */
async function stepsOf(jobId: string): Promise<number> {
  const row = await env.DB.prepare('SELECT count(*) AS n FROM job_outcome JOIN background_job ON no = job WHERE id = ?')
    .bind(jobId)
    .first<{ n: number }>()
  return row?.n ?? 0
}

it('a job that changes or deletes large processes has as many steps as their bytes need', async () => {
  const { team, path, fetch, ids } = await setUp()
  const changed = await team.call('PATCH', path, { where: {}, all: true, update: { data: { score: 1 } } })
  expect((await ended(team, changed.data.id)).data.completionStatus).toBe('SUCCESS')
  expect(await stepsOf(changed.data.id)).toBeGreaterThanOrEqual(STEPS_MIN)
  for (const id of ids) expect((await fetch(id)).data.data.score).toBe(1)

  const deleted = await team.call('PATCH', path, { where: {}, all: true, update: { isDeleted: true } })
  expect((await ended(team, deleted.data.id)).data.completionStatus).toBe('SUCCESS')
  expect(await stepsOf(deleted.data.id)).toBeGreaterThanOrEqual(STEPS_MIN)
  expect((await team.call('GET', `${path}/count`)).data.count).toBe(0)

  // The trash is emptied by bytes, too.
  const later = Date.now() + 1_000
  const db = () => openDatabase(env, noCost())
  const trashed = async () => {
    const count = env.DB.prepare('SELECT count(*) AS n FROM process_trash WHERE team = ?').bind(team.no)
    return (await count.first<{ n: number }>())?.n ?? 0
  }
  await env.DB.prepare('DELETE FROM chore_position').run()
  await env.DB.prepare('UPDATE process_trash SET deleted_at = 1 WHERE team = ?').bind(team.no).run()
  const emptied = [await trashed()]
  for (const chore = trashExpiryChore(db, 0, later); (await chore.step()).hasMore; ) emptied.push(await trashed())
  expect(emptied[0]).toBe(PROCESSES)
  expect(emptied[1]).toBeGreaterThan(0)
  expect(emptied.at(-1)).toBe(0)
})
