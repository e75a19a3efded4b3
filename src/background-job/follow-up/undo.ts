import { AppError } from '../../errors.ts'
import type { Scope } from '../../scope.ts'
import type { AcceptedJob } from '../accept/accept-job.ts'
import type { JobRequest } from '../accept/request.ts'
import type { EntryKinds } from '../kind.ts'
import { getJob } from '../operations.ts'
import { hasEnded, type JobRow } from '../rules.ts'
import { encodeUndoTitle } from '../title.ts'
import { acceptFollowUp } from './accept-follow-up.ts'
import { acceptUndo } from './undo-guard.ts'

/**
 * A job that takes back what the successful entries of another one have done, the last one first: so a process that was
 * changed several times goes back step by step.
 */
export async function undoJob(scope: Scope, kinds: EntryKinds, id: string, request: JobRequest): Promise<AcceptedJob> {
  const job = await getJob(scope, id)
  requireUndoable(job)
  return acceptUndo(scope, job, notBeingUndone =>
    acceptFollowUp(scope, kinds, request, job, {
      request: { does: 'undo' },
      title: encodeUndoTitle(job.title ?? null),
      links: () => ({ undoOf: job.id }),
      none: () => nothingToUndoError(job),
      lastGuards: () => [notBeingUndone],
    }),
  )
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
