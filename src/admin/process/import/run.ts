import type { EntryCounts, EntryStatus, Job } from 'caseworker'
import { importInJobs } from 'caseworker/bulk'
import { createJobsClient } from 'caseworker/jobs'
import { packLines } from 'caseworker/pack-lines'
import { createProcessesClient } from 'caseworker/processes'
import { trackMissingKeys, trackRepeatedKeys } from 'import-file/faults'
import { call } from '../../api/client.ts'
import { type CountedPlan, loadCountedPlan } from '../../parts/background-job/use-plan.ts'
import type { RowFailure, RowFailures } from './failures.ts'
import { type Plan, type ReadRow, readRows } from './reading.ts'

export interface CheckResult {
  rows: number
  /** Rows whose cells are all empty: they are left out. */
  empty: number
  failures: RowFailures
  /** Warnings of rows that can be imported, and are seldom intended. */
  warnings: string[]
}

/** The interval of updates of the progress. */
const PROGRESS_EVERY_MS = 150

function throttle<Value>(call: (value: Value) => void): (value: Value) => void {
  let last = 0
  return value => {
    const now = performance.now()
    if (now - last < PROGRESS_EVERY_MS) return
    last = now
    call(value)
  }
}

const toRowFailure = ({ fault, line }: ReadRow): RowFailure => ({ message: fault ?? '', status: 'INVALID', line })

/** Reads the whole file by the definition of the procedure. Nothing is sent. */
export async function checkFile(
  plan: Plan,
  signal: AbortSignal,
  onShare: (share: number) => void,
): Promise<CheckResult> {
  const failures: RowFailures = new Map()
  const [repeated, missing] = [trackRepeatedKeys(plan), trackMissingKeys(plan)]
  let [rows, empty] = [0, 0]
  const onEmpty = () => {
    empty += 1
  }
  const reportBytes = throttle<number>(bytes => onShare(bytes / plan.csv.file.size))
  for await (const row of readRows(plan, { onBytes: reportBytes, onEmpty, repeated })) {
    signal.throwIfAborted()
    rows += 1
    if (row.fault !== undefined) failures.set(row.index, toRowFailure(row))
    else missing.add(row.item)
  }
  return { rows, empty, failures, warnings: [...repeated.warnings(), ...missing.warnings()] }
}

export interface ImportState {
  /** The jobs so far, the last one perhaps still running. */
  jobs: { id: string; counts: EntryCounts; isOver: boolean }[]
  failures: RowFailures
}

const FAILED: readonly EntryStatus[] = ['INVALID', 'ERROR', 'CANCELLED']

interface SubmittedRow {
  index: number
  line: number
}

/** Dry runs of a whole file, one for each job that it takes, and what they would change. */
export interface PlannedImport {
  plans: CountedPlan[]
  /** The rows that would fail, or can't be sent. */
  failures: RowFailures
  /** The rows that were sent, in order. */
  sent: SubmittedRow[]
  unsent: RowFailures
}

/** Asks the API what the rows that have no fault would change. Nothing is changed. */
export async function planFile(
  plan: Plan,
  signal: AbortSignal,
  onState: (state: ImportState) => void,
): Promise<PlannedImport> {
  const sent: SubmittedRow[] = []
  const plans: CountedPlan[] = []
  const state: ImportState = { jobs: [], failures: new Map() }
  const accepted = sendFile(plan, sent, state, { signal, isDryRun: true })
  await followJobs(accepted, sent, state, signal, onState, async id => plans.push(await loadCountedPlan(id, signal)))
  const unsent = new Map([...state.failures].filter(([, { isUnsent }]) => isUnsent))
  return { plans, sent, failures: state.failures, unsent }
}

/** Makes the changes of the dry runs, as jobs one after the other, and collects what failed. */
export async function applyPlannedImport(
  { plans, sent, unsent }: PlannedImport,
  signal: AbortSignal,
  onState: (state: ImportState) => void,
): Promise<ImportState> {
  const state: ImportState = { jobs: [], failures: new Map(unsent) }
  async function* apply() {
    for (const { plan } of plans) yield await plan.apply({ signal })
  }
  await followJobs(apply(), sent, state, signal, onState)
  return state
}

/** Sends the rows that have no fault, as jobs one after the other, and collects what failed. */
export async function importFile(
  plan: Plan,
  signal: AbortSignal,
  onState: (state: ImportState) => void,
): Promise<ImportState> {
  const state: ImportState = { jobs: [], failures: new Map() }
  const sent: SubmittedRow[] = []
  await followJobs(sendFile(plan, sent, state, { signal, isDryRun: false }), sent, state, signal, onState)
  return state
}

/** The jobs of a file, each accepted when the next is asked for. */
function sendFile(
  plan: Plan,
  sent: SubmittedRow[],
  { failures }: ImportState,
  { signal, isDryRun }: { signal: AbortSignal; isDryRun: boolean },
): AsyncIterable<Job> {
  // Each item stands in the line of its row, so that the job tells that line.
  async function* lines() {
    for await (const row of readRows(plan)) {
      signal.throwIfAborted()
      if (row.fault !== undefined) {
        failures.set(row.index, { ...toRowFailure(row), isUnsent: true })
        continue
      }
      sent.push({ index: row.index, line: row.line })
      yield { text: `${JSON.stringify(row.item)}\n`, line: row.line }
    }
  }
  async function* bodies() {
    for await (const ndjson of packLines(lines())) yield { ndjson }
  }
  const processes = createProcessesClient(call, plan.procedure.shortId)
  return importInJobs(processes, plan.mode, bodies(), { signal, dryRun: isDryRun })
}

/** Follows each job to its end, and adds it and its failures to the state. */
async function followJobs(
  accepted: AsyncIterable<Job>,
  sent: readonly SubmittedRow[],
  state: ImportState,
  signal: AbortSignal,
  onState: (state: ImportState) => void,
  onEnded: (id: string) => Promise<unknown> = async () => {},
): Promise<void> {
  const update = () => onState({ ...state, jobs: [...state.jobs] })
  let before = 0
  for await (const { id, counts } of accepted) {
    const at = state.jobs.length
    const show = (job: Pick<Job, 'counts' | 'completedAt'>) => {
      state.jobs[at] = { id, counts: job.counts, isOver: job.completedAt !== 0 }
      update()
    }
    show({ counts, completedAt: 0 })
    const ended = await createJobsClient(call).wait(id, { signal, onProgress: show })
    show(ended)
    if (ended.completionStatus !== 'SUCCESS') await collect(id, sent, before, state.failures, signal)
    await onEnded(id)
    update()
    // The job that applies a dry run is accepted before all of its entries are counted.
    before += ended.total
  }
}

async function collect(
  id: string,
  sent: readonly SubmittedRow[],
  before: number,
  failures: RowFailures,
  signal: AbortSignal,
) {
  for (const completionStatus of FAILED)
    for await (const entry of createJobsClient(call).results(id, { completionStatus, signal })) {
      const row = sent[before + entry.index]
      if (row === undefined) continue
      const result = (entry.completionResult ?? entry.validationResult ?? {}) as { code?: string; hint?: string }
      const message = entry.completionMessage || entry.validationMessage || entry.completionStatus
      const { code, hint } = result
      failures.set(row.index, { message, code, hint, status: entry.completionStatus, line: row.line })
    }
}
