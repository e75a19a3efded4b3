import { sql } from 'drizzle-orm'
import { type Statement, select } from '../db/statement.ts'
import type { Fault } from '../errors.ts'
import { AppError, notFound } from '../errors.ts'
import { toRowNo, UUID } from '../ids.ts'
import { guardDefinition } from '../procedure/definition-guard.ts'
import type { Procedure } from '../procedure/model.ts'
import type { Scope } from '../scope.ts'
import { type ProcessRow, processRow, readProcessRow } from './row.ts'
import type { Target } from './rows/target.ts'
import { toPrimaryKey } from './rules.ts'
import { ProcessKeyPath, ProcessPath } from './schema.ts'
import { findProcedureId, findProcessAndLastErasure } from './store.ts'
import { process } from './table.ts'

/** Parses the id of a process in a path. Text that is not a UUID names none. */
export const toTarget = (id: string): { rid: number; id: string } => {
  if (!UUID.test(id)) throw notFound(`process ${id}`)
  return { rid: toRowNo(id), id: id.toLowerCase() }
}

/** Finds the target that a primary key in a path names. Before another key is refused, the definition is checked to be current. */
async function findTargetByKey(scope: Scope, procedure: Procedure, shortId: string, value: string): Promise<Target> {
  // SQLite reads a text out of JSON only up to a NUL, and no key contains one.
  if (value.includes('\0')) throw notFound(`process ${shortId} ${value}`)
  if (procedure.primaryKey === shortId) return { primaryKey: toPrimaryKey(procedure, value) }
  await scope.db.read(guardDefinition(procedure))
  const hint =
    procedure.primaryKey === null ? {} : { hint: `the primary key of ${procedure.shortId} is ${procedure.primaryKey}` }
  throw new AppError('not_found', [{ message: `process ${shortId} ${value} not found`, ...hint }])
}

/** A way to address a process, by id or by primary key. Fetch, update and delete are the same by both. */
export interface ProcessAddress<Params> {
  suffix: string
  by: 'Id' | 'PrimaryKey'
  params: typeof ProcessPath | typeof ProcessKeyPath
  findTarget: (scope: Scope, procedure: Procedure, params: Params) => Target | Promise<Target>
}

export const byId: ProcessAddress<{ processId: string }> = {
  suffix: '/:processId',
  by: 'Id',
  params: ProcessPath,
  findTarget: (_scope, _procedure, { processId }) => toTarget(processId),
}

export const byKey: ProcessAddress<{ primaryKeyShortId: string; primaryKeyValue: string }> = {
  suffix: '/:primaryKeyShortId/:primaryKeyValue',
  by: 'PrimaryKey',
  params: ProcessKeyPath,
  findTarget: (scope, procedure, { primaryKeyShortId, primaryKeyValue }) =>
    findTargetByKey(scope, procedure, primaryKeyShortId, primaryKeyValue),
}

export const PROCESSES_PATH = '/v1/ext/procedure/:procedureShortId/process'

/**
 * Returns the process that a path segment names, by id, else by the value of the primary key; and when somebody of the team had
 * been erased the last time as it was read.
 */
export async function getProcessByReference(
  scope: Scope,
  procedure: Procedure,
  reference: string,
): Promise<{ row: ProcessRow; lastErasureAt: number | null }> {
  const find = async (target: Target) => {
    const { row, lastErasureAt } = await findProcessAndLastErasure(scope, procedure, target)
    return row && { row, lastErasureAt }
  }
  const byId = UUID.test(reference) ? await find(toTarget(reference)) : undefined
  if (byId) return byId
  if (procedure.primaryKey === null) await scope.db.read(guardDefinition(procedure))
  const primaryKey = toPrimaryKey(procedure, reference)
  const byKey = procedure.primaryKey === null ? undefined : await find({ primaryKey })
  if (!byKey) throw notFound(`process ${reference}`)
  return byKey
}

/** Returns the id of a process's procedure, for paths that name only the process. */
export async function findProcessProcedure(scope: Scope, processId: string): Promise<string> {
  const id = UUID.test(processId)
    ? await findProcedureId(scope, { rid: toRowNo(processId), id: processId.toLowerCase() })
    : undefined
  if (id === undefined) throw notFound(`process ${processId}`)
  return id
}

/** Returns the fault of an entry that names a process by an attribute other than the primary key. */
export const findWrongKeyFaults = (procedure: Procedure, primaryKeyShortId: string | undefined): Fault[] =>
  primaryKeyShortId === undefined || primaryKeyShortId === procedure.primaryKey
    ? []
    : [
        {
          message: `${JSON.stringify(primaryKeyShortId)} is not the primary key of ${procedure.shortId}`,
          path: '/body/primaryKeyShortId',
        },
      ]

/** References to many processes. Each of `ids` is a UUID or the value of a primary key, each of `keys` only such a value. */
interface ProcessReferences {
  ids: readonly string[]
  keys: readonly string[]
}

interface ReferenceRow {
  by: 'id' | 'key'
  reference: string
  row: string
}

/** Selects the processes of references; `readReferences` reads the rows. */
export function selectReferences(procedure: Procedure, { ids, keys }: ProcessReferences): Statement<ReferenceRow>[] {
  const { no } = procedure
  const primaryKeys = new Set([...ids, ...keys].map(each => toPrimaryKey(procedure, each)))
  const uuids = ids.filter(each => UUID.test(each) && Number.isSafeInteger(toRowNo(each)))
  const wanted = JSON.stringify(
    uuids.map(reference => ({ reference, rid: toRowNo(reference), id: reference.toLowerCase() })),
  )
  return [
    select(
      { by: sql<'key'>`'key'`, reference: sql<string>`wanted.value`, row: processRow },
      sql`FROM json_each(${JSON.stringify([...primaryKeys])}) wanted
        CROSS JOIN ${process} ON ${process.proc} = ${no} AND ${process.primaryKey} = wanted.value`,
    ),
    select(
      { by: sql<'id'>`'id'`, reference: sql<string>`wanted.value ->> '$.reference'`, row: processRow },
      sql`FROM json_each(${wanted}) wanted CROSS JOIN ${process} ON ${process.rid} = wanted.value ->> '$.rid'
        AND ${process.id} = wanted.value ->> '$.id' AND +${process.proc} = ${no}`,
    ),
  ]
}

/** `ofId` finds a process by id, else by primary key. `ofKey` finds it by primary key only, even if the value is another's id. */
export function readReferences(procedure: Procedure | null, rows: readonly ReferenceRow[]) {
  const found = (by: ReferenceRow['by']) =>
    new Map(rows.filter(each => each.by === by).map(({ reference, row }) => [reference, readProcessRow(row)]))
  const [byId, byKey] = [found('id'), found('key')]
  const ofKey = (value: string): ProcessRow | undefined => byKey.get(procedure ? toPrimaryKey(procedure, value) : value)
  return { ofId: (reference: string): ProcessRow | undefined => byId.get(reference) ?? ofKey(reference), ofKey }
}
