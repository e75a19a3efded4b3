import { getVersionAfter } from '../rows/changes.ts'
import type { HistoryPosition } from './cursor.ts'
import type { ProcessEvent, RecordEvent } from './snapshot.ts'

/** Events that were read, newest first, and whether there may be more before them. */
export interface StepSource<Event> {
  rest: Event[]
  isMore: boolean
}

/** A history is read from the log of the process and from that of the customer that it had at the time. */
export interface StepSources {
  changes: StepSource<ProcessEvent>
  recordChanges: StepSource<RecordEvent>
}

/** A change of the process, or of its customer, and the version that the process had after it. */
export type HistoryStep =
  | { of: 'process'; event: ProcessEvent; version: number }
  | { of: 'record'; event: RecordEvent; version: number }

/** Takes the next step; undefined if there is none. */
export function nextStep(
  { changes, recordChanges }: StepSources,
  { version, since }: HistoryPosition,
): HistoryStep | 'not read' | undefined {
  const [change] = changes.rest
  const [recordChange] = recordChanges.rest
  if ((!change && changes.isMore) || (!recordChange && recordChanges.isMore)) return 'not read'
  // If the log of the process ends, its customer was attached no later than when the oldest known values were set.
  if (recordChange && (change ? recordChange.row > change.row : recordChange.at >= since)) {
    recordChanges.rest.shift()
    return { of: 'record', event: recordChange, version }
  }
  if (!change) return undefined
  changes.rest.shift()
  return { of: 'process', event: change, version: getVersionAfter(change) }
}

/** Returns the position of the steps before this one. */
export function positionBefore(position: HistoryPosition, step: HistoryStep): HistoryPosition {
  if (step.of === 'record') return { ...position, recordNext: step.event.previousRow ?? 0 }
  const { type, previousRow: next, at, before, after } = step.event
  if (type === 'process.created') return { next: null, version: 0, since: at, record: null, recordNext: null }
  if (before === undefined) {
    const deleted = { ...position, next, version: (after.version ?? 1) - 1, since: at }
    if (after.record === undefined || after.record === position.record) return deleted
    return { ...deleted, record: after.record, recordNext: null }
  }
  const { version, updatedAt: since, fields } = before
  const earlier = { ...position, next, version, since }
  const record = 'record' in fields ? (fields.record as number | null) : position.record
  if (record === position.record) return earlier
  return { ...earlier, record, recordNext: (fields.recordEvent as number | null | undefined) ?? 0 }
}
