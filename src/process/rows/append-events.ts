import { type SQL, sql } from 'drizzle-orm'
import { record } from '../../customer-record/table.ts'
import { jsonPath } from '../../db/document/json.ts'
import { NO_VALUES, selectValuesAt, splitCalls } from '../../db/document/values-at.ts'
import { type Bindable, cacheByShape, jsonObject, prepared, type Statement, statement } from '../../db/statement.ts'
import { appendEvents, appendReplaced, insertEvents, oneMember, toAuthorJson } from '../../event/append.ts'
import type { Procedure } from '../../procedure/model.ts'
import type { Scope } from '../../scope.ts'
import { FIELD_COLUMNS } from '../fields.ts'
import type { Change } from '../rules.ts'
import { process } from '../table.ts'

/** The member of an event for one process: its id, and the values after the change. */
export interface ProcessAfter extends Partial<Omit<Change, 'set' | 'unset' | 'completedAt'>> {
  id: string
  /** Attributes by name. Absent if the change has none. */
  set?: Record<string, unknown>
  unset?: readonly string[]
  /** The entry of the job. */
  entry?: number
  /** The event that this one undoes, as its row of the log. What happened to the process since then no longer counts. */
  undid?: number
  /**
   * The version of a restored process and the row of its previous event, because the log has no `before` of it. Its `record`
   * is the customer whom it had when it was deleted; absent where it had none, and in events from before this was kept.
   */
  version?: number
  last?: number | null
}

/** A process before a change. */
export interface ProcessBefore {
  version: number
  /** The number of the event before. */
  lastEvent: number | null
  updatedAt: number
  completedAt: number
  /**
   * The fields that the change names. If it names the customer, they also have `recordEvent`, the number of the customer's
   * last event by then: their log is read from there.
   */
  fields: Record<string, unknown>
  /** The values of the attributes that the change names: `set`, then `unset`; null if there was none. */
  values: unknown[]
}

/** The same as the log stores it: the order saves the names, and the values are in lists of some. */
export type StoredProcessBefore = [
  version: number,
  lastEvent: number | null,
  updatedAt: number,
  completedAt: number,
  fields: Record<string, unknown>,
  values: unknown[][],
]

export const readProcessBefore = (stored: StoredProcessBefore): ProcessBefore => {
  const [version, lastEvent, updatedAt, completedAt, fields, values] = stored
  return { version, lastEvent, updatedAt, completedAt, fields, values: values.flat() }
}

/** The fields whose former values an event keeps. */
export const CHANGED_FIELDS = ['status', 'state', 'nextActionAt', 'assignedTo', 'primaryKey', 'record'] as const
export type ChangedField = (typeof CHANGED_FIELDS)[number]

const COLUMNS: Record<ChangedField, SQL> = Object.fromEntries(
  CHANGED_FIELDS.map(name => [name, sql`${name === 'record' ? process.record : FIELD_COLUMNS[name]}`]),
) as Record<ChangedField, SQL>

const RECORD_EVENT = sql`(SELECT ${record.lastEvent} FROM ${record} WHERE ${record.rid} = ${process.record})`

/** Selects a `StoredProcessBefore`. `values` is a JSON list. */
export const selectProcessBefore = (changed: readonly ChangedField[], values: SQL): SQL =>
  sql`json_array(${process.version}, ${process.lastEvent}, ${process.updatedAt}, ${process.completedAt},
    ${jsonObject({
      ...Object.fromEntries(changed.map(name => [name, COLUMNS[name]])),
      ...(changed.includes('record') ? { recordEvent: RECORD_EVENT } : {}),
    })}, ${values})`

/** Converts a change into the member of its event. Members that the change does not have are left out. */
export const toProcessAfter = ({ set, unset, completedAt: _, ...fields }: Change): Omit<ProcessAfter, 'id'> => ({
  ...fields,
  ...(Object.keys(set).length > 0 ? { set } : {}),
  ...(unset.length > 0 ? { unset } : {}),
})

export const listChangedFields = (change: Partial<Record<ChangedField, unknown>>): ChangedField[] =>
  CHANGED_FIELDS.filter(name => change[name] !== undefined)

