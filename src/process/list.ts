import type { Result, Statement } from '../db/client.ts'
import { statement } from '../db/client.ts'
import type { Fault } from '../errors.ts'
import { invalid } from '../errors.ts'
import type { Procedure } from '../procedure/model.ts'
import { StaleProcedure } from '../procedure/stale.ts'
import type { Scope } from '../scope.ts'
import { findUsers } from '../user/reference.ts'
import type { Condition } from './condition.ts'
import { simplify } from './condition.ts'
import { fingerprint, readCursor, writeCursor } from './cursor.ts'
import { parseFilter, usersNamedIn } from './filter.ts'
import type { OrderedResult } from './ordered.ts'
import { orderedBy, orderedStatement, readOrdered } from './ordered.ts'
import type { Plan } from './plan.ts'
import { planFor } from './plan.ts'
import type { ProcessRow } from './row.ts'
import { PROCESS_ROW, readProcessRow } from './row.ts'
import type { Position, SortField, SortRequest } from './sort.ts'
import { comparePositions, isNewestFirst, parseSort, positionOf, sortingBy } from './sort.ts'
import type { Limits, Step } from './step.ts'
import { LIMITS, readStep, stepStatement } from './step.ts'

export interface ListRequest {
  where?: unknown
  sort?: SortRequest[]
  skip: number
  limit: number
  cursor?: string
}

export interface Page {
  rows: ProcessRow[]
  hasMore: boolean
  /** Where the next page begins, null on the last. */
  next: string | null
}

/** Where the parts of a query stand in the request, for the faults. */
export interface Pointers {
  where: string
  sort: string
  cursor: string
}

const IN_BODY: Pointers = { where: '/body/where', sort: '/body/sort', cursor: '/body/cursor' }

/** One page of the processes that a query matches. */
export async function listProcesses(
  scope: Scope,
  procedure: Procedure,
  request: ListRequest,
  pointers: Pointers = IN_BODY,
  limits: Limits = LIMITS,
): Promise<Page> {
  const { condition, faults } = await readWhere(scope, procedure, request.where, pointers.where)
  const sort = parseSort(request.sort ?? [], procedure, pointers.sort)
  faults.push(...sort.faults)
  const fields = isNewestFirst(sort.fields) ? [] : sort.fields
  const query = fingerprint([procedure.no, request.where ?? {}, request.sort ?? []])
  const after = readAfter(request, query, fields, pointers.cursor, faults)
  if (faults.length > 0) throw invalid(faults)

  const plan = planFor(condition, procedure)
  const wanted = { skip: request.skip, limit: request.limit + 1 }
  const found =
    plan === null
      ? await none(scope, procedure)
      : fields.length === 0
        ? await newestFirst(scope, plan, wanted, after, limits)
        : await sorted(scope, condition, plan, wanted, fields, after, limits)
  const page = found.slice(0, request.limit)
  const last = page.at(-1)
  const hasMore = found.length > request.limit && last !== undefined
  return {
    rows: page.map(({ row }) => row),
    hasMore,
    next: hasMore ? writeCursor(query, positionOf(last.row, fields, procedure)) : null,
  }
}

async function readWhere(scope: Scope, procedure: Procedure, where: unknown, pointer: string) {
  return parseFilter(where, procedure, await findUsers(scope, usersNamedIn(where)), pointer)
}

function readAfter(
  { cursor, skip }: ListRequest,
  query: string,
  fields: SortField[],
  path: string,
  faults: Fault[],
): Position | null {
  if (cursor === undefined) return null
  if (skip > 0) faults.push({ message: 'Send either `skip` or `cursor`, not both', path })
  const read = readCursor(cursor, query, fields.length, path)
  if ('rid' in read) return read
  faults.push(read)
  return null
}

interface Found extends Position {
  row: ProcessRow
}

interface Wanted {
  skip: number
  limit: number
}

