import { sql } from 'drizzle-orm'
import type { Statement } from '../../db/statement.ts'
import { prepared, select } from '../../db/statement.ts'
import { StaleProcedure } from '../../procedure/definition-guard.ts'
import type { Procedure } from '../../procedure/model.ts'
import { procedure as procedureTable } from '../../procedure/table.ts'
import type { Scope } from '../../scope.ts'

const currentVersion = prepared<{ no: number }, { version: number }>(['no'], ({ no }) =>
  select({ version: procedureTable.version }, sql`FROM ${procedureTable} WHERE ${procedureTable.no} = ${no}`),
)

function refuseStale(procedure: Procedure, [current]: { version: number }[]): void {
  if (current?.version !== procedure.version) throw new StaleProcedure()
}

/** Fails with StaleProcedure if the definition has changed since it was loaded: slot columns may hold other attributes now. */
export async function runStatement<Row>(
  { db }: Scope,
  procedure: Procedure,
  statement: Statement<Row>,
): Promise<Row[]> {
  const [versions, rows] = await db.read(currentVersion(procedure), statement)
  refuseStale(procedure, versions)
  return rows
}

/** The same check for a condition that no process can match. */
export async function runNothing({ db }: Scope, procedure: Procedure): Promise<void> {
  const [versions] = await db.read(currentVersion(procedure))
  refuseStale(procedure, versions)
}
