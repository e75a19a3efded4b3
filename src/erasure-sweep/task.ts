import { sql } from 'drizzle-orm'
import { newEntryEraser } from '../background-job/erasure/eraser.ts'
import { isRunMeanwhile, selectNextJob } from '../background-job/erasure/statements.ts'
import { sweepArchive, sweepChunks } from '../background-job/erasure/swept-job.ts'
import type { EntryKinds } from '../background-job/kind.ts'
import { forgetProjected } from '../background-job/maintenance/projections.ts'
import type { Db } from '../db/client.ts'
import type { Statement } from '../db/statement.ts'
import { EVENTS_PER_STEP, eraseProcessValues, eventBefore } from '../event/erase.ts'
import { eraseInObject, eraseProcessMember } from '../event/object/erase.ts'
import { revokeMoveLock } from '../event/object/move-lock.ts'
import { createMaintenanceRound } from '../maintenance-round.ts'
import { change, type MaintenanceTask } from '../maintenance-task.ts'
import {
  countSweeps,
  endSweep,
  moveSweep,
  removeListed,
  type SweepRow,
  selectNextSweep,
  selectSweep,
} from './statements.ts'

const DELIVERIES_PER_STEP = 100
const LISTED_PER_STEP = 1_000

/** What empties deliveries of webhooks, so many at a time; and where such a step ends, no row where it is the last one. */
interface EmptyDeliveries {
  empty: (at: DeliveryPosition, max: number) => Statement
  selectEnd: (at: DeliveryPosition, max: number) => Statement<{ webhook: number; delivery: number }>
}

/** The deliveries of a team after one of them, and until when an erasure concerns them. */
export interface DeliveryPosition {
  team: number
  at: number
  webhook: number
  delivery: number
}

interface SweepContext {
  bucket: R2Bucket
  deliveries: EmptyDeliveries
  kinds: EntryKinds
  db: () => Db
  now: number
}

/**
 * Goes through what an erasure or a purge could not find at once: events of a process, answers of receivers, jobs and
 * their archives. Each step notes in its transaction how far it came; one that is repeated empties what is empty.
 */
export const createErasureSweepTask = (context: SweepContext): MaintenanceTask =>
  createMaintenanceRound({
    task: 'sweep after erasures',
    noun: 'erasure',
    db: context.db,
    now: context.now,
    selectNext: selectNextSweep,
    selectOne: selectSweep,
    runStep: row => sweepNext(context, row),
    countLeft: countSweeps,
  })

async function sweepNext({ bucket, deliveries, kinds, db }: SweepContext, row: SweepRow): Promise<void> {
  if (row.process !== null && row.event !== null && row.isMoved) {
    const at = { team: row.team, sequence: row.event, pointers: [{ rid: row.process, from: row.event }] }
    const erased = await eraseInObject(bucket, db, at, eraseProcessMember)
    await change(db, ...erased.effect, ...moveSweep(row, { event: erased.next[0]?.event ?? null }))
    return erased.removeFormer()
  }
  if (row.process !== null && row.event !== null) {
    const chain = { team: row.team, rid: row.process, from: sql`${row.event}`, max: EVENTS_PER_STEP }
    return change(
      db,
      revokeMoveLock(row.team),
      eraseProcessValues(chain),
      ...moveSweep(row, { event: eventBefore(chain) }),
    )
  }
  if (row.webhook !== null) {
    const at = { ...row, webhook: row.webhook }
    const [[end]] = await db().read(deliveries.selectEnd(at, DELIVERIES_PER_STEP))
    return change(db, deliveries.empty(at, DELIVERIES_PER_STEP), ...moveSweep(row, end ?? { webhook: null }))
  }
  const [[job]] = await db().read(selectNextJob({ team: row.team, after: row.job, last: row.lastJob }))
  if (!job)
    return change(
      db,
      ...(row.erasure === null ? [] : [removeListed({ team: row.team, erasure: row.erasure }, LISTED_PER_STEP)]),
      endSweep(row),
    )
  if (job.hasProjected === 1)
    return change(db, ...forgetProjected(job, Date.now()), ...moveSweep(row, { job: row.job }))
  const erase = newEntryEraser(kinds, row.team, [row])
  const { effect, next, patch } =
    job.isArchived === 1
      ? await sweepArchive(bucket, db, erase, { ...job, from: row.entry })
      : await sweepChunks(bucket, db, erase, { ...job, teamNo: row.team, from: row.entry })
  const to = next === null ? { job: job.no, entry: 0 } : { entry: next }
  try {
    await change(db, ...effect, ...moveSweep(row, to))
  } catch (error) {
    // The next step looks at the same entries once more.
    if (!isRunMeanwhile(error)) throw error
    return
  }
  await patch?.()
}
