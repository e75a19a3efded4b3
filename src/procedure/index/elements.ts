import { type SQL, sql } from 'drizzle-orm'
import { insertInto, type Statement, statement } from '../../db/statement.ts'
import { process, processValue } from '../../process/table.ts'
import { INDEXED_LIST_LENGTH_MAX } from '../model.ts'
import { procedure } from '../table.ts'

// The elements of lists, as rows of `process_value`. In all of this file, `slot.value` is a JSON of a slot.

/** The elements of a list of the process, as `element`. */
export const STORED_ELEMENTS = sql`json_each(${process.data}, slot.value ->> '$.listPath') AS element`

/** The condition of elements that a query can ask for. */
export const IS_ENTERED = sql`element.type IN ('text', 'integer', 'real')`

export const KEY_OF_ELEMENT = sql`${process.proc}, slot.value ->> '$.column', element.value, ${process.rid}`

/**
 * Enters missing elements of some processes. `slots` is a JSON of slots, as `json_each` takes it. A list that is too long was
 * stored before its attribute was to be indexed. It is not entered, because the attribute gets no index then.
 */
export const addElements = (slots: SQL, from: SQL, which: SQL): Statement =>
  statement(
    sql`${insertInto(
      processValue,
      {
        proc: sql`${process.proc}`,
        slot: sql`slot.value ->> '$.column'`,
        value: sql`element.value`,
        rid: sql`${process.rid}`,
        team: sql`${process.team}`,
      },
      sql`${from} CROSS JOIN json_each(${slots}) AS slot CROSS JOIN ${STORED_ELEMENTS} WHERE ${which} AND ${IS_ENTERED}
        AND json_array_length(${process.data}, slot.value ->> '$.listPath') <= ${sql.raw(String(INDEXED_LIST_LENGTH_MAX))}`,
    )} ON CONFLICT DO NOTHING`,
  )

/** Enters elements by the stored definitions, for imported processes. `rids` is a SELECT of their numbers. */
export const addImportedElements = (rids: SQL): Statement =>
  addElements(
    sql`${procedure.definition}, '$.slots'`,
    sql`FROM ${process} CROSS JOIN ${procedure} ON ${procedure.no} = ${process.proc}`,
    sql`${process.rid} IN (${rids}) AND slot.value ->> '$.listPath' IS NOT NULL`,
  )

/** Removes elements. `keys` is a SELECT of primary keys. */
export const removeElements = (keys: SQL): Statement =>
  statement(sql`DELETE FROM ${processValue} WHERE ("proc", "slot", "value", "rid") IN (${keys})`)

/** Removes elements under slot numbers that no attribute has any more, up to `rowsMax`. */
export const removeSlotElements = (proc: number, slots: readonly number[], rowsMax: number): Statement =>
  removeElements(
    sql`SELECT ${processValue.proc}, ${processValue.slot}, ${processValue.value}, ${processValue.rid} FROM ${processValue}
      WHERE ${whereOfSlots(proc, sql.raw(`(${slots.join(', ')})`))} LIMIT ${rowsMax}`,
  )

export const whereOfSlots = (proc: number, slots: SQL): SQL =>
  sql`${processValue.proc} = ${proc} AND ${processValue.slot} IN ${slots}`
