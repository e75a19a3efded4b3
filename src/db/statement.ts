import { Column, getTableColumns, is, type Placeholder, type SQL, type SQLWrapper, sql, type Table } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { casing, compile } from './compile.ts'

/** A value that D1 can bind. A number is bound as REAL: if that matters, send it inside a JSON parameter. */
export type Bindable = string | number | null

/** The text of a statement, and its parameters in the order of their numbers. */
export interface CompiledStatement<Parameter = Bindable> {
  text: string
  params: readonly Parameter[]
}

/** A statement, and the type of the rows that it returns. */
export interface Statement<Row = unknown> {
  compile: () => CompiledStatement
  /** Decodes the columns of a row that hold JSON or booleans. */
  decode?: (row: Record<string, unknown>) => void
  /** Never set. It only carries the type. */
  row?: Row
}

type RowsOf<S> = S extends Statement<infer Row> ? Row[] : never

/** The rows of each of some statements. */
export type Rows<Statements extends readonly Statement[]> = { -readonly [I in keyof Statements]: RowsOf<Statements[I]> }

/** Makes a statement from drizzle's `sql`, or from one of its builders. Its text is made when it is run. */
export const statement = <Row = never>(query: SQLWrapper): Statement<Row> => {
  let compiled: CompiledStatement | undefined
  return {
    compile: () => {
      compiled ??= compile(query) as CompiledStatement
      return compiled
    },
  }
}

/** The texts in a cache, which is emptied beyond this. A text takes some 3 KB. */
const CACHED_SHAPES_MAX = 500

/** The placeholders of a statement whose text is made once. */
export type Placeholders<Values> = { [Name in keyof Values]: SQL }

/** Prepares a statement whose text is made once. Each use fills in the values that it names. */
export function prepared<Values extends Record<string, Bindable>, Row>(
  names: readonly (keyof Values & string)[],
  make: (values: Placeholders<Values>) => Statement<Row>,
): (values: Values) => Statement<Row> {
  let made: (CompiledStatement<Bindable | Placeholder> & Pick<Statement, 'decode'>) | undefined
  const makeOnce = () => {
    const placeholders = Object.fromEntries(names.map(name => [name, sql`${sql.placeholder(name)}`]))
    const { compile, decode } = make(placeholders as Placeholders<Values>)
    return { ...compile(), ...(decode ? { decode } : {}) }
  }
  return values => {
    made ??= makeOnce()
    const { text, params, decode } = made
    const fill = (param: Bindable | Placeholder): Bindable =>
      typeof param === 'object' && param !== null ? (values[param.name] ?? null) : param
    return { compile: () => ({ text, params: params.map(fill) }), ...(decode ? { decode } : {}) }
  }
}

/** The columns of SELECT or RETURNING, by their names in the row. */
export type Fields = Record<string, SQLiteColumn | SQL>

export type RowOf<Listed extends Fields> = {
  [Name in keyof Listed]: Listed[Name] extends SQLiteColumn
    ? Listed[Name]['_']['notNull'] extends true
      ? Listed[Name]['_']['data']
      : Listed[Name]['_']['data'] | null
    : Listed[Name] extends SQL<infer Value>
      ? Value
      : never
}

const named = (listed: Fields): SQL[] =>
  Object.entries(listed).map(([name, value]) => sql`${value} AS ${sql.identifier(name)}`)

/** Writes `"a"."b" AS "name", …` */
export const fields = (listed: Fields): SQL => sql.join(named(listed), sql`, `)

/** Tells whether a column is encoded: SQLite has neither JSON nor booleans, but text or blobs, and numbers. */
const isEncoded = (value: unknown): value is Column =>
  is(value, Column) && (value.dataType === 'json' || value.dataType === 'boolean')

function createDecoder(listed: Fields): Pick<Statement, 'decode'> {
  const columns = Object.entries(listed).flatMap(([name, value]) => (isEncoded(value) ? [{ name, value }] : []))
  if (columns.length === 0) return {}
  return {
    decode: row => {
      for (const { name, value } of columns) if (row[name] !== null) row[name] = value.mapFromDriverValue(row[name])
    },
  }
}

