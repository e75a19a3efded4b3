import { type SQL, sql } from 'drizzle-orm'
import { guard, isGuardFailure } from '../../db/guard.ts'
import { type Statement, statement } from '../../db/statement.ts'
import { AppError } from '../../errors.ts'
import type { Scope } from '../../scope.ts'
import { findJob, selectJob } from '../job-rows.ts'
import type { JobRow } from '../rules.ts'
import { backgroundJob } from '../table.ts'

const BEING_UNDONE = 'the job is being undone'

/**
 * What is undone, done again and undone once more are the same changes: of one job, of the undo of it, of the undo of that
 * and so on, and of their retries, one runs at a time. `accept` is called with the guard that holds the others off.
 */
export async function acceptUndo<Accepted>(
  scope: Scope,
  job: JobRow,
  accept: (notBeingUndone: Statement) => Promise<Accepted>,
): Promise<Accepted> {
  const undone = await findFirstUndone(scope, job)
  const running = whereUndoing(scope.team.no, undone)
  try {
    return await accept(guard(BEING_UNDONE, sql`NOT EXISTS (${running})`))
  } catch (error) {
    throw isGuardFailure(error, BEING_UNDONE) ? await beingUndoneError(scope, job, running) : error
  }
}

/** The id of the job with which the chain of undos begins: an undo of it is not one itself. It may be deleted by now. */
async function findFirstUndone(scope: Scope, { id, undoOf }: JobRow): Promise<string> {
  let [first, before] = [id, undoOf]
  while (before !== null) {
    first = before
    before = (await findJob(scope, before, selectJob))?.undoOf ?? null
  }
  return first
}

/** A job that undoes one, or what undoes that, and has not ended. */
const whereUndoing = (team: number, undone: string): SQL =>
  sql`WITH RECURSIVE undos(id, completedAt) AS (
      SELECT ${backgroundJob.id}, ${backgroundJob.completedAt} FROM ${backgroundJob} INDEXED BY background_job_undos
        WHERE ${backgroundJob.team} = ${team} AND ${backgroundJob.undoOf} = ${undone}
      UNION ALL SELECT ${backgroundJob.id}, ${backgroundJob.completedAt}
        FROM undos CROSS JOIN ${backgroundJob} INDEXED BY background_job_undos
        WHERE ${backgroundJob.team} = ${team} AND ${backgroundJob.undoOf} = undos.id)
    SELECT id FROM undos WHERE completedAt = 0 LIMIT 1`

async function beingUndoneError({ db }: Scope, { id }: JobRow, running: SQL): Promise<AppError> {
  const [[found]] = await db.reconnect().read(statement<{ id: string }>(running))
  const by = found ? ` by background job ${found.id}` : ''
  return new AppError('conflict', `background job ${id} is being undone${by}: wait until that has ended`)
}
