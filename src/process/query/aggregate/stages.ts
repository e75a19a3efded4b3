import type { RangeBounds } from '../plan/bounds.ts'
import { findColumn, type QueryColumn, ROW_NUMBER } from '../plan/columns.ts'
import { getPlainRange, type IndexScan, type Lookup, type QueryPlan } from '../plan/plan.ts'
import type { Condition, QueryField } from '../read/condition.ts'
import { isCreation, isPrimaryKey } from '../read/condition.ts'
import type { ParsedAggregate } from './parsed-aggregate.ts'

/**
 * A part of one index that is read in bounded steps:
 *
 * - `lookup`: the few processes that ids or primary keys identify, newest first
 * - `newest`: the entries of some keys, newest first
 * - `ordered`: the entries of an index in its order, within bounds
 * - `rest`: the number of processes that an index leaves out because their value is not set
 */
export type Stage =
  | { kind: 'lookup'; lookup: Lookup }
  | { kind: 'newest'; scan: IndexScan }
  | { kind: 'ordered'; column: QueryColumn; bounds: RangeBounds | null; remaining: Condition[] }
  | { kind: 'rest' }

/** Stages that follow one another, and together read each match once. */
export interface Source {
  name: string
  stages: Stage[]
  /** Whether the index has all that is counted, so that no process is read. */
  isCovered: boolean
}

/** Keys merged by one statement. */
const MERGED_KEYS = 5

/** Lists the possible sources. If there are several, the database tells which one has the fewest entries. */
export function chooseSources(plan: QueryPlan, { groups, metrics, counts }: ParsedAggregate): Source[] {
  const { lookup, parts } = plan
  if (lookup !== null) return [{ name: 'lookup', stages: [{ kind: 'lookup', lookup }], isCovered: false }]
  const read = [...groups, ...metrics].map(({ field }) => readColumn(field, plan))
  const isWithin = (column: QueryColumn | null, remaining: Condition[]): boolean =>
    remaining.length === 0 && read.every(each => each === ROW_NUMBER || each === column)

  const sources = plan.indexScans.flatMap((scan): Source[] => {
    const [key, ...others] = scan.keys
    if (key === undefined) return []
    const isCovered = isWithin(others.length === 0 ? key.column : ROW_NUMBER, scan.remaining)
    return [{ name: formatName('keys', key.column), stages: [{ kind: 'newest', scan }], isCovered }]
  })
  const range = getPlainRange(plan)
  // A process may have several of many elements, so stages that follow one another would count it several times.
  if (range !== null && range.column.slot === undefined) {
    const { column, bounds, remaining } = range
    const isCovered = isWithin(column, remaining)
    if (!Array.isArray(bounds)) {
      const stages: Stage[] = [{ kind: 'ordered', column, bounds, remaining }]
      sources.push({ name: formatName('range', column), stages, isCovered })
    } else {
      const keys = [...new Set(bounds)].map(value => ({ column, value }))
      const stages = Array.from({ length: Math.ceil(keys.length / MERGED_KEYS) }, (_, nth): Stage => {
        const some = keys.slice(nth * MERGED_KEYS, (nth + 1) * MERGED_KEYS)
        return { kind: 'newest', scan: { keys: some, overlapping: false, remaining } }
      })
      sources.push({ name: formatName('values', column), stages, isCovered })
    }
  }
  if (sources.length > 0) return sources

  const [column, ...more] = [...new Set(read.filter(each => each !== ROW_NUMBER))]
  const isWhole = parts.length === 0 && plan.from === null && plan.before === null
  const hasRest = column !== undefined && column !== null && !column.always && (counts || groups.length > 0)
  // The stage of the rest knows only how many entries there are.
  if (isWhole && column?.index && more.length === 0 && !(hasRest && read.includes(ROW_NUMBER))) {
    const stages: Stage[] = [{ kind: 'ordered', column, bounds: null, remaining: [] }]
    if (hasRest) stages.push({ kind: 'rest' })
    return [{ name: formatName('index', column), stages, isCovered: true }]
  }
  const stages = plan.indexScans.map((scan): Stage => ({ kind: 'newest', scan }))
  return [{ name: 'all', stages, isCovered: isWithin(ROW_NUMBER, parts) }]
}

/** Returns the column in which a field is read; null if only the document has it. */
function readColumn(field: QueryField, { procedure }: QueryPlan): QueryColumn | null {
  if (isCreation(field)) return ROW_NUMBER
  return isPrimaryKey(field, procedure) ? null : findColumn(field, procedure)
}

const formatName = (how: string, { index }: QueryColumn): string => `${how} ${index ?? ''}`