/** Runs one statement of a list, unless the procedure has changed since it was loaded: then its columns may hold others. */
async function run(scope: Scope, procedure: Procedure, statements: Statement[]): Promise<Result[]> {
  const current = statement('SELECT version FROM procedure WHERE no = ?', procedure.no)
  const [version, ...results] = await scope.db.batch([current, ...statements])
  if (version?.rows[0]?.version !== procedure.version) throw new StaleProcedure()
  return results
}

async function none(scope: Scope, procedure: Procedure): Promise<Found[]> {
  await run(scope, procedure, [])
  return []
}

const NO_RESULT: Result = { rows: [], changes: 0 }

async function takeStep(scope: Scope, plan: Plan, step: Step) {
  const [result = NO_RESULT] = await run(scope, plan.procedure, [stepStatement(plan, step)])
  return readStep(result)
}

async function newestFirst(
  scope: Scope,
  plan: Plan,
  { skip, limit }: Wanted,
  after: Position | null,
  limits: Limits,
): Promise<Found[]> {
  const found: Found[] = []
  let [skipped, stream]: [number, number | null] = [0, null]
  let before = after?.rid ?? null
  do {
    const rest = { skip: skip - skipped, limit: limit - found.length }
    const result = await takeStep(scope, plan, { ...rest, before, stream, row: PROCESS_ROW, sorting: null, limits })
    for (const { k, row } of result.rows) found.push({ values: [], rid: Number(k), row: readProcessRow(row) })
    skipped += Math.min(rest.skip, result.found)
    stream ??= result.stream
    before = result.boundary
  } while (before !== null && found.length < limit)
  return found
}

/** In the order of an index where one has it and the filter lets enough of it through; else by comparing all matches. */
async function sorted(
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
    const [result = NO_RESULT] = await run(scope, plan.procedure, [statement])
    found = readOrdered(result)
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
  return readRows(scope, plan.procedure, page)
}

async function readRows(scope: Scope, procedure: Procedure, positions: Position[]): Promise<Found[]> {
  if (positions.length === 0) return []
  const sql = `SELECT process.rid AS k, ${PROCESS_ROW} AS row FROM process NOT INDEXED
  WHERE process.rid IN (SELECT value FROM json_each(?1)) AND process.proc = ?2`
  const rids = JSON.stringify(positions.map(({ rid }) => rid))
  const [result = NO_RESULT] = await scope.db.batch([statement(sql, rids, procedure.no)])
  const rows = new Map(result.rows.map(({ k, row }) => [Number(k), row]))
  // A process that was deleted meanwhile is left out.
  return positions.flatMap(position => {
    const row = rows.get(position.rid)
    return row === undefined ? [] : [{ ...position, row: readProcessRow(row) }]
  })
}

export interface Match {
  rid: number
  id: string
}

/**
 * Everything that a filter matches, newest first, in bounded steps. To go on where an earlier run stopped, give the row
 * number of its last match.
 */
export async function* matchingIds(
  scope: Scope,
  procedure: Procedure,
  where: unknown,
  resumeAfter: number | null = null,
  pointer = IN_BODY.where,
  limits: Limits = LIMITS,
): AsyncGenerator<Match[]> {
  const { condition, faults } = await readWhere(scope, procedure, where, pointer)
  if (faults.length > 0) throw invalid(faults)
  const plan = planFor(condition, procedure)
  if (plan === null) return
  let [before, stream]: [number | null, number | null] = [resumeAfter, null]
  for (;;) {
    const step = { skip: 0, limit: limits.matches, before, stream, row: 'process.id', sorting: null, limits }
    const result = await takeStep(scope, plan, step)
    const matches = result.rows.map(({ k, row }) => ({ rid: Number(k), id: String(row) }))
    if (matches.length > 0) yield matches
    stream ??= result.stream
    before = matches.length === limits.matches ? (matches.at(-1)?.rid ?? null) : result.boundary
    if (before === null) return
  }
}
