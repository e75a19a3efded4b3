import { type SQL, sql } from 'drizzle-orm'
import { statement } from '../../../db/statement.ts'
import { guardLimit } from '../../../procedure/definition-guard.ts'
import type { Scope } from '../../../scope.ts'
import { process } from '../../table.ts'
import { findColumn, type QueryColumn, ROW_NUMBER } from '../plan/columns.ts'
import type { QueryPlan } from '../plan/plan.ts'
import type { QueryField } from '../read/condition.ts'
import { isCreation, isPrimaryKey } from '../read/condition.ts'
import { and, between, whereProcedure } from '../sql/scans.ts'
import { addGroup, createEmptyGroup, type Figures, listExtremeFields, toGroup } from './figures.ts'
import type { ParsedAggregate } from './parsed-aggregate.ts'
import type { StepRow } from './step.ts'

/** Reads least and greatest values at the ends of indexes. Returns null if other entries have to be read for them. */
export async function readExtremes(scope: Scope, plan: QueryPlan, parsed: ParsedAggregate): Promise<Figures | null> {
  const { procedure, parts, from, before } = plan
  const isWhole = parts.length === 0 && from === null && before === null
  const isExtreme = parsed.metrics.every(({ metric }) => metric === 'min' || metric === 'max')
  if (!isWhole || !isExtreme || parsed.counts || parsed.groups.length > 0) return null
  const columns = listExtremeFields(parsed).flatMap(field => getIndex(field, plan) ?? [])
  if (columns.length < listExtremeFields(parsed).length) return null
  const ends = columns.flatMap((column, nth) => [
    sql`(${selectEnd(plan, column, sql`ASC`)}) AS ${sql.identifier(`l${nth}`)}`,
    sql`(${selectEnd(plan, column, sql`DESC`)}) AS ${sql.identifier(`h${nth}`)}`,
  ])
  const found = statement<StepRow>(sql`SELECT ${sql.join(ends, sql`, `)} LIMIT ${guardLimit(procedure, sql`1`)}`)
  const [[row]] = await scope.db.read(found)
  const figures: Figures = new Map()
  addGroup(figures, row === undefined ? createEmptyGroup(parsed) : toGroup({ ...row, n: 0 }, parsed))
  return figures
}

type Ends = QueryColumn & { kind: 'number' | 'text' | null }

function getIndex(field: QueryField, { procedure }: QueryPlan): Ends | null {
  if (isCreation(field)) return { ...ROW_NUMBER, kind: null }
  const column = isPrimaryKey(field, procedure) ? null : findColumn(field, procedure)
  if (column === null || column.index === null) return null
  const kind =
    field.root === undefined && (field.valueKind === 'number' || field.valueKind === 'text') ? field.valueKind : null
  return { ...column, kind }
}

/** Selects the first entry of an index. Numbers stand before text there; a field of numbers, or of text, has only those. */
function selectEnd({ procedure }: QueryPlan, column: Ends, direction: SQL): SQL {
  const only = column.kind === null ? [] : [between(column, { numeric: column.kind === 'number' })]
  const set = column.always || column.kind !== null ? [] : [sql`${column.column} IS NOT NULL`]
  return sql`SELECT ${column.column} ${column.from} WHERE ${and([whereProcedure(procedure), ...only, ...set])} ORDER BY ${column.column} ${direction}, ${process.rid} ${direction} LIMIT 1`
}
