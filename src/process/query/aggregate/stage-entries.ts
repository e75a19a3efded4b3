import { type SQL, sql } from 'drizzle-orm'
import { BYTES } from '../../document-bytes.ts'
import { process } from '../../table.ts'
import type { RangeBounds } from '../plan/bounds.ts'
import type { QueryPlan } from '../plan/plan.ts'
import { compare, toComparableReturned, toComparables } from '../sql/comparison.ts'
import { limitEntries } from '../sql/large-documents.ts'
import type { RowRange } from '../sql/scans.ts'
import {
  and,
  between,
  buildMatchColumn,
  buildMatchCondition,
  RID,
  selectNewestProcesses,
  selectNewestRowNumbers,
  selectScanEntries,
  whereInRows,
  whereOwner,
  whereProcedure,
} from '../sql/scans.ts'
import { buildWhereAll } from '../sql/where.ts'
import type { Stage } from './stages.ts'

/** The place up to which a stage has been read: a row number, and for an index in its order also the value there. */
export interface StagePlace {
  rid: number
  value: string | number | null
}

export interface StageStep {
  stage: Stage
  after: StagePlace | null
  entriesMax: number
  /** The bytes that the documents have together; null if no document is read. */
  bytesMax: number | null
}

const comma = sql`, `

interface StageEntries {
  entries: SQL
  /** The number of entries that are read. If their documents are read, it is bounded by their bytes. */
  limit: SQL
  /** True if a column `is_match` says which entries match. */
  isFiltered: boolean
}

/** Selects the next entries of a stage, with the values that are computed for each. */
export function selectStageEntries(plan: QueryPlan, step: StageStep, reads: SQL[]): StageEntries {
  const { stage, after, entriesMax, bytesMax } = step
  const { procedure } = plan
  const reached = after?.rid ?? null
  const before = reached !== null && (plan.before === null || reached < plan.before) ? reached : plan.before
  const onward: RowRange = { from: plan.from, before }
  const most = sql`${entriesMax}`
  const buildLimit = (rows: RowRange, entries: SQL): SQL =>
    limitEntries(procedure, rows, { most: entriesMax, bytesMax }, entries)
  switch (stage.kind) {
    case 'lookup': {
      const { column, values, remaining } = stage.lookup
      const terms = [
        sql`${column.column} IN ${toComparables(values)}`,
        whereProcedure(procedure),
        ...whereInRows(onward),
      ]
      const found = (shown: SQL, limit: SQL): SQL =>
        sql`SELECT ${shown} ${column.from} WHERE ${and(terms)} ORDER BY ${process.rid} DESC LIMIT ${limit}`
      const limit = buildLimit(onward, found(BYTES, most))
      const isFiltered = remaining.length > 0
      const columns = [RID, ...(isFiltered ? [buildMatchColumn([buildWhereAll(remaining, procedure)])] : []), ...reads]
      return {
        // The values of an entry are computed outside of the inner LIMIT: SQLite would compute them before it sorts. The outer LIMIT
        // keeps it from computing them again wherever a group names them: in a zone of many changes, memory ended.
        entries: sql`SELECT ${sql.join(columns, comma)} FROM (${found(RID, limit)}) AS found CROSS JOIN ${process} ON ${process.rid} = found.rid LIMIT ${most}`,
        limit,
        isFiltered,
      }
    }
    case 'newest': {
      const { scan } = stage
      const found = selectScanEntries(scan, plan, onward)
      const limit = buildLimit(onward, selectNewestProcesses(found, [BYTES], most))
      const isFiltered = scan.remaining.length > 0
      const columns = [
        ...(isFiltered ? [buildMatchCondition(scan, plan, whereOwner(found.areElements, plan))] : []),
        ...reads,
      ]
      return {
        entries:
          columns.length === 0 ? selectNewestRowNumbers(found, limit) : selectNewestProcesses(found, columns, limit),
        limit,
        isFiltered,
      }
    }
    case 'ordered': {
      const { column, remaining } = stage
      const within: RowRange = { from: plan.from, before: plan.before }
      const rows = whereInRows(within)
      const isFiltered = rows.length > 0 || remaining.length > 0
      const match = buildMatchCondition({ column, bounds: stage.bounds ?? { numeric: false }, remaining }, plan, rows)
      const place = [RID, sql`${column.column} AS place`]
      const columns = [...place, ...(isFiltered ? [match] : []), ...reads]
      // Entries are in the order of the index, not of the rows.
      const everywhere = { from: null, before: null }
      const limit = buildLimit(
        everywhere,
        sql`${selectOrderedEntries(plan, stage, after, [...place, BYTES])} LIMIT ${most}`,
      )
      return { entries: sql`${selectOrderedEntries(plan, stage, after, columns)} LIMIT ${limit}`, limit, isFiltered }
    }
    case 'rest':
      throw new Error('the rest has no entries of its own')
  }
}

type OrderedStage = Extract<Stage, { kind: 'ordered' }>

/**
 * Selects the entries of an index after a place in it, in its order: those with the value of the place, then those beyond
 * it, merged without sorting. One comparison of both would read all entries with that value again.
 */
export function selectOrderedEntries(
  plan: QueryPlan,
  stage: OrderedStage,
  after: StagePlace | null,
  columns: SQL[],
): SQL {
  const { column, bounds } = stage
  const owner = whereProcedure(plan.procedure)
  const entries = (terms: SQL[]): SQL =>
    sql`SELECT ${sql.join(columns, comma)} ${column.from} WHERE ${and([owner, ...terms])}`
  const inOrder = sql`ORDER BY place, rid`
  if (after === null || after.value === null) {
    const set = column.always ? [] : [sql`${column.column} IS NOT NULL`]
    return sql`${entries(bounds === null ? set : [between(column, bounds)])} ${inOrder}`
  }
  const tied = [sql`${column.column} = ${toComparableReturned(after.value)}`, sql`${process.rid} > ${after.rid}`]
  const beyond = [
    sql`${column.column} > ${toComparableReturned(after.value)}`,
    ...buildUpperBound(column.column, bounds),
  ]
  return sql`${entries(tied)} UNION ALL ${entries(beyond)} ${inOrder}`
}

function buildUpperBound(column: SQL, bounds: RangeBounds | null): SQL[] {
  if (bounds?.high !== undefined) return [compare(column, bounds.high.operator, bounds.high.value)]
  return bounds?.numeric ? [sql`${column} < ''`] : []
}
