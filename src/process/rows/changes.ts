import { type FieldChange, isChange, listDataChanges } from '../../event/changes.ts'
import type { ProcessEventType } from '../events.ts'
import { toStatus } from '../fields.ts'
import { CHANGED_FIELDS, type ChangedField, type ProcessAfter, type ProcessBefore } from './append-events.ts'

/** The ids of records by row number; null for a record that was erased. */
export type RecordIds = ReadonlyMap<number, string>

/** Lists what an update changed. A value that was sent and was there before is left out. */
export function listFieldChanges(after: ProcessAfter, before: ProcessBefore, records: RecordIds): FieldChange[] {
  const shown = (name: ChangedField, value: unknown): unknown => {
    if (name === 'status') return toStatus(value as number)
    if (name === 'record') return value === null ? null : (records.get(value as number) ?? null)
    return value
  }
  const ofFields = CHANGED_FIELDS.filter(name => after[name] !== undefined).map(name => ({
    field: name,
    from: shown(name, before.fields[name] ?? null),
    to: shown(name, after[name]),
  }))
  return [...ofFields.filter(isChange), ...listDataChanges(after, before.values)]
}

/** Lists the row numbers of the records that a change names, before and after it. A restore changes no field. */
export function listRecordNos(after: ProcessAfter, before: ProcessBefore | undefined): number[] {
  if (before === undefined) return []
  return [after.record, before.fields.record].filter(rid => typeof rid === 'number')
}

interface VersionedEvent {
  type: ProcessEventType
  after: ProcessAfter
  before: ProcessBefore | undefined
}

/** Returns the version after an event. A deletion leaves the version as it is; the restored process has the next one. */
export function getVersionAfter({ type, after, before }: VersionedEvent): number {
  if (after.version !== undefined) return after.version
  return before === undefined ? 1 : before.version + (type === 'process.updated' ? 1 : 0)
}
