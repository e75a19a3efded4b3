import { type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { columnName, type Statement, statement } from '../db/statement.ts'
import { REMOVED_BYTES_MAX, withinBytes } from '../db/within-bytes.ts'
import type { WalkedTable } from './tables.ts'

/** Rows that one step passes: of all teams, where no index begins with the team. */
const ROWS_PER_STEP = 500
/** And so many bytes of the team's own rows, which are written out as text, the last one apart. */
const EXPORTED_BYTES_MAX = 1_000_000
/** SQLite nests operators, and D1 allows a depth of 100. */
const COLUMNS_PER_GROUP = 8

const joined = (parts: readonly SQL[], by: string): SQL => sql.join([...parts], sql.raw(by))
const list = (parts: readonly SQL[]): SQL => joined(parts, ', ')
const text = (value: string): SQL => sql.raw(`'${value}'`)

/** The key of a row as a JSON text: it holds whole numbers of 63 bits, too, which no number of JavaScript does. */
const position = ({ key }: WalkedTable): SQL => sql`json_array(${list(key.map(column => sql`${column}`))})`

const isAfter = ({ key }: WalkedTable, after: string | null): SQL =>
  after === null ? sql`1` : sql`(${list(key.map(each => sql`${each}`))}) > (${list(keyOf(key.length, after))})`

const isUpTo = ({ key }: WalkedTable, last: string | null): SQL =>
  last === null ? sql`1` : sql`(${list(key.map(each => sql`${each}`))}) <= (${list(keyOf(key.length, last))})`

const keyOf = (length: number, at: string): SQL[] =>
  Array.from({ length }, (_, nth) => sql`json_extract(${at}, ${text(`$[${nth}]`)})`)

/** The rows that a walk over those of a team passes. */
const rowsOf = ({ table, byTeam }: WalkedTable): SQL =>
  byTeam?.index === undefined ? sql`${table}` : sql`${table} INDEXED BY ${sql.raw(byTeam.index)}`
const within = ({ byTeam }: WalkedTable, team: number): SQL => byTeam?.within(team) ?? sql`1`

const inOrder = ({ key }: WalkedTable): SQL => list(key.map(column => sql`${column}`))

/** Hashes are stored as bytes, in columns of text: they travel as `{"hex": …}`. */
function quoted(column: SQLiteColumn): SQL {
  if (column.getSQLType() === 'integer') return sql`json_quote(${column})`
  if (column.getSQLType() === 'blob') return quotedNumberOrText(column)
  return sql`iif(typeof(${column}) = 'blob', '{"hex":"' || hex(${column}) || '"}', json_quote(${column}))`
}

/** In an index column. `json_quote` writes 15 digits of a number: where it would come back as another, it gets 17. */
const quotedNumberOrText = (column: SQLiteColumn): SQL =>
  sql`iif(typeof(${column}) = 'real' AND CAST(json_quote(${column}) AS REAL) <> ${column},
    printf('%!.17g', ${column}), json_quote(${column}))`

/** A row as it is exported: SQLite writes the line, so that no number and no text is changed on its way. */
function line({ name, columns }: WalkedTable): SQL {
  const members = columns.map(({ name: member, column, isDocument }, nth) => {
    const value = isDocument ? sql`coalesce(json(${column}), 'null')` : quoted(column)
    return sql`${text(`${nth === 0 ? '' : ','}"${member}":`)} || ${value}`
  })
  const groups: SQL[] = []
  for (let at = 0; at < members.length; at += COLUMNS_PER_GROUP)
    groups.push(sql`(${joined(members.slice(at, at + COLUMNS_PER_GROUP), ' || ')})`)
  return sql`${text(`{"table":"${name}","row":{`)} || ${joined(groups, ' || ')} || '}}'`
}

/** Bytes of what can be long. */
const size = ({ columns }: WalkedTable): SQL =>
  joined(
    columns
      .filter(({ column }) => column.getSQLType() !== 'integer')
      .map(({ column }) => sql`coalesce(octet_length(${column}), 0)`)
      .concat([sql`0`]),
    ' + ',
  )

export interface ExportedRow {
  position: string
  /** Null where the row is another team's. */
  line: string | null
}

const keyNames = ({ key }: WalkedTable): SQL[] => key.map((_, nth) => sql`${sql.identifier(`key${nth}`)}`)

/** The key of the last row that a step after a position passes, by rows and by bytes; no row: the table is at its end. */
function lastKey(table: WalkedTable, team: number, after: string | null, bytesMax: number): SQL {
  const names = keyNames(table)
  const named = table.key.map((column, nth) => sql`${column} AS ${names[nth]}`)
  const key = list(names)
  const passed = sql`SELECT ${list(named)}, iif(${table.team} = ${team}, ${size(table)}, 0) AS bytes FROM ${rowsOf(table)}
    WHERE ${within(table, team)} AND ${isAfter(table, after)} ORDER BY ${inOrder(table)} LIMIT ${ROWS_PER_STEP}`
  return sql`SELECT ${key} FROM (${withinBytes({ key, bytesMax }, passed)})
    ORDER BY ${list(names.map(name => sql`${name} DESC`))} LIMIT 1`
}

/** The next rows after a position, those of other teams without their contents. No row: the table is at its end. */
export function selectRows(table: WalkedTable, team: number, after: string | null): Statement<ExportedRow> {
  const upTo = sql`(${inOrder(table)}) <= (${lastKey(table, team, after, EXPORTED_BYTES_MAX)})`
  return statement(
    sql`SELECT ${position(table)} AS position, iif(${table.team} = ${team}, ${line(table)}, NULL) AS line
      FROM ${rowsOf(table)} WHERE ${within(table, team)} AND ${isAfter(table, after)} AND ${upTo} ORDER BY ${inOrder(table)}`,
  )
}

/** Where a step ends that removes rows; no row: it goes to the end of the table. */
export const selectStepEnd = (
  table: WalkedTable,
  team: number,
  after: string | null,
): Statement<{ position: string }> =>
  statement(
    sql`SELECT json_array(${list(keyNames(table))}) AS position
      FROM (${lastKey(table, team, after, REMOVED_BYTES_MAX)}) AS last
      WHERE EXISTS (SELECT 1 FROM ${rowsOf(table)} WHERE ${within(table, team)} AND (${inOrder(table)}) > (${list(keyNames(table))}))`,
  )

/** The rows of a team after a position, up to another one. */
export const rowsBetween = (table: WalkedTable, team: number, after: string | null, last: string | null): SQL =>
  sql`${table.team} = ${team} AND ${within(table, team)} AND ${isAfter(table, after)}
      AND ${isUpTo(table, last)}`

export const deleteRows = (table: WalkedTable, team: number, after: string | null, last: string | null): Statement =>
  statement(sql`DELETE FROM ${rowsOf(table)} WHERE ${rowsBetween(table, team, after, last)}`)

/** Rows from a JSON list of lines. A row that is there already stays as it is. */
export function insertRows({ table, columns }: WalkedTable, lines: string): Statement {
  const names = columns.map(({ column }) => sql`${columnName(column)}`)
  const values = columns.map(({ name, column, isDocument }) => {
    const at = text(`$.row.${name}`)
    if (!isDocument && column.getSQLType() === 'integer') return sql`value ->> ${at}`
    if (!isDocument)
      return sql`iif(json_type(value, ${at}) = 'object', unhex(value ->> ${text(`$.row.${name}.hex`)}), value ->> ${at})`
    return column.notNull ? sql`jsonb(value -> ${at})` : sql`jsonb(nullif(value -> ${at}, 'null'))`
  })
  return statement(
    sql`INSERT INTO ${table} (${list(names)}) SELECT ${list(values)} FROM json_each(${lines}) WHERE true ON CONFLICT DO NOTHING`,
  )
}

/** Which of these lines have no row that is the same. */
export function selectMissing(table: WalkedTable, lines: string): Statement<{ line: string }> {
  const isKey = table.key.map(column => {
    const name = table.columns.find(each => each.column === column)?.name ?? ''
    return sql`${column} = CAST(sent.value ->> ${text(`$.row.${name}`)} AS ${sql.raw(column.getSQLType())})`
  })
  return statement(
    sql`SELECT sent.value AS line FROM json_each(${lines}) AS sent LEFT JOIN ${table.table} ON ${joined(isKey, ' AND ')}
      WHERE ${line(table)} IS NOT sent.value LIMIT 1`,
  )
}
