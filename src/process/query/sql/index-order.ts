import type { PlainText, Result } from '../../../db/text-statement.ts'
import { textStatement } from '../../../db/text-statement.ts'
import type { ProcessColumn } from '../plan/columns.ts'
import { columnValue } from '../plan/columns.ts'
import type { QueryPlan, RangeBounds } from '../plan/plan.ts'
import { tightestBounds } from '../plan/plan.ts'
import type { Condition, QueryField } from '../read/condition.ts'
import { isPlainEquality, sameField } from '../read/condition.ts'
import type { SortField, SortPosition } from '../read/sort.ts'
import { ROW_NUMBER, sortColumn } from '../read/sort.ts'
import type { ScanLimits } from '../scan-limits.ts'
import { parameters } from './parameters.ts'
import { asMatch, between, scansOf } from './scans.ts'

/** A list by one field whose index is walked, as long as matches lie close enough in it. */
export interface IndexOrder {
  plan: QueryPlan
  column: ProcessColumn
  descending: boolean
  /** Where the index is entered and left, if the filter says so. */
  bounds: RangeBounds | null
  remaining: Condition[]
  /** Whether processes without a value may follow. */
  tail: boolean
}

export function indexOrderOf(plan: QueryPlan, fields: SortField[]): IndexOrder | null {
  const [first, ...others] = fields
  if (first === undefined || others.length > 0 || plan.lookup !== null) return null
  const column = sortColumn(first.field, plan.procedure)
  if (column?.index === undefined) return null
  const { bounds, remaining } = boundsInOrder(column, first.field, plan)
  const asked = plan.parts.some(part => isSetBy(part, first.field))
  return { plan, column, descending: first.descending, bounds, remaining, tail: column.always !== true && !asked }
}

const isSetBy = (part: Condition, field: QueryField): boolean =>
  (part.kind === 'range' || isPlainEquality(part)) && sameField(part.field, field)

function boundsInOrder(
  column: ProcessColumn,
  field: QueryField,
  { parts, procedure }: QueryPlan,
): Pick<IndexOrder, 'bounds' | 'remaining'> {
  for (const part of parts) {
    if (isPlainEquality(part) && part.values.length === 1 && sameField(part.field, field) && column.unique !== true) {
      const [value = ''] = part.values.map(columnValue)
      const bounds: RangeBounds = {
        low: { operator: '>=', value },
        high: { operator: '<=', value },
        numeric: typeof value === 'number',
      }
      return { bounds, remaining: parts.filter(each => each !== part) }
    }
    if (part.kind !== 'range' || !sameField(part.field, field)) continue
    const { bounds, used } = tightestBounds(column, typeof part.value === 'number', parts, procedure)
    if (used.length > 0) return { bounds, remaining: parts.filter(each => !used.includes(each)) }
  }
  return { bounds: null, remaining: parts }
}

export interface IndexOrderPage {
  after: SortPosition | null
  skip: number
  limit: number
  row: string
  limits: ScanLimits
}

/**
 * The page that begins after a position, if it can be had from so many index entries. An ascending index has the oldest
 * first within equal values: the group at the end of the page is read once more, newest first.
 */
