import { type SQL, sql } from 'drizzle-orm'
import { jsonPath } from '../db/document/json.ts'
import { selectNamedValues, selectValuesAtEach, selectValuesNamedByRow } from '../db/document/values-at.ts'
import type { Statement } from '../db/statement.ts'
import { appendEvents, appendReplaced, toRowMembers } from '../event/append.ts'
import { type FieldChange, listDataChanges } from '../event/changes.ts'
import type { Scope } from '../scope.ts'
import type { RecordMerge } from './store.ts'
import { record } from './table.ts'

/** The member of an event for one customer: its id, and the values after the change. An erasure removes `set` and `unset`. */
export interface RecordAfter {
  id: string
  set?: Record<string, unknown>
  unset?: readonly string[]
  /** The last entry of the job whose data it merges. */
  entry?: number
  /** The id of the customer who was merged into this one. */
  merged?: string
}

/**
 * A customer before a change: version, number of the event before, time, and the values of the attributes that `set`, then
 * `unset` name (null if there was none), in lists of some. An erasure removes the values.
 */
export type RecordBefore = [version: number, lastEvent: number | null, updatedAt: number, values?: unknown[][]]

/** Lists the changes of an event. They are empty once the customer is erased. */
export const listRecordChanges = (after: RecordAfter, before: RecordBefore): FieldChange[] =>
  listDataChanges(after, before[3] ?? [])

/** Beyond this number of attributes, the statement takes their names as one value. */
const NAMES_MAX = 60

const listNames = ({ set, unset }: RecordMerge): string[] => [...Object.keys(set), ...unset]

const toRecordAfter = ({ id, set, unset, entry, merged }: RecordMerge): RecordAfter => ({
  id,
  ...(Object.keys(set).length > 0 ? { set } : {}),
  ...(unset.length > 0 ? { unset } : {}),
  ...(entry === undefined ? {} : { entry }),
  ...(merged === undefined ? {} : { merged }),
})

/** Appends the events of merges that share a statement, just before it, in one row. `which` is its condition. */
export function insertMergeEvents(scope: Scope, merges: readonly RecordMerge[], which: SQL): Statement {
  const before = sql`json_array(${record.version}, ${record.lastEvent}, ${record.updatedAt}, ${selectValuesBefore(merges)})`
  return appendReplaced(
    scope,
    { type: merges.some(({ merged }) => merged !== undefined) ? 'record.merged' : 'record.updated' },
    {
      ...toRowMembers(Object.fromEntries(merges.map(merge => [merge.rid, toRecordAfter(merge)]))),
      before: sql`jsonb_group_object(CAST(${record.rid} AS TEXT), ${before})`,
    },
    sql`FROM ${record} WHERE ${which}`,
  )
}

/** Selects lists of the values before merges, as JSON. */
function selectValuesBefore(merges: readonly RecordMerge[]): SQL {
  const [first, ...others] = merges.map(listNames)
  const names = first ?? []
  const paths = JSON.stringify(names.map(jsonPath))
  if (others.some(other => JSON.stringify(other.map(jsonPath)) !== paths)) {
    const rows = merges.map(merge => ({ rid: merge.rid, names: listNames(merge) }))
    return selectValuesNamedByRow({ rid: record.rid, document: record.data }, rows)
  }
  if (names.length > NAMES_MAX) return sql`json_array(${selectValuesAtEach(record.data, sql`${paths}`)})`
  return selectNamedValues(record.data, names)
}

/** Appends the last event of a customer. From then on the processes are nobody's, whenever a maintenance task comes to them. */
export const insertErasureEvent = (scope: Scope, { rid, id }: { rid: number; id: string }): Statement =>
  appendEvents(scope, { type: 'record.erased', after: { [rid]: { id } } })
