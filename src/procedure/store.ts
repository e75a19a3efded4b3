import { type SQL, sql } from 'drizzle-orm'
import { guard, isGuardFailure } from '../db/guard.ts'
import { assignments, insertInto, type Statement, select, statement } from '../db/statement.ts'
import { guardNumberLeft, selectNextNumber } from '../db/team-numbers.ts'
import { UUID } from '../ids.ts'
import type { Scope } from '../scope.ts'
import type { ProcedureRow, StoredDefinition } from './model.ts'
import { toStoredJson } from './stored-definition.ts'
import { procedure } from './table.ts'

const selectProcedures = (condition: SQL) =>
  select(
    {
      no: procedure.no,
      id: procedure.id,
      shortId: procedure.shortId,
      version: procedure.version,
      definition: sql<string>`json(${procedure.definition})`,
      indexingBelow: procedure.indexingBelow,
      unfitSlots: procedure.unfitSlots,
      createdAt: procedure.createdAt,
      updatedAt: procedure.updatedAt,
    },
    sql`FROM ${procedure} WHERE ${condition} ORDER BY ${procedure.shortId}`,
  )

export type SelectedProcedure = Omit<ProcedureRow, keyof StoredDefinition> & { definition: string }

export const toProcedureRow = ({ definition, ...rest }: SelectedProcedure): ProcedureRow => ({
  ...rest,
  ...(JSON.parse(definition) as StoredDefinition),
})

/** Selects a procedure by short id or by id: a path may have either. */
export function selectProcedure(team: number | SQL<number>, reference: string) {
  const named = UUID.test(reference)
    ? sql`${procedure.id} = ${reference.toLowerCase()}`
    : sql`${procedure.shortId} = ${reference}`
  return selectProcedures(sql`${procedure.team} = ${team} AND ${named}`)
}

export const selectProceduresByNo = (team: number, numbers: readonly number[]) =>
  selectProcedures(
    sql`${procedure.no} IN (SELECT value FROM json_each(${JSON.stringify(numbers)})) AND +${procedure.team} = ${team}`,
  )

export async function findProcedure(scope: Scope, reference: string): Promise<ProcedureRow | undefined> {
  const [[row]] = await scope.db.read(selectProcedure(scope.team.no, reference))
  return row && toProcedureRow(row)
}

export async function listProcedureRows(scope: Scope): Promise<ProcedureRow[]> {
  const [rows] = await scope.db.read(selectProcedures(sql`${procedure.team} = ${scope.team.no}`))
  return rows.map(toProcedureRow)
}

export async function listShortIds(scope: Scope): Promise<string[]> {
  const [rows] = await scope.db.read(
    select(
      { shortId: procedure.shortId },
      sql`FROM ${procedure} WHERE ${procedure.team} = ${scope.team.no} ORDER BY ${procedure.shortId}`,
    ),
  )
  return rows.map(({ shortId }) => shortId)
}

/** The bytes of all stored definitions of a team together, because some responses have all of them. */
export const DEFINITIONS_BYTES_MAX = 4_000_000
const TOO_LARGE = 'the definitions of the team are too large'

export const guardDefinitionsFit = ({ team }: Scope, row: Omit<ProcedureRow, 'no'>): Statement =>
  guard(
    TOO_LARGE,
    sql`length(${toStoredJson(row)}) + coalesce((SELECT sum(length(${procedure.definition})) FROM ${procedure}
      WHERE ${procedure.team} = ${team.no} AND ${procedure.shortId} <> ${row.shortId}), 0) <= ${DEFINITIONS_BYTES_MAX}`,
  )

export const areDefinitionsTooLarge = (error: unknown): boolean => isGuardFailure(error, TOO_LARGE)

export const guardProcedureLeft = (scope: Scope): Statement => guardNumberLeft(procedure, scope.team.no)

export const insertProcedure = (scope: Scope, row: Omit<ProcedureRow, 'no'>): Statement =>
  statement(
    insertInto(procedure, {
      no: selectNextNumber(procedure, scope.team.no),
      team: scope.team.no,
      id: row.id,
      shortId: row.shortId,
      version: row.version,
      definition: toStoredJson(row),
      createdAt: row.createdAt,
      updatedAt: row.updatedAt,
    }),
  )

export const replaceDefinition = (scope: Scope, row: ProcedureRow): Statement =>
  statement(
    sql`UPDATE ${procedure} SET ${assignments(procedure, {
      version: row.version,
      definition: toStoredJson(row),
      updatedAt: row.updatedAt,
      indexingBelow: row.indexingBelow,
      unfitSlots: row.unfitSlots,
    })} WHERE ${procedure.no} = ${row.no} AND ${procedure.team} = ${scope.team.no}`,
  )
