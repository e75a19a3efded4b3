import { sql } from 'drizzle-orm'
import {
  addElements,
  IS_ENTERED,
  KEY_OF_ELEMENT,
  removeElements,
  STORED_ELEMENTS,
} from '../../procedure/index/elements.ts'
import type { Procedure } from '../../procedure/model.ts'
import { process } from '../table.ts'
import type { Derivation, RowChange } from './derived.ts'

/** The elements of indexed attributes of a multi… type. An element has one row, however often a list has it. */
export const listValues: Derivation = {
  sources: listIndexedLists,

  add: (procedure, names, which) => addElements(sql`${getSlots(procedure, names)}`, sql`FROM ${process}`, which),

  removeChanged: (procedure, names, which, changes) => {
    const changed = sql`json_each(${JSON.stringify(changes.flatMap(each => listChangedLists(procedure, names, each)))})`
    const isRow = changes[0]?.rid === undefined ? which : sql`${process.rid} = slot.value ->> '$.rid' AND ${which}`
    const rows = sql`SELECT ${KEY_OF_ELEMENT} FROM ${changed} AS slot CROSS JOIN ${process}`
    const stored = sql`${rows} CROSS JOIN ${STORED_ELEMENTS} WHERE ${isRow} AND ${IS_ENTERED}`
    const next = sql`${rows} CROSS JOIN json_each(slot.value, '$.next') AS element WHERE ${isRow}`
    // A compound that stands in IN itself would have the whole table scanned.
    return removeElements(sql`SELECT * FROM (${stored} EXCEPT ${next})`)
  },

  remove: (procedure, which) => {
    const names = listIndexedLists(procedure)
    if (names.length === 0) return undefined
    const slots = sql`json_each(${getSlots(procedure, names)}) AS slot`
    return removeElements(
      sql`SELECT ${KEY_OF_ELEMENT} FROM ${process} CROSS JOIN ${slots} CROSS JOIN ${STORED_ELEMENTS} WHERE ${which} AND ${IS_ENTERED}`,
    )
  },
}

function listIndexedLists({ slots }: Procedure): string[] {
  return Object.keys(slots).filter(name => slots[name]?.listPath)
}

const getSlots = ({ slots }: Procedure, names: readonly string[]): string =>
  JSON.stringify(names.map(name => slots[name]))

/** Lists the slots of the lists that a change names, with their elements after it. */
function listChangedLists({ slots }: Procedure, names: readonly string[], { rid, change }: RowChange) {
  return names.flatMap(name => {
    const isSet = Object.hasOwn(change.set, name)
    if (!isSet && !change.unset.includes(name)) return []
    return [{ ...slots[name], rid, next: isSet ? change.set[name] : [] }]
  })
}
