import type { Fault } from '../../errors.ts'
import { invalid } from '../../errors.ts'
import { guardDefinition } from '../../procedure/definition-guard.ts'
import type { Procedure } from '../../procedure/model.ts'
import type { Scope } from '../../scope.ts'
import { findUsers } from '../../user/reference.ts'
import type { ProcessRow } from '../row.ts'
import type { FoundProcess } from './newest-page.ts'
import { readNewestPage, readScanPage } from './newest-page.ts'
import type { QueryPlan } from './plan/plan.ts'
import { planQuery } from './plan/plan.ts'
import { positionOf } from './plan/sort-position.ts'
import { fingerprint, readCursor, writeCursor } from './read/cursor.ts'
import { parseFilter, usersNamedIn } from './read/filter.ts'
import type { SortField, SortPosition, SortRequest } from './read/sort.ts'
import { isNewestFirst, parseSort } from './read/sort.ts'
import type { ScanLimits } from './scan-limits.ts'
import { SCAN_LIMITS } from './scan-limits.ts'
import { readSortedPage } from './sorted-page.ts'
import type { ScanPage } from './sql/scan-page.ts'

export interface ListRequest {
  where?: unknown
  sort?: SortRequest[] | undefined
  skip: number
  limit: number
  cursor?: string | undefined
}

export interface ProcessPage {
  rows: ProcessRow[]
  hasMore: boolean
  /** The cursor of the next page; null on the last page. */
  next: string | null
}

/** JSON Pointers to the parts of a query in the request, for its faults. */
export interface QueryPointers {
  where: string
  sort: string
  cursor: string
}

const IN_BODY: QueryPointers = { where: '/body/where', sort: '/body/sort', cursor: '/body/cursor' }

export const IN_QUERY: QueryPointers = { where: '/query', sort: '/query/sort', cursor: '/query/cursor' }

/** One page of the processes that match a query. All faults of the request are reported at once. */
export async function listProcesses(
  scope: Scope,
  procedure: Procedure,
  request: ListRequest,
  pointers: QueryPointers = IN_BODY,
  limits: ScanLimits = SCAN_LIMITS,
): Promise<ProcessPage> {
  const { condition, faults } = await readWhere(scope, procedure, request.where, pointers.where)
  const sort = parseSort(request.sort ?? [], procedure, pointers.sort)
  faults.push(...sort.faults)
  const fields = isNewestFirst(sort.fields) ? [] : sort.fields
  // A filter with faults may be nested too deep for `fingerprint`, which is recursive.
  const query = faults.length > 0 ? null : fingerprint([procedure.no, request.where ?? {}, request.sort ?? []])
  const after = readAfter(request, query, fields, pointers.cursor, faults)
  if (faults.length > 0 || query === null) throw invalid(faults)

  const plan = planQuery(condition, procedure)
  const found = plan === null ? await readNothing(scope, procedure) : await readPage(plan)
  const page = found.slice(0, request.limit)
  const last = page.at(-1)
  const hasMore = found.length > request.limit && last !== undefined
  return {
    rows: page.map(({ row }) => row),
    hasMore,
    next: hasMore ? writeCursor(query, positionOf(last.row, fields, procedure)) : null,
  }

  async function readPage(plan: QueryPlan): Promise<FoundProcess[]> {
    // One row more than the page holds shows whether there is a next page.
    const bounds = { skip: request.skip, limit: request.limit + 1 }
    if (fields.length === 0) return readNewestPage(scope, plan, bounds, after, limits)
    return readSortedPage(scope, condition, plan, bounds, fields, after, limits)
  }
}

/** A condition that no process can match: even so the definition must be the one in force. */
async function readNothing(scope: Scope, procedure: Procedure): Promise<FoundProcess[]> {
  await scope.db.read(guardDefinition(procedure))
  return []
}

/** Names of users are looked up first: the filter is then read without the database. */
async function readWhere(scope: Scope, procedure: Procedure, where: unknown, pointer: string) {
  return parseFilter(where, procedure, await findUsers(scope, usersNamedIn(where)), pointer)
}

function readAfter(
  { cursor, skip }: ListRequest,
  query: string | null,
  fields: SortField[],
  path: string,
  faults: Fault[],
): SortPosition | null {
  if (cursor === undefined) return null
  if (skip > 0) faults.push({ message: 'Send either `skip` or `cursor`, not both', path })
  const read = readCursor(cursor, query, fields.length, path)
  if ('rid' in read) return read
  faults.push(read)
  return null
}

export interface MatchingProcess {
  rid: number
  id: string
}

/**
 * The ids of all processes that match a filter, newest first, in batches of bounded size. `resumeAfter` is the row
 * number of the last match of an earlier run.
 */
export async function* matchingIds(
  scope: Scope,
  procedure: Procedure,
  where: unknown,
  resumeAfter: number | null = null,
  pointer = IN_BODY.where,
  limits: ScanLimits = SCAN_LIMITS,
): AsyncGenerator<MatchingProcess[]> {
  const { condition, faults } = await readWhere(scope, procedure, where, pointer)
  if (faults.length > 0) throw invalid(faults)
  const plan = planQuery(condition, procedure)
  if (plan === null) return
  let [before, indexScan]: [number | null, number | null] = [resumeAfter, null]
  for (;;) {
    const page: ScanPage = { skip: 0, limit: limits.matches, before, indexScan, selected: 'id', sort: null, limits }
    const result = await readScanPage(scope, plan, page)
    const matches = result.matches.map(({ rid, row }) => ({ rid, id: String(row) }))
    if (matches.length > 0) yield matches
    indexScan ??= result.indexScan
    before = matches.length === limits.matches ? (matches.at(-1)?.rid ?? null) : result.boundary
    if (before === null) return
  }
}
