import { findRecords } from '../../customer-record/query-references.ts'
import type { Fault } from '../../errors.ts'
import { invalid } from '../../errors.ts'
import { BEYOND_SKIP_MAX, SKIP_MAX } from '../../http/request/paging.ts'
import { type Warning, warnUndeclared } from '../../http/response/warnings.ts'
import { guardDefinition } from '../../procedure/definition-guard.ts'
import type { Procedure } from '../../procedure/model.ts'
import type { Scope } from '../../scope.ts'
import { findUsers } from '../../user/reference.ts'
import type { PageRequest, PageResult, ProcessMatch } from './newest-page.ts'
import { readNewestPage } from './newest-page.ts'
import { type RequestedFields, readFields, type SelectedField } from './output/fields.ts'
import type { QueryPlan } from './plan/plan.ts'
import { planQuery } from './plan/plan.ts'
import { toSortPosition } from './plan/sort-position.ts'
import { type Condition, simplify } from './read/condition.ts'
import type { ListPosition } from './read/cursor.ts'
import { computeFingerprint, getCursorTime, readCursor, writeCursor } from './read/cursor.ts'
import { parseFilter } from './read/filter.ts'
import { listReferences } from './read/references.ts'
import { readRelevance, readSearch, requireWords } from './read/search.ts'
import type { SortField, SortRequest } from './read/sort.ts'
import { isNewestFirst, parseSort } from './read/sort.ts'
import { advancePosition, readRelevantPage } from './relevant-page.ts'
import type { ScanLimits } from './scan-limits.ts'
import { startBudget } from './scan-limits.ts'
import { readSortedPage } from './sorted-page.ts'

/** The processes that a list asks for, and their order. */
export interface ListRequest {
  where?: unknown
  sort?: SortRequest[] | undefined
  search?: string | undefined
  skip: number
  limit: number
  cursor?: string | undefined
  /** The fields to return of each process; all, if it is left out. */
  fields?: RequestedFields | undefined
  /** The faults that were found in the rest of the request. */
  faults?: Fault[]
}

/** JSON Pointers to the parts of a query in the request, for its faults. */
export interface QueryPointers {
  where: string
  sort: string
  search: string
  cursor: string
}

export const IN_BODY: QueryPointers = {
  where: '/body/where',
  sort: '/body/sort',
  search: '/body/search',
  cursor: '/body/cursor',
}

/** A request that followed a `link` header has the cursor in its query, and the body of the first page. */
export const CURSOR_IN_QUERY: QueryPointers = { ...IN_BODY, cursor: '/query/cursor' }

export const IN_QUERY: QueryPointers = {
  where: '/query',
  sort: '/query/sort',
  search: '/query/search',
  cursor: '/query/cursor',
}

/** A list whose request has been parsed: what matches, and where it begins. */
export interface PreparedList {
  procedure: Procedure
  condition: Condition
  /** Null if nothing can match. */
  plan: QueryPlan | null
  /** Empty for newest first. */
  order: SortField[]
  /** Whether the best matches of the search come first. A search without words is of a primary key, and newest first. */
  isByRelevance: boolean
  /** The fingerprint of the request, with which its cursors are compared. */
  query: string
  from: ListPosition
  /** Null for all fields. */
  fields: SelectedField[] | null
  warnings: Warning[]
}

