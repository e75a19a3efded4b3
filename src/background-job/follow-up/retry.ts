import { AppError, invalid } from '../../errors.ts'
import type { Scope } from '../../scope.ts'
import type { AcceptedJob } from '../accept/accept-job.ts'
import type { JobRequest } from '../accept/request.ts'
import { type EntryKinds, findQueueKind } from '../kind.ts'
import { readRestoredAt } from '../maintenance/interrupt.ts'
import { getJob } from '../operations.ts'
import { copyColumns } from '../result-columns.ts'
import { countEntries, hasEnded, type JobRow, type RetrySelection } from '../rules.ts'
import type { RetryBody } from '../schema.ts'
import { encodeCorrectedTitle } from '../title.ts'
import { acceptFollowUp } from './accept-follow-up.ts'
import type { FollowUpRequest } from './request.ts'

/** Failed entries of a job that has ended, once more, as a job of its own: as they were sent, or with an update. */
export async function retryJob(
  scope: Scope,
  kinds: EntryKinds,
  id: string,
  body: RetryBody,
  request: JobRequest,
): Promise<AcceptedJob> {
  const job = await getJob(scope, id)
  await requireRetryable(scope, kinds, job, body)
  return acceptFollowUp(scope, kinds, request, job, {
    request: { does: 'retry', ...body },
    ...(body.update === undefined ? {} : { title: encodeCorrectedTitle(job.title ?? null) }),
    columns: ({ columns }) => copyColumns(scope.team.no, job.no, columns?.() ?? []),
    links: taken => ({
      retryOf: job.id,
      firstJob: job.firstJob ?? job.id,
      retrySelection: JSON.stringify({ group: body.group ?? null, taken } satisfies RetrySelection),
      // What a retry of an undo takes back is of the same job.
      undoOf: job.undoOf,
      isDryRun: Boolean(job.isDryRun),
    }),
    none: () => noneInGroupError(job, body),
  })
}

async function requireRetryable(
  scope: Scope,
  kinds: EntryKinds,
  job: JobRow,
  { group, statuses = ['ERROR'] }: RetryBody,
): Promise<void> {
  const { id } = job
  if (!hasEnded(job))
    throw new AppError('conflict', `background job ${id} is still running; it can be retried once it has ended`)
  const counts = countEntries(job)
  if (group === undefined && statuses.every(status => counts[status] === 0))
    throw new AppError('conflict', `background job ${id} has no entry with ${statuses.join(' or ')} to retry`)
  if (findQueueKind(kinds, job.queue) && job.completedAt <= (await readRestoredAt(scope.db, scope.team.no)))
    throw new AppError(
      'conflict',
      `the database was restored after background job ${id} had ended: whether its failed entries were sent since is not known, so they are not sent again`,
    )
}

export function noneInGroupError(
  { id }: Pick<JobRow, 'id'>,
  { group = '', statuses }: Pick<FollowUpRequest, 'group' | 'statuses'>,
): AppError {
  const which = statuses ? ` with ${statuses.join(' or ')}` : ''
  const message = `no failed entry of background job ${id}${which} is in the group ${JSON.stringify(group)}`
  const hint = `GET /v1/ext/background-job/${id}/errors lists the groups`
  return invalid([{ message, path: '/body/group', hint }])
}
