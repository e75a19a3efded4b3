import { SECOND_MS } from '../time-units.ts'
import { RETRIED_STATUSES, type RetriedStatus } from './failure-rules.ts'
import { ENTRY_STATUSES, type EntryStatus, type JobProgress, type JobStatus } from './schema.ts'
import { listOutstanding, parseUnfinished } from './unfinished.ts'

/**
 * The queues that carry messages about jobs: small jobs have one, so that they don't wait for large ones. A kind of entry
 * may have one of its own.
 */
export type JobQueue = 'jobs' | 'jobs-small' | 'sends'

/** A job as the database holds it. */
export interface JobRow {
  no: number
  id: string
  type: string
  /** The queue of its own that a kind of its entries has. */
  queue: JobQueue | null
  procedure: string | null
  completionStatus: JobStatus
  total: number
  revision: number
  cursor: number
  /** A list of `UnfinishedEntries`, as JSON. */
  unfinished: string
  /** How many of them are in flight or delayed. */
  outstanding: number
  invalid: number
  inProgress: number
  inProgressTo: number
  success: number
  error: number
  cancelled: number
  giveUpBatchSize: number
  createdBy: string
  updatedAt: number
  startedAt: number
  completedAt: number
  startAt: number | null
  retryOf: string | null
  /** A retry has here the first job of its chain, other jobs have null. */
  firstJob: string | null
  /** A retry has here which entries it took: a `RetrySelection` as JSON. */
  retrySelection: string | null
  /** 1: it changes nothing. */
  isDryRun: number
  /** The dry run that it applies. */
  applyOf: string | null
  /** The job whose changes it takes back. */
  undoOf: string | null
  wakeAt: number
  pausedBy: number | null
  pausedBecause: string | null
  pausedAt: number | null
  interruptedAt: number | null
  /** When its entries were moved to R2. */
  archivedAt: number | null
  /** How far its entries were collected, in row numbers of what was looked at, or in entries of another job; null: they are all there. */
  collectedTo: number | null
  cancelledBecause: string | null
  /** A `JobTitle` as JSON; null in a job of older code. */
  title: string | null
}

/** A job with what only a reader is told: 1 while others of its team run before it. A row that was written is of one that runs. */
export type ReadJobRow = JobRow & { isHeldByTeam?: number }

/** Where the cursor stands while entries are collected: so the job is not done, for code of an earlier version either. */
export const COLLECTING_CURSOR = -1

/** Whether the queue still finds entries of it. A stored row may be of before there were such jobs. */
export const isCollecting = (job: JobRow): boolean => (job.collectedTo ?? null) !== null && !hasEnded(job)

/** Whether there is nothing left to run, now or later. */
export const isDone = (job: Pick<JobRow, 'cursor' | 'total' | 'unfinished'>): boolean =>
  job.cursor === job.total && job.unfinished === '[]'

export type Counts = Record<EntryStatus, number>

/** What is in no other count has not started: so they add up to the total at any moment. */
export function countEntries(job: JobRow): Counts {
  const { total, invalid, success, error, cancelled } = job
  const inProgress = job.inProgress + (hasEnded(job) ? 0 : job.outstanding)
  return {
    INVALID: invalid,
    NOT_STARTED: total - invalid - inProgress - success - error - cancelled,
    IN_PROGRESS: inProgress,
    SUCCESS: success,
    ERROR: error,
    CANCELLED: cancelled,
  }
}

/** Which entries of a job a retry took: those of one group, or of all; and how many of which status. */
export interface RetrySelection {
  group: string | null
  taken: Partial<Record<RetriedStatus, number>>
  /** The statuses that were asked for; absent: those that were taken. */
  statuses?: readonly RetriedStatus[]
  /** The retries whose entries were left out. */
  without?: readonly string[]
  /** Those that were not run are among them: only one retry takes these. */
  isRest?: true
}

