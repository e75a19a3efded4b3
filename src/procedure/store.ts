import { type SQL, sql } from 'drizzle-orm'
import { guard } from '../db/guard.ts'
import { assignments, insertInto, type Statement, select, statement } from '../db/statement.ts'
import { guardNumberLeft, nextNumber } from '../db/team-numbers.ts'
import { UUID } from '../ids.ts'
import { process, slotColumn } from '../process/table.ts'
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

/** By short id or by id: a path may have either. */
export function selectProcedure(team: number | SQL<number>, reference: string) {
  const named = UUID.test(reference)
    ? sql`${procedure.id} = ${reference.toLowerCase()}`
    : sql`${procedure.shortId} = ${reference}`
  return selectProcedures(sql`${procedure.team} = ${team} AND ${named}`)
}

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

export const guardProcedureLeft = (scope: Scope): Statement => guardNumberLeft(procedure, scope.team.no)

export const insertProcedure = (scope: Scope, row: Omit<ProcedureRow, 'no'>): Statement =>
  statement(
    insertInto(procedure, {
      no: nextNumber(procedure, scope.team.no),
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

const inStates = (no: number, states: string[]): SQL =>
  sql`${process} INDEXED BY process_state WHERE ${process.proc} = ${no}
    AND ${process.state} IN (SELECT value FROM json_each(${JSON.stringify(states)}))`

const ofProcedure = (no: number): SQL => sql`${process} INDEXED BY process_list WHERE ${process.proc} = ${no}`

/** How many processes a change of the definition would strand: those in states that go, and, for a new key, all. */
export async function countStranded(scope: Scope, no: number, states: string[], keyChanges: boolean) {
  const count = sql<number>`count(*)`
  const [byState, [all]] = await scope.db.read(
    select({ state: process.state, count }, sql`FROM ${inStates(no, states)} GROUP BY ${process.state}`),
    select({ count }, sql`FROM ${ofProcedure(no)} AND ${keyChanges ? 1 : 0}`),
  )
  return { byState, all: all?.count ?? 0 }
}

export async function hasProcesses(scope: Scope, no: number): Promise<boolean> {
  const [rows] = await scope.db.read(select({ one: sql<number>`1` }, sql`FROM ${ofProcedure(no)} LIMIT 1`))
  return rows.length > 0
}

/** Of the columns of lists those that code has written which knows no elements: it has entered none. */
export async function findUnenteredLists(scope: Scope, no: number, columns: readonly number[]): Promise<number[]> {
  if (columns.length === 0) return []
  const written = columns.map(column => {
    const table = sql`${process} INDEXED BY ${sql.identifier(`process_s${column}`)}`
    const isWritten = sql`EXISTS (SELECT 1 FROM ${table} WHERE ${process.proc} = ${no} AND ${slotColumn(column)} IS NOT NULL)`
    return [`s${column}`, sql<number>`${isWritten}`] as const
  })
  const [[found]] = await scope.db.read(select(Object.fromEntries(written), sql``))
  return columns.filter(column => found?.[`s${column}`] === 1)
}

export const DEFINITION_IN_USE = 'a process uses what the definition drops'

export const guardStatesUnused = (no: number, states: string[]): Statement =>
  guard(DEFINITION_IN_USE, sql`NOT EXISTS (SELECT 1 FROM ${inStates(no, states)})`)

export const guardNoProcesses = (no: number): Statement =>
  guard(DEFINITION_IN_USE, sql`NOT EXISTS (SELECT 1 FROM ${ofProcedure(no)})`)
