import { AppError, notFound } from '../errors.ts'
import type { Receipt } from '../http/idempotency/record.ts'
import type { Bytes } from '../http/route.ts'
import type { Scope } from '../scope.ts'
import { acceptJob } from './accept/accept-job.ts'
import { permitEntry, requireItems, scanMembers } from './accept/body.ts'
import { handmadeEntries, startAtOf } from './accept/handmade.ts'
import type { JobRequest } from './accept/request.ts'
import { cancelStatement, findJob, finishStatement, type JobPage, listJobRows, selectJob } from './job-rows.ts'
import { type EntryKinds, kindOf } from './kind.ts'
import { entriesOfStatus } from './read/entries.ts'
import { hasEnded, type JobRow } from './rules.ts'

export async function getJob(scope: Scope, id: string): Promise<JobRow> {
  const job = await findJob(scope, id)
  if (!job) throw notFound(`background job ${id}`)
  return job
}

export const listJobs = (scope: Scope, page: JobPage): Promise<JobRow[]> => listJobRows(scope, page)

/** Entries of any kind, written by hand. */
export function scheduleJob(
  scope: Scope,
  kinds: EntryKinds,
  bytes: Bytes,
  { settings, may, receipt }: JobRequest,
): Promise<JobRow> {
  const scanned = scanMembers(bytes, 'entries', ['startAt'])
  const items = requireItems(scanned, 'entries')
  const source = {
    draft: { type: 'scheduled_job', procedure: null, startAt: startAtOf(bytes, scanned), retryOf: null },
    entries: () => handmadeEntries(kinds, bytes, items, may),
    guards: [],
  }
  return acceptJob(scope, settings, source, receipt)
}

/** Stops what has not started; what is done stays done. A step that is under way finds out and takes no effect. */
export async function cancelJob(scope: Scope, id: string, receipt: Receipt): Promise<JobRow> {
  const job = await getJob(scope, id)
  const [team, now] = [scope.team.no, scope.now]
  const [, , found] = await scope.db.batch([
    finishStatement(team, job.no, now),
    cancelStatement(team, job.no, now),
    selectJob(team, job.no),
  ])
  const after = found?.rows[0] as unknown as JobRow
  if (after.completionStatus !== 'CANCELLED')
    throw new AppError('conflict', `background job ${id} has ended already: ${after.completionStatus}`)
  const kept = receipt.of({ json: JSON.stringify(after) })
  if (kept.length > 0) await scope.db.batch(kept)
  return after
}

/** The ERROR entries of a job that has ended, once more, as a job of its own. */
export async function retryJob(
  scope: Scope,
  kinds: EntryKinds,
  id: string,
  { settings, may, receipt }: JobRequest,
): Promise<JobRow> {
  const job = await getJob(scope, id)
  if (!hasEnded(job))
    throw new AppError('conflict', `background job ${id} is still running; it can be retried once it has ended`)
  if (job.error === 0) throw new AppError('conflict', `background job ${id} has no entry with ERROR to retry`)
  const source = {
    draft: { type: job.type, procedure: job.procedure, startAt: null, retryOf: job.id },
    entries: async function* () {
      for await (const { apiType, apiData, index } of entriesOfStatus(scope, job, 'ERROR')) {
        const retryOf = apiData.retryOf ?? { backgroundJob: job.id, index }
        const kind = kindOf(kinds, apiType)
        const named = kind?.retriesByName ? { ...apiData, retryOf } : apiData
        yield permitEntry({ apiType, apiData: named }, kind?.permission, may)
      }
    },
    guards: [],
  }
  return acceptJob(scope, settings, source, receipt)
}
