import { changesOfData, type FieldChange, isChange } from '../../event/changes.ts'
import type { EventType } from '../../event/types.ts'
import { statusOf } from '../fields.ts'
import { CHANGED_FIELDS, type ChangedField, type GivenOfProcess, type WasOfProcess } from './events.ts'

/** The id of a record by its row number; null: there is none, or it was erased. */
export type RecordIds = ReadonlyMap<number, string>

/** What an update changed. What was sent and had this value before is left out. */
export function changesOf(given: GivenOfProcess, was: WasOfProcess, records: RecordIds): FieldChange[] {
  const [, , , , fields, lists] = was
  const shown = (name: ChangedField, value: unknown): unknown => {
    if (name === 'status') return statusOf(value as number)
    if (name === 'record') return value === null ? null : (records.get(value as number) ?? null)
    return value
  }
  const ofFields = CHANGED_FIELDS.filter(name => given[name] !== undefined).map(name => ({
    field: name,
    from: shown(name, fields[name] ?? null),
    to: shown(name, given[name]),
  }))
  return [...ofFields.filter(isChange), ...changesOfData(given, lists)]
}

/** The rows of the records that a change names, before and after. */
export function recordsIn(given: GivenOfProcess, was: WasOfProcess | undefined): number[] {
  const before = was?.[4].record
  return [given.record, before].filter(rid => typeof rid === 'number')
}

interface VersionedEvent {
  type: EventType
  given: GivenOfProcess
  was: WasOfProcess | undefined
}

/** A deletion leaves the version as it is; the restored process has the next one. */
export function versionAfter({ type, given, was }: VersionedEvent): number {
  if (given.version !== undefined) return given.version
  return was === undefined ? 1 : was[0] + (type === 'process.updated' ? 1 : 0)
}
