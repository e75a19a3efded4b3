import { type Result, type TextStatement, textStatement } from '../db/text-statement.ts'
import type { Fault } from '../errors.ts'
import { AppError, notFound } from '../errors.ts'
import { ridOf, UUID } from '../ids.ts'
import { guardDefinition } from '../procedure/definition-guard.ts'
import type { Procedure } from '../procedure/model.ts'
import type { Scope } from '../scope.ts'
import { PROCESS_ROW, type ProcessRow, readProcessRow } from './row.ts'
import { findProcedureId, findProcess } from './store.ts'
import type { Target } from './write.ts'

/** The process an address means. An id that is no UUID, and a key that is not the procedure's, mean none. */
export const targetOfId = (id: string): Target => {
  if (!UUID.test(id)) throw notFound(`process ${id}`)
  return { rid: ridOf(id), id: id.toLowerCase() }
}

/** Before a key is refused as not being the procedure's, it is made sure that the definition at hand still holds. */
export async function targetOfKey(scope: Scope, procedure: Procedure, shortId: string, value: string): Promise<Target> {
  // SQLite reads a text out of JSON only up to a NUL; no key has one, so none is meant.
  if (value.includes('\0')) throw notFound(`process ${shortId} ${value}`)
  if (procedure.primaryKey === shortId) return { primaryKey: value }
  await scope.db.batch([guardDefinition(procedure)])
  const hint =
    procedure.primaryKey === null ? {} : { hint: `the primary key of ${procedure.shortId} is ${procedure.primaryKey}` }
  throw new AppError('not_found', [{ message: `process ${shortId} ${value} not found`, ...hint }])
}

/** The process that one path segment means: its id, else the value of its primary key. */
export async function getProcessByReference(
  scope: Scope,
  procedure: Procedure,
  reference: string,
): Promise<ProcessRow> {
  const byId = UUID.test(reference) ? await findProcess(scope, procedure, targetOfId(reference)) : undefined
  if (byId) return byId
  if (procedure.primaryKey === null) await scope.db.batch([guardDefinition(procedure)])
  const row = procedure.primaryKey === null ? undefined : await findProcess(scope, procedure, { primaryKey: reference })
  if (!row) throw notFound(`process ${reference}`)
  return row
}

/** The id of the procedure that a process follows, for addresses that name only the process. */
export async function getProcedureOfProcess(scope: Scope, processId: string): Promise<string> {
  const id = UUID.test(processId) ? await findProcedureId(scope, ridOf(processId), processId.toLowerCase()) : undefined
  if (id === undefined) throw notFound(`process ${processId}`)
  return id
}

/** Whoever names a process by a key says by which, and can be wrong about that. */
export const otherKey = (procedure: Procedure, primaryKeyShortId: string | undefined): Fault[] =>
  primaryKeyShortId === undefined || primaryKeyShortId === procedure.primaryKey
    ? []
    : [
        {
          message: `${JSON.stringify(primaryKeyShortId)} is not the primary key of ${procedure.shortId}`,
          path: '/body/primaryKeyShortId',
        },
      ]

/** The processes that many references mean: by their keys, and by their ids, which go first. */
export function selectReferences(procedure: Procedure, references: readonly string[]): TextStatement[] {
  const ids = references.filter(each => UUID.test(each) && Number.isSafeInteger(ridOf(each)))
  const select = (on: string, wanted: unknown[]) =>
    textStatement(
      `SELECT wanted.value ->> '$.reference' AS reference, ${PROCESS_ROW} AS row
        FROM json_each(?1) wanted CROSS JOIN process ON ${on}`,
      JSON.stringify(wanted),
      procedure.no,
    )
  return [
    select(
      "process.proc = ?2 AND process.primary_key = wanted.value ->> '$.reference'",
      references.map(reference => ({ reference })),
    ),
    select(
      "process.rid = wanted.value ->> '$.rid' AND process.id = wanted.value ->> '$.id' AND +process.proc = ?2",
      ids.map(reference => ({ reference, rid: ridOf(reference), id: reference.toLowerCase() })),
    ),
  ]
}

export const readReferences = (results: readonly Result[]): Map<string, ProcessRow> =>
  new Map(
    results.flatMap(({ rows }) => rows.map(({ reference, row }) => [String(reference), readProcessRow(row)] as const)),
  )
