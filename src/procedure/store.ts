import { type TextStatement, textGuard, textStatement } from '../db/text-statement.ts'
import { UUID } from '../ids.ts'
import type { Scope } from '../scope.ts'
import type { ProcedureRow, StoredDefinition } from './model.ts'

const COLUMNS = `no, id, short_id AS shortId, version, json(definition) AS definition, indexing_below AS indexingBelow,
  created_at AS createdAt, updated_at AS updatedAt`

function readRow(row: Record<string, unknown> | undefined): ProcedureRow | undefined {
  if (row === undefined) return undefined
  const { definition, ...rest } = row as { definition: string } & Omit<ProcedureRow, keyof StoredDefinition>
  return { ...rest, ...(JSON.parse(definition) as StoredDefinition) }
}

/** By short id or by id: a path may have either. */
export async function findProcedure(scope: Scope, reference: string): Promise<ProcedureRow | undefined> {
  const column = UUID.test(reference) ? 'id' : 'short_id'
  const value = column === 'id' ? reference.toLowerCase() : reference
  const [found] = await scope.db.batch([
    textStatement(`SELECT ${COLUMNS} FROM procedure WHERE team = ?1 AND ${column} = ?2`, scope.team.no, value),
  ])
  return readRow(found?.rows[0])
}

export async function listProcedureRows(scope: Scope): Promise<ProcedureRow[]> {
  const [found] = await scope.db.batch([
    textStatement(`SELECT ${COLUMNS} FROM procedure WHERE team = ?1 ORDER BY short_id`, scope.team.no),
  ])
  return (found?.rows ?? []).flatMap(row => readRow(row) ?? [])
}

export async function listShortIds(scope: Scope): Promise<string[]> {
  const [found] = await scope.db.batch([
    textStatement('SELECT short_id AS shortId FROM procedure WHERE team = ?1 ORDER BY short_id', scope.team.no),
  ])
  return ((found?.rows ?? []) as { shortId: string }[]).map(({ shortId }) => shortId)
}

export const insertProcedure = (scope: Scope, row: Omit<ProcedureRow, 'no'>): TextStatement =>
  textStatement(
    `INSERT INTO procedure (team, id, short_id, version, definition, created_at, updated_at)
     VALUES (?1, ?2, ?3, ?4, jsonb(?5), ?6, ?6)`,
    scope.team.no,
    row.id,
    row.shortId,
    row.version,
    JSON.stringify(storedOf(row)),
    row.createdAt,
  )

export const replaceDefinition = (scope: Scope, row: ProcedureRow): TextStatement =>
  textStatement(
    `UPDATE procedure SET version = ?3, definition = jsonb(?4), updated_at = ?5, indexing_below = ?6
      WHERE no = ?1 AND team = ?2`,
    row.no,
    scope.team.no,
    row.version,
    JSON.stringify(storedOf(row)),
    row.updatedAt,
    row.indexingBelow,
  )

const storedOf = (row: Omit<ProcedureRow, 'no'>): StoredDefinition => {
  const { name, states, startState, completedState, attributes, primaryKey, phoneAttribute, strict, slots, clearing } =
    row
  return { name, states, startState, completedState, attributes, primaryKey, phoneAttribute, strict, slots, clearing }
}

const IN_STATES = `process INDEXED BY process_state WHERE proc = ?1 AND state IN (SELECT value FROM json_each(?2))`

/** How many processes a change of the definition would strand: those in states that go, and, for a new key, all. */
export async function countInTheWay(scope: Scope, no: number, states: string[], keyChanges: boolean) {
  const [byState, all] = await scope.db.batch([
    textStatement(`SELECT state, count(*) AS count FROM ${IN_STATES} GROUP BY state`, no, JSON.stringify(states)),
    textStatement(
      `SELECT iif(?2, (SELECT count(*) FROM process INDEXED BY process_list WHERE proc = ?1), 0) AS count`,
      no,
      keyChanges ? 1 : 0,
    ),
  ])
  return {
    byState: (byState?.rows ?? []) as { state: string; count: number }[],
    all: (all?.rows[0] as { count: number } | undefined)?.count ?? 0,
  }
}

export async function hasProcesses(scope: Scope, no: number): Promise<boolean> {
  const [found] = await scope.db.batch([
    textStatement('SELECT 1 AS one FROM process INDEXED BY process_list WHERE proc = ?1 LIMIT 1', no),
  ])
  return (found?.rows.length ?? 0) > 0
}

export const CAME_IN_THE_WAY = 'a process came in the way'

export const guardNoneIn = (no: number, states: string[]): TextStatement =>
  textGuard(CAME_IN_THE_WAY, `NOT EXISTS (SELECT 1 FROM ${IN_STATES})`, no, JSON.stringify(states))

export const guardEmpty = (no: number): TextStatement =>
  textGuard(CAME_IN_THE_WAY, 'NOT EXISTS (SELECT 1 FROM process INDEXED BY process_list WHERE proc = ?1)', no)
