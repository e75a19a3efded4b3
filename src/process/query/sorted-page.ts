import { invalid } from '../../errors.ts'
import type { Procedure } from '../../procedure/model.ts'
import type { Scope } from '../../scope.ts'
import type { PageRequest, PageResult, ProcessMatch } from './newest-page.ts'
import { readNewestPage, readScanPage } from './newest-page.ts'
import { ROW_ID } from './plan/columns.ts'
import { planIndexOrder } from './plan/index-order.ts'
import type { QueryPlan } from './plan/plan.ts'
import { planQuery } from './plan/plan.ts'
import { comparePositions } from './plan/sort-position.ts'
import type { Condition } from './read/condition.ts'
import { simplify } from './read/condition.ts'
import { KEPT_MAX } from './read/cursor.ts'
import type { SortField, SortPosition } from './read/sort.ts'
import { SQL_LENGTH_MAX } from './scan-limits.ts'
import type { IndexOrderResult } from './sql/index-order-page.ts'
import { readIndexOrder, selectInIndexOrder } from './sql/index-order-page.ts'
import { selectRows } from './sql/lookup-page.ts'
import type { ScanPage, ScanResult } from './sql/scan-page.ts'
import { buildSortExpressions } from './sql/sort-expressions.ts'

/** Reads a page that is not newest first: along an index in its order if enough entries match, else by sorting all matches. */
export async function readSortedPage(
  scope: Scope,
  condition: Condition,
  plan: QueryPlan,
  fields: SortField[],
  page: PageRequest,
): Promise<PageResult> {
  const { after, skip, sorted } = page.from
  const indexOrder = sorted === null ? planIndexOrder(plan, fields) : null
  if (indexOrder === null) return sortMatches(scope, plan, fields, page)
  let found: IndexOrderResult | null = { matches: [], found: 0 }
  if (after === null || after.values[0] !== null) {
    const statement = selectInIndexOrder(indexOrder, { after, skip, limit: page.limit, limits: page.limits })
    const isTooLong = statement.compile().text.length > SQL_LENGTH_MAX
    const [rows] = isTooLong ? [null] : await scope.db.read(statement)
    found = rows && readIndexOrder(rows)
  }
  if (found === null) return sortMatches(scope, plan, fields, page)
  const { matches } = found
  const [field] = fields
  const missing = page.limit - matches.length
  if (missing <= 0 || !indexOrder.hasUnset || field === undefined) return { found: matches, rest: null }
  const isUnset: Condition = { kind: 'equal', field: field.field, values: [], unset: true, negated: false }
  const unsetPlan = planQuery(simplify({ kind: 'all', parts: [condition, isUnset] }), plan.procedure)
  if (unsetPlan === null) return { found: matches, rest: null }
  const reached = after !== null && after.values[0] === null ? after : null
  const from = { after: reached, skip: Math.max(0, skip - found.found), sorted: null }
  const unset = await readNewestPage(scope, unsetPlan, { ...page, from, limit: missing })
  const rest = unset.rest?.after ? { ...unset.rest, after: { ...unset.rest.after, values: [null] } } : null
  return { found: [...matches, ...unset.found.map(each => ({ ...each, values: [null] }))], rest }
}

/** Sorts matches. Each statement returns the first of its own matches in the requested order; the first of all are kept. */
async function sortMatches(
  scope: Scope,
  plan: QueryPlan,
  fields: SortField[],
  wantedPage: PageRequest,
): Promise<PageResult> {
  const { from, limit, limits, mayGoOn } = wantedPage
  const wanted = from.skip + limit
  const compare = comparePositions(fields)
  const sort = buildSortExpressions(fields, plan.procedure, from.after)
  // With `skip`, statements return positions only, and the rows of the page are read at the end.
  const selected = from.skip === 0 ? 'process' : 'position'
  let first: (SortPosition & { row: string | null })[] = []
  // No match before this position was read and is missing in `first`.
  let end = from.sorted?.end ?? null
  const keepFirst = ({ matches }: ScanResult): void => {
    const positions = matches.map(match => ({
      rid: match.rid,
      values: sort.names.map(name => match[name] ?? null),
      row: match.row,
    }))
    const known = [...first, ...positions].filter(each => end === null || compare(each, end) <= 0)
    first = known.sort(compare).slice(0, wanted)
    const last = first[wanted - 1]
    if (last !== undefined) end = { values: last.values, rid: last.rid }
  }
  const page: ScanPage = { skip: 0, limit: wanted, before: null, indexScan: null, selected, sort, limits }
  // The rows that an earlier request kept may have changed since, so they are read again.
  const values = from.sorted?.kept ?? []
  const lookup = { column: ROW_ID, values, remaining: plan.parts }
  for (let below: number | null = null; values.length > 0; ) {
    const result = await readScanPage(scope, { ...plan, lookup }, { ...page, before: below })
    keepFirst(result)
    below = result.boundary
    if (below === null) break
  }
  let [before, indexScan]: [number | null, number | null] = [from.sorted?.boundary ?? null, null]
  do {
    const result = await readScanPage(scope, plan, { ...page, before, indexScan })
    keepFirst(result)
    indexScan ??= result.indexScan
    before = result.boundary
  } while (before !== null && mayGoOn())
  if (before !== null) {
    if (wanted > KEPT_MAX) throw invalid([{ message: TOO_DEEP, path: '/body/skip' }])
    const sorted = { boundary: before, kept: first.map(({ rid }) => rid), end }
    return { found: [], rest: { ...from, sorted } }
  }
  const isShort = end !== null && first.length < wanted
  const rest = isShort ? { after: end, skip: Math.max(0, from.skip - first.length), sorted: null } : null
  const positions = first.slice(from.skip)
  if (from.skip === 0) return { found: positions.map(each => ({ ...each, row: each.row ?? '' })), rest }
  const found = await readRows(scope, plan.procedure, positions)
  // A process was deleted in between: the page is read again, so that it is not too short.
  return found.length === positions.length ? { found, rest } : sortMatches(scope, plan, fields, wantedPage)
}

const TOO_DEEP = `Too many processes match to sort them in one request, and \`skip\` and \`limit\` together exceed ${KEPT_MAX - 1}, so that it cannot be continued: go on by \`cursor\` instead, or narrow \`where\``

async function readRows(scope: Scope, procedure: Procedure, positions: SortPosition[]): Promise<ProcessMatch[]> {
  if (positions.length === 0) return []
  const rids = positions.map(({ rid }) => rid)
  const [stored] = await scope.db.read(selectRows(procedure, rids, 'process'))
  const rows = new Map(stored.map(({ rid, row }) => [rid, row]))
  return positions.flatMap(({ rid, values }) => {
    const row = rows.get(rid)
    return row === undefined ? [] : [{ rid, row, values }]
  })
}
