import { type SQL, sql } from 'drizzle-orm'
import { jsonPath } from '../db/document/json.ts'
import { selectNamedValues, selectValuesAtEach, selectValuesNamedByRow } from '../db/document/values-at.ts'
import type { Statement } from '../db/statement.ts'
import { appendEvents, appendReplaced, toRowMembers } from '../event/append.ts'
import { type FieldChange, listDataChanges } from '../event/changes.ts'
import type { Scope } from '../scope.ts'
import type { RecordChange } from './store.ts'
import { record } from './table.ts'

/** The member of an event for one customer: its id, and the values after the change. An erasure removes `set` and `unset`. */
export interface RecordAfter {
  id: string
  set?: Record<string, unknown>
  unset?: readonly string[]
  /** The last entry of the job whose data were set. */
  entry?: number
  /** The id of the customer who was merged into this one. */
  merged?: string
}

/** A customer before a change. */
export interface RecordBefore {
  version: number
  /** The number of the event before. */
  lastEvent: number | null
  updatedAt: number
  /** The values of the attributes that `set`, then `unset` name; null if there was none. An erasure removes all. */
  values: unknown[]
}

/** The same as the log stores it: the order saves the names, and the values are in lists of some. */
export type StoredRecordBefore = [version: number, lastEvent: number | null, updatedAt: number, values?: unknown[][]]

export const readRecordBefore = (stored: StoredRecordBefore): RecordBefore => {
  const [version, lastEvent, updatedAt, values = []] = stored
  return { version, lastEvent, updatedAt, values: values.flat() }
}

/** Lists the changes of an event. They are empty once the customer is erased. */
export const listRecordChanges = (after: RecordAfter, before: RecordBefore): FieldChange[] =>
  listDataChanges(after, before.values)

/** Beyond this number of attributes, the statement takes their names as one value. */
const NAMES_MAX = 60

const listNames = ({ set, unset }: RecordChange): string[] => [...Object.keys(set), ...unset]

const toRecordAfter = ({ id, set, unset, entry, merged }: RecordChange): RecordAfter => ({
  id,
  ...(Object.keys(set).length > 0 ? { set } : {}),
  ...(unset.length > 0 ? { unset } : {}),
  ...(entry === undefined ? {} : { entry }),
  ...(merged === undefined ? {} : { merged }),
})

/** Appends the events of changes that share a statement, just before it, in one row. `which` is its condition. */
export function insertRecordChangeEvents(scope: Scope, changes: readonly RecordChange[], which: SQL): Statement {
  const before = sql`json_array(${record.version}, ${record.lastEvent}, ${record.updatedAt}, ${selectValuesBefore(changes)})`
  return appendReplaced(
    scope,
    { type: changes.some(({ merged }) => merged !== undefined) ? 'record.merged' : 'record.updated' },
    {
      ...toRowMembers(changes.map(change => [change.rid, toRecordAfter(change)])),
      before: sql`jsonb_group_object(CAST(${record.rid} AS TEXT), ${before})`,
    },
    sql`FROM ${record} WHERE ${which}`,
  )
}

/** Selects lists of the values before changes, as JSON. */
function selectValuesBefore(changes: readonly RecordChange[]): SQL {
  const [first, ...others] = changes.map(listNames)
  const names = first ?? []
  const paths = JSON.stringify(names.map(jsonPath))
  if (others.some(other => JSON.stringify(other.map(jsonPath)) !== paths)) {
    const rows = changes.map(change => ({ rid: change.rid, names: listNames(change) }))
    return selectValuesNamedByRow({ rid: record.rid, document: record.data }, rows)
  }
  if (names.length > NAMES_MAX) return sql`json_array(${selectValuesAtEach(record.data, sql`${paths}`)})`
  return selectNamedValues(record.data, names)
}

/** Appends the last event of a customer. From then on the processes are nobody's, whenever a maintenance task comes to them. */
export const insertErasureEvent = (scope: Scope, { rid, id }: { rid: number; id: string }): Statement =>
  appendEvents(scope, { type: 'record.erased', after: [[rid, { id }]] })
