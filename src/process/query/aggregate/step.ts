import { type SQL, sql } from 'drizzle-orm'
import type { Statement } from '../../../db/statement.ts'
import { statement } from '../../../db/statement.ts'
import { guardedLimit } from '../../../procedure/definition-guard.ts'
import type { Procedure } from '../../../procedure/model.ts'
import { process } from '../../table.ts'
import type { RangeBounds } from '../plan/bounds.ts'
import { columnOf, ROW_NUMBER } from '../plan/columns.ts'
import type { QueryPlan } from '../plan/plan.ts'
import { isAbove } from '../plan/value-order.ts'
import { isCreation } from '../read/condition.ts'
import { comparable, comparables, compare } from '../sql/comparison.ts'
import type { RowRange } from '../sql/scans.ts'
import {
  and,
  between,
  entriesOf,
  isMatchOf,
  newestProcesses,
  newestRowNumbers,
  ofProcedure,
  RID,
  rowsWithin,
} from '../sql/scans.ts'
import { whereAll } from '../sql/where.ts'
import type { Asked } from './asked.ts'
import { groupValue, numberOf, orderedValue, type ReadValue } from './expressions.ts'
import { GROUPS_MAX, type GroupFigures, groupOf, numbersIn, orderedIn } from './figures.ts'
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

/** A group of the entries of a step, or the entries that do not match. */
export interface StepRow extends Record<string, string | number | null> {
  /** Processes that match. */
  n: number
  /** Entries read. */
  entries: number
  /** The last entry, by the order of the stage. */
  place: string | number | null
  rid: number | null
}

/** The figures of the next entries of a stage. */
export function stepStatement(plan: QueryPlan, asked: Asked, step: StageStep, now: number): Statement<StepRow> {
  const { stage } = step
  const { procedure } = plan
  const groups = asked.groups.map((group, nth) => groupValue(group, `g${nth}`, procedure, now))
  const reads = readColumns(groups, asked, procedure)
  if (stage.kind === 'rest') return restStatement(plan, step)
  const { entries, isFiltered } = entriesIn(plan, step, reads)
  const shape = { groups, isFiltered, isByPlace: !isFiltered && isGroupedByPlace(stage, asked, procedure) }
  return statement<StepRow>(sql`SELECT ${sql.join(columnsOf(plan, step, asked, shape), comma)}
FROM (${entries}) ${groupedBy(shape)}
LIMIT ${guardedLimit(procedure, sql`${GROUPS_MAX + 2}`)}`)
}

interface Shape {
  groups: readonly ReadValue[]
  /** Whether a column `is_match` says which entries match. */
  isFiltered: boolean
  /** Whether each group is one value of the index that is read in its order. */
  isByPlace: boolean
}

function isGroupedByPlace(stage: Stage, { groups: [only, ...others] }: Asked, procedure: Procedure): boolean {
  if (stage.kind !== 'ordered' || only === undefined || others.length > 0 || only.calendar !== null) return false
  return !isCreation(only.field) && columnOf(only.field, procedure) === stage.column
}

const comma = sql`, `
const named = (name: string): SQL => sql`${sql.identifier(name)}`

/** What is computed of each entry. */
function readColumns(groups: readonly ReadValue[], asked: Asked, procedure: Procedure): SQL[] {
  return [
    ...groups.flatMap(({ read }, nth) => (read === null ? [] : [sql`${read} AS ${named(`g${nth}`)}`])),
    ...numbersIn(asked).map((field, nth) => sql`${numberOf(field, procedure)} AS ${named(`x${nth}`)}`),
    ...orderedIn(asked).map((field, nth) => sql`${orderedValue(field, procedure)} AS ${named(`o${nth}`)}`),
  ]
}

const restStatement = ({ procedure }: QueryPlan, { after, entriesMax }: StageStep): Statement<StepRow> =>
  statement(sql`SELECT 0 AS n, count(*) AS entries, NULL AS place, min(rid) AS rid
FROM (SELECT ${RID} ${ROW_NUMBER.from} WHERE ${and([ofProcedure(procedure), ...rowsWithin({ from: null, before: after?.rid ?? null })])}
ORDER BY ${process.rid} DESC LIMIT ${entriesMax}) LIMIT ${guardedLimit(procedure, sql`1`)}`)

type Entries = Pick<Shape, 'isFiltered'> & { entries: SQL }

function entriesIn(plan: QueryPlan, { stage, after, entriesMax }: StageStep, reads: SQL[]): Entries {
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
      const columns = [...(isFiltered ? [isMatchOf(scan, plan)] : []), ...reads]
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
      const entries = sql`SELECT ${sql.join(columns, comma)} ${column.from} WHERE ${orderedWithin(plan, stage, after)} ORDER BY ${column.column}, ${process.rid} LIMIT ${limit}`
      return { entries, isFiltered }
    }
    case 'rest':
      throw new Error('the rest has no entries of its own')
  }
}

