import { sql } from 'drizzle-orm'
import { isUniqueViolation } from '../../db/guard.ts'
import { select } from '../../db/statement.ts'
import { AppError } from '../../errors.ts'
import type { Scope } from '../../scope.ts'
import type { AcceptedJob } from '../accept/accept-job.ts'
import type { JobRequest } from '../accept/request.ts'
import type { EntryKinds } from '../kind.ts'
import { selectRestoredAt } from '../maintenance/interrupt.ts'
import { getJob } from '../operations.ts'
import { hasEnded, isCancelled, type JobRow } from '../rules.ts'
import { copyColumns } from '../sender-columns.ts'
import { backgroundJob } from '../table.ts'
import { acceptFollowUp } from './accept-follow-up.ts'

/** The entries of a dry run that has ended, as a job that does what they say, where nothing has changed since. */
export async function applyJob(scope: Scope, kinds: EntryKinds, id: string, request: JobRequest): Promise<AcceptedJob> {
  const job = await getJob(scope, id)
  if (job.isDryRun === 0) throw new AppError('conflict', `background job ${id} is no dry run`)
  if (!hasEnded(job))
    throw new AppError('conflict', `background job ${id} is still running; it can be applied once it has ended`)
  if (isCancelled(job))
    throw new AppError(
      'conflict',
      `background job ${id} was cancelled: it does not know what all of its entries would do`,
    )
  const [[applied], [restored]] = await scope.db
    .reconnect()
    .read(selectApplied(scope, job), selectRestoredAt(scope.team.no))
  if (applied) throw appliedError(job, applied)
  const isForgotten = job.completedAt <= (restored?.at ?? 0)
  try {
    return await acceptFollowUp(scope, kinds, request, job, {
      request: { does: 'apply' },
      columns: () => copyColumns(scope.team.no, job.no, []),
      links: () => ({ applyOf: job.id }),
      ...(isForgotten && { queueRefusal: forgottenError(job) }),
    })
  } catch (error) {
    if (!isUniqueViolation(error, 'background_job.apply_of')) throw error
    const [[applied]] = await scope.db.reconnect().read(selectApplied(scope, job))
    throw applied ? appliedError(job, applied) : error
  }
}

/** The restored database has a dry run as not applied that was: what was sent then cannot be taken back. */
const forgottenError = ({ id }: JobRow): AppError =>
  new AppError(
    'conflict',
    `the database was restored after background job ${id} had ended: whether it was applied in the lost time is not known, so nothing of it is sent; make the dry run anew`,
  )

/** A unique index makes sure that there is one at most. */
const selectApplied = ({ team }: Scope, { id }: JobRow) =>
  select(
    { id: backgroundJob.id },
    sql`FROM ${backgroundJob} WHERE ${backgroundJob.team} = ${team.no} AND ${backgroundJob.applyOf} = ${id}`,
  )

const appliedError = ({ id }: JobRow, applied: { id: string }): AppError =>
  new AppError('conflict', [
    {
      message: `background job ${id} was applied already, by background job ${applied.id}`,
      detail: { backgroundJob: applied.id },
    },
  ])
