import { type SQL, sql } from 'drizzle-orm'
import { IF_CHANGED } from '../../db/guard.ts'
import { storedData } from '../../db/json.ts'
import { insertInto, prepared, returning, type Statement, statement } from '../../db/statement.ts'
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

function insertedColumns(value: SQL, data: SQL, owner: { proc: SQL; team: SQL }) {
  const member = (path: string) => sql`${value} ->> ${sql.raw(`'$.${path}'`)}`
  const columns: ProcessColumns = { rid: member('rid'), ...owner, record: member('record') }
  for (const name of FIELD_NAMES) columns[name] = member(name)
  for (const column of SLOT_NUMBERS) columns[slotName(column)] = member(`slots."${column}"`)
  return { ...columns, data: sql`jsonb(${data})` }
}

function insertedValues({ slots }: Procedure, { set, ...columns }: NewProcess) {
  const entries = Object.entries(slots).filter(([name]) => Object.hasOwn(set, name))
  return { ...columns, slots: Object.fromEntries(entries.map(([name, { column }]) => [column, set[name]])) }
}

const preparedInsert = (condition: SQL) =>
  prepared<{ proc: number; team: number; value: string; data: string }, { row: string }>(
    ['proc', 'team', 'value', 'data'],
    ({ proc, team, value, data }) =>
      returning(insertInto(process, insertedColumns(value, data, { proc, team }), condition), { row: processRow }),
  )
const insertOne = preparedInsert(sql``)
const insertOneIfChanged = preparedInsert(sql`WHERE ${IF_CHANGED}`)

/** A new process, which it returns. A primary key that is taken fails the transaction. */
export const insertProcess = (
  { team }: Scope,
  procedure: Procedure,
  item: NewProcess,
  { ifChanged } = { ifChanged: false },
): Statement<{ row: string }> =>
  (ifChanged ? insertOneIfChanged : insertOne)({
    proc: procedure.no,
    team: team.no,
    value: JSON.stringify(insertedValues(procedure, item)),
    data: JSON.stringify(storedData(item.set)),
  })

const insertMany = prepared<{ proc: number; team: number; values: string }, never>(
  ['proc', 'team', 'values'],
  ({ proc, team, values }) => {
    const value = sql`item.value`
    const columns = insertedColumns(value, sql`${value} -> '$.data'`, { proc, team })
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
