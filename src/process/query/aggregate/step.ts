import { type SQL, sql } from 'drizzle-orm'
import type { Statement } from '../../../db/statement.ts'
import { statement } from '../../../db/statement.ts'
import { guardLimit } from '../../../procedure/definition-guard.ts'
import type { Procedure } from '../../../procedure/model.ts'
import { process } from '../../table.ts'
import { guardPlan } from '../element/planned-limit.ts'
import { findColumn, ROW_NUMBER } from '../plan/columns.ts'
import type { QueryPlan } from '../plan/plan.ts'
import { isAbove } from '../plan/value-order.ts'
import { isCreation } from '../read/condition.ts'
import { FALSE } from '../sql/comparison.ts'
import { whereHasLarge } from '../sql/large-documents.ts'
import { and, RID, whereInRows, whereProcedure } from '../sql/scans.ts'
import { addLookups, estimateRowCost, type RowCost } from '../sql/where.ts'
import { buildGroupValue, type ReadValue, selectNumber, selectOrderedValue } from './expressions.ts'
import { GROUPS_MAX, type GroupFigures, listExtremeFields, listSummedFields, toGroup } from './figures.ts'
import type { ParsedAggregate } from './parsed-aggregate.ts'
import { type StagePlace, type StageStep, selectOrderedEntries, selectStageEntries } from './stage-entries.ts'
import type { Stage } from './stages.ts'

/** A group of matches, or the entries that do not match. */
export interface StepRow extends Record<string, string | number | null> {
  /** The number of processes that match. */
  n: number
  /** The number of entries that were read. */
  entries: number
  /** The last entry, in the order of the stage. */
  place: string | number | null
  rid: number | null
  /** 1 if there are large documents, so that fewer entries than `entriesMax` may have been read although there are more. */
  is_large: 0 | 1
}

/** One group more than is allowed, which shows that there are too many, and the entries that do not match. */
const ROWS_MAX = GROUPS_MAX + 2

/** Selects the figures of the next entries of a stage. */
export function selectStep(plan: QueryPlan, parsed: ParsedAggregate, step: StageStep, now: number): Statement<StepRow> {
  const { stage } = step
  const { procedure } = plan
  const isByPlace = isGroupedByPlace(plan, stage, parsed)
  const groups = isByPlace
    ? [PLACE]
    : parsed.groups.map((group, nth) => buildGroupValue(group, `g${nth}`, procedure, now))
  const reads = readColumns(groups, parsed, procedure)
  if (stage.kind === 'rest') return selectRest(plan, step)
  const { entries, limit, isFiltered } = selectStageEntries(plan, step, reads)
  const shape = { groups, limit, isFiltered, isByPlace }
  return statement<StepRow>(sql`SELECT ${sql.join(selectColumns(plan, step, parsed, shape), comma)}
FROM (${entries}) ${buildGroupBy(shape)}
LIMIT ${guardPlan(reduceToStage(plan, stage), sql`${ROWS_MAX}`)}`)
}

/** Reduces a plan to the index that the stage reads: only that one has to be complete. */
const reduceToStage = (plan: QueryPlan, stage: Stage): QueryPlan => ({
  ...plan,
  indexScans: stage.kind === 'newest' ? [stage.scan] : [],
  rangeScan: null,
})

interface Shape {
  groups: readonly ReadValue[]
  limit: SQL
  /** Whether a column `is_match` says which entries match. */
  isFiltered: boolean
  /** Whether each group is one value of the index that is read in its order. */
  isByPlace: boolean
}

/** The cost of the least and the greatest text of a group, of 1,000 characters each: 4,000 entries, and so groups, are a statement. */
const TEXT_EXTREMES = 2.5

/** Estimates the cost of reading an entry: the filter, and the values that are grouped and computed. */
export function estimateCost({ parts, procedure }: QueryPlan, parsed: ParsedAggregate): RowCost {
  const { groups, metrics } = parsed
  const read = [...groups, ...metrics].filter(
    ({ field }) => !isCreation(field) && findColumn(field, procedure) === null,
  )
  const cost = addLookups(estimateRowCost(parts, procedure), read.length)
  const extremes = groups.length === 0 ? [] : listExtremeFields(parsed)
  const texts = extremes.filter(field => field.root === undefined && field.valueKind !== 'number')
  return { ...cost, row: cost.row + TEXT_EXTREMES * texts.length }
}

/** The value by which an index in its order is grouped: SQLite needs not sort. */
const PLACE: ReadValue = { read: null, value: sql`place` }

export function isGroupedByPlace(
  plan: QueryPlan,
  stage: Stage,
  { groups: [only, ...others] }: Pick<ParsedAggregate, 'groups'>,
): boolean {
  if (stage.kind !== 'ordered' || only === undefined || others.length > 0 || only.calendar !== null) return false
  if (stage.remaining.length > 0 || whereInRows(plan).length > 0 || isCreation(only.field)) return false
  return findColumn(only.field, plan.procedure) === stage.column
}