type OrderedStage = Extract<Stage, { kind: 'ordered' }>

/** The entries of an index behind a place of it. One bound on each side: SQLite seeks by one of several, and not by the best. */
function orderedWithin({ procedure }: QueryPlan, { column, bounds }: OrderedStage, after: StagePlace | null): SQL {
  const owner = ofProcedure(procedure)
  if (after === null || after.value === null) {
    if (bounds !== null) return and([owner, between(column, bounds)])
    return column.always ? owner : and([owner, sql`${column.column} IS NOT NULL`])
  }
  const behind = sql`(${column.column}, ${process.rid}) > (${comparable(after.value)}, ${after.rid})`
  // A partial index is only used where its condition is among the terms.
  const set = column.always ? [] : [sql`${column.column} IS NOT NULL`]
  return and([owner, ...set, behind, ...upperBound(column.column, bounds)])
}

function upperBound(column: SQL, bounds: RangeBounds | null): SQL[] {
  if (bounds?.high !== undefined) return [compare(column, bounds.high.operator, bounds.high.value)]
  return bounds?.numeric ? [sql`${column} < ''`] : []
}

const MATCHES = sql`FILTER (WHERE is_match)`

/** Of each group of matches its figures. Entries that do not match are one more group where there are groups at all. */
function columnsOf(plan: QueryPlan, step: StageStep, asked: Asked, shape: Shape): SQL[] {
  const { groups, isFiltered } = shape
  const only = isFiltered ? MATCHES : sql``
  const values = groups.map(({ value }, nth) =>
    isFiltered
      ? sql`CASE WHEN is_match THEN ${value} END AS ${named(`v${nth}`)}`
      : sql`${value} AS ${named(`v${nth}`)}`,
  )
  return [
    sql`count(*) ${only} AS n`,
    sql`count(*) AS entries`,
    ...values,
    ...numbersIn(asked).flatMap((_, nth) => {
      const number = named(`x${nth}`)
      return [
        sql`total(${number}) ${only} AS ${named(`t${nth}`)}`,
        sql`count(${number}) ${only} AS ${named(`c${nth}`)}`,
      ]
    }),
    ...orderedIn(asked).flatMap((_, nth) => {
      const value = named(`o${nth}`)
      return [sql`min(${value}) ${only} AS ${named(`l${nth}`)}`, sql`max(${value}) ${only} AS ${named(`h${nth}`)}`]
    }),
    ...lastEntry(plan, step, shape),
  ]
}

/** The last entry that a step of an index in its order has read; the newest first are read down to the least row number. */
function lastEntry(plan: QueryPlan, { stage, after, entriesMax }: StageStep, shape: Shape): SQL[] {
  if (stage.kind !== 'ordered') return [sql`NULL AS place`, sql`min(rid) AS rid`]
  const place = sql`max(place) AS place`
  if (shape.isByPlace) return [place, sql`max(rid) AS rid`]
  const { column, from } = stage.column
  const last = sql`(SELECT ${process.rid} ${from} WHERE ${orderedWithin(plan, stage, after)} ORDER BY ${column}, ${process.rid} LIMIT 1 OFFSET ${entriesMax - 1})`
  // It reads all entries once more: only if there may be others behind them.
  return [
    place,
    shape.groups.length === 0 ? sql`CASE WHEN count(*) = ${entriesMax} THEN ${last} END AS rid` : sql`${last} AS rid`,
  ]
}

function groupedBy({ groups, isFiltered }: Shape): SQL {
  if (groups.length === 0) return sql``
  const names = groups.map((_, nth) => named(`v${nth}`))
  return sql`GROUP BY ${sql.join(isFiltered ? [sql`is_match`, ...names] : names, comma)}`
}

export interface StepResult {
  groups: GroupFigures[]
  entries: number
  /** Where the stage goes on; null at its end. */
  place: StagePlace | null
}

/** What a step has found, merged by whoever has the figures of the steps before it. */
export function readStep(rows: readonly StepRow[], { stage, entriesMax }: StageStep, asked: Asked): StepResult {
  const entries = rows.reduce((sum, row) => sum + row.entries, 0)
  const groups = rows.filter(({ n }) => n > 0).map(row => groupOf(row, asked))
  if (stage.kind === 'lookup' || entries < entriesMax) return { groups, entries, place: null }
  return { groups, entries, place: lastPlace(rows, stage) }
}

function lastPlace(rows: readonly StepRow[], { kind }: Stage): StagePlace | null {
  let last: StagePlace | null = null
  for (const { place, rid } of rows) {
    if (rid === null) continue
    const isLast =
      last === null ||
      (kind === 'ordered' ? place !== null && last.value !== null && isAbove(place, last.value) : rid < last.rid)
    if (isLast) last = { rid, value: place }
  }
  return last
}