/** The outcomes of all retries of a job together. */
interface RetrySummary {
  /** How many jobs retried it, or retried one of its retries. */
  jobs: number
  /** How many of its entries were retried. */
  entries: number
  /** The last of these jobs. */
  newest: string
  /** How many of their entries succeeded. */
  succeeded: number
  /** Those of them that have done something which can be taken back, the newest first. */
  undoFirst: string[]
  /**
   * Its entries, each with what its newest try came to. Not there where a later retry took a part of what an earlier one
   * had: what became of that part in the earlier one is in no count.
   */
  bjEntryCompletionStatusVsCount?: Counts
}

/** `retries` are those of the whole chain that the job belongs to, the oldest first. */
export function summarizeRetries(job: JobRow, retries: readonly JobRow[]): RetrySummary | undefined {
  const below = listDescendants(job, retries)
  const newest = below.at(-1)
  if (!newest) return undefined
  const children = Map.groupBy(below, each => each.retryOf)
  const counts = newestCounts(job, children)
  return {
    jobs: below.length,
    entries: countRetried((children.get(job.id) ?? []).map(readSelection)),
    newest: newest.id,
    succeeded: below.reduce((sum, { success }) => sum + success, 0),
    undoFirst: below
      .filter(isUndoable)
      .map(({ id }) => id)
      .reverse(),
    ...(counts ? { bjEntryCompletionStatusVsCount: counts } : {}),
  }
}

/** The retry that has what a cancelled job has not run. One that was cancelled before it had read all of it has run nothing. */
export const findContinuation = ({ id }: Pick<JobRow, 'id'>, retries: readonly JobRow[]): string | undefined =>
  retries.find(retry => retry.retryOf === id && retry.cancelledBecause === null && readSelection(retry).isRest === true)
    ?.id

/** A dry run has changed nothing, and nothing takes messages back. */
const isUndoable = ({ success, isDryRun, queue }: JobRow): boolean => success > 0 && isDryRun === 0 && queue !== 'sends'

/** Lists a job with its retries, and the retries of these, the oldest first. */
export function listDescendants(job: Pick<JobRow, 'id'>, retries: readonly JobRow[]): JobRow[] {
  const ids = new Set([job.id])
  return retries.filter(({ id, retryOf }) => retryOf !== null && ids.has(retryOf) && ids.add(id))
}

/** A job that undoes another one. */
export type UndoRow = Pick<JobRow, 'id' | 'success' | 'completedAt'> & { undoOf: string }

/**
 * The newest job that undoes one, unless that undo was undone since. `undos` are those of the job, of these, and so on, the
 * oldest first. One that has ended without taking anything back counts for nothing.
 */
export function findUndoneBy(job: string, undos: readonly UndoRow[]): string | undefined {
  const undone = new Map<string, string>()
  const targets = new Map<string, string>()
  for (const { id, undoOf, success, completedAt } of undos) {
    targets.set(id, undoOf)
    if (completedAt !== 0 && success === 0) continue
    undone.set(undoOf, id)
    // To undo an undo is to do again what that has undone, and so on along the chain.
    let standing: string | undefined = undoOf
    for (let isUndone = false; ; isUndone = !isUndone) {
      const target: string | undefined = targets.get(standing)
      if (target === undefined) break
      if (isUndone) undone.set(target, standing)
      else undone.delete(target)
      standing = target
    }
  }
  return undone.get(job)
}

/** What a retry has of the entries of the job before it; `id` is that of the retry. */
export interface RetryEntries extends RetrySelection, Pick<JobRow, 'id'> {}

export function readSelection({ id, retrySelection, total }: JobRow): RetryEntries {
  const selection: RetrySelection =
    retrySelection === null ? { group: null, taken: { ERROR: total } } : JSON.parse(retrySelection)
  return { ...selection, id }
}

/**
 * Groups have no entry in common: so of each status, one retry of all has the entries of the others among its own, those
 * included that it has left out.
 */
function countRetried(selections: readonly RetryEntries[]): number {
  let sum = 0
  for (const status of RETRIED_STATUSES) {
    const counts = new Map<string | null, number>()
    for (const { group, taken, without = [] } of selections) {
      const isLeftOut = (each: RetryEntries) => without.includes(each.id) && (group === null || group === each.group)
      const all = selections.filter(isLeftOut).reduce((count, each) => count + (each.taken[status] ?? 0), 0)
      counts.set(group, Math.max(counts.get(group) ?? 0, all + (taken[status] ?? 0)))
    }
    const ofAll = counts.get(null) ?? 0
    counts.delete(null)
    sum += Math.max(
      ofAll,
      [...counts.values()].reduce((all, count) => all + count, 0),
    )
  }
  return sum
}

