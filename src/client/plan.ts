import type { CallOptions } from './call/call.ts'
import { invalidCall } from './call/error.ts'
import type { BackgroundJobEntry, EntryCounts, JobFailures } from './generated/shapes.ts'
import type { Job, Jobs, WaitOptions } from './jobs.ts'

/** A changed field: of a process, or of a message, which has `recipient` and `text`. */
export interface PlannedChange {
  field: string
  from: unknown
  to: unknown
}

/**
 * The effect of an entry. `same`: the process is given the values that it has, which makes a new version of it. `none`: nothing
 * is written.
 */
export type PlannedAction = 'create' | 'update' | 'same' | 'delete' | 'restore' | 'send' | 'none'

export interface PlannedEntry {
  /** The position in the request, starting at 0. */
  index: number
  completionStatus: BackgroundJobEntry['completionStatus']
  /** The reason why it would fail; empty otherwise. */
  completionMessage: string
  /** The code of the error with which it would fail; null if it would not. */
  code: string | null
  /** The effect; null if it would fail. */
  action: PlannedAction | null
  /** The id of its process; null where there is none yet, or none was found. */
  process: string | null
  primaryKey: string | null
  changes: PlannedChange[]
  /** The number of further changes, for which the entry has no room. */
  more: number
}

/** The entries counted by their effect. */
export type PlanSummary = Record<PlannedAction | 'fail', number> & {
  /** The number of entries that would change each field, the most frequent field first. */
  fields: Record<string, number>
}

export interface PlanOptions extends CallOptions, Pick<WaitOptions, 'onProgress'> {}

/** The dry run of a bulk request, which has changed nothing yet. */
export interface Plan {
  /** The id of the dry run. `jobs.plan(id)` gets its plan again. */
  id: string
  /** The dry run itself, which has ended. */
  job: Job
  /** The number of entries that would succeed (SUCCESS) and fail (ERROR and INVALID). */
  counts: EntryCounts
  /** The first entries that would change something. */
  sample: PlannedEntry[]
  /** The most frequent reasons why entries would fail, the first one first. */
  failures: JobFailures[]
  /** Iterates over all entries, in the order of the request. */
  entries: (options?: CallOptions) => AsyncGenerator<PlannedEntry, void, undefined>
  /** Counts all entries by their effect, which reads every entry. */
  summarize: (options?: CallOptions) => Promise<PlanSummary>
  /** Makes the changes, as a job. An entry whose process has changed since fails with `changed_since`. */
  apply: (options?: CallOptions) => Promise<Job>
}

const SAMPLE_ENTRIES = 10
/** One page is mostly enough for a sample. Where most entries have nothing to change, more are read. */
const PAGE_ENTRIES = 100
const SAMPLE_ENTRIES_READ = 20_000
const FAILURES_MAX = 100

type PlannedJobs = Pick<Jobs, 'wait' | 'entries' | 'errors' | 'results' | 'apply'>

/** Waits for a dry run, and reads what it has come to. */
export async function loadPlan(
  jobs: PlannedJobs,
  id: string,
  { onProgress, ...options }: PlanOptions = {},
): Promise<Plan> {
  const job = await jobs.wait(id, { onProgress, signal: options.signal })
  if (!job.dryRun) throw invalidCall(`background job ${id} is no dry run`, 'plan')
  const { counts } = job
  const [sample, failures] = await Promise.all([
    readSample(jobs, job, options),
    counts.ERROR + counts.INVALID === 0 ? [] : jobs.errors(id, { limit: FAILURES_MAX }, options).all(),
  ])
  async function* entries(own: CallOptions = options): AsyncGenerator<PlannedEntry, void, undefined> {
    for await (const entry of jobs.results(id, own)) yield toPlannedEntry(entry)
  }
  return {
    id,
    job,
    counts,
    sample,
    failures,
    entries,
    summarize: own => summarize(entries(own)),
    apply: own => jobs.apply(id, own),
  }
}

/** The first entries that would change something. */
async function readSample(jobs: PlannedJobs, { id, counts }: Job, options: CallOptions): Promise<PlannedEntry[]> {
  if (counts.SUCCESS === 0) return []
  const query = { completionStatus: 'SUCCESS', pageSize: PAGE_ENTRIES } as const
  const first = (await jobs.entries(id, query, options).page()).items.map(toPlannedEntry)
  const sample = first.filter(isChange).slice(0, SAMPLE_ENTRIES)
  if (sample.length === SAMPLE_ENTRIES || counts.SUCCESS <= first.length) return sample
  let read = 0
  for await (const entry of jobs.results(id, { completionStatus: 'SUCCESS', ...options })) {
    read += 1
    if (read <= first.length) continue
    const planned = toPlannedEntry(entry)
    if (isChange(planned)) sample.push(planned)
    if (sample.length === SAMPLE_ENTRIES || read >= SAMPLE_ENTRIES_READ) break
  }
  return sample
}

const isChange = ({ action }: PlannedEntry): boolean => action !== 'same' && action !== 'none'

/** The result of an entry of a dry run. */
interface PlannedResult {
  code?: string
  id?: string
  created?: boolean
  unchanged?: boolean
  changes?: PlannedChange[]
  more?: number
}

export function toPlannedEntry({ data, completionResult, ...entry }: BackgroundJobEntry): PlannedEntry {
  const { index, completionStatus, completionMessage, primaryKey } = entry
  const result = (completionResult ?? {}) as PlannedResult
  const isSuccess = completionStatus === 'SUCCESS'
  const { changes = [], more = 0 } = isSuccess ? result : {}
  return {
    index,
    completionStatus,
    completionMessage,
    code: isSuccess ? null : (result.code ?? null),
    action: isSuccess ? toAction(data, result) : null,
    process: result.id ?? null,
    primaryKey,
    changes,
    more,
  }
}

function toAction(
  { apiType, apiData }: BackgroundJobEntry['data'],
  { created, unchanged, changes = [], more = 0 }: PlannedResult,
): PlannedAction {
  if (apiType === 'TEMPLATE_MESSAGE') return 'send'
  if (apiType === 'PROCESS_CREATE' || created) return 'create'
  const deletion = changes.find(({ field }) => field === 'isDeleted')
  if (deletion) return deletion.to === true ? 'delete' : 'restore'
  if (unchanged) return 'none'
  return changes.length + more > 0 || setsCustomerData(apiData) ? 'update' : 'same'
}

/** Whether data of a customer are sent: what differs in them a dry run does not tell. */
function setsCustomerData({ processUpdate, processUpsert }: BackgroundJobEntry['data']['apiData']): boolean {
  const body = (processUpdate ?? processUpsert) as { record?: { data?: object } | null } | undefined
  return body?.record?.data !== undefined
}

async function summarize(entries: AsyncIterable<PlannedEntry>): Promise<PlanSummary> {
  const summary = { create: 0, update: 0, same: 0, delete: 0, restore: 0, send: 0, none: 0, fail: 0 }
  const fields = new Map<string, number>()
  for await (const { action, changes } of entries) {
    summary[action ?? 'fail'] += 1
    for (const { field } of changes) fields.set(field, (fields.get(field) ?? 0) + 1)
  }
  const sorted = [...fields].sort(([, one], [, other]) => other - one)
  return { ...summary, fields: Object.fromEntries(sorted) }
}