/** Makes `SELECT <fields> <rest>`, whose rows have the types of the fields. `rest` begins with FROM. */
export const select = <Listed extends Fields>(listed: Listed, rest: SQL): Statement<RowOf<Listed>> => ({
  ...statement<RowOf<Listed>>(sql`SELECT ${fields(listed)} ${rest}`),
  ...createDecoder(listed),
})

/** Makes `SELECT <all columns> <rest>`, with whole rows of the table. `rest` begins with FROM. */
export const selectRow = <T extends Table>(table: T, rest: SQL): Statement<T['$inferSelect']> =>
  select(getTableColumns(table) as Fields, rest) as Statement<T['$inferSelect']>

/** Makes `<change> RETURNING <fields>`, whose rows have the types of the fields. */
export const returning = <Listed extends Fields>(change: SQL, listed: Listed): Statement<RowOf<Listed>> => ({
  ...statement<RowOf<Listed>>(sql`${change} RETURNING ${fields(listed)}`),
  ...createDecoder(listed),
})

/** Selects one JSON text with these members. The caller wraps columns that hold JSON in `json(…)`. */
export const jsonObject = (members: Fields): SQL<string> =>
  sql`json_object(${sql.join(
    Object.entries(members).map(([name, value]) => sql`${sql.raw(`'${name}'`)}, ${value}`),
    sql`, `,
  )})`

type Values<T extends Table> = { [Name in keyof T['$inferInsert']]?: SQL | Bindable }

const listColumns = <T extends Table>(table: T, values: Values<T>): { name: SQL; value: SQL }[] =>
  Object.entries(values).map(([key, value]) => {
    const column: unknown = Reflect.get(table, key)
    if (!is(column, Column)) throw new Error(`there is no column ${key}`)
    return { name: sql`${columnName(column)}`, value: sql`${value}` }
  })

/** Returns a column without its table, for the left of SET and the list of an INSERT. */
export const columnName = (column: Column) => sql.identifier(casing.getColumnCasing(column))

/** Caches what was built for each shape of a statement: building its text takes longer than filling it in. */
export function cacheByShape<Built>(): (shape: string, build: () => Built) => Built {
  const builtByShape = new Map<string, Built>()
  return (shape, build) => {
    const known = builtByShape.get(shape)
    if (known !== undefined) return known
    if (builtByShape.size >= CACHED_SHAPES_MAX) builtByShape.clear()
    const built = build()
    builtByShape.set(shape, built)
    return built
  }
}

/** Writes the text after SET: `"a" = …, "b" = …` */
export const assignments = <T extends Table>(table: T, values: Values<T>): SQL =>
  sql.join(
    listColumns(table, values).map(({ name, value }) => sql`${name} = ${value}`),
    sql`, `,
  )

/** Writes the text after SET for values of one row of a subquery: `("a", …) = (SELECT … <from>)` */
export function assignmentsFrom<T extends Table>(table: T, values: Values<T>, from: SQL): SQL {
  const columns = listColumns(table, values)
  const names = columns.map(({ name }) => name)
  const selected = columns.map(({ value }) => value)
  return sql`(${sql.join(names, sql`, `)}) = (SELECT ${sql.join(selected, sql`, `)} ${from})`
}

/** Writes `INSERT INTO <table> (…) SELECT … <from>`: one row, or one for each row of `from`. */
export const insertInto = <T extends Table>(table: T, values: Values<T>, from: SQL = sql``): SQL =>
  sql`INSERT INTO ${buildInsert(table, values, from)}`

/** Writes an INSERT that replaces the row with the same primary key. */
export const replaceInto = <T extends Table>(table: T, values: Values<T>, from: SQL = sql``): SQL =>
  sql`INSERT OR REPLACE INTO ${buildInsert(table, values, from)}`

function buildInsert<T extends Table>(table: T, values: Values<T>, from: SQL): SQL {
  const columns = listColumns(table, values)
  const names = sql.join(
    columns.map(({ name }) => name),
    sql`, `,
  )
  const selected = sql.join(
    columns.map(({ value }) => value),
    sql`, `,
  )
  return sql`${table} (${names}) SELECT ${selected} ${from}`
}
