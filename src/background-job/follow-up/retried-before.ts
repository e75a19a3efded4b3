import { sql } from 'drizzle-orm'
import { guard } from '../../db/guard.ts'
import { type Statement, select } from '../../db/statement.ts'
import { AppError } from '../../errors.ts'
import type { Scope } from '../../scope.ts'
import { listAskedStatuses, RETRIED_STATUSES, type RetryFilter } from '../failure-rules.ts'
import { JOB_FIELDS } from '../job-rows.ts'
import {
  countEntries,
  hasEnded,
  type JobRow,
  listDescendants,
  overlap,
  type RetryEntries,
  readSelection,
} from '../rules.ts'
import { backgroundJob } from '../table.ts'
import type { RetriedBefore } from './request.ts'

export const RETRIED_MEANWHILE = 'the job was retried meanwhile'

/** All retries of the chain that a job belongs to, the oldest first: each keeps others from its entries. */
const whereInChain = (team: number, { id, firstJob }: JobRow) =>
  sql`FROM ${backgroundJob} INDEXED BY background_job_retries
    WHERE ${backgroundJob.team} = ${team} AND ${backgroundJob.firstJob} = ${firstJob ?? id}`

export async function loadChain({ db, team }: Scope, job: JobRow): Promise<JobRow[]> {
  const [chain] = await db
    .reconnect()
    .read(select(JOB_FIELDS, sql`${whereInChain(team.no, job)} ORDER BY ${backgroundJob.no}`))
  return [...chain]
}

/** No retry was added since the chain was read. That one of them has ended stands in nobody's way. */
export const guardChain = ({ team }: Scope, job: JobRow, chain: readonly JobRow[]): Statement =>
  guard(RETRIED_MEANWHILE, sql`(SELECT count(*) ${whereInChain(team.no, job)}) = ${chain.length}`)

/**
 * The retries that have entries of a job for good: what failed again in them is retried from them. One that has ended, and
 * in which all failed again, has none; nor has one that was cancelled before it had read all of it.
 */
export function listRetriedBefore(job: JobRow, chain: readonly JobRow[]): RetriedBefore[] {
  return chain
    .filter(retry => retry.retryOf === job.id && retry.cancelledBecause === null && !hasDoneNothing(retry, chain))
    .map(retry => {
      const { group, taken, statuses } = readSelection(retry)
      return { id: retry.id, group, statuses: statuses ?? RETRIED_STATUSES.filter(status => taken[status]) }
    })
}

const hasDoneNothing = (retry: JobRow, chain: readonly JobRow[]): boolean =>
  [retry, ...listDescendants(retry, chain)].every(
    each => hasEnded(each) && (each.cancelledBecause !== null || (each.success === 0 && each.cancelled === 0)),
  )

/** Where all failed again, the job before may be retried once more: then the newer retry has the entries, and not this one. */
export function requireNewest(job: JobRow, chain: readonly JobRow[]): void {
  for (let each: JobRow | undefined = job; each; each = chain.find(({ id }) => id === each?.retryOf)) {
    const { id, no, retryOf } = each
    if (retryOf === null) return
    const selection = readSelection(each)
    const newer = chain.findLast(
      other =>
        other.retryOf === retryOf &&
        other.no > no &&
        other.cancelledBecause === null &&
        overlap(readMeant(other), selection),
    )
    if (newer) throw retriedError(`the entries of background job ${id} are`, newer.id)
  }
}

/** While entries are still being read, those of all statuses that were asked for may come. */
function readMeant(retry: JobRow): RetryEntries {
  const selection = readSelection(retry)
  if (hasEnded(retry) || !selection.statuses) return selection
  return { ...selection, taken: Object.fromEntries(selection.statuses.map(status => [status, 1])) }
}

const retriedError = (what: string, by: string): AppError =>
  new AppError('conflict', [
    {
      message: `${what} retried by background job ${by}`,
      hint: 'what failed again in it is retried from it',
      detail: { backgroundJob: by },
    },
  ])

const isOfGroup = (before: RetriedBefore, getGroup: () => string | undefined): boolean =>
  before.group === null || before.group === getGroup()

/** Whether an entry that ended so is in a retry already. */
export const isRetriedBefore = (
  status: string,
  getGroup: () => string | undefined,
  retried: readonly RetriedBefore[],
): boolean => retried.some(before => before.statuses.some(each => each === status) && isOfGroup(before, getGroup))

/** Refuses a retry of which other retries have everything, as far as that is known before entries are read. */
export function requireSomeLeft(
  job: JobRow,
  { group, statuses }: RetryFilter,
  retried: readonly RetriedBefore[],
): void {
  const counts = countEntries(job)
  const wanted = listAskedStatuses({ group, statuses }).filter(status => counts[status] > 0)
  const by = wanted.map(status =>
    retried.findLast(before => isOfGroup(before, () => group) && before.statuses.some(each => each === status)),
  )
  if (wanted.length > 0 && by.every(before => before !== undefined)) throw noneLeftError(job, retried, by.at(-1)?.id)
}

/** `by` is the newest of the retries that have the entries. */
export const noneLeftError = (
  { id }: Pick<JobRow, 'id'>,
  retried: readonly RetriedBefore[],
  by = retried.at(-1)?.id ?? '',
): AppError => retriedError(`these entries of background job ${id} are`, by)
