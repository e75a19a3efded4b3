import type { Call, CallOptions, CallResult } from './call/call.ts'
import { CaseworkerError } from './call/error.ts'
import { sleep } from './call/sleep.ts'
import { readLines, readServerEvents, waitToResume } from './call/streams.ts'
import type { ListJobEntriesQuery, ListJobsQuery, RetryJobBody, ScheduleJobBody } from './generated/bodies.ts'
import type {
  BackgroundJob,
  BackgroundJobEntry,
  DeliveryFailure,
  EntryCounts,
  JobCount,
  JobFailures,
  JobRetries,
} from './generated/shapes.ts'
import { getParameter, type Pages, type Paging, paginate } from './pages.ts'
import { loadPlan, type Plan, type PlanOptions } from './plan.ts'

/**
 * A background job with the number of its entries in each status. One that sends messages has, when it was got by its
 * id, the number of entries whose newest message has each delivery status, whichever retry sent it.
 */
export type Job = BackgroundJob & {
  counts: EntryCounts
  /** The totals of its retries, if it was retried and loaded by its id. */
  retries?: JobRetries
  /** The newest job that undoes it, if there is one that was not undone since, and it was got by its id. */
  undoneBy?: string
  /** The job that makes the changes of this dry run, if there is one and it was got by its id. */
  appliedBy?: string
  /** The retry that runs what this job, cancelled, has not run, if there is one and the job was got by its id. */
  continuedBy?: string
  deliveries?: Record<string, number>
  /** False: there was no time for all entries. `deliveries` and `deliveryFailures` are those of the first ones. */
  isDeliveryCountComplete?: false
  /** The reasons of FAILED messages, the most frequent first. */
  deliveryFailures?: DeliveryFailure[]
}

export type EntryStatus = NonNullable<ListJobEntriesQuery['completionStatus']>

interface ResultsFilter extends CallOptions {
  completionStatus?: EntryStatus | undefined
  /** Only entries that failed for this reason: the `group` of one of `errors`. */
  group?: string | undefined
  /** Only entries with this `index` or a later one. */
  fromIndex?: number | undefined
}

export interface Jobs {
  get: (id: string, options?: CallOptions) => Promise<Job>
  list: (query?: Omit<ListJobsQuery, 'limit' | 'cursor'> & Paging, options?: CallOptions) => Pages<BackgroundJob>
  /** Entries of any kind, processed now or at a time in the future. */
  schedule: (body: ScheduleJobBody, options?: CallOptions & { dryRun?: boolean | undefined }) => Promise<Job>
  /** Resolves when the job has ended, with success or not. Reconnects if the event stream breaks off. */
  wait: (id: string, options?: WaitOptions) => Promise<Job>
  /** Yields the job whenever its counts change, until the job or the connection ends. */
  watch: (id: string, options?: CallOptions) => AsyncGenerator<Job, void, undefined>
  entries: (
    id: string,
    query?: Pick<ListJobEntriesQuery, 'completionStatus' | 'skip'> & Paging,
    options?: CallOptions,
  ) => Pages<BackgroundJobEntry>
  /** Lists why entries failed: groups with the same code at the same place, the largest first. */
  errors: (id: string, query?: { skip?: number | undefined } & Paging, options?: CallOptions) => Pages<JobFailures>
  /** Returns all entries as one stream, in the order of the request. Use it for large jobs. */
  results: (id: string, options?: ResultsFilter) => AsyncGenerator<BackgroundJobEntry, void, undefined>
  /** The same as a byte stream, for a file. */
  download: (id: string, options?: ResultsFilter & { format?: 'ndjson' | 'csv' }) => Promise<ReadableStream<Uint8Array>>
  /** Counts the jobs of each status. */
  counts: (options?: CallOptions) => Promise<JobCount[]>
  cancel: (id: string, options?: CallOptions) => Promise<Job>
  /**
   * Creates a job that runs the ERROR entries again, or those of a `group` of `errors`, or of some `statuses`; with an
   * `update` that is merged into each of them. What a cancelled job has not run is CANCELLED, and is run by one retry.
   */
  retry: (id: string, body?: RetryJobBody, options?: CallOptions) => Promise<Job>
  /** Returns the result of a dry run. Resolves when it has ended. */
  plan: (id: string, options?: PlanOptions) => Promise<Plan>
  /** Creates a job that makes the changes of a dry run, where nobody has changed anything since. */
  apply: (id: string, options?: CallOptions) => Promise<Job>
  /** Creates a job that takes back what this one has changed. What its retries have changed stays. */
  undo: (id: string, options?: CallOptions) => Promise<Job>
  /**
   * Takes back the changes of a job and its retries: the newest of them first, each by a job of its own, which is
   * yielded when it was created. The next one begins when it has ended; the last one is not awaited.
   */
  undoWithRetries: (id: string, options?: Pick<CallOptions, 'signal'>) => AsyncGenerator<Job, void, undefined>
}

