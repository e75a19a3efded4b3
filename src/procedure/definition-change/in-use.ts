import { type SQL, sql } from 'drizzle-orm'
import { jsonPath } from '../../db/document/json.ts'
import { guard } from '../../db/guard.ts'
import { type Statement, select } from '../../db/statement.ts'
import { getSlotColumn, process } from '../../process/table.ts'
import type { Scope } from '../../scope.ts'
import { whereAnotherType } from '../index/statements.ts'
import { ATTRIBUTE_TYPES, type Definition, type ProcedureRow } from '../model.ts'

const whereInStates = (no: number, states: string[]): SQL =>
  sql`${process} INDEXED BY process_state WHERE ${process.proc} = ${no}
    AND ${process.state} IN (SELECT value FROM json_each(${JSON.stringify(states)}))`

const fromProcedure = (no: number): SQL => sql`${process} INDEXED BY process_list WHERE ${process.proc} = ${no}`

/** The counts of all states, or of a procedure, end here: an index of this length is read in some milliseconds. */
const COUNTED_MAX = 100_000

/** Counts the processes that a change of the definition would strand: those in removed states, and, for a new key, all. */
export async function countStranded(scope: Scope, no: number, states: string[], keyChanges: boolean) {
  const perState = Math.ceil(COUNTED_MAX / Math.max(1, states.length))
  const ofState = sql`SELECT count(*) FROM (SELECT 1 FROM ${process} INDEXED BY process_state
    WHERE ${process.proc} = ${no} AND ${process.state} = given.value LIMIT ${perState + 1})`
  const [byState, [all]] = await scope.db.read(
    select(
      { state: sql<string>`given.value`, count: sql<number>`(${ofState})` },
      sql`FROM json_each(${JSON.stringify(states)}) AS given`,
    ),
    select(
      { count: sql<number>`count(*)` },
      sql`FROM (SELECT 1 FROM ${fromProcedure(no)} LIMIT ${keyChanges ? COUNTED_MAX + 1 : 0})`,
    ),
  )
  const stranded = byState
    .filter(({ count }) => count > 0)
    .map(each => ({ ...each, counted: toBoundedCount(each.count, perState) }))
  return { byState: stranded, all: toBoundedCount(all?.count ?? 0, COUNTED_MAX) }
}

/** Returns a count and its words, up to a maximum. */
const toBoundedCount = (count: number, max: number) => ({
  count: Math.min(count, max),
  words: count > max ? `more than ${max}` : String(count),
})

export async function hasProcesses(scope: Scope, no: number): Promise<boolean> {
  const [rows] = await scope.db.read(select({ one: sql<number>`1` }, sql`FROM ${fromProcedure(no)} LIMIT 1`))
  return rows.length > 0
}

/** Finds columns of lists into which older code has written: it has entered no elements. */
export async function findUnenteredLists(scope: Scope, no: number, columns: readonly number[]): Promise<number[]> {
  if (columns.length === 0) return []
  const written = columns.map(column => {
    const table = sql`${process} INDEXED BY ${sql.identifier(`process_s${column}`)}`
    const isWritten = sql`EXISTS (SELECT 1 FROM ${table} WHERE ${process.proc} = ${no} AND ${getSlotColumn(column)} IS NOT NULL)`
    return [`s${column}`, sql<number>`${isWritten}`] as const
  })
  const [[found]] = await scope.db.read(select(Object.fromEntries(written), sql``))
  return columns.filter(column => found?.[`s${column}`] === 1)
}

/** Finds which of the processes that have prevented an index still have a value that the attribute's index would not take. */
export async function findUnfitProcesses(
  scope: Scope,
  { no, unfitProcesses = {} }: ProcedureRow,
  { attributes }: Definition,
): Promise<Record<string, number>> {
  const known = attributes.flatMap(({ shortId, type, indexed }) => {
    const rid = indexed && Object.hasOwn(unfitProcesses, shortId) ? unfitProcesses[shortId] : undefined
    return rid === undefined ? [] : [{ shortId, rid, kind: ATTRIBUTE_TYPES[type] }]
  })
  if (known.length === 0) return {}
  const columns = known.map(({ shortId, rid, kind }, nth) => {
    const isUnfit = whereAnotherType(kind, jsonPath(shortId))
    const row = sql`FROM ${process} WHERE ${process.rid} = ${rid} AND +${process.proc} = ${no} AND ${isUnfit}`
    return [`unfit${nth}`, sql<number>`EXISTS (SELECT 1 ${row})`] as const
  })
  const [[found]] = await scope.db.read(select(Object.fromEntries(columns), sql``))
  return Object.fromEntries(
    known.filter((_, nth) => found?.[`unfit${nth}`] === 1).map(({ shortId, rid }) => [shortId, rid]),
  )
}

export const DEFINITION_IN_USE = 'a process uses what the definition drops'

export const guardStatesUnused = (no: number, states: string[]): Statement =>
  guard(DEFINITION_IN_USE, sql`NOT EXISTS (SELECT 1 FROM ${whereInStates(no, states)})`)

export const guardNoProcesses = (no: number): Statement =>
  guard(DEFINITION_IN_USE, sql`NOT EXISTS (SELECT 1 FROM ${fromProcedure(no)})`)
