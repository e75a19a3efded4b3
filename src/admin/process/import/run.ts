import type { EntryCounts, EntryStatus, Job } from 'caseworker'
import { importInJobs } from 'caseworker/bulk'
import { trackMissingKeys } from 'caseworker/import-file/faults'
import { createJobsClient } from 'caseworker/jobs'
import { createProcessesClient } from 'caseworker/processes'
import { call } from '../../api/client.ts'
import type { RowFailure, RowFailures } from './failures.ts'
import { type Plan, type ReadRow, readRows } from './reading.ts'

export interface CheckResult {
  rows: number
  failures: RowFailures
  /** What can be imported, and is seldom meant. */
  warnings: string[]
}

/** The progress is updated so often. */
const TOLD_MS = 150

function sparingly<Value>(tell: (value: Value) => void): (value: Value) => void {
  let last = 0
  return value => {
    const now = performance.now()
    if (now - last < TOLD_MS) return
    last = now
    tell(value)
  }
}

const refused = ({ fault, line }: ReadRow): RowFailure => ({ message: fault ?? '', status: 'INVALID', line })

/** Reads the whole file by the definition of the procedure. Nothing is sent. */
export async function checkFile(
  plan: Plan,
  signal: AbortSignal,
  onShare: (share: number) => void,
): Promise<CheckResult> {
  const failures: RowFailures = new Map()
  const missing = trackMissingKeys(plan)
  let rows = 0
  const tell = sparingly<number>(bytes => onShare(bytes / plan.csv.file.size))
  for await (const row of readRows(plan, tell)) {
    signal.throwIfAborted()
    rows += 1
    if (row.fault !== undefined) failures.set(row.index, refused(row))
    else missing.add(row.item)
  }
  return { rows, failures, warnings: missing.warnings() }
}

export interface ImportState {
  /** The jobs so far, the last one perhaps still running. */
  jobs: { id: string; counts: EntryCounts; isOver: boolean }[]
  failures: RowFailures
}

const FAILED: readonly EntryStatus[] = ['INVALID', 'ERROR', 'CANCELLED']
/** One request has less than the API takes, so that its progress is seen soon. */
const REQUEST_BYTES_MAX = 8 * 1024 * 1024

/** Sends the rows that have no fault, as jobs one after the other, and collects what failed. */
export async function importFile(
  plan: Plan,
  signal: AbortSignal,
  onState: (state: ImportState) => void,
): Promise<ImportState> {
  const state: ImportState = { jobs: [], failures: new Map() }
  const tell = () => onState({ ...state, jobs: [...state.jobs] })
  const sent: { index: number; line: number }[] = []
  async function* items() {
    for await (const row of readRows(plan)) {
      signal.throwIfAborted()
      if (row.fault !== undefined) {
        state.failures.set(row.index, refused(row))
        continue
      }
      sent.push({ index: row.index, line: row.line })
      yield row.item
    }
  }
  let before = 0
  const processes = createProcessesClient(call, plan.procedure.shortId)
  const options = { signal, bytesMax: REQUEST_BYTES_MAX }
  for await (const { id, total, counts } of importInJobs(processes, plan.mode, items(), options)) {
    const at = state.jobs.length
    const show = (job: Pick<Job, 'counts' | 'completedAt'>) => {
      state.jobs[at] = { id, counts: job.counts, isOver: job.completedAt !== 0 }
      tell()
    }
    show({ counts, completedAt: 0 })
    const ended = await createJobsClient(call).wait(id, { signal, onProgress: show })
    show(ended)
    if (ended.completionStatus !== 'SUCCESS') await collect(id, sent, before, state.failures, signal)
    tell()
    before += total
  }
  return state
}

async function collect(
  id: string,
  sent: { index: number; line: number }[],
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
