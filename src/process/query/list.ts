import type { Fault } from '../../errors.ts'
import { invalid } from '../../errors.ts'
import { type Warning, warnOfUndeclared } from '../../http/response/warnings.ts'
import { guardDefinition } from '../../procedure/definition-guard.ts'
import type { Procedure } from '../../procedure/model.ts'
import { findRecords } from '../../record/reference.ts'
import type { Scope } from '../../scope.ts'
import { findUsers } from '../../user/reference.ts'
import type { FoundPage, FoundProcess } from './newest-page.ts'
import { readNewestPage } from './newest-page.ts'
import type { QueryPlan } from './plan/plan.ts'
import { planQuery } from './plan/plan.ts'
import { positionOf } from './plan/sort-position.ts'
import type { ListPosition } from './read/cursor.ts'
import { fingerprint, readCursor, writeCursor } from './read/cursor.ts'
import { parseFilter } from './read/filter.ts'
import { namedIn } from './read/named.ts'
import { readRelevance, readSearch, requireWords } from './read/search.ts'
import type { SortField, SortRequest } from './read/sort.ts'
import { isNewestFirst, parseSort } from './read/sort.ts'
import { afterRelevant, readRelevantPage } from './relevant-page.ts'
import type { ScanLimits } from './scan-limits.ts'
import { SCAN_LIMITS, startBudget } from './scan-limits.ts'
import { readSortedPage } from './sorted-page.ts'

export interface ListRequest {
  where?: unknown
  sort?: SortRequest[] | undefined
  search?: string | undefined
  skip: number
  limit: number
  cursor?: string | undefined
}

export interface ProcessPage {
  /** As `listedProcess` has them. */
  rows: string[]
  hasMore: boolean
  /** The cursor of the next page; null on the last page. Where a request stopped for its time, a page holds less than asked for. */
  next: string | null
  warnings: Warning[]
}

/** JSON Pointers to the parts of a query in the request, for its faults. */
export interface QueryPointers {
  where: string
  sort: string
  search: string
  cursor: string
}

const IN_BODY: QueryPointers = {
  ...{ where: '/body/where', sort: '/body/sort', search: '/body/search', cursor: '/body/cursor' },
}

/** Of a request that a `link` header led to: it has the body of the first page. */
export const CURSOR_IN_QUERY: QueryPointers = { ...IN_BODY, cursor: '/query/cursor' }

export const IN_QUERY: QueryPointers = {
  ...{ where: '/query', sort: '/query/sort', search: '/query/search', cursor: '/query/cursor' },
}

/** One page of the processes that match a query. All faults of the request are reported at once. */
export async function listProcesses(
  scope: Scope,
  procedure: Procedure,
  request: ListRequest,
  pointers: QueryPointers = IN_BODY,
  limits: ScanLimits = SCAN_LIMITS,
): Promise<ProcessPage> {
  const { condition, faults, undeclared } = await readWhere(scope, procedure, request.where, pointers.where)
  const search = readSearch(request.search, procedure, pointers.search, faults)
  const isByRelevance = readRelevance(request.sort ?? [], search !== null, pointers.sort, faults)
  const sort = parseSort(isByRelevance ? [] : (request.sort ?? []), procedure, pointers.sort)
  faults.push(...sort.faults)
  const fields = isNewestFirst(sort.fields) ? [] : sort.fields
  // A filter with faults may be nested too deep for `fingerprint`, which is recursive.
  const query =
    faults.length > 0
      ? null
      : fingerprint([procedure.no, request.where ?? {}, request.sort ?? [], ...(search === null ? [] : [search])])
  const from = readPosition(request, query, fields, pointers.cursor, faults)
  if (faults.length > 0 || query === null) throw invalid(faults)

  if (search !== null) requireWords(procedure)
  const planned = planQuery(condition, procedure)
  const plan = planned && { ...planned, search }
  const { found, rest } = plan === null ? await readNothing(scope, procedure) : await readPage(plan)
  const page = found.slice(0, request.limit)
  const last = page.at(-1)
  const isFull = found.length > request.limit && last !== undefined
  const reached = (at: FoundProcess): ListPosition =>
    isByRelevance
      ? afterRelevant(from, page.length)
      : { after: positionOf(at, fields, procedure), skip: 0, sorted: null }
  const next = isFull ? reached(last) : rest
  return {
    rows: page.map(({ row }) => row),
    hasMore: next !== null,
    next: next && writeCursor(query, next),
    warnings: warnOfUndeclared(undeclared, pointers.where),
  }

  async function readPage(plan: QueryPlan): Promise<FoundPage> {
    // One row more than the page holds shows whether there is a next page.
    const page = { from, limit: request.limit + 1, limits, mayGoOn: startBudget(limits) }
    if (isByRelevance && plan.search !== null) return readRelevantPage(scope, plan, plan.search, page)
    if (fields.length === 0) return readNewestPage(scope, plan, page)
    return readSortedPage(scope, condition, plan, fields, page)
  }
}

/** A condition that no process can match: even so the definition must be the one in force. */
async function readNothing(scope: Scope, procedure: Procedure): Promise<FoundPage> {
  await scope.db.read(guardDefinition(procedure))
  return { found: [], rest: null }
}

/** Names of users and customers are looked up first: the filter is then read without the database. */
export async function readWhere(scope: Scope, procedure: Procedure, where: unknown, pointer: string) {
  const named = namedIn(where)
  const users = await findUsers(scope, named.users)
  const records = await findRecords(scope, named.records)
  return parseFilter(where, procedure, { users, records }, pointer)
}

function readPosition(
  { cursor, skip }: ListRequest,
  query: string | null,
  fields: SortField[],
  path: string,
  faults: Fault[],
): ListPosition {
  const beginning = { after: null, skip, sorted: null }
  if (cursor === undefined) return beginning
  if (skip > 0) faults.push({ message: 'Send either `skip` or `cursor`, not both', path })
  const read = readCursor(cursor, query, fields.length, path)
  if ('after' in read) return read
  faults.push(read)
  return beginning
}
