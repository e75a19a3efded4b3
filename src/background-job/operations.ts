import { write } from '../db/write.ts'
import { AppError, notFound } from '../errors.ts'
import { toAuthorJson } from '../event/append.ts'
import type { StreamedBody } from '../http/request/streamed-body.ts'
import type { Scope } from '../scope.ts'
import { type AcceptedJob, acceptJob, FIRST_JOB } from './accept/accept-job.ts'
import { readBulkBody } from './accept/body.ts'
import type { JobRequest } from './accept/request.ts'
import { readSchedule, readStartAt } from './accept/schedule.ts'
import { insertEventIfEnded } from './events.ts'
import {
  cancelJobRow,
  cancelledJobJson,
  createReadSelection,
  findJob,
  findJobWithRetries,
  finishJob,
  selectJob,
} from './job-rows.ts'
import { type EntryKinds, findQueueKind, getKind } from './kind.ts'
import {
  findContinuation,
  findUndoneBy,
  hasEnded,
  isCancelled,
  isDone,
  type JobRow,
  type ReadJobRow,
  summarizeRetries,
} from './rules.ts'
import type { JobSettings } from './settings.ts'
import { encodeTitle } from './title.ts'

export async function getJob(scope: Scope, id: string): Promise<JobRow> {
  const job = await findJob(scope, id, selectJob)
  if (!job) throw notFound(`background job ${id}`)
  return job
}

/** Gets a job for those who look at it. */
export async function readJob(scope: Scope, { teamJobs }: JobSettings, id: string): Promise<ReadJobRow> {
  const job = await findJob(scope, id, createReadSelection(teamJobs))
  if (!job) throw notFound(`background job ${id}`)
  return job
}

/** Adds to a job the counts of its retries, and what the kind that owns its queue reports. */
export async function reportJob(
  scope: Scope,
  kinds: EntryKinds,
  { teamJobs }: JobSettings,
  id: string,
): Promise<{ job: ReadJobRow; meta: Record<string, unknown> }> {
  const found = await findJobWithRetries(scope, id, createReadSelection(teamJobs))
  if (!found) throw notFound(`background job ${id}`)
  const { job, appliedBy } = found
  const undoneBy = findUndoneBy(job.id, found.undos)
  const retries = summarizeRetries(job, found.retries)
  const continuedBy = findContinuation(job, found.retries)
  const ofQueue = findQueueKind(kinds, job.queue)
  const links = {
    ...(retries ? { retries } : {}),
    ...(undoneBy === undefined ? {} : { undoneBy }),
    ...(appliedBy === null ? {} : { appliedBy }),
    ...(continuedBy === undefined ? {} : { continuedBy }),
  }
  return { job, meta: { ...links, ...(await ofQueue?.loadMeta(scope, found)) } }
}

/** In place of the verb of an entry whose type there is not. */
const UNKNOWN = ''

/** Entries of any kind, written by hand. */
export function scheduleJob(
  scope: Scope,
  kinds: EntryKinds,
  stream: StreamedBody,
  request: JobRequest,
): Promise<AcceptedJob> {
  const { may, isDryRun } = request
  const body = readBulkBody(stream, 'entries', ['startAt'])
  const verbs = new Set<string>()
  const source = {
    draft: () => ({
      type: 'scheduled_job',
      procedure: null,
      startAt: readStartAt(body),
      ...FIRST_JOB,
      isDryRun,
      title: verbs.size === 1 && !verbs.has(UNKNOWN) ? encodeTitle({ does: [...verbs].join() }) : null,
    }),
    entries: async function* () {
      verbs.clear()
      for await (const entry of readSchedule(kinds, body, may)) {
        verbs.add(getKind(kinds, entry.apiType)?.verb ?? UNKNOWN)
        yield entry
      }
    },
    release: body.release,
    guards: [],
    getQueue: (apiType: string) => getKind(kinds, apiType)?.queue?.name,
  }
  return acceptJob(scope, request, source)
}

/** Stops what has not started; what has ended keeps its outcome. A step that is running takes no effect, except for what it has sent already: that is waited for. */
export async function cancelJob(scope: Scope, id: string): Promise<JobRow> {
  const job = await getJob(scope, id)
  const [team, now] = [scope.team.no, Date.now()]
  const cancelled = await write(scope, {
    effect: [
      finishJob(team, job.no, now),
      insertEventIfEnded(team, job.no, now),
      cancelJobRow(team, job.no, now),
      insertEventIfEnded(team, job.no, now, toAuthorJson(scope)),
      selectJob(team, job.no),
    ],
    // A job that is not cancelled has no such outcome: where one is to be kept, that fails the transaction.
    outcome: { select: () => cancelledJobJson(team, job.no) },
  }).then(
    ([_finished, _finishedEvent, _cancelled, _cancelledEvent, read]) => read.rows[0],
    async (error: unknown) => {
      const after = await getJob(scope, id)
      if (isCancelled(after)) throw error
      if (hasEnded(after)) return after
      if (!isDone(after)) throw error
      // Its runner has not said so yet; what was written here was taken back with the rest.
      const effect = [
        finishJob(team, job.no, now),
        insertEventIfEnded(team, job.no, now),
        selectJob(team, job.no),
      ] as const
      const [_finished, _event, read] = await write({ db: scope.db, idempotency: null }, { effect, outcome: null })
      return read.rows[0]
    },
  )
  if (!cancelled) throw notFound(`background job ${id}`)
  if (!isCancelled(cancelled))
    throw new AppError('conflict', `background job ${id} has ended already: ${cancelled.completionStatus}`)
  return cancelled
}
