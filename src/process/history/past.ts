import { storedKey } from '../../db/document/json.ts'
import type { Author } from '../../event/author.ts'
import type { ChainRow } from '../../event/chain.ts'
import type { EventType } from '../../event/types.ts'
import type { GivenOfRecord, WasOfRecord } from '../../record/events.ts'
import type { ProcessRow, RecordRow } from '../row.ts'
import { CHANGED_FIELDS, type GivenOfProcess, type WasOfProcess } from '../rows/events.ts'

/** What every event of a chain has. */
interface PastEvent {
  row: number
  /** The row of the event before; null: there is none. */
  before: number | null
  sequence: number | null
  at: number
  by: Author
  /** The page of the log ended with it, although there may be more. */
  isFull: boolean
}

/** An event of a process. */
export interface PastChange extends PastEvent {
  type: EventType
  given: GivenOfProcess
  was: WasOfProcess | undefined
}

/** An event of a customer. */
export interface PastMerge extends PastEvent {
  given: GivenOfRecord
  was: WasOfRecord | undefined
}

/** What the rows of a chain have in common; `given` and `was` are as their kind of event has them. */
export function readPastEvent<Given extends object, Was extends readonly unknown[]>({
  by,
  given: givenText,
  was: wasText,
  nth: _,
  isFull,
  ...event
}: ChainRow) {
  const given = JSON.parse(givenText) as Given & { last?: number | null }
  const was = wasText === null ? undefined : (JSON.parse(wasText) as Was)
  const before = (was?.[1] ?? given.last ?? null) as number | null
  return { ...event, isFull: isFull === 1, by: JSON.parse(by) as Author, given, was, before }
}

/** A process that is walked back, event by event. `data` by stored key, as in a row; the record by its row number. */
export interface PastProcess {
  row: Omit<ProcessRow, 'record' | 'data'>
  data: Map<string, unknown>
  record: number | null
  /** Not before it was created, and not while it was deleted. */
  isThere: boolean
}

const isNothing = (value: unknown): boolean => value === null || value === undefined

function setBack(data: Map<string, unknown>, names: readonly string[], lists: readonly unknown[][]): void {
  const values = lists.flat()
  for (const [nth, name] of names.entries()) {
    if (isNothing(values[nth])) data.delete(storedKey(name))
    else data.set(storedKey(name), values[nth])
  }
}

/** The names whose former values are kept, in their order. */
const namesIn = ({ set, unset }: Pick<GivenOfProcess, 'set' | 'unset'>): string[] => [
  ...Object.keys(set ?? {}),
  ...(unset ?? []),
]

/** Makes a process what it was before its newest event. */
export function stepBack(process: PastProcess, { type, given, was }: PastChange): void {
  const { row } = process
  if (type === 'process.created' || type === 'process.restored') {
    process.isThere = false
    row.version = (given.version ?? 1) - 1
  }
  if (was === undefined) return
  const [version, , updatedAt, completedAt, fields, lists] = was
  Object.assign(row, { version, updatedAt, completedAt })
  for (const name of CHANGED_FIELDS)
    if (Object.hasOwn(fields, name)) {
      if (name === 'record') process.record = fields.record as number | null
      else Object.assign(row, { [name]: fields[name] })
    }
  setBack(process.data, namesIn(given), lists)
  process.isThere = true
}

/** The same of a customer. */
export function stepRecordBack(record: RecordRow, { given, was }: PastMerge): RecordRow {
  if (was === undefined) return record
  const [version, , updatedAt, lists = []] = was
  const data = new Map(Object.entries(record.data))
  setBack(data, namesIn(given), lists)
  return { ...record, version, updatedAt, data: Object.fromEntries(data) }
}
