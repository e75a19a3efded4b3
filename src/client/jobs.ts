import type { Call, CallOptions, CallResult } from './call/call.ts'
import { eventsOf, linesOf, withStreamErrors } from './call/streams.ts'
import type { ListJobEntriesQuery, ListJobsQuery, ScheduleJobBody } from './generated/bodies.ts'
import type {
  BackgroundJob,
  BackgroundJobEntry,
  DeliveryFailure,
  EntryCounts,
  JobCount,
  JobRetries,
} from './generated/shapes.ts'
import { type Pages, type Paging, pagesOf, parameterIn } from './pages.ts'
import { type WaitOptions, waitForJob } from './wait-job.ts'

/**
 * A background job with the number of its entries in each status. One that sends messages has, when it was got by its
 * id, the number of entries whose newest message has each delivery status, whichever retry sent it.
 */
export type Job = BackgroundJob & {
  counts: EntryCounts
  /** What its retries came to, if it was retried and got by its id. */
  retries?: JobRetries
  deliveries?: Record<string, number>
  /** Why messages are FAILED, the most frequent reason first. */
  deliveryFailures?: DeliveryFailure[]
}

export type EntryStatus = NonNullable<ListJobEntriesQuery['completionStatus']>

interface StatusFilter extends CallOptions {
  completionStatus?: EntryStatus | undefined
}

export interface Jobs {
  get: (id: string, options?: CallOptions) => Promise<Job>
  list: (query?: Omit<ListJobsQuery, 'limit' | 'cursor'> & Paging, options?: CallOptions) => Pages<BackgroundJob>
  /** Entries of any kind, processed now or at a time in the future. */
  schedule: (body: ScheduleJobBody, options?: CallOptions) => Promise<Job>
  /** Resolves when the job has ended, with success or not. Reconnects if the event stream breaks off. */
  wait: (id: string, options?: WaitOptions) => Promise<Job>
  /** Yields the job whenever its counts change, until the job or the connection ends. */
  watch: (id: string, options?: CallOptions) => AsyncGenerator<Job, void, undefined>
  entries: (
    id: string,
    query?: Pick<ListJobEntriesQuery, 'completionStatus' | 'skip'> & Paging,
    options?: CallOptions,
  ) => Pages<BackgroundJobEntry>
  /** All entries as one stream, in the order of the request. Use it for large jobs. */
  results: (id: string, options?: StatusFilter) => AsyncGenerator<BackgroundJobEntry, void, undefined>
  /** The same as a byte stream, for a file. */
  download: (id: string, options?: StatusFilter & { format?: 'ndjson' | 'csv' }) => Promise<ReadableStream<Uint8Array>>
  /** How many jobs there are of each status. */
  counts: (options?: CallOptions) => Promise<JobCount[]>
  cancel: (id: string, options?: CallOptions) => Promise<Job>
  /** Creates a job that runs the ERROR entries again. */
  retry: (id: string, options?: CallOptions) => Promise<Job>
}

export const jobOf = ({ data, meta }: Pick<CallResult<'getJob'>, 'data' | 'meta'>): Job => ({
  ...data,
  counts: meta.bjEntryCompletionStatusVsCount,
})

export function jobsOf(call: Call): Jobs {
  const at = (id: string) => ({ path: { backgroundJobId: id } })
  const get: Jobs['get'] = async (id, options) => {
    const result = await call('getJob', at(id), options)
    const { retries, deliveryStatusVsCount: deliveries, deliveryFailures } = result.meta
    return {
      ...jobOf(result),
      ...(retries ? { retries } : {}),
      ...(deliveries ? { deliveries } : {}),
      ...(deliveryFailures ? { deliveryFailures } : {}),
    }
  }

  async function* watch(id: string, options?: CallOptions): AsyncGenerator<Job, void, undefined> {
    const { data } = await call('watchJob', at(id), options)
    for await (const event of withStreamErrors('watchJob', eventsOf(data))) if (event !== '') yield jobIn(event)
  }

  const download: Jobs['download'] = async (id, { completionStatus, format = 'ndjson', ...options } = {}) => {
    const accept = format === 'csv' ? 'text/csv' : 'application/x-ndjson'
    const { data } = await call('getJobResults', { ...at(id), query: { completionStatus } }, { ...options, accept })
    return data
  }

  return {
    get,
    watch,
    download,
    wait: (id, options) => waitForJob({ get, watch }, id, options),
    schedule: async (body, options) => jobOf(await call('scheduleJob', { body }, options)),
    counts: async options => (await call('countJobs', {}, options)).data,
    cancel: async (id, options) => jobOf(await call('cancelJob', at(id), options)),
    retry: async (id, options) => jobOf(await call('retryJob', at(id), options)),
    list: ({ limit: total, pageSize, skip, ...filters } = {}, options) =>
      pagesOf<BackgroundJob, string>({ limit: total, pageSize }, async (limit, cursor) => {
        const from = cursor === undefined ? { skip } : { cursor }
        const { data, meta } = await call('listJobs', { query: { ...filters, limit, ...from } }, options)
        return { items: data, next: parameterIn(meta.next, 'cursor') }
      }),
    entries: (id, { completionStatus, skip: first = 0, ...paging } = {}, options) =>
      pagesOf<BackgroundJobEntry, string>(paging, async (limit, position) => {
        const query = { completionStatus, limit, skip: position === undefined ? first : Number(position) }
        const { data, meta } = await call('listJobEntries', { ...at(id), query }, options)
        return { items: data, next: parameterIn(meta.next, 'skip') }
      }),
    async *results(id, options) {
      for await (const line of withStreamErrors('getJobResults', linesOf(await download(id, options))))
        if (line !== '') yield JSON.parse(line) as BackgroundJobEntry
    },
  }
}

function jobIn(event: string): Job {
  const envelope = JSON.parse(event) as Record<'_data', BackgroundJob> &
    Record<'_meta', { bjEntryCompletionStatusVsCount: EntryCounts }>
  return jobOf({ data: envelope._data, meta: envelope._meta })
}
