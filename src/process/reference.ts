import { notFound } from '../errors.ts'
import { ridOf, UUID } from '../ids.ts'
import type { Procedure } from '../procedure/model.ts'
import { guardVersion } from '../procedure/stale.ts'
import type { Scope } from '../scope.ts'
import { targetOfId } from './operations.ts'
import type { ProcessRow } from './row.ts'
import { findProcedureId, findProcess } from './store.ts'

/** The process that one path segment means: its id, else the value of its primary key. */
export async function getProcessByReference(
  scope: Scope,
  procedure: Procedure,
  reference: string,
): Promise<ProcessRow> {
  const byId = UUID.test(reference) ? await findProcess(scope, procedure, targetOfId(reference)) : undefined
  if (byId) return byId
  if (procedure.primaryKey === null) await scope.db.batch([guardVersion(procedure)])
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