const comma = sql`, `
const named = (name: string): SQL => sql`${sql.identifier(name)}`

/** Lists the values that are computed for each entry. */
function readColumns(groups: readonly ReadValue[], parsed: ParsedAggregate, procedure: Procedure): SQL[] {
  return [
    ...groups.flatMap(({ read }, nth) => (read === null ? [] : [sql`${read} AS ${named(`g${nth}`)}`])),
    ...listSummedFields(parsed).map((field, nth) => sql`${selectNumber(field, procedure)} AS ${named(`x${nth}`)}`),
    ...listExtremeFields(parsed).map(
      (field, nth) => sql`${selectOrderedValue(field, procedure)} AS ${named(`o${nth}`)}`,
    ),
  ]
}

const selectRest = ({ procedure }: QueryPlan, { after, entriesMax }: StageStep): Statement<StepRow> =>
  statement(sql`SELECT 0 AS n, count(*) AS entries, NULL AS place, min(rid) AS rid, 0 AS is_large
FROM (SELECT ${RID} ${ROW_NUMBER.from} WHERE ${and([whereProcedure(procedure), ...whereInRows({ from: null, before: after?.rid ?? null })])}
ORDER BY ${process.rid} DESC LIMIT ${entriesMax}) LIMIT ${guardLimit(procedure, sql`1`)}`)

const MATCHES = sql`FILTER (WHERE is_match)`

/** Selects the figures of each group of matches. If there are groups at all, entries that do not match are one more. */
function selectColumns(plan: QueryPlan, step: StageStep, parsed: ParsedAggregate, shape: Shape): SQL[] {
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
    ...listSummedFields(parsed).flatMap((_, nth) => {
      const number = named(`x${nth}`)
      return [
        sql`total(${number}) ${only} AS ${named(`t${nth}`)}`,
        sql`count(${number}) ${only} AS ${named(`c${nth}`)}`,
      ]
    }),
    ...listExtremeFields(parsed).flatMap((_, nth) => {
      const value = named(`o${nth}`)
      return [sql`min(${value}) ${only} AS ${named(`l${nth}`)}`, sql`max(${value}) ${only} AS ${named(`h${nth}`)}`]
    }),
    ...selectLastEntry(plan, step, shape),
    sql`${step.bytesMax === null ? FALSE : whereHasLarge(plan.procedure, plan)} AS is_large`,
  ]
}

/** Selects the last entry that a step has read. Read newest first, it has the least row number. */
function selectLastEntry(plan: QueryPlan, { stage, after }: StageStep, shape: Shape): SQL[] {
  if (stage.kind !== 'ordered') return [sql`NULL AS place`, sql`min(rid) AS rid`]
  const place = sql`max(place) AS place`
  if (shape.isByPlace) return [place, sql`max(rid) AS rid`]
  const entries = selectOrderedEntries(plan, stage, after, [RID, sql`${stage.column.column} AS place`])
  const last = sql`(SELECT rid FROM (${entries} LIMIT 1 OFFSET ${shape.limit} - 1))`
  // This reads all entries once more, so only if there may be others after them.
  return [
    place,
    shape.groups.length === 0 ? sql`CASE WHEN count(*) = ${shape.limit} THEN ${last} END AS rid` : sql`${last} AS rid`,
  ]
}

function buildGroupBy({ groups, isFiltered }: Shape): SQL {
  if (groups.length === 0) return sql``
  const names = groups.map((_, nth) => named(`v${nth}`))
  return sql`GROUP BY ${sql.join(isFiltered ? [sql`is_match`, ...names] : names, comma)}`
}

interface StepResult {
  groups: GroupFigures[]
  entries: number
  /** The place at which the stage goes on; null at its end. */
  place: StagePlace | null
}

/** Reads the result of a step, which the caller adds to the figures of the steps before it. */
export function readStep(
  rows: readonly StepRow[],
  { stage, entriesMax }: StageStep,
  parsed: ParsedAggregate,
): StepResult {
  const entries = rows.reduce((sum, row) => sum + row.entries, 0)
  const groups = rows.filter(({ n }) => n > 0).map(row => toGroup(row, parsed))
  const isLarge = rows.some(row => row.is_large === 1)
  const isEnd = entries < entriesMax && rows.length < ROWS_MAX && !isLarge
  if (entries === 0 || isEnd) return { groups, entries, place: null }
  return { groups, entries, place: findLastPlace(rows, stage) }
}

function findLastPlace(rows: readonly StepRow[], { kind }: Stage): StagePlace | null {
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