interface ChangedShape {
  fields: readonly ChangedField[]
  /** The number of paths in each call. */
  paths: readonly number[]
  /** The text that tells conditions apart. */
  which: string
}

type InsertChanged = (values: Record<string, Bindable>) => Statement

const getPrepared = cacheByShape<InsertChanged>()

/** A condition over `process`: a text that identifies it, and its SQL with placeholders for values. */
interface PreparedCondition {
  shape: string
  values: Record<string, Bindable>
  sql: (value: (name: string) => SQL) => SQL
  /** The status after the change, if it depends on the process: then the change itself has none. */
  status?: (value: (name: string) => SQL) => SQL
}

/** Appends the event of the process that an UPDATE with the same condition is about to change; none if it won't change it. */
export function insertUpdateEvent(
  scope: Scope,
  { no: proc }: Procedure,
  change: Change,
  which: PreparedCondition,
): Statement {
  const calls = splitCalls([...Object.keys(change.set), ...change.unset])
  const fields = listChangedFields(which.status ? { ...change, status: null } : change)
  const shape = { fields, paths: calls.map(({ length }) => length), which: which.shape }
  const values: Record<string, Bindable> = {
    ...which.values,
    eventTeam: scope.team.no,
    eventProc: proc,
    at: scope.now,
    by: toAuthorJson(scope),
    after: JSON.stringify(toProcessAfter(change)),
  }
  for (const [nth, names] of calls.entries()) values[`paths${nth}`] = JSON.stringify(names.map(jsonPath))
  return getPrepared(JSON.stringify(shape), () => prepareChanged(shape, Object.keys(values), which))(values)
}

const prepareChanged = ({ fields, paths }: ChangedShape, names: string[], which: PreparedCondition): InsertChanged =>
  prepared(names, placeholders => {
    const value = (name: string): SQL => placeholders[name] ?? sql`NULL`
    const lists = paths.map((count, call) =>
      selectValuesAt(
        process.data,
        Array.from({ length: count }, (_, nth) => sql`${value(`paths${call}`)} ->> ${sql.raw(`'$[${nth}]'`)}`),
      ),
    )
    const values = lists.length === 0 ? NO_VALUES : sql`json_array(${sql.join(lists, sql`, `)})`
    const rid = sql`CAST(${process.rid} AS TEXT)`
    const status = which.status ? sql`, '$.status', ${which.status(value)}` : sql``
    return statement(
      insertEvents(
        {
          team: value('eventTeam'),
          at: value('at'),
          type: sql`'process.updated'`,
          proc: value('eventProc'),
          by: value('by'),
        },
        {
          ...oneMember(process.rid.getSQL(), sql`json_insert(${value('after')}, '$.id', ${process.id}${status})`),
          before: sql`jsonb_object(${rid}, ${selectProcessBefore(fields, values)})`,
        },
        sql`FROM ${process} WHERE ${which.sql(value)}`,
      ),
    )
  })

/** Appends the event of a process that is about to be deleted, if it will be. */
export const insertDeletionEvent = (scope: Scope, { no }: Procedure, which: SQL): Statement => {
  const rid = sql`CAST(${process.rid} AS TEXT)`
  return appendReplaced(
    scope,
    { type: 'process.deleted', proc: no },
    {
      ...oneMember(process.rid.getSQL(), sql`json_object('id', ${process.id})`),
      before: sql`jsonb_object(${rid}, ${selectProcessBefore([], NO_VALUES)})`,
    },
    sql`FROM ${process} WHERE ${which}`,
  )
}

interface NewProcessEvents {
  type: 'process.created' | 'process.restored'
  after: readonly (ProcessAfter & { rid: number })[]
  /** Whether the events are appended only if the statement before this one inserted the process. */
  ifChanged?: boolean
}

/** Appends the events of processes that were inserted. */
export const insertNewEvents = (
  scope: Scope,
  { no }: Procedure,
  { type, after, ifChanged = false }: NewProcessEvents,
): Statement =>
  appendEvents(scope, {
    type,
    proc: no,
    after: after.map(({ rid, ...each }) => [rid, each]),
    ifChanged,
  })
