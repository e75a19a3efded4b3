import { type SQL, sql } from 'drizzle-orm'
import { process } from '../../table.ts'
import type { RangeBounds } from '../plan/bounds.ts'
import type { QueryPlan } from '../plan/plan.ts'
import { comparableReturned, comparables, compare } from '../sql/comparison.ts'
import type { RowRange } from '../sql/scans.ts'
import {
  and,
  between,
  entriesOf,
  isMatchOf,
  newestProcesses,
  newestRowNumbers,
  ofProcedure,
  ownedIf,
  RID,
  rowsWithin,
} from '../sql/scans.ts'
import { whereAll } from '../sql/where.ts'
import type { Stage } from './stages.ts'

/** How far a stage has been read: the row number, and of an index in its order the value before it. */
export interface StagePlace {
  rid: number
  value: string | number | null
}

export interface StageStep {
  stage: Stage
  after: StagePlace | null
  entriesMax: number
}

const comma = sql`, `

export interface StageEntries {
  entries: SQL
  /** Whether a column `is_match` says which entries match. */
  isFiltered: boolean
}

/** The next entries of a stage, with what is computed of each. */
export function stageEntries(plan: QueryPlan, { stage, after, entriesMax }: StageStep, reads: SQL[]): StageEntries {
  const { procedure } = plan
  const within: RowRange = { from: plan.from, before: plan.before }
  const limit = sql`${entriesMax}`
  switch (stage.kind) {
    case 'lookup': {
      const { column, values, remaining } = stage.lookup
      const terms = [
        sql`${column.column} IN ${comparables(values)}`,
        ofProcedure(procedure),
        ...rowsWithin(within),
        ...(remaining.length === 0 ? [] : [whereAll(remaining, procedure)]),
      ]
      return {
        entries: sql`SELECT ${sql.join([RID, ...reads], comma)} ${column.from} WHERE ${and(terms)}`,
        isFiltered: false,
      }
    }
    case 'newest': {
      const { scan } = stage
      const reached = after?.rid ?? null
      const before = reached !== null && (within.before === null || reached < within.before) ? reached : within.before
      const found = entriesOf(scan, plan, { ...within, before })
      const isFiltered = scan.remaining.length > 0
      const columns = [...(isFiltered ? [isMatchOf(scan, plan, ownedIf(found.areElements, plan))] : []), ...reads]
      return {
        entries: columns.length === 0 ? newestRowNumbers(found, limit) : newestProcesses(found, columns, limit),
        isFiltered,
      }
    }
    case 'ordered': {
      const { column, remaining } = stage
      const rows = rowsWithin(within)
      const isFiltered = rows.length > 0 || remaining.length > 0
      const match = isMatchOf({ column, bounds: stage.bounds ?? { numeric: false }, remaining }, plan, rows)
      const columns = [RID, sql`${column.column} AS place`, ...(isFiltered ? [match] : []), ...reads]
      const entries = sql`${orderedEntries(plan, stage, after, columns)} LIMIT ${limit}`
      return { entries, isFiltered }
    }
    case 'rest':
      throw new Error('the rest has no entries of its own')
  }
}

type OrderedStage = Extract<Stage, { kind: 'ordered' }>

/**
 * The entries of an index behind a place of it, in its order: those with the value of the place, then those beyond it,
 * merged without sorting. One comparison of both would read all entries with that value again.
 */
export function orderedEntries(plan: QueryPlan, stage: OrderedStage, after: StagePlace | null, columns: SQL[]): SQL {
  const { column, bounds } = stage
  const owner = ofProcedure(plan.procedure)
  const entries = (terms: SQL[]): SQL =>
    sql`SELECT ${sql.join(columns, comma)} ${column.from} WHERE ${and([owner, ...terms])}`
  const inOrder = sql`ORDER BY place, rid`
  if (after === null || after.value === null) {
    const set = column.always ? [] : [sql`${column.column} IS NOT NULL`]
    return sql`${entries(bounds === null ? set : [between(column, bounds)])} ${inOrder}`
  }
  const tied = [sql`${column.column} = ${comparableReturned(after.value)}`, sql`${process.rid} > ${after.rid}`]
  const beyond = [sql`${column.column} > ${comparableReturned(after.value)}`, ...upperBound(column.column, bounds)]
  return sql`${entries(tied)} UNION ALL ${entries(beyond)} ${inOrder}`
}

function upperBound(column: SQL, bounds: RangeBounds | null): SQL[] {
  if (bounds?.high !== undefined) return [compare(column, bounds.high.operator, bounds.high.value)]
  return bounds?.numeric ? [sql`${column} < ''`] : []
}
