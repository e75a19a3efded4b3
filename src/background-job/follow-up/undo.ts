import { sql } from 'drizzle-orm'
import { guard, isGuardFailure } from '../../db/guard.ts'
import { type Statement, select } from '../../db/statement.ts'
import { AppError } from '../../errors.ts'
import type { Scope } from '../../scope.ts'
import type { AcceptedJob } from '../accept/accept-job.ts'
import type { JobRequest } from '../accept/request.ts'
import type { EntryKinds } from '../kind.ts'
import { getJob } from '../operations.ts'
import { hasEnded, type JobRow } from '../rules.ts'
import { backgroundJob } from '../table.ts'
import { encodeUndoTitle } from '../title.ts'
import { acceptFollowUp } from './accept-follow-up.ts'

const BEING_UNDONE = 'the job is being undone'

/**
 * A job that takes back what the successful entries of another one have done, the last one first: so a process that was
 * changed several times goes back step by step.
 */
export async function undoJob(scope: Scope, kinds: EntryKinds, id: string, request: JobRequest): Promise<AcceptedJob> {
  const job = await getJob(scope, id)
  requireUndoable(job)
  return acceptFollowUp(scope, kinds, request, job, {
    request: { does: 'undo' },
    title: encodeUndoTitle(job.title ?? null),
    links: () => ({ undoOf: job.id }),
    none: () => nothingToUndoError(job),
    lastGuards: () => [guardNotBeingUndone(scope, job)],
  }).catch(async (error: unknown) => {
    throw isGuardFailure(error, BEING_UNDONE) ? await beingUndoneError(scope, job) : error
  })
}

function requireUndoable(job: JobRow): void {
  const refuse = (why: string): AppError => new AppError('conflict', `background job ${job.id} ${why}`)
  if (!hasEnded(job)) throw refuse('is still running; it can be undone once it has ended')
  if (job.isDryRun === 1) throw refuse('was a dry run: it has changed nothing')
  if (job.success === 0) throw nothingToUndoError(job)
}

export const nothingToUndoError = ({ id }: Pick<JobRow, 'id'>): AppError =>
  new AppError('conflict', [
    { message: `background job ${id} has changed nothing that could be undone`, detail: { hasChangedNothing: true } },
  ])

/** The jobs that undo one and have not ended. */
const whereUndoing = (team: number, { id }: JobRow) =>
  sql`${backgroundJob.team} = ${team} AND ${backgroundJob.undoOf} = ${id} AND ${backgroundJob.completedAt} = 0`

const guardNotBeingUndone = ({ team }: Scope, job: JobRow): Statement =>
  guard(BEING_UNDONE, sql`NOT EXISTS (SELECT 1 FROM ${backgroundJob} WHERE ${whereUndoing(team.no, job)})`)

async function beingUndoneError({ db, team }: Scope, job: JobRow): Promise<AppError> {
  const [[running]] = await db
    .reconnect()
    .read(select({ id: backgroundJob.id }, sql`FROM ${backgroundJob} WHERE ${whereUndoing(team.no, job)} LIMIT 1`))
  const by = running ? ` by background job ${running.id}` : ''
  return new AppError('conflict', `background job ${job.id} is being undone${by}: wait until that has ended`)
}