export const toDryRunQuery = (dryRun: boolean | undefined): { dryRun: 'true' } | undefined =>
  dryRun ? { dryRun: 'true' } : undefined

export const toJob = ({ data, meta }: Pick<CallResult<'getJob'>, 'data' | 'meta'>): Job => ({
  ...data,
  counts: meta.bjEntryCompletionStatusVsCount,
})

export function createJobsClient(call: Call): Jobs {
  const at = (id: string) => ({ path: { backgroundJobId: id } })
  const get: Jobs['get'] = async (id, options) => {
    const result = await call('getJob', at(id), options)
    const {
      retries,
      undoneBy,
      appliedBy,
      continuedBy,
      deliveryStatusVsCount: deliveries,
      deliveryFailures,
      isDeliveryCountComplete = true,
    } = result.meta
    return {
      ...toJob(result),
      ...(retries ? { retries } : {}),
      ...(undoneBy ? { undoneBy } : {}),
      ...(appliedBy ? { appliedBy } : {}),
      ...(continuedBy ? { continuedBy } : {}),
      ...(deliveries ? { deliveries } : {}),
      ...(deliveryFailures ? { deliveryFailures } : {}),
      ...(isDeliveryCountComplete ? {} : { isDeliveryCountComplete }),
    }
  }

  async function* watch(id: string, options?: CallOptions): AsyncGenerator<Job, void, undefined> {
    const { data } = await call('watchJob', at(id), options)
    for await (const event of readServerEvents(data)) if (event !== '') yield parseJobEvent(event)
  }

  const download: Jobs['download'] = async (
    id,
    { completionStatus, group, fromIndex, format = 'ndjson', ...options } = {},
  ) => {
    const accept = format === 'csv' ? 'text/csv' : 'application/x-ndjson'
    const { data } = await call(
      'getJobResults',
      { ...at(id), query: { completionStatus, group, fromIndex } },
      { ...options, accept },
    )
    return data
  }

  const jobs: Jobs = {
    get,
    watch,
    download,
    plan: (id, options) => loadPlan(jobs, id, options),
    wait: (id, options) => waitForJob({ get, watch }, id, options),
    schedule: async (body, { dryRun, ...options } = {}) =>
      toJob(await call('scheduleJob', { body, query: toDryRunQuery(dryRun) }, options)),
    counts: async options => (await call('countJobs', {}, options)).data,
    cancel: async (id, options) => toJob(await call('cancelJob', at(id), options)),
    retry: async (id, body = {}, options) => toJob(await call('retryJob', { ...at(id), body }, options)),
    apply: async (id, options) => toJob(await call('applyJob', at(id), options)),
    undo: async (id, options) => toJob(await call('undoJob', at(id), options)),
    async *undoWithRetries(id, { signal } = {}) {
      const { retries, counts } = await get(id, { signal })
      const first = retries?.undoFirst ?? []
      let before: Job | undefined
      for (const each of counts.SUCCESS > 0 || first.length === 0 ? [...first, id] : first) {
        if (before) await jobs.wait(before.id, { signal })
        try {
          before = await jobs.undo(each, { signal })
          yield before
        } catch (error) {
          // A job whose entries succeeded without a change cannot be undone.
          if (first.length === 0 || !isNothingChanged(error)) throw error
        }
      }
    },
    list: ({ limit: total, pageSize, skip, ...filters } = {}, options) =>
      paginate<BackgroundJob>({ limit: total, pageSize }, async (limit, cursor) => {
        const from = cursor === undefined ? { skip } : { cursor }
        const { data, meta } = await call('listJobs', { query: { ...filters, limit, ...from } }, options)
        return { data, meta: { next: getParameter(meta.next, 'cursor') } }
      }),
    entries: (id, { completionStatus, skip: first = 0, ...paging } = {}, options) =>
      paginate<BackgroundJobEntry>(paging, async (limit, position) => {
        const query = { completionStatus, limit, skip: position === undefined ? first : Number(position) }
        const { data, meta } = await call('listJobEntries', { ...at(id), query }, options)
        return { data, meta: { next: getParameter(meta.next, 'skip') } }
      }),
    errors: (id, { skip: first = 0, ...paging } = {}, options) =>
      paginate<JobFailures>(paging, async (limit, position) => {
        const query = { limit, skip: position === undefined ? first : Number(position) }
        const { data, meta } = await call('listJobErrors', { ...at(id), query }, options)
        return { data, meta: { next: getParameter(meta.next, 'skip') } }
      }),
    async *results(id, { fromIndex = 0, ...options } = {}) {
      let next = fromIndex
      for (let breaks = 0; ; ) {
        const opened = await download(id, { ...options, fromIndex: next })
        try {
          for await (const line of readLines(opened)) {
            if (line === '') continue
            const entry = JSON.parse(line) as BackgroundJobEntry
            next = entry.index + 1
            breaks = 0
            yield entry
          }
          return
        } catch (error) {
          if (options.signal?.aborted) throw options.signal.reason
          if (!(error instanceof CaseworkerError)) throw error
          breaks += 1
          await waitToResume(breaks, error, options.signal)
        }
      }
    },
  }
  return jobs
}

