import { AppError, invalid, notFound } from '../../errors.ts'
import { readCreatedAt } from '../../ids.ts'
import type { Procedure } from '../../procedure/model.ts'
import type { AttachedRecord, ProcessRow } from '../row.ts'
import { formatTarget, type Target } from '../rows/target.ts'
import type { Moment } from './moment.ts'
import { type HistoryScope, loadCurrent, loadCurrentRecord, walkLog, walkRecordLog } from './read-log.ts'
import { type ProcessEvent, type ProcessSnapshot, type RecordEvent, undoChange, undoRecordChange } from './snapshot.ts'

/** The events that the first trip reads, beside the process. */
const EVENTS_AT_ONCE = 100
/** Clocks differ by some seconds. */
const AHEAD_MS_MAX = 60_000

/** A process as it was, and the event that had made it so. */
export interface SnapshotOrigin {
  process: ProcessSnapshot
  /** The present row; undefined if the process is deleted. */
  now: ProcessRow | undefined
  /** The event that made it so; undefined if it had these values before the log begins. */
  madeBy: ProcessEvent | undefined
  /** All before `madeBy`. */
  earlier: AsyncGenerator<ProcessEvent, void>
}

/** Walks back to a moment; without one, to the present. */
export async function findSnapshot(
  scope: HistoryScope,
  procedure: Procedure,
  target: Target,
  asOf?: Moment,
): Promise<SnapshotOrigin> {
  if (asOf && 'at' in asOf && asOf.at > scope.now + AHEAD_MS_MAX)
    throw invalid([{ message: 'the time has not come yet', path: '/query/asOf' }])
  const moment = asOf ?? { at: Number.MAX_SAFE_INTEGER }
  const present = await loadCurrent(scope, procedure, target, { rowsMax: EVENTS_AT_ONCE, ...asOf })
  if (!present) throw notFound(formatTarget(target))
  const { process, deletedAt, events } = present
  if ('version' in moment && moment.version > process.row.version)
    throw new AppError(
      'not_found',
      `the process has no version ${moment.version}: it is at version ${process.row.version}`,
    )
  // The process was deleted without an event: before there were any, or because the database was full.
  if (deletedAt !== null && events.length === 0) process.isThere = 'version' in moment || moment.at < deletedAt
  const earlier = walkLog(scope, present)
  for (;;) {
    const event = (await earlier.next()).value ?? undefined
    if (event && !hasCome(moment, process, event)) undoChange(process, event)
    else {
      requireKnown(process, moment, event)
      return { process, now: present.live, madeBy: event, earlier }
    }
  }
}

/** Decides whether an event is not after the moment. A process is there since its creation, although the log may have a later time for it. */
const hasCome = (moment: Moment, { row, isThere }: ProcessSnapshot, { at, type }: ProcessEvent): boolean =>
  'at' in moment
    ? moment.at >= (type === 'process.created' ? Math.min(at, readCreatedAt(row.rid)) : at)
    : isThere && row.version === moment.version

/** If the log ends, the oldest known values hold since the last change before it. */
function requireKnown({ row, isThere }: ProcessSnapshot, moment: Moment, event: ProcessEvent | undefined): void {
  const isKnown = 'at' in moment ? row.updatedAt <= moment.at : row.version === moment.version
  if (isThere && (event || isKnown)) return
  const isBefore = row.version === 0 || ('at' in moment && moment.at < readCreatedAt(row.rid))
  if (isBefore || event)
    throw new AppError('not_found', isBefore ? 'the process was not created yet' : 'the process was deleted then')
  throw new AppError('history_expired', [
    {
      message: `the history of the process is kept from version ${row.version} on`,
      detail: { version: row.version, ...(isThere ? { since: row.updatedAt } : {}) },
    },
  ])
}

/** A customer as it was, and the event that had made it so. */
export interface RecordSnapshot {
  row: AttachedRecord
  /** The event that made it so; undefined if it had these values before the log begins. */
  madeBy: RecordEvent | undefined
  /** All before `madeBy`. */
  earlier: AsyncGenerator<RecordEvent, void>
}

/** Walks the customer back to when the process was so. `isBlamed` requests the events before, too. */
export async function findRecordSnapshot(
  scope: HistoryScope,
  { process, madeBy }: SnapshotOrigin,
  moment: Moment | undefined,
  isBlamed: boolean,
): Promise<RecordSnapshot | null> {
  const { record: rid } = process
  if (rid === null) return null
  const end = getEnd(process, madeBy, moment)
  const present = await loadCurrentRecord(scope, rid, { rowsMax: EVENTS_AT_ONCE, ...(isBlamed ? {} : end) })
  if (!present) return null
  const earlier = walkRecordLog(scope, { rid, events: present.events })
  let { row } = present
  for (;;) {
    const event = (await earlier.next()).value ?? undefined
    if (!event || event.at <= (end.at ?? -1) || event.row <= (end.row ?? -1)) return { row, madeBy: event, earlier }
    row = undoRecordChange(row, event)
  }
}

/** A version has what was known of its customer when it was made. */
function getEnd(
  { row }: ProcessSnapshot,
  madeBy: ProcessEvent | undefined,
  moment: Moment | undefined,
): { at?: number; row?: number } {
  if (moment === undefined) return { at: Number.MAX_SAFE_INTEGER }
  if ('at' in moment) return moment
  return madeBy ? { row: madeBy.row } : { at: row.updatedAt }
}

/** Makes the row of a process as it was, with its customer as it was then. */
export const toSnapshotRow = ({ process }: SnapshotOrigin, record: RecordSnapshot | null): ProcessRow => ({
  ...process.row,
  data: Object.fromEntries(process.data),
  record: record?.row ?? null,
})
