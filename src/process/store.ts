import { type PlainText, type TextStatement, textStatement } from '../db/text-statement.ts'
import { guardDefinition } from '../procedure/definition-guard.ts'
import type { Procedure } from '../procedure/model.ts'
import type { Scope } from '../scope.ts'
import { PROCESS_ROW, type ProcessRow, readProcessRow } from './row.ts'
import type { Target } from './write.ts'

/** Every statement here is bound to the team by the procedure's number, which was looked up by team. */
const where = (target: Target): string =>
  'rid' in target ? 'rid = ?2 AND id = ?3 AND +proc = ?1' : 'proc = ?1 AND primary_key = ?2'

const paramsOf = (procedure: Procedure, target: Target) =>
  'rid' in target ? [procedure.no, target.rid, target.id] : [procedure.no, target.primaryKey]

export const selectProcess = (procedure: Procedure, target: Target): PlainText =>
  textStatement(`SELECT ${PROCESS_ROW} AS row FROM process WHERE ${where(target)}`, ...paramsOf(procedure, target))

export const rowOf = (rows: Record<string, unknown>[] | undefined): ProcessRow | undefined =>
  rows?.[0] === undefined ? undefined : readProcessRow(rows[0].row)

/** By id one row is read. By key it matters which attribute the key is: one more row says that this still holds. */
export async function findProcess(scope: Scope, procedure: Procedure, target: Target): Promise<ProcessRow | undefined> {
  const guards = 'rid' in target ? [] : [guardDefinition(procedure)]
  const results = await scope.db.batch([...guards, selectProcess(procedure, target)])
  return rowOf(results.at(-1)?.rows)
}

/** Moves a process out of every index and query: two rows written, however many attributes are indexed. */
export function trashStatements(
  procedure: Procedure,
  target: Target,
  now: number,
  ifTag?: { version: number; record: number },
): TextStatement[] {
  const at = 'rid' in target ? 4 : 3
  const tagged = ifTag
    ? ` AND version = ?${at} AND coalesce((SELECT version FROM record WHERE rid = process.record), 0) = ?${at + 1}`
    : ''
  const params = [...paramsOf(procedure, target), ...(ifTag ? [ifTag.version, ifTag.record] : [])]
  return [
    textStatement(
      `INSERT OR REPLACE INTO process_trash (rid, id, proc, deleted_at, row)
        SELECT rid, id, proc, ?${params.length + 1}, jsonb(${PROCESS_ROW}) FROM process WHERE ${where(target)}${tagged}`,
      ...params,
      now,
    ),
    textStatement(`DELETE FROM process WHERE ${where(target)}${tagged} RETURNING ${PROCESS_ROW} AS row`, ...params),
  ]
}

export async function findTrashed(
  scope: Scope,
  procedure: Procedure,
  rid: number,
  id: string,
): Promise<ProcessRow | undefined> {
  const read = 'SELECT json(row) AS row FROM process_trash WHERE rid = ?1 AND id = ?2 AND proc = ?3'
  const [found] = await scope.db.batch([textStatement(read, rid, id, procedure.no)])
  return rowOf(found?.rows)
}

export const deleteTrashed = (procedure: Procedure, rid: number): TextStatement =>
  textStatement('DELETE FROM process_trash WHERE rid = ?1 AND proc = ?2', rid, procedure.no)

/** Of the team's own processes only. */
export async function findProcedureId(scope: Scope, rid: number, id: string): Promise<string | undefined> {
  const read = `SELECT procedure.id FROM process JOIN procedure ON procedure.no = process.proc
    WHERE process.rid = ?1 AND process.id = ?2 AND procedure.team = ?3`
  const [found] = await scope.db.batch([textStatement(read, rid, id, scope.team.no)])
  return found?.rows[0]?.id as string | undefined
}
