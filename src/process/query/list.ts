import type { Fault } from '../../errors.ts'
import { invalid } from '../../errors.ts'
import type { Procedure } from '../../procedure/model.ts'
import type { Scope } from '../../scope.ts'
import { findUsers } from '../../user/reference.ts'
import type { ProcessRow } from '../row.ts'
import { readEmptyPage, readNewestPage, runScan } from './newest-page.ts'
import { planQuery } from './plan/plan.ts'
import { fingerprint, readCursor, writeCursor } from './read/cursor.ts'
import { parseFilter, usersNamedIn } from './read/filter.ts'
import type { SortField, SortPosition, SortRequest } from './read/sort.ts'
import { isNewestFirst, parseSort, positionOf } from './read/sort.ts'
import type { ScanLimits } from './scan-limits.ts'
import { SCAN_LIMITS } from './scan-limits.ts'
import { readSortedPage } from './sorted-page.ts'

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
  /** Where the next page begins, null on the last. */
  next: string | null
}

/** Where the parts of a query stand in the request, for the faults. */
export interface QueryPointers {
  where: string
  sort: string
  cursor: string
}

const IN_BODY: QueryPointers = { where: '/body/where', sort: '/body/sort', cursor: '/body/cursor' }

export const IN_QUERY: QueryPointers = { where: '/query', sort: '/query/sort', cursor: '/query/cursor' }

/** One page of the processes that a query matches. */
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
  const query = fingerprint([procedure.no, request.where ?? {}, request.sort ?? []])
  const after = readAfter(request, query, fields, pointers.cursor, faults)
  if (faults.length > 0) throw invalid(faults)

  const plan = planQuery(condition, procedure)
  const wanted = { skip: request.skip, limit: request.limit + 1 }
  const found =
    plan === null
      ? await readEmptyPage(scope, procedure)
      : fields.length === 0
        ? await readNewestPage(scope, plan, wanted, after, limits)
        : await readSortedPage(scope, condition, plan, wanted, fields, after, limits)
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
 * Everything that a filter matches, newest first, in bounded steps. To go on where an earlier run stopped, give the row
 * number of its last match.
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
    const step = { skip: 0, limit: limits.matches, before, indexScan, row: 'process.id', sortBy: null, limits }
    const result = await runScan(scope, plan, step)
    const matches = result.rows.map(({ k, row }) => ({ rid: Number(k), id: String(row) }))
    if (matches.length > 0) yield matches
    indexScan ??= result.indexScan
    before = matches.length === limits.matches ? (matches.at(-1)?.rid ?? null) : result.boundary
    if (before === null) return
  }
}
