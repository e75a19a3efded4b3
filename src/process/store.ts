import { sql } from 'drizzle-orm'
import { selectLastErasure } from '../background-job/erasure/pending.ts'
import { prepared, type Statement, select } from '../db/statement.ts'
import { guardDefinition } from '../procedure/definition-guard.ts'
import type { Procedure } from '../procedure/model.ts'
import { procedure as procedureTable } from '../procedure/table.ts'
import type { Scope } from '../scope.ts'
import { type ProcessRow, processRow, readProcessRow, type TrashedProcess } from './row.ts'
import { type Target, whereTarget } from './rows/target.ts'
import { process, processTrash } from './table.ts'

const selectById = prepared<{ proc: number; rid: number; id: string }, { row: string }>(['proc', 'rid', 'id'], values =>
  select({ row: processRow }, sql`FROM ${process} WHERE ${whereTarget(values)}`),
)
const selectByKey = prepared<{ proc: number; primaryKey: string }, { row: string }>(['proc', 'primaryKey'], values =>
  select({ row: processRow }, sql`FROM ${process} WHERE ${whereTarget(values)}`),
)

export const selectProcess = ({ no: proc }: Procedure, target: Target): Statement<{ row: string }> =>
  'rid' in target ? selectById({ proc, ...target }) : selectByKey({ proc, ...target })

const readRow = ([first]: readonly { row: string }[]): ProcessRow | undefined =>
  first === undefined ? undefined : readProcessRow(first.row)

/** Reads the process out of the results of a transaction, one statement of which returns it. */
export function readFirstRow(results: readonly { rows: readonly unknown[] }[]): ProcessRow | undefined {
  const rows = results.flatMap(each => each.rows)
  const found = rows.find(each => typeof each === 'object' && each !== null && 'row' in each)
  return found === undefined ? undefined : readProcessRow(Reflect.get(found as object, 'row'))
}

/** Finds a process. By id this reads one row. By key the definition is read, too, because another attribute may be the key by now. */
export async function findProcess(scope: Scope, procedure: Procedure, target: Target): Promise<ProcessRow | undefined> {
  if (!('rid' in target)) return findProcessToJudge(scope, procedure, target)
  const [rows] = await scope.db.read(selectProcess(procedure, target))
  return readRow(rows)
}

/** Finds a process to check it against the definition. Throws if that definition is no longer in force. */
export async function findProcessToJudge(
  scope: Scope,
  procedure: Procedure,
  target: Target,
): Promise<ProcessRow | undefined> {
  const [, rows] = await scope.db.read(guardDefinition(procedure), selectProcess(procedure, target))
  return readRow(rows)
}

/** Finds a process, and reads in the same moment when somebody was erased the last time, for `guardNobodyErased`. */
export async function findProcessAndLastErasure(
  scope: Scope,
  procedure: Procedure,
  target: Target,
): Promise<{ row: ProcessRow | undefined; lastErasureAt: number | null }> {
  const [[team], rows] = await scope.db.read(
    selectLastErasure(scope.team.no),
    selectProcess(procedure, target),
    ...('rid' in target ? [] : [guardDefinition(procedure)]),
  )
  return { row: readRow(rows), lastErasureAt: team?.lastErasureAt ?? null }
}

export async function findTrashed(
  scope: Scope,
  procedure: Procedure,
  { rid, id }: { rid: number; id: string },
): Promise<TrashedProcess | undefined> {
  const { rid: number, id: name, proc, row } = processTrash
  const [rows] = await scope.db.read(
    select(
      { row: sql<string>`json(${row})` },
      sql`FROM ${processTrash} WHERE ${number} = ${rid} AND ${name} = ${id} AND +${proc} = ${procedure.no}`,
    ),
  )
  return readRow(rows)
}

/** Finds the procedure of a process, among processes of this team only. */
export async function findProcedureId(
  scope: Scope,
  { rid, id }: { rid: number; id: string },
): Promise<string | undefined> {
  const [rows] = await scope.db.read(
    select(
      { id: procedureTable.id },
      sql`FROM ${process} JOIN ${procedureTable} ON ${procedureTable.no} = ${process.proc}
        WHERE ${process.rid} = ${rid} AND ${process.id} = ${id} AND ${procedureTable.team} = ${scope.team.no}`,
    ),
  )
  return rows[0]?.id
}