/** Parses and plans a list. Reports all faults of the request at once. */
export async function prepareList(
  scope: Scope,
  procedure: Procedure,
  request: Omit<ListRequest, 'limit'>,
  pointers: QueryPointers = IN_BODY,
): Promise<PreparedList> {
  const {
    condition: filter,
    faults,
    undeclared,
    moment,
  } = await readWhere(scope, procedure, { where: request.where, pointer: pointers.where, cursor: request.cursor })
  const search = readSearch(request.search, procedure, pointers.search, faults)
  const sortsByRelevance = readRelevance(request.sort ?? [], search !== null, pointers.sort, faults)
  const sort = parseSort(sortsByRelevance ? [] : (request.sort ?? []), procedure, pointers.sort)
  faults.push(...sort.faults, ...(request.faults ?? []))
  const chosen = request.fields === undefined ? null : readFields(procedure, request.fields)
  faults.push(...(chosen?.faults ?? []))
  const order = isNewestFirst(sort.fields) ? [] : sort.fields
  // In another order than newest first, all that is skipped is sorted.
  if (order.length > 0 && request.skip > SKIP_MAX)
    faults.push({ message: `in this order at most ${SKIP_MAX}: ${BEYOND_SKIP_MAX}`, path: '/body/skip' })
  // With faults there is nothing that a cursor could be compared with.
  const query =
    faults.length > 0
      ? null
      : computeFingerprint(
          [procedure.no, request.where ?? {}, request.sort ?? [], ...(search === null ? [] : [request.search])],
          moment,
        )
  const from = readPosition(request, { query, fields: order, path: pointers.cursor }, faults)
  if (faults.length > 0 || query === null) throw invalid(faults)
  const warnings = warnUndeclared([...undeclared, ...(chosen?.undeclared ?? [])], pointers.where)
  const words = search?.words ?? null
  const isByRelevance = sortsByRelevance && words !== null
  if (words !== null) requireWords(procedure)
  const condition = search?.key ? simplify({ kind: 'all', parts: [filter, search.key] }) : filter
  const planned = planQuery(condition, procedure)
  const plan = planned && { ...planned, search: words }
  return { procedure, condition, plan, order, isByRelevance, query, from, fields: chosen?.fields ?? null, warnings }
}

export interface PartRequest {
  from: ListPosition
  limit: number
  limits: ScanLimits
}

export interface ListPart extends PageResult {
  from: ListPosition
  /** Whether there are more matches than requested, so that the list goes on after the last one; else it goes on at `rest`. */
  isFull: boolean
}

/** Reads the processes of a list from a position on. */
export async function readPart(
  scope: Scope,
  list: PreparedList,
  { from, limit, limits }: PartRequest,
): Promise<ListPart> {
  // One row more than the page holds shows whether there is a next page.
  const page = { from, limit: limit + 1, limits, mayGoOn: startBudget(limits) }
  const { found, rest } = await readMatches(scope, list, page)
  return { found: found.slice(0, limit), rest, from, isFull: found.length > limit }
}

function readMatches(scope: Scope, list: PreparedList, page: PageRequest): Promise<PageResult> {
  const { procedure, condition, plan, order } = list
  if (plan === null) return readNothing(scope, procedure)
  if (list.isByRelevance && plan.search !== null) return readRelevantPage(scope, plan, plan.search, page)
  return order.length === 0 ? readNewestPage(scope, plan, page) : readSortedPage(scope, condition, plan, order, page)
}

/**
 * Returns the position after the first `count` matches of a part, of which `whole` has the complete rows; null at the end
 * of the list.
 */
export function getPositionAfter(
  { order, procedure, isByRelevance }: PreparedList,
  { found, from, isFull, rest }: ListPart,
  count: number,
  whole: readonly ProcessMatch[],
): ListPosition | null {
  if (count === found.length && !isFull) return rest
  if (isByRelevance) return advancePosition(from, count)
  const last = found[count - 1]
  if (last === undefined) return from
  const text = whole.findLast(({ rid }) => rid === last.rid)?.row ?? null
  return { after: toSortPosition(last, text, order, procedure), skip: 0, sorted: null }
}

export const writeListCursor = ({ query }: PreparedList, position: ListPosition | null): string | null =>
  position && writeCursor(query, position)

/** Returns an empty page for a condition that no process can match. Even so, the definition must be the one in force. */
async function readNothing(scope: Scope, procedure: Procedure): Promise<PageResult> {
  await scope.db.read(guardDefinition(procedure))
  return { found: [], rest: null }
}

/**
 * Parses a filter. Users and customers that it names are looked up first, so parsing needs no database. `moment` is the
 * time from which relative times count: that of the request for the first page; null if the filter has none.
 */
export async function readWhere(
  scope: Scope,
  procedure: Procedure,
  { where, pointer, cursor }: { where: unknown; pointer: string; cursor?: string | undefined },
) {
  let moment: number | null = null
  const now = () => {
    moment ??= getCursorTime(cursor) ?? scope.now
    return moment
  }
  const named = listReferences(where, procedure)
  const users = await findUsers(scope, named.users)
  const records = await findRecords(scope, named.records)
  return { ...parseFilter(where, procedure, { users, records, now }, pointer), moment }
}

function readPosition(
  { cursor, skip }: Pick<ListRequest, 'cursor' | 'skip'>,
  { query, fields, path }: { query: string | null; fields: SortField[]; path: string },
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
