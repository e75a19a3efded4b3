import { type SQL, sql } from 'drizzle-orm'
import { getTableConfig, type SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { Procedure } from '../../../procedure/model.ts'
import { FIELDS, QUERIED_FIELDS } from '../../fields.ts'
import { process, processValue } from '../../table.ts'
import type { QueryField, Scalar } from '../read/condition.ts'
import { isCreation, isPrimaryKey } from '../read/condition.ts'

/** A column that has exactly the values of a field, and NULL for those that are absent. */
export interface QueryColumn {
  column: SQL
  /** The index over the procedure and this column. */
  index: string | null
  /** The table with the name of the index: left to itself, SQLite chooses by statistics that do not exist. */
  source: SQL
  from: SQL
  /** Whether values are unique within a procedure. */
  unique: boolean
  /** Whether every process has a value there. */
  always: boolean
  /** Whether it can hold both numbers and text. */
  mixed: boolean
  /**
   * The slot number of a list. Then the column is that of elements in `process_value`, which `from` reads under the name of
   * `process`. It has row numbers and values, and nothing else of a process.
   */
  slot?: number
}

/** The index that only tells where large documents are (`sql/large-documents.ts`). It has no column in whose order it is. */
const INDEX_OF_LARGE = 'process_large'

/** The names of the indexes, by the column that each has beside the procedure's. */
const INDEX_NAMES = new Map(
  getTableConfig(process)
    .indexes.filter(({ config }) => config.name !== INDEX_OF_LARGE)
    .map(({ config }): [unknown, string] => [
      config.columns.find(column => column !== process.proc) ?? process.proc,
      config.name,
    ]),
)

function createQueryColumn(column: SQLiteColumn, traits: Partial<QueryColumn> = {}): QueryColumn {
  const index = traits.index ?? INDEX_NAMES.get(column) ?? null
  const how = index === null ? sql`NOT INDEXED` : sql`INDEXED BY ${sql.identifier(index)}`
  return {
    column: sql`${column}`,
    index,
    source: sql`${process} ${how}`,
    from: sql`FROM ${process} ${how}`,
    unique: false,
    always: column.notNull,
    mixed: false,
    ...traits,
  }
}

export const PRIMARY_KEY = createQueryColumn(process.primaryKey, { unique: true })

/** The row number in the index over the procedure alone: every index ends with it, and this one is in its order. */
export const ROW_NUMBER = createQueryColumn(process.rid, {
  index: INDEX_NAMES.get(process.proc) ?? null,
  unique: true,
  always: true,
})

/** The row number without an index, by which processes are found. */
export const ROW_ID = createQueryColumn(process.rid, { unique: true })

/** The record. Its index begins with it and not with the procedure; `process_record` says why. */
const RECORD = createQueryColumn(process.record)

const ROOT_COLUMNS = Object.fromEntries(
  QUERIED_FIELDS.map(name => [name, createQueryColumn(FIELDS[name].column)]),
) as Record<(typeof QUERIED_FIELDS)[number], QueryColumn>

const { s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, s12, s13, s14, s15, s16 } = process
const SLOT_COLUMNS = [s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, s12, s13, s14, s15, s16].map(column =>
  createQueryColumn(column, { mixed: true }),
)

/** The elements of lists. One may be out of date (`element/planned-limit.ts`), so it only finds candidates: the document decides. */
const LIST_COLUMNS = SLOT_COLUMNS.map((_, nth): QueryColumn => {
  const name = sql.identifier('process')
  const source = sql`${processValue} AS ${name}`
  return {
    column: sql`${name}.${sql.identifier('value')}`,
    index: `process_value ${nth + 1}`,
    slot: nth + 1,
    source,
    from: sql`FROM ${source}`,
    unique: false,
    always: false,
    mixed: true,
  }
})

/** Returns the column with the elements of a list, or null if only the document has them. */
export function findListColumn(field: QueryField, procedure: Procedure): QueryColumn | null {
  if (field.root !== undefined || field.valueKind !== 'list' || isPrimaryKey(field, procedure)) return null
  const slot = Object.hasOwn(procedure.slots, field.attribute) ? procedure.slots[field.attribute] : undefined
  if (!slot?.ready || slot.listPath === undefined) return null
  return LIST_COLUMNS[slot.column - 1] ?? null
}

/** The kinds that a slot can hold: every value is one number or one text, with 1 and 0 for true and false. */
const SLOT_KINDS = ['text', 'number', 'boolean', 'moment']

/**
 * Returns the column of a field other than `createdAt`, or null if only the document has it. A slot is used once it is
 * ready: from then on it has no list, and numbers for true and false only if the attribute is declared boolean.
 */
export function findColumn(field: QueryField, procedure: Procedure): QueryColumn | null {
  if (field.root === 'record') return RECORD
  if (field.root !== undefined) return field.root === 'createdAt' ? null : ROOT_COLUMNS[field.root]
  if (isPrimaryKey(field, procedure) || !SLOT_KINDS.includes(field.valueKind)) return null
  const slot = Object.hasOwn(procedure.slots, field.attribute) ? procedure.slots[field.attribute] : undefined
  if (slot === undefined || !slot.ready) return null
  return SLOT_COLUMNS[slot.column - 1] ?? null
}

/** Returns the column of a field's text. A primary key is compared by its text, too. */
export const findTextColumn = (field: QueryField, procedure: Procedure): QueryColumn | null =>
  isPrimaryKey(field, procedure) ? PRIMARY_KEY : findColumn(field, procedure)

/** Returns the column by which a field is sorted, if there is one. A numeric primary key is sorted as a number, and its column is text. */
export function findSortColumn(field: QueryField, procedure: Procedure): QueryColumn | null {
  if (isCreation(field)) return ROW_NUMBER
  if (field.root === undefined && isPrimaryKey(field, procedure))
    return field.valueKind === 'number' ? null : PRIMARY_KEY
  return findColumn(field, procedure)
}

export const toColumnValue = (value: Scalar): string | number => (typeof value === 'boolean' ? Number(value) : value)