export function indexOrderStatement(indexOrder: IndexOrder, step: IndexOrderPage): PlainText {
  const { plan, column, descending, bounds } = indexOrder
  const params = parameters()
  const scans = scansOf(plan, params)
  const remaining = scans.remaining(indexOrder.remaining)
  const within = scans.within(plan)
  const want = params.value(step.skip + step.limit)
  const beside = plan.indexScans.some(({ keys }) => keys.length > 0)
  const most = Math.max(beside ? step.limits.indexOrderBesideIndexMax : step.limits.candidates, step.skip + step.limit)
  const scanned = (where: string[], order: string, limit: string, terms = [remaining]): string =>
    `SELECT process.rid AS k, ${column.name} AS v, ${asMatch(terms)} AS hit FROM process INDEXED BY ${column.index ?? ''} WHERE ${[scans.proc, ...where].join(' AND ')} ORDER BY ${order} LIMIT ${limit}`

  const reached = step.after?.values[0] ?? null
  const unique = column.unique === true
  const newest = 'process.rid DESC'
  const same =
    reached === null || unique || step.after === null
      ? null
      : [`${column.name} = ${params.value(reached)}`, `process.rid < ${params.value(step.after.rid)}`, ...within]
  const [direction, walk] = descending
    ? ['DESC', `${column.name} DESC, ${newest}`]
    : ['ASC', `${column.name}, process.rid`]
  const range: string[] = []
  if (bounds !== null) {
    const { low, high, numeric } = bounds
    const side =
      reached === null
        ? {}
        : descending
          ? { high: { operator: '<', value: reached } as const }
          : { low: { operator: '>', value: reached } as const }
    const narrowsRowNumbers: RangeBounds = {
      ...(low === undefined ? {} : { low }),
      ...(high === undefined ? {} : { high }),
      numeric,
      ...side,
    }
    range.push(between(column, narrowsRowNumbers, params))
  } else if (reached !== null) range.push(`${column.name} ${descending ? '<' : '>'} ${params.value(reached)}`)
  else if (column.always !== true) range.push(`${column.name} IS NOT NULL`)

  const byRow = column === ROW_NUMBER
  const following = (limit: string, terms = [remaining]): string =>
    byRow
      ? scanned([...range, ...within], `process.rid ${direction}`, limit, terms)
      : scanned(range, walk, limit, [...within, ...terms])
  const size = params.value(most)
  const last = `1 OFFSET ${params.value(most - 1)}`
  const hits = (candidates: string): string => `SELECT k, v FROM (${candidates}) WHERE hit LIMIT ${want}`
  const grouped = !descending && !unique
  const tables = [
    `same AS MATERIALIZED (${same === null ? 'SELECT 0 AS k, 0 AS v WHERE 0' : hits(scanned(same, newest, size))})`,
    `following AS MATERIALIZED (${hits(following(size))})`,
    `edge AS MATERIALIZED (SELECT ${grouped ? `CASE WHEN count(*) = ${want} THEN max(v) END` : 'NULL'} AS v FROM following)`,
    `final AS MATERIALIZED (${grouped ? hits(scanned([`${column.name} = (SELECT v FROM edge)`, ...within], newest, size)) : 'SELECT 0 AS k, 0 AS v WHERE 0'})`,
    'best AS MATERIALIZED (SELECT k, v FROM same UNION ALL SELECT k, v FROM following WHERE v IS NOT (SELECT v FROM edge) UNION ALL SELECT k, v FROM final)',
  ]
  // CASE, as above: the index entry at the end of the step is looked for only where it matters.
  const ended = (table: string, candidates: string): string =>
    `CASE WHEN (SELECT count(*) FROM ${table}) = ${want} THEN 1 ELSE NOT EXISTS (SELECT 1 FROM (${candidates})) END`
  const full = `CASE WHEN ${ended('following', following(last, ['1']))} THEN count(*) >= ${want} OR (SELECT v IS NULL FROM edge) ELSE 0 END`
  const complete =
    same === null
      ? full
      : `CASE WHEN (SELECT count(*) FROM same) = ${want} THEN 1 WHEN ${ended('same', scanned(same, newest, last, ['1']))} THEN ${full} ELSE 0 END`
  const page = `SELECT k, v FROM best ORDER BY v ${direction}, k DESC LIMIT ${params.value(step.limit)} OFFSET ${params.value(step.skip)}`
  const sql = `WITH ${tables.join(',\n')}
SELECT page.k AS k, ${step.row} AS row, NULL AS found, NULL AS complete FROM (${page}) AS page CROSS JOIN process ON process.rid = page.k
UNION ALL SELECT NULL, NULL, count(*), ${complete} FROM best`
  return textStatement(sql, params.json())
}

export interface IndexOrderResult {
  /** In the order asked for. */
  rows: unknown[]
  found: number
}

/** The page, or null where the index would have to be walked too far. */
export function readIndexOrder({ rows }: Result): IndexOrderResult | null {
  const summary = rows.find(row => row.found !== null)
  if (summary?.complete !== 1) return null
  return { rows: rows.filter(row => row.k !== null).map(({ row }) => row), found: Number(summary.found) }
}