/** So says a job whose entries were all there. One that was cancelled while they were found has run none: its request is repeated. */
const CANCELLED_WITH_ALL_ENTRIES = /^(Interrupted, [^.]*\. )?Cancelled: of /

/** Whether a retry can run what a cancelled job has not run, if none does so already. A dry run is made anew. */
export const isRestRunnable = ({ dryRun, statusMessage }: BackgroundJob, { CANCELLED }: EntryCounts): boolean =>
  CANCELLED > 0 && !dryRun && CANCELLED_WITH_ALL_ENTRIES.test(statusMessage ?? '')

const isNothingChanged = (error: unknown): boolean =>
  error instanceof CaseworkerError && error.is('conflict') && error.errors[0]?.hasChangedNothing === true

function parseJobEvent(event: string): Job {
  const envelope = JSON.parse(event) as Record<'_data', BackgroundJob> &
    Record<'_meta', { bjEntryCompletionStatusVsCount: EntryCounts }>
  return toJob({ data: envelope._data, meta: envelope._meta })
}

export interface WaitOptions {
  /** Called whenever the counts or the status message of the job have changed. */
  onProgress?: ((job: Job) => void) | undefined
  signal?: AbortSignal | undefined
  /** The time after which `wait` throws; the job continues. */
  timeoutMs?: number | undefined
}

/** The stream has a keep-alive every ten seconds. If it is silent for longer, a proxy buffers it. */
const SILENCE_MS = 25_000
const PAUSE_MS = 500
const PAUSE_MS_MAX = 10_000
/** The number of consecutive failures after which `wait` throws. */
const FAILURES_MAX = 8

/** Watches the events of the job, and polls it when the stream ends early, is silent or is refused on its way. */
async function waitForJob(
  { get, watch }: Pick<Jobs, 'get' | 'watch'>,
  id: string,
  { onProgress = () => {}, signal, timeoutMs }: WaitOptions = {},
): Promise<Job> {
  const late = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs)
  const given = [signal, late].filter(each => each !== undefined)
  const until = AbortSignal.any(given)
  let reported = ''
  const report = (job: Job): boolean => {
    const now = JSON.stringify([job.completionStatus, job.statusMessage, job.counts])
    if (now !== reported) onProgress(job)
    reported = now
    return job.completedAt !== 0
  }
  let [failures, failedStreams] = [0, 0]
  /** What is wrong with the stream alone does not keep the job from being read. */
  const watchOrPoll = async (): Promise<Job | undefined> => {
    try {
      const last = await watchUntilSilent(watch, id, until, report)
      failedStreams = 0
      return last
    } catch (error) {
      if (!(error instanceof CaseworkerError)) throw error
      failedStreams += 1
      return undefined
    }
  }
  for (;;) {
    try {
      let last = await watchOrPoll()
      if (last === undefined || last.completedAt === 0) {
        last = await get(id, { signal: until })
        if (!report(last)) await sleep(Math.min(PAUSE_MS_MAX, PAUSE_MS * 2 ** failedStreams), until)
      }
      if (last.completedAt !== 0) return last
      failures = 0
    } catch (error) {
      if (until.aborted) throw until.reason
      failures += 1
      const isTransient =
        error instanceof CaseworkerError && (error.status === 0 || error.status === 429 || error.status >= 500)
      if (!isTransient || failures >= FAILURES_MAX) throw error
      await sleep(Math.min(PAUSE_MS_MAX, PAUSE_MS * 2 ** failures), until)
    }
  }
}

/** The last state of the job before the stream ends or falls silent. */
async function watchUntilSilent(
  watch: (id: string, options: CallOptions) => AsyncGenerator<Job, void, undefined>,
  id: string,
  until: AbortSignal,
  report: (job: Job) => boolean,
): Promise<Job | undefined> {
  const stopped = new AbortController()
  const events = watch(id, { signal: AbortSignal.any([until, stopped.signal]) })
  let last: Job | undefined
  try {
    for (;;) {
      const next = await withinSilence(events.next(), until)
      if (next === undefined || next.done) return last
      last = next.value
      if (report(last)) return last
    }
  } finally {
    stopped.abort()
    events.return().catch(() => {})
  }
}

async function withinSilence<Value>(value: Promise<Value>, until: AbortSignal): Promise<Value | undefined> {
  const quiet = new AbortController()
  try {
    const silence = sleep(SILENCE_MS, AbortSignal.any([until, quiet.signal])).then(() => undefined)
    silence.catch(() => {})
    return await Promise.race([value, silence])
  } finally {
    quiet.abort()
  }
}
