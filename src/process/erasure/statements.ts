import { type SQL, sql } from 'drizzle-orm'
import { countFitting } from '../../bytes.ts'
import { recordErasure } from '../../customer/erasure/table.ts'
import { getChangeShape, selectChangedDocument, toDocumentChange } from '../../db/document/change.ts'
import { jsonPath } from '../../db/document/json.ts'
import { NO_VALUES } from '../../db/document/values-at.ts'
import { ridList } from '../../db/document/values-by-row.ts'
import { guard, isGuardFailure } from '../../db/guard.ts'
import { assignments, insertInto, type Statement, statement } from '../../db/statement.ts'
import { erasedProcess } from '../../erasure-sweep/table.ts'
import { insertEvents, lastTime, setByLastEvent, toMembers } from '../../event/append.ts'
import type { Procedure } from '../../procedure/model.ts'
import { listPersonalNames } from '../../procedure/personal.ts'
import { selectProcessBefore } from '../rows/append-events.ts'
import { deriveChanged } from '../rows/derived.ts'
import { assignColumns, listUpdatedColumns, selectMembers, toUpdatedValues } from '../rows/updated-columns.ts'
import type { Change } from '../rules.ts'
import { process, processTrash as trash } from '../table.ts'

// Takes processes from a customer who is erased; everywhere, their personal attributes go. Until a step of the erasure comes
// to a process, it refers to the record that is gone, and so to the row of the erasure. One that is emptied is listed, so that
// history and jobs are gone through. A request that would give it to another customer, or restore it from the trash, comes
// after the step.

const whereErased = ({ record, team }: typeof process | typeof trash, how = sql`true`): SQL =>
  sql`EXISTS (SELECT 1 FROM ${recordErasure} WHERE ${recordErasure.record} = ${record} AND +${recordErasure.team} = ${team}
    AND ${how})`

const whereErasedEverywhere = (table: typeof process | typeof trash): SQL =>
  whereErased(table, sql`${recordErasure.everywhere}`)

const BEING_ERASED = 'the customer of the process is being erased'
export const isBeingErased = (error: unknown): boolean => isGuardFailure(error, BEING_ERASED)

/** Fails the transaction if the customer from whom it takes a process is being erased, and the erasure has yet to come to it. */
export const guardNotBeingErased = (which: SQL): Statement =>
  guard(BEING_ERASED, sql`NOT EXISTS (SELECT 1 FROM ${process} WHERE ${which} AND ${whereErased(process)})`)

/** Fails the transaction if a process has yet to be emptied. */
export const guardNotBeingEmptied = (which: SQL): Statement =>
  guard(BEING_ERASED, sql`NOT EXISTS (SELECT 1 FROM ${process} WHERE ${which} AND ${whereErasedEverywhere(process)})`)

/** Fails the transaction if a process in the trash has yet to be emptied, or its messages have. */
export const guardTrashNotBeingErased = (procedure: Procedure, rids: readonly number[]): Statement =>
  guard(
    BEING_ERASED,
    sql`NOT EXISTS (SELECT 1 FROM ${trash} WHERE ${trash.rid} IN ${ridList(rids)} AND +${trash.proc} = ${procedure.no}
      AND ${whereErasedEverywhere(trash)})`,
  )

/** Returns the change by which an erasure empties a process: an update that removes the personal attributes. */
const toChange = (procedure: Procedure): Change => {
  const unset = listPersonalNames(procedure)
  const { primaryKey } = procedure
  return { set: {}, unset, ...(primaryKey !== null && unset.includes(primaryKey) ? { primaryKey: null } : {}) }
}

export const PROCESSES_PER_STEP = 100
/** The bytes of all documents that a step changes. */
const BYTES_PER_STEP = 4_000_000
/** The most characters of all names in the events of a step, which are one row of the log. */
const NAMES_LENGTH_MAX = 1_000_000

/** Takes as many processes as one step empties, and at least one. */
export function takeFittingProcesses<Row extends { bytes: number }>(procedure: Procedure, rows: readonly Row[]): Row[] {
  const names = JSON.stringify(listPersonalNames(procedure)).length
  const count = Math.max(1, Math.min(PROCESSES_PER_STEP, Math.floor(NAMES_LENGTH_MAX / names)))
  const bytes = rows.slice(0, count).map(row => row.bytes)
  return rows.slice(0, countFitting(bytes, BYTES_PER_STEP))
}

/** Lists processes for the erasure, with the last event that has values of them. */
const listProcesses = (table: Record<'rid' | 'proc' | 'team' | 'key' | 'event', SQL>, from: SQL): Statement =>
  statement(
    sql`${insertInto(
      erasedProcess,
      {
        erasure: sql`${recordErasure.erasure}`,
        process: table.rid,
        team: table.team,
        proc: table.proc,
        key: table.key,
        event: table.event,
      },
      sql`${from}`,
    )} ON CONFLICT DO NOTHING`,
  )

/** A customer's processes stay as they are, and are nobody's. */
export const detachProcesses = ({ team, record }: { team: number; record: number }, which: SQL): Statement =>
  statement(
    sql`UPDATE ${process} SET ${assignments(process, { record: null })} WHERE ${process.record} = ${record}
      AND ${process.rid} IN ${which} AND +${process.team} = ${team}`,
  )

