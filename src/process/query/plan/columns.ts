import { type SQL, sql } from 'drizzle-orm'
import { getTableConfig, type SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { Procedure } from '../../../procedure/model.ts'
import { FIELDS, QUERIED_FIELDS } from '../../fields.ts'
import { process, processValue } from '../../table.ts'
import type { QueryField, Scalar } from '../read/condition.ts'
import { isCreation, isPrimaryKey } from '../read/condition.ts'

/** A column that holds exactly what a field does, absent values as NULL. */
export interface QueryColumn {
  column: SQL
  /** The index over the procedure and this column. */
  index: string | null
  /** Names the index: left to itself, SQLite picks by statistics that are not there. */
  source: SQL
  from: SQL
  /** Whether values are unique within a procedure. */
  unique: boolean
  /** Whether every process has a value there. */
  always: boolean
  /** Whether it can hold both numbers and text. */
  mixed: boolean
  /**
   * The elements of a list: the column is one of `process_value`, under this number, which `from` reads by the name of
   * `process`. It has row numbers and values, and nothing else of a process.
   */
  slot?: number
}

/** Not in the order of a column: it only tells where large documents are (`sql/large-documents.ts`). */
const INDEX_OF_LARGE = 'process_large'

/** The names of the indexes by the column of each, which stands beside the procedure's. */
const INDEX_NAMES = new Map(
  getTableConfig(process)
    .indexes.filter(({ config }) => config.name !== INDEX_OF_LARGE)
    .map(({ config }): [unknown, string] => [
      config.columns.find(column => column !== process.proc) ?? process.proc,
      config.name,
    ]),
)

function queryColumn(column: SQLiteColumn, traits: Partial<QueryColumn> = {}): QueryColumn {
  const index = traits.index ?? INDEX_NAMES.get(column) ?? null
  const how = index === null ? sql`NOT INDEXED` : sql`INDEXED BY ${sql.identifier(index)}`
  return {
    ...{ column: sql`${column}`, index, source: sql`${process} ${how}`, from: sql`FROM ${process} ${how}` },
    ...{ unique: false, always: column.notNull, mixed: false, ...traits },
  }
}

export const PRIMARY_KEY = queryColumn(process.primaryKey, { unique: true })

/** Every index ends with the row number; the one over the procedure alone is in its order. */
export const ROW_NUMBER = queryColumn(process.rid, {
  index: INDEX_NAMES.get(process.proc) ?? null,
  unique: true,
  always: true,
})

/** The row number without an index, to find processes by it. */
export const ROW_ID = queryColumn(process.rid, { unique: true })

/** Its index begins with the record, not with the procedure: `process_record` says why. */
const RECORD = queryColumn(process.record)

const ROOT_COLUMNS = Object.fromEntries(QUERIED_FIELDS.map(name => [name, queryColumn(FIELDS[name].column)])) as Record<
  (typeof QUERIED_FIELDS)[number],
  QueryColumn
>

const { s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, s12, s13, s14, s15, s16 } = process
const SLOT_COLUMNS = [s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, s12, s13, s14, s15, s16].map(column =>
  queryColumn(column, { mixed: true }),
)

/** An element may be out of date (`element/planned-limit.ts`), so it only finds candidates: the document decides. */
const LIST_COLUMNS = SLOT_COLUMNS.map((_, nth): QueryColumn => {
  const name = sql.identifier('process')
  const source = sql`${processValue} AS ${name}`
  return {
    ...{ column: sql`${name}.${sql.identifier('value')}`, index: `process_value ${nth + 1}`, slot: nth + 1 },
    ...{ source, from: sql`FROM ${source}`, unique: false, always: false, mixed: true },
  }
})

/** The column with the elements of a list, or null where only the document has them. */
export function findListColumn(field: QueryField, procedure: Procedure): QueryColumn | null {
  if (field.root !== undefined || field.valueKind !== 'list' || isPrimaryKey(field, procedure)) return null
  const slot = Object.hasOwn(procedure.slots, field.attribute) ? procedure.slots[field.attribute] : undefined
  if (!slot?.ready || slot.listPath === undefined) return null
  return LIST_COLUMNS[slot.column - 1] ?? null
}

/** Kinds of which every value is one number or one text, true and false being 1 and 0: what a slot can hold. */
const SLOT_KINDS = ['text', 'number', 'boolean', 'moment']

/**
 * The column of a field other than `createdAt`, or null where only the document has it. A slot is used once it is ready:
 * from then on it has no list in it, and numbers for true and false only where the attribute is declared boolean.
 */
export function findColumn(field: QueryField, procedure: Procedure): QueryColumn | null {
  if (field.root === 'record') return RECORD
  if (field.root !== undefined) return field.root === 'createdAt' ? null : ROOT_COLUMNS[field.root]
  if (isPrimaryKey(field, procedure) || !SLOT_KINDS.includes(field.valueKind)) return null
  const slot = Object.hasOwn(procedure.slots, field.attribute) ? procedure.slots[field.attribute] : undefined
  if (slot === undefined || !slot.ready) return null
  return SLOT_COLUMNS[slot.column - 1] ?? null
}

/** The column of a field's text: of a primary key, too, which is compared by its text. */
export const textColumn = (field: QueryField, procedure: Procedure): QueryColumn | null =>
  isPrimaryKey(field, procedure) ? PRIMARY_KEY : findColumn(field, procedure)

/** The column to sort a field by, if there is one. A numeric primary key is sorted as a number, which its column is not. */
export function findSortColumn(field: QueryField, procedure: Procedure): QueryColumn | null {
  if (isCreation(field)) return ROW_NUMBER
  if (field.root === undefined && isPrimaryKey(field, procedure))
    return field.valueKind === 'number' ? null : PRIMARY_KEY
  return findColumn(field, procedure)
}

export const columnValue = (value: Scalar): string | number => (typeof value === 'boolean' ? Number(value) : value)
