import { sql } from 'drizzle-orm'
import { type Statement, select } from '../db/statement.ts'
import type { Fault } from '../errors.ts'
import { AppError, notFound } from '../errors.ts'
import { ridOf, UUID } from '../ids.ts'
import { guardDefinition } from '../procedure/definition-guard.ts'
import type { Procedure } from '../procedure/model.ts'
import type { Scope } from '../scope.ts'
import { type ProcessRow, processRow, readProcessRow } from './row.ts'
import { findProcedureId, findProcess } from './store.ts'
import { process } from './table.ts'
import type { Target } from './target.ts'

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
  await scope.db.read(guardDefinition(procedure))
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
  if (procedure.primaryKey === null) await scope.db.read(guardDefinition(procedure))
  const row = procedure.primaryKey === null ? undefined : await findProcess(scope, procedure, { primaryKey: reference })
  if (!row) throw notFound(`process ${reference}`)
  return row
}

/** The id of the procedure that a process follows, for addresses that name only the process. */
export async function getProcedureOfProcess(scope: Scope, processId: string): Promise<string> {
  const id = UUID.test(processId)
    ? await findProcedureId(scope, { rid: ridOf(processId), id: processId.toLowerCase() })
    : undefined
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

/** How many processes are named: by an id, which may also be the value of a primary key; or by such a value alone. */
export interface ProcessReferences {
  ids: readonly string[]
  keys: readonly string[]
}

interface ReferredRow {
  by: 'id' | 'key'
  reference: string
  row: string
}

/** The processes that references mean. `readReferences` tells them apart again. */
export function selectReferences({ no }: Procedure, { ids, keys }: ProcessReferences): Statement<ReferredRow>[] {
  const uuids = ids.filter(each => UUID.test(each) && Number.isSafeInteger(ridOf(each)))
  const wanted = JSON.stringify(
    uuids.map(reference => ({ reference, rid: ridOf(reference), id: reference.toLowerCase() })),
  )
  return [
    select(
      { by: sql<'key'>`'key'`, reference: sql<string>`wanted.value`, row: processRow },
      sql`FROM json_each(${JSON.stringify([...new Set([...ids, ...keys])])}) wanted
        CROSS JOIN ${process} ON ${process.proc} = ${no} AND ${process.primaryKey} = wanted.value`,
    ),
    select(
      { by: sql<'id'>`'id'`, reference: sql<string>`wanted.value ->> '$.reference'`, row: processRow },
      sql`FROM json_each(${wanted}) wanted CROSS JOIN ${process} ON ${process.rid} = wanted.value ->> '$.rid'
        AND ${process.id} = wanted.value ->> '$.id' AND +${process.proc} = ${no}`,
    ),
  ]
}

/** Finds a process by an id, else by a primary key that is called so; or by a primary key, which never means an id. */
export function readReferences(rows: readonly ReferredRow[]) {
  const found = (by: ReferredRow['by']) =>
    new Map(rows.filter(each => each.by === by).map(({ reference, row }) => [reference, readProcessRow(row)]))
  const [byId, byKey] = [found('id'), found('key')]
  return {
    ofId: (reference: string): ProcessRow | undefined => byId.get(reference) ?? byKey.get(reference),
    ofKey: (value: string): ProcessRow | undefined => byKey.get(value),
  }
}
