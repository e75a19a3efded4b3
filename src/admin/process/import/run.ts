import type { EntryCounts, EntryStatus, Job } from 'caseworker'
import { trackMissingKeys } from 'caseworker/import-file/faults'
import { toUpdateItem } from 'caseworker/import-file/items'
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

/** So often is told how far it is. */
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
  /** Whether what existed already is being changed: the second part of "create or change". */
  isUpdating: boolean
  failures: RowFailures
}

const FAILED: readonly EntryStatus[] = ['INVALID', 'ERROR', 'CANCELLED']
/** One request has less than the API takes, so that its progress is seen soon. */
const REQUEST_BYTES_MAX = 8 * 1024 * 1024

/**
 * Sends the rows that have no fault, as jobs one after the other, and collects what failed. With "create or change", what
 * exists already is changed by further jobs.
 */
export async function importFile(
  plan: Plan,
  signal: AbortSignal,
  onState: (state: ImportState) => void,
): Promise<ImportState> {
  const state: ImportState = { jobs: [], isUpdating: false, failures: new Map() }
  const tell = () => onState({ ...state, jobs: [...state.jobs] })
  await runJobs(plan, { state, tell, signal, only: undefined })
  const existing = [...state.failures].filter(([, { code }]) => code === 'duplicate_primary_key').map(([row]) => row)
  if (plan.mode !== 'upsert' || existing.length === 0) return state
  state.isUpdating = true
  for (const row of existing) state.failures.delete(row)
  await runJobs(plan, { state, tell, signal, only: new Set(existing) })
  return state
}

interface Run {
  state: ImportState
  tell: () => void
  signal: AbortSignal
  /** The rows that are sent, as changes of what exists; undefined: all. */
  only: ReadonlySet<number> | undefined
}

async function runJobs(plan: Plan, { state, tell, signal, only }: Run): Promise<void> {
  const processes = createProcessesClient(call, plan.procedure.shortId)
  const options = { signal, bytesMax: REQUEST_BYTES_MAX }
  const sent: { index: number; line: number }[] = []
  async function* items() {
    for await (const row of readRows(plan)) {
      signal.throwIfAborted()
      if (only !== undefined && !only.has(row.index)) continue
      if (row.fault !== undefined && only === undefined) {
        state.failures.set(row.index, refused(row))
        continue
      }
      sent.push({ index: row.index, line: row.line })
      yield only === undefined ? row.item : toUpdateItem(plan.procedure, row.item)
    }
  }
  const isUpdate = plan.mode === 'update' || only !== undefined
  const jobs = isUpdate ? processes.bulkUpdateInJobs(items(), options) : processes.bulkCreateInJobs(items(), options)
  let before = 0
  for await (const { id, total, counts } of jobs) {
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
