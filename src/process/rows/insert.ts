import { type SQL, sql } from 'drizzle-orm'
import { storedData } from '../../db/document/json.ts'
import { IF_CHANGED } from '../../db/guard.ts'
import { insertInto, prepared, returning, type Statement, statement } from '../../db/statement.ts'
import { ifDefinitionHolds } from '../../procedure/definition-guard.ts'
import type { Procedure } from '../../procedure/model.ts'
import type { Scope } from '../../scope.ts'
import { FIELD_NAMES, type StoredFields } from '../fields.ts'
import { processRow } from '../row.ts'
import { type ProcessColumns, process, SLOT_NUMBERS, slotName } from '../table.ts'

/** A process to be inserted. */
export interface NewProcess extends StoredFields {
  rid: number
  /** The record's row, which the same transaction sees to. */
  record: number | null
  /** The attributes, by short id. */
  set: Record<string, unknown>
}

function insertedColumns(value: SQL, data: SQL, owner: { proc: SQL; team: SQL }, slots: readonly number[]) {
  const member = (path: string) => sql`${value} ->> ${sql.raw(`'$.${path}'`)}`
  const columns: ProcessColumns = { rid: member('rid'), ...owner, record: member('record') }
  for (const name of FIELD_NAMES) columns[name] = member(name)
  for (const column of slots) columns[slotName(column)] = member(`slots."${column}"`)
  return { ...columns, data: sql`jsonb(${data})` }
}

function insertedValues({ slots }: Procedure, { set, ...columns }: NewProcess) {
  const entries = Object.entries(slots).filter(([name]) => Object.hasOwn(set, name))
  return { ...columns, slots: Object.fromEntries(entries.map(([name, { column }]) => [column, set[name]])) }
}

interface InsertedValues {
  [name: string]: string | number
  proc: number
  definition: number
  team: number
  value: string
  data: string
}
type InsertOne = (values: InsertedValues) => Statement<{ row: string }>

/** D1 makes a plan for every statement it is sent, so one that names only the slots in use takes less time. */
const insertsBySlots = new Map<string, InsertOne>()
const INSERTS_KEPT_MAX = 500

function insertOne(slots: readonly number[], ifChanged: boolean): InsertOne {
  const shape = `${slots.join(' ')} ${ifChanged}`
  const known = insertsBySlots.get(shape)
  if (known !== undefined) return known
  if (insertsBySlots.size >= INSERTS_KEPT_MAX) insertsBySlots.clear()
  const made: InsertOne = prepared(
    ['proc', 'definition', 'team', 'value', 'data'],
    ({ proc, definition, team, value, data }) => {
      const holds = ifDefinitionHolds({ no: proc, version: definition })
      const condition = ifChanged ? sql`WHERE ${IF_CHANGED} AND ${holds}` : sql`WHERE ${holds}`
      return returning(insertInto(process, insertedColumns(value, data, { proc, team }, slots), condition), {
        row: processRow,
      })
    },
  )
  insertsBySlots.set(shape, made)
  return made
}

/** A new process, which it returns. A primary key that is taken, or another definition, fails the transaction. */
export function insertProcess(
  { team }: Scope,
  procedure: Procedure,
  item: NewProcess,
  { ifChanged } = { ifChanged: false },
): Statement<{ row: string }> {
  const values = insertedValues(procedure, item)
  const slots = Object.keys(values.slots).map(Number)
  return insertOne(
    slots,
    ifChanged,
  )({
    proc: procedure.no,
    definition: procedure.version,
    team: team.no,
    value: JSON.stringify(values),
    data: JSON.stringify(storedData(item.set)),
  })
}

const insertMany = prepared<{ proc: number; team: number; values: string }, never>(
  ['proc', 'team', 'values'],
  ({ proc, team, values }) => {
    const value = sql`item.value`
    const columns = insertedColumns(value, sql`${value} -> '$.data'`, { proc, team }, SLOT_NUMBERS)
    return statement(insertInto(process, columns, sql`FROM json_each(${values}) item`))
  },
)

/** One statement for any number of new processes. */
export const insertProcesses = ({ team }: Scope, procedure: Procedure, items: readonly NewProcess[]): Statement =>
  insertMany({
    proc: procedure.no,
    team: team.no,
    values: JSON.stringify(items.map(item => ({ ...insertedValues(procedure, item), data: storedData(item.set) }))),
  })