/** Whether a later retry of a job may have entries that an earlier one has. */
export const overlap = (one: RetryEntries, other: RetryEntries): boolean =>
  !one.without?.includes(other.id) &&
  (one.group === other.group || one.group === null || other.group === null) &&
  RETRIED_STATUSES.some(status => one.taken[status] && other.taken[status])

/** One of two that overlap has the other's entries of a status among its own: where it has as many, it has all of them. */
const covers = (later: RetryEntries, earlier: RetryEntries): boolean =>
  overlap(later, earlier) &&
  RETRIED_STATUSES.every(status => (later.taken[status] ?? 0) >= (earlier.taken[status] ?? 0))

/** A retry counts unless a later one of the same job took the same entries, or more. */
function newestCounts(job: JobRow, children: ReadonlyMap<string | null, JobRow[]>): Counts | undefined {
  const all = (children.get(job.id) ?? []).map(retry => ({ retry, selection: readSelection(retry) }))
  const counting = all.filter(
    ({ selection }, nth) => !all.slice(nth + 1).some(later => covers(later.selection, selection)),
  )
  const sum = countEntries(job)
  for (const [nth, { retry, selection }] of counting.entries()) {
    if (counting.slice(nth + 1).some(later => overlap(later.selection, selection))) return undefined
    const counts = newestCounts(retry, children)
    if (!counts) return undefined
    for (const status of RETRIED_STATUSES) sum[status] -= selection.taken[status] ?? 0
    for (const status of ENTRY_STATUSES) sum[status] += counts[status]
  }
  return sum
}

export const hasEnded = ({ completedAt }: Pick<JobRow, 'completedAt'>): boolean => completedAt !== 0

const pending = (counts: Counts): number => counts.NOT_STARTED + counts.IN_PROGRESS

const number = (value: number) => value.toLocaleString('en-US')
export const formatEntries = (count: number): string => (count === 1 ? '1 entry' : `${number(count)} entries`)

/** Whether the entries of a job wait until something works again. */
export const isJobPaused = (job: JobRow): boolean =>
  job.completionStatus === 'IN_PROGRESS' && job.pausedBecause !== null && !isCollecting(job)

/** Where a job stands, in a sentence. */
export const statusMessage = (job: JobRow): string =>
  job.isDryRun === 1 ? `Dry run, which changes nothing. ${describeStatus(job)}` : describeStatus(job)

function describeStatus(job: JobRow): string {
  const { success, invalid, error, cancelled, total, completionStatus, pausedBecause } = job
  const counts = countEntries(job)
  const failed = [
    ...(error > 0 ? [`${number(error)} failed`] : []),
    ...(invalid > 0 ? [`${number(invalid)} invalid`] : []),
  ]
  // What an undo has not taken back itself, an earlier one has: the change is gone either way.
  const isUndo = job.undoOf !== null
  const said = [`${number(success)} ${isUndo ? 'taken back' : 'succeeded'}`, ...failed].join(', ')
  const interrupted = job.interruptedAt === null ? '' : 'Interrupted, because the database was restored. '
  const because = job.cancelledBecause ? `: ${job.cancelledBecause}. Of` : ': of'
  const running = counts.IN_PROGRESS > 0 ? `, ${number(counts.IN_PROGRESS)} being finished` : ''
  if (completionStatus === 'CANCELLED')
    return `${interrupted}Cancelled${because} ${formatEntries(total)} ${said}${running}, ${number(cancelled)} not run`
  if (completionStatus === 'NOT_STARTED') return `Waiting to start with ${formatEntries(total)}`
  if (isCollecting(job)) {
    const of = job.undoOf !== null && job.retryOf === null ? job.undoOf : (job.retryOf ?? job.applyOf)
    return `${of === null ? 'Finding what matches' : `Reading background job ${of}`}: ${formatEntries(total)} so far`
  }
  if (completionStatus === 'IN_PROGRESS') {
    const paused = isJobPaused(job) ? `Paused: ${pausedBecause}. ` : ''
    const waiting = parseUnfinished(job)
    const delayed = listOutstanding(job).filter(({ mode }) => mode === 'delayed').length
    const some = waiting.some(({ mode }) => mode === 'skipped') ? 'some' : number(delayed)
    const later = some === '0' ? '' : `, ${some} of them delayed`
    return `${paused}Of ${formatEntries(total)} ${said}, ${number(pending(counts))} to go${later}`
  }
  if (total === 0) return 'There was nothing to do'
  if (failed.length > 0) return `Of ${formatEntries(total)} ${said}`
  const [all, are] = total === 1 ? ['', 'is'] : ['All of ', 'are']
  return `${all}${formatEntries(total)} ${isUndo ? `${are} taken back` : 'succeeded'}`
}

