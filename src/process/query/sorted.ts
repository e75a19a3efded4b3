import { textStatement } from '../../db/text-statement.ts'
import type { Procedure } from '../../procedure/model.ts'
import type { Scope } from '../../scope.ts'
import { PROCESS_ROW, readProcessRow } from '../row.ts'
import type { Limits } from './limits.ts'
import { SQL_LENGTH_MAX } from './limits.ts'
import type { Plan } from './plan/plan.ts'
import { planFor } from './plan/plan.ts'
import type { Condition } from './read/condition.ts'
import { simplify } from './read/condition.ts'
import type { Position, SortField } from './read/sort.ts'
import { comparePositions, positionOf, sortingBy } from './read/sort.ts'
import type { OrderedResult } from './sql/ordered.ts'
import { orderedBy, orderedStatement, readOrdered } from './sql/ordered.ts'
import type { Found, Wanted } from './walk.ts'
import { newestFirst, runOne, takeStep } from './walk.ts'

/** In the order of an index where one has it and the filter lets enough of it through; else by comparing all matches. */
export async function sorted(
  scope: Scope,
  condition: Condition,
  plan: Plan,
  wanted: Wanted,
  fields: SortField[],
  after: Position | null,
  limits: Limits,
): Promise<Found[]> {
  const ordered = orderedBy(plan, fields)
  if (ordered === null) return inOrder(scope, plan, wanted, fields, after, limits)
  let found: OrderedResult | null = { rows: [], found: 0 }
  if (after === null || after.values[0] !== null) {
    const statement = orderedStatement(ordered, { ...wanted, after, row: PROCESS_ROW, limits })
    found = statement.sql.length > SQL_LENGTH_MAX ? null : readOrdered(await runOne(scope, plan.procedure, statement))
  }
  if (found === null) return inOrder(scope, plan, wanted, fields, after, limits)
  const rows = found.rows.map(readProcessRow).map(row => ({ ...positionOf(row, fields, plan.procedure), row }))
  const [field] = fields
  const missing = wanted.limit - rows.length
  if (missing <= 0 || !ordered.tail || field === undefined) return rows
  const unset: Condition = { kind: 'equal', field: field.field, values: [], unset: true, negated: false }
  const tail = planFor(simplify({ kind: 'all', parts: [condition, unset] }), plan.procedure)
  if (tail === null) return rows
  const rest = { skip: Math.max(0, wanted.skip - found.found), limit: missing }
  const reached = after !== null && after.values[0] === null ? after : null
  return [...rows, ...(await newestFirst(scope, tail, rest, reached, limits))]
}

/** Each step hands over its own best; the best of all steps are kept. */
async function inOrder(
  scope: Scope,
  plan: Plan,
  { skip, limit }: Wanted,
  fields: SortField[],
  after: Position | null,
  limits: Limits,
): Promise<Found[]> {
  const compare = comparePositions(fields)
  const sorting = sortingBy(fields, plan.procedure, after)
  // Rows that are passed over need not travel: then only positions do, and the rows are read at the end.
  const row = skip === 0 ? PROCESS_ROW : 'NULL'
  let best: (Position & { row: unknown })[] = []
  let [before, stream]: [number | null, number | null] = [null, null]
  do {
    const result = await takeStep(scope, plan, { skip: 0, limit: skip + limit, before, stream, row, sorting, limits })
    const positions = result.rows.map(each => ({
      rid: Number(each.k),
      values: sorting.names.map(name => each[name] as string | number | null),
      row: each.row,
    }))
    best = [...best, ...positions].sort(compare).slice(0, skip + limit)
    stream ??= result.stream
    before = result.boundary
  } while (before !== null)
  const page = best.slice(skip)
  if (skip === 0) return page.map(each => ({ ...each, row: readProcessRow(each.row) }))
  const rows = await readRows(scope, plan.procedure, page)
  // A process was deleted in between: the page is put together anew, so that it is no shorter than it should be.
  return rows.length === page.length ? rows : inOrder(scope, plan, { skip, limit }, fields, after, limits)
}

async function readRows(scope: Scope, procedure: Procedure, positions: Position[]): Promise<Found[]> {
  if (positions.length === 0) return []
  const sql = `SELECT process.rid AS k, ${PROCESS_ROW} AS row FROM process NOT INDEXED
  WHERE process.rid IN (SELECT value FROM json_each(?1)) AND process.proc = ?2`
  const rids = JSON.stringify(positions.map(({ rid }) => rid))
  const { rows: stored } = await runOne(scope, procedure, textStatement(sql, rids, procedure.no))
  const rows = new Map(stored.map(({ k, row }) => [Number(k), row]))
  return positions.flatMap(position => {
    const row = rows.get(position.rid)
    return row === undefined ? [] : [{ ...position, row: readProcessRow(row) }]
  })
}