interface ErasedRows {
  team: number
  at: number
  /** The author of the erasure, as events store it. */
  by: string
  procedure: Procedure
  rids: readonly number[]
}

/**
 * Empties some processes of one procedure, and takes them from the customer. Those that had personal values get a new
 * version, and an event that names the removed attributes without their values.
 */
export function emptyProcesses({ team, at, by, procedure, rids }: ErasedRows): Statement[] {
  const which = sql`${process.rid} IN ${ridList(rids)} AND +${process.proc} = ${procedure.no}
    AND +${process.team} = ${team} AND ${whereErasedEverywhere(process)}`
  const detach = statement(sql`UPDATE ${process} SET ${assignments(process, { record: null })} WHERE ${which}`)
  const change = toChange(procedure)
  if (change.unset.length === 0) return [detach]
  const names = JSON.stringify(change.unset.map(name => ({ name, path: jsonPath(name) })))
  const has = sql`json_type(${process.data}, personal.value ->> '$.path') IS NOT NULL`
  const hasAny = sql`${which} AND EXISTS (SELECT 1 FROM json_each(${names}) personal WHERE ${has})`
  const unset = sql`(SELECT json_group_array(personal.value ->> '$.name') FROM json_each(${names}) personal WHERE ${has})`
  const key = change.primaryKey === null ? sql`, 'primaryKey', NULL` : sql``
  const rid = sql`CAST(${process.rid} AS TEXT)`
  const document = toDocumentChange({}, change.unset)
  const derived = deriveChanged(procedure, [{ change }], { before: () => hasAny, after: () => which })
  return [
    listProcesses(
      {
        rid: sql`${process.rid}`,
        proc: sql`${process.proc}`,
        team: sql`${process.team}`,
        key: sql`${process.primaryKey}`,
        event: sql`${process.lastEvent}`,
      },
      sql`FROM ${process} CROSS JOIN ${recordErasure} ON ${recordErasure.record} = ${process.record} WHERE ${which}`,
    ),
    ...derived.before,
    statement(
      insertEvents(
        {
          team: sql`${team}`,
          at: sql`${at}`,
          type: sql`'process.updated'`,
          proc: sql`${procedure.no}`,
          by: sql`${by}`,
        },
        {
          ...toMembers(process.rid.getSQL(), sql`json_object('id', ${process.id}, 'unset', ${unset}${key})`),
          before: sql`jsonb_group_object(${rid}, ${selectProcessBefore([], NO_VALUES)})`,
        },
        sql`FROM ${process} WHERE ${hasAny} HAVING count(*) > 0`,
      ),
    ),
    statement(
      sql`UPDATE ${process} SET ${assignments(process, {
        ...assignColumns(listUpdatedColumns(procedure, change), {
          ...selectMembers(sql`${JSON.stringify(toUpdatedValues(procedure, change))}`),
          document: selectChangedDocument(sql`${process.data}`, getChangeShape(document), {
            set: [],
            removed: document.removed.map(group => sql`${JSON.stringify(group)}`),
          }),
          now: lastTime(team),
        }),
        version: sql`${process.version} + 1`,
        ...setByLastEvent(process, team),
      })} WHERE ${hasAny}`,
    ),
    ...derived.after,
    detach,
  ]
}

/** Empties processes in the trash. There is no event, because nobody sees a change of them. */
export function emptyTrashed({ team, procedure, rids }: Omit<ErasedRows, 'at' | 'by'>): Statement[] {
  const which = sql`${trash.rid} IN ${ridList(rids)} AND +${trash.proc} = ${procedure.no} AND +${trash.team} = ${team}
    AND ${whereErasedEverywhere(trash)}`
  const { unset, primaryKey } = toChange(procedure)
  const removed = toDocumentChange({}, unset).removed.map(group => group.map(path => `$.data${path.slice(1)}`))
  const shape = { set: [], removed: removed.map(({ length }) => length) }
  const groups = { set: [], removed: removed.map(group => sql`${JSON.stringify(group)}`) }
  const emptied = selectChangedDocument(sql`jsonb_set(${trash.row}, '$.record', NULL)`, shape, groups)
  const row = primaryKey === null ? sql`jsonb_set(${emptied}, '$.primaryKey', NULL)` : emptied
  return [
    ...(unset.length === 0
      ? []
      : [
          listProcesses(
            {
              rid: sql`${trash.rid}`,
              proc: sql`${trash.proc}`,
              team: sql`${trash.team}`,
              key: sql`${trash.primaryKey}`,
              event: sql`${trash.row} ->> '$.lastEvent'`,
            },
            sql`FROM ${trash} CROSS JOIN ${recordErasure} ON ${recordErasure.record} = ${trash.record} WHERE ${which}`,
          ),
        ]),
    statement(
      sql`UPDATE ${trash} SET ${assignments(trash, { row, record: null, ...(primaryKey === null ? { primaryKey } : {}) })} WHERE ${which}`,
    ),
  ]
}