/** How far a job is, as of the last time that its row was written. */
export function getJobProgress(job: ReadJobRow): JobProgress {
  const { total, startedAt, updatedAt, success, error } = job
  const left = pending(countEntries(job))
  const known = { done: total - left, total, limitedBy: getLimit(job) }
  const seconds = (updatedAt - startedAt) / SECOND_MS
  // Entries that were invalid at acceptance took no time.
  const ran = success + error
  if (hasEnded(job) || isCollecting(job) || startedAt === 0 || seconds <= 0 || ran === 0)
    return { ...known, perSecond: null, etaAt: null }
  const isAtRest = known.limitedBy === 'paused' || known.limitedBy === 'team-share'
  const etaAt = isAtRest ? null : Math.round(updatedAt + (left * SECOND_MS * seconds) / ran)
  return { ...known, perSecond: Math.round((10 * ran) / seconds) / 10, etaAt }
}

function getLimit(job: ReadJobRow): JobProgress['limitedBy'] {
  if (hasEnded(job)) return null
  if (job.isHeldByTeam === 1) return 'team-share'
  if (isCollecting(job)) return null
  if (job.completionStatus === 'NOT_STARTED') return 'schedule'
  if (isJobPaused(job)) return 'paused'
  if (job.queue !== 'sends' || job.revision === 0) return null
  // What it has claimed it has sent: the provider, or the customer's turn, is what is left to wait for.
  return job.cursor === job.total && listOutstanding(job).some(({ mode }) => mode === 'delayed')
    ? 'provider'
    : 'sender-pace'
}

/** Ended jobs do not change any more; of the others the state with the later revision is the newer one. */
export function isNewer(one: JobRow, other: JobRow): boolean {
  if (hasEnded(one) !== hasEnded(other)) return hasEnded(one)
  // A cancellation does not count as a revision: the runner may still write what was sent before.
  return one.revision > other.revision || (one.revision === other.revision && isCancelled(one) && !isCancelled(other))
}

export const isCancelled = ({ completionStatus }: Pick<JobRow, 'completionStatus'>): boolean =>
  completionStatus === 'CANCELLED'

/** What a runner typically gets done in a second, said low: only a hint when to ask again. */
const ENTRIES_PER_SECOND = 2_000
const RETRY_AFTER_SECONDS_MAX = 30

export const retryAfterSeconds = (job: JobRow): number =>
  Math.min(RETRY_AFTER_SECONDS_MAX, Math.max(1, Math.ceil(pending(countEntries(job)) / ENTRIES_PER_SECOND)))

const RETRY_SECONDS_MAX = 60

/** Doubling, capped, and up to half of it left to chance, so that what failed together does not come back together. */
export const retryDelaySeconds = (attempts: number, chance: number): number =>
  Math.ceil(Math.min(RETRY_SECONDS_MAX, 2 ** attempts) * (0.5 + chance / 2))

const ID_MASK = 0xffff_ffff_ffff

/** The id of an entry: that of its job, with the entry's index mixed into the last 48 bits. It is stored nowhere. */
export function entryId(jobId: string, index: number): string {
  const tail = BigInt(`0x${jobId.slice(24)}`) ^ (BigInt(index + 1) * 0x9e37_79b9n)
  return jobId.slice(0, 24) + (tail & BigInt(ID_MASK)).toString(16).padStart(12, '0')
}
