import type { RecordAfter, RecordBefore } from '../../customer-record/append-events.ts'
import { toStoredName } from '../../db/document/json.ts'
import type { Author } from '../../event/author.ts'
import type { ChainRow } from '../../event/chain.ts'
import type { ProcessEventType } from '../events.ts'
import type { AttachedRecord, ProcessRow } from '../row.ts'
import { CHANGED_FIELDS, type ProcessAfter, type ProcessBefore } from '../rows/append-events.ts'

/** All events of a chain have these members. */
interface ChainEvent {
  row: number
  /** The row of the event before; null: there is none. */
  previousRow: number | null
  sequence: number | null
  at: number
  by: Author
  /** The version before it, or of a process that was made or restored, the one that it has since. */
  version: number | null
  /** The page of the log ended with it, although there may be more. */
  isFull: boolean
}

/** An event of a process. */
export interface ProcessEvent extends ChainEvent {
  type: ProcessEventType
  after: ProcessAfter
  before: ProcessBefore | undefined
}

/** An event of a customer. */
export interface RecordEvent extends ChainEvent {
  after: RecordAfter
  before: RecordBefore | undefined
}

type ChangeBefore = Pick<ProcessBefore | RecordBefore, 'version' | 'lastEvent'>

/** Parses a row of a chain. `after` and `before` have the shape of their type of event. */
export function parseChainRow<After extends object, Stored extends readonly unknown[], Before extends ChangeBefore>(
  { by, after: afterText, before: beforeText, nth: _, isFull, ...event }: ChainRow,
  readBefore: (stored: Stored) => Before,
) {
  const after = JSON.parse(afterText) as After & { last?: number | null; version?: number }
  const before = beforeText === null ? undefined : readBefore(JSON.parse(beforeText) as Stored)
  const previousRow = before?.lastEvent ?? after.last ?? null
  const version = before?.version ?? after.version ?? null
  return { ...event, isFull: isFull === 1, by: JSON.parse(by) as Author, version, after, before, previousRow }
}

/** A process that is walked back, event by event. `data` is by stored key, as in a row, and the customer is a row number. */
export interface ProcessSnapshot {
  row: Omit<ProcessRow, 'record' | 'data'>
  data: Map<string, unknown>
  record: number | null
  /** Whether the process exists: it does not before its creation, and while it is deleted. */
  isThere: boolean
}

const isNothing = (value: unknown): boolean => value === null || value === undefined

function restoreValues(data: Map<string, unknown>, names: readonly string[], values: readonly unknown[]): void {
  for (const [nth, name] of names.entries()) {
    if (isNothing(values[nth])) data.delete(toStoredName(name))
    else data.set(toStoredName(name), values[nth])
  }
}

/** Lists the names whose former values the event keeps, in their order. */
const namesIn = ({ set, unset }: Pick<ProcessAfter, 'set' | 'unset'>): string[] => [
  ...Object.keys(set ?? {}),
  ...(unset ?? []),
]

/** Takes the newest event of a process back. */
export function undoChange(process: ProcessSnapshot, { type, after, before }: ProcessEvent): void {
  const { row } = process
  if (type === 'process.created' || type === 'process.restored') {
    process.isThere = false
    row.version = (after.version ?? 1) - 1
    if (type === 'process.restored' && after.record !== undefined) process.record = after.record
  }
  if (before === undefined) return
  const { version, updatedAt, completedAt, fields, values } = before
  Object.assign(row, { version, updatedAt, completedAt })
  for (const name of CHANGED_FIELDS)
    if (Object.hasOwn(fields, name)) {
      if (name === 'record') process.record = fields.record as number | null
      else Object.assign(row, { [name]: fields[name] })
    }
  restoreValues(process.data, namesIn(after), values)
  process.isThere = true
}

/** Takes the newest event of a customer back. */
export function undoRecordChange(record: AttachedRecord, { after, before }: RecordEvent): AttachedRecord {
  if (before === undefined) return record
  const { version, updatedAt, values } = before
  const data = new Map(Object.entries(record.data))
  restoreValues(data, namesIn(after), values)
  return { ...record, version, updatedAt, data: Object.fromEntries(data) }
}
