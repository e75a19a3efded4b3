import { type SQL, sql } from 'drizzle-orm'
import { retryWhileChanged } from '../../change-conflict.ts'
import { guard, isGuardFailure } from '../../db/guard.ts'
import { type Statement, statement } from '../../db/statement.ts'
import { AppError } from '../../errors.ts'
import type { Scope } from '../../scope.ts'
import type { AcceptedJob } from '../accept/accept-job.ts'
import type { JobRequest } from '../accept/request.ts'
import { listAskedStatuses, RETRIED_STATUSES, type RetriedStatus } from '../failure-rules.ts'
import { type EntryKinds, findQueueKind } from '../kind.ts'
import { readRestoredAt } from '../maintenance/interrupt.ts'
import { getJob } from '../operations.ts'
import { groupJobFailures, noneInGroupError } from '../read/failure-groups.ts'
import { countEntries, formatEntries, hasEnded, type JobRow, type RetrySelection } from '../rules.ts'
import type { RetryBody } from '../schema.ts'
import { copyColumns } from '../sender-columns.ts'
import { backgroundJob } from '../table.ts'
import { encodeCorrectedTitle } from '../title.ts'
import { acceptFollowUp } from './accept-follow-up.ts'
import {
  guardChain,
  listRetriedBefore,
  loadChain,
  noneLeftError,
  RETRIED_MEANWHILE,
  requireNewest,
  requireSomeLeft,
} from './retried-before.ts'
import { acceptUndo } from './undo-guard.ts'

/**
 * Entries of a job that has ended, once more, as a job of its own: those that failed, or that it has not run, as they were
 * sent, or with an update. What was not run is run once, however often that is asked for.
 */
export async function retryJob(
  scope: Scope,
  kinds: EntryKinds,
  id: string,
  body: RetryBody,
  request: JobRequest,
): Promise<AcceptedJob> {
  const job = await getJob(scope, id)
  const isRest = body.statuses?.includes('CANCELLED') ?? false
  await requireRetryable(scope, kinds, job, body)
  if (isRest) await requireRest(scope, job)
  // A dry run does nothing, and of messages an entry that is retried twice is sent once.
  const isDoneTwice = job.isDryRun === 0 && findQueueKind(kinds, job.queue) === undefined
  const { group } = body
  const retry = async (guards: Statement[]): Promise<AcceptedJob> => {
    const chain = isDoneTwice ? await loadChain(scope, job) : []
    const retried = listRetriedBefore(job, chain)
    requireNewest(job, chain)
    requireSomeLeft(job, body, retried)
    return acceptFollowUp(scope, kinds, request, job, {
      request: { does: 'retry', ...body, ...(retried.length > 0 ? { retried } : {}) },
      ...(Object.keys(body.update ?? {}).length === 0 ? {} : { title: encodeCorrectedTitle(job.title ?? null) }),
      columns: ({ columns }) => copyColumns(scope.team.no, job.no, columns?.() ?? []),
      links: taken => ({
        retryOf: job.id,
        firstJob: job.firstJob ?? job.id,
        retrySelection: JSON.stringify({
          group: group ?? null,
          taken,
          statuses: listAskedStatuses(body),
          ...(retried.length > 0 ? { without: retried.map(({ id }) => id) } : {}),
          ...(isRest ? { isRest: true } : {}),
        } satisfies RetrySelection),
        // What a retry of an undo takes back is of the same job.
        undoOf: job.undoOf,
        isDryRun: Boolean(job.isDryRun),
      }),
      lastGuards: () => [
        ...(isRest ? [guard(REST_TAKEN, sql`NOT EXISTS (${whereRestTaken(scope, job)})`)] : []),
        ...(isDoneTwice ? [guardChain(scope, job, chain)] : []),
        ...guards,
      ],
      none: async () => {
        const known = await groupJobFailures(scope, request.archive, job)
        if (retried.length > 0 && (group === undefined || known.groups.some(each => each.group === group)))
          return noneLeftError(job, retried)
        return noneInGroupError(job, body, { path: '/body/group', known })
      },
    })
  }
  const retryOnce = (guards: Statement[]) => retryWhileChanged('background job', RETRIED_MEANWHILE, () => retry(guards))
  try {
    return await (job.undoOf === null
      ? retryOnce([])
      : acceptUndo(scope, job, notBeingUndone => retryOnce([notBeingUndone])))
  } catch (error) {
    if (isGuardFailure(error, REST_TAKEN)) await requireRest(scope, job)
    throw error
  }
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
  if (group === undefined && statuses.every(status => counts[status] === 0)) {
    const message = `background job ${id} has no entry with ${statuses.join(' or ')} to retry`
    throw new AppError('conflict', [{ message, hint: describeRetryable(job) }])
  }
  if (!findQueueKind(kinds, job.queue)) return
  if (job.interruptedAt !== null || job.completedAt <= (await readRestoredAt(scope.db, scope.team.no)))
    throw new AppError(
      'conflict',
      `the database was restored after background job ${id} had begun: which of its entries were sent in the lost time is not known, so none of them is sent again`,
    )
}

/** What there is to retry of a job instead, and how. The rest of a dry run, or of a job of which not all was found, is never run. */
function describeRetryable(job: JobRow): string {
  const counts = countEntries(job)
  const isRunnable = (status: RetriedStatus) =>
    counts[status] > 0 && (status !== 'CANCELLED' || (job.isDryRun === 0 && job.cancelledBecause === null))
  const found = RETRIED_STATUSES.filter(isRunnable)
  const ways = found.map(status => `${formatEntries(counts[status])} with ${status} by "statuses": ["${status}"]`)
  return ways.length === 0 ? 'there is nothing to retry' : `there are: ${ways.join(', ')}`
}

const REST_TAKEN = 'what was not run is retried'

/** What a job has not run can be run: all of it is known, and no other retry has it. */
async function requireRest({ db, team }: Scope, job: JobRow): Promise<void> {
  const { id } = job
  if (job.isDryRun === 1)
    throw new AppError('conflict', `background job ${id} is a dry run that was cancelled: make it anew`)
  if (job.cancelledBecause !== null)
    throw new AppError(
      'conflict',
      `background job ${id} was cancelled before all of its entries were found, and has changed nothing: repeat its request`,
    )
  const [[other]] = await db.reconnect().read(statement<{ id: string }>(whereRestTaken({ team }, job)))
  if (other)
    throw new AppError('conflict', [
      {
        message: `what background job ${id} has not run is retried by background job ${other.id}`,
        detail: { backgroundJob: other.id },
      },
    ])
}

/** The retry that has what a job has not run. One that was cancelled before it had read all of it has run nothing. */
const whereRestTaken = ({ team }: Pick<Scope, 'team'>, { id, firstJob }: JobRow): SQL =>
  sql`SELECT ${backgroundJob.id} FROM ${backgroundJob} INDEXED BY background_job_retries
    WHERE ${backgroundJob.team} = ${team.no} AND ${backgroundJob.firstJob} = ${firstJob ?? id}
      AND ${backgroundJob.retryOf} = ${id} AND ${backgroundJob.retrySelection} ->> '$.isRest'
      AND ${backgroundJob.cancelledBecause} IS NULL LIMIT 1`
