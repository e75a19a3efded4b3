import { type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { wherePointer } from '../background-job/object/pointer.ts'
import { backgroundJob } from '../background-job/table.ts'
import { columnName, type Statement, statement } from '../db/statement.ts'
import { selectFirstNumber, selectLastNumber } from '../db/team-numbers.ts'
import { REMOVED_BYTES_MAX, selectWithinBytes } from '../db/within-bytes.ts'
import { whereMoved } from '../event/object/statements.ts'
import { event } from '../event/table.ts'
import { team as teamTable } from './table.ts'
import type { WalkedTable } from './tables.ts'

/** Rows of the team that one step passes. */
const ROWS_PER_STEP = 500
/** The most bytes of the team's rows in one part of the export, as text. Its last row may go beyond that. */
const EXPORTED_BYTES_MAX = 1_000_000
/** SQLite nests operators, and D1 allows a depth of 100. */
const COLUMNS_PER_GROUP = 8

const joined = (parts: readonly SQL[], by: string): SQL => sql.join([...parts], sql.raw(by))
const list = (parts: readonly SQL[]): SQL => joined(parts, ', ')
const text = (value: string): SQL => sql.raw(`'${value}'`)

/** The key of a row as a JSON text: it holds whole numbers of 63 bits, too, which no number of JavaScript does. */
const position = ({ key }: WalkedTable, values: readonly SQL[]): SQL =>
  sql`'[' || ${joined(
    key.map((column, nth) => quoted(column, values[nth])),
    " || ',' || ",
  )} || ']'`

/** Selects the rows of a team. In a range of numbers others are met only behind a position that we have not given. */
const whereOfTeam = ({ team: column, numbers }: WalkedTable, team: number): SQL =>
  numbers
    ? sql`${numbers} BETWEEN ${selectFirstNumber(team)} AND ${selectLastNumber(team)} AND +${column} = ${team}`
    : sql`${column} = ${team}`

/** Does the same behind a position: SQLite seeks by one condition of each side. */
const whereOfTeamAfter = (table: WalkedTable, team: number, isBehind: SQL): SQL =>
  table.numbers
    ? sql`${isBehind} AND ${table.numbers} <= ${selectLastNumber(team)} AND +${table.team} = ${team}`
    : sql`${table.team} = ${team} AND ${isBehind}`

/**
 * Where the next rows are, after a position: one range of the index. An index has the row number behind its columns, and
 * SQLite compares lists of values only with its columns: then there are two, of the same columns and of those that follow.
 */
function rangesAfter(table: WalkedTable, team: number, after: string | null): SQL[] {
  if (after === null) return [whereOfTeam(table, team)]
  const { key } = table
  const values = selectKey(key, after)
  const is = (sign: string, from: number, to: number): SQL =>
    sql`(${list(key.slice(from, to).map(column => sql`${column}`))}) ${sql.raw(sign)} (${list(values.slice(from, to))})`
  const number = key.length - 1
  if (number === 0 || key[number] !== table.rowNumber) return [whereOfTeamAfter(table, team, is('>', 0, key.length))]
  const isSame = joined(
    key.slice(0, number).map((column, nth) => sql`${column} = ${values[nth]}`),
    ' AND ',
  )
  return [
    sql`${isSame} AND ${is('>', number, number + 1)} AND ${table.numbers ? sql`+` : sql``}${table.team} = ${team}`,
    whereOfTeamAfter(table, team, is('>', 0, number)),
  ]
}

const selectKey = (key: readonly SQLiteColumn[], at: string): SQL[] =>
  key.map((column, nth) => unquoted(column, sql`${at}`, `$[${nth}]`))

/** By which index a walk over the rows of a team goes. */
const selectTableRows = ({ table, index }: WalkedTable): SQL =>
  index === undefined ? sql`${table}` : sql`${table} INDEXED BY ${sql.raw(index)}`

/** Hashes are stored as bytes, in columns of text: they travel as `{"hex": …}`. */
function quoted(column: SQLiteColumn, value = sql`${column}`): SQL {
  if (column.getSQLType() === 'integer') return sql`json_quote(${value})`
  if (column.getSQLType() === 'blob') return quotedNumberOrText(value)
  return sql`iif(typeof(${value}) = 'blob', '{"hex":"' || hex(${value}) || '"}', json_quote(${value}))`
}

/** The inverse, for a place of a JSON text. */
const unquoted = (column: SQLiteColumn, json: SQL, at: string): SQL =>
  column.getSQLType() === 'integer'
    ? sql`${json} ->> ${text(at)}`
    : sql`iif(json_type(${json}, ${text(at)}) = 'object', unhex(${json} ->> ${text(`${at}.hex`)}), ${json} ->> ${text(at)})`

/** In an index column. `json_quote` writes 15 digits of a number: where it would come back as another, it gets 17. */
const quotedNumberOrText = (value: SQL): SQL =>
  sql`iif(typeof(${value}) = 'real' AND CAST(json_quote(${value}) AS REAL) <> ${value},
    printf('%!.17g', ${value}), json_quote(${value}))`

/** A row as it is exported: SQLite writes the line, so that no number and no text is changed on its way. */
function line({ name, columns }: WalkedTable, isTaken: (column: SQLiteColumn) => SQL | boolean = () => false): SQL {
  const members = columns.map(({ name: member, column, isDocument }, nth) => {
    const stored = isDocument ? sql`coalesce(json(${column}), 'null')` : quoted(column)
    const sent = sql`(sent.value -> ${text(`$.row.${member}`)})`
    const taken = isTaken(column)
    const value = taken === true ? sent : taken === false ? stored : sql`iif(${taken}, ${sent}, ${stored})`
    return sql`${text(`${nth === 0 ? '' : ','}"${member}":`)} || ${value}`
  })
  const groups: SQL[] = []
  for (let at = 0; at < members.length; at += COLUMNS_PER_GROUP)
    groups.push(sql`(${joined(members.slice(at, at + COLUMNS_PER_GROUP), ' || ')})`)
  return sql`${text(`{"table":"${name}","row":{`)} || ${joined(groups, ' || ')} || '}}'`
}

/** A row as the line that was sent has it, where only what moves differs. */
const settledLine = (table: WalkedTable): SQL =>
  line(table, column => (column === table.movedText ? wherePointer(column.getSQL()) : table.moving.includes(column)))

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
  line: string
}

const named = (name: string, columns: readonly SQLiteColumn[]): SQL[] =>
  columns.map((_, nth) => sql`${sql.identifier(`${name}${nth}`)}`)
const as = (columns: readonly SQLiteColumn[], names: readonly SQL[]): SQL[] =>
  columns.map((column, nth) => sql`${column} AS ${names[nth]}`)

/** The keys of the next rows after a position, as many as a step passes, by rows and by bytes. */
function nextKeys(table: WalkedTable, team: number, after: string | null, bytesMax: number): SQL {
  const { key, primaryKey } = table
  const [keys, primary] = [named('key', key), named('id', primaryKey)]
  const listed = list([...as(key, keys), ...as(primaryKey, primary), sql`${size(table)} AS bytes`])
  const ranges = rangesAfter(table, team, after).map(
    range => sql`SELECT * FROM (SELECT ${listed} FROM ${selectTableRows(table)} WHERE ${range}
      ORDER BY ${list(key.map(column => sql`${column}`))} LIMIT ${ROWS_PER_STEP})`,
  )
  const rows = sql`SELECT * FROM (${joined(ranges, ' UNION ALL ')}) ORDER BY ${list(keys)} LIMIT ${ROWS_PER_STEP}`
  return selectWithinBytes({ key: list([...keys, ...primary]), order: list(keys), bytesMax }, rows)
}

/** The next rows after a position. No row: the table is at its end. */
export function selectRows(table: WalkedTable, team: number, after: string | null): Statement<ExportedRow> {
  const { key, primaryKey } = table
  const [keys, primary] = [named('key', key), named('id', primaryKey)]
  const isOne = primaryKey.map((column, nth) => sql`${column} = ${primary[nth]}`)
  return statement(
    sql`SELECT ${position(table, keys)} AS position, ${line(table)} AS line
      FROM (${nextKeys(table, team, after, EXPORTED_BYTES_MAX)}) CROSS JOIN ${table.table} ON ${joined(isOne, ' AND ')}
      ORDER BY ${list(keys)}`,
  )
}

/** The first rows of a team, as many as one step removes, by their primary keys. */
export const firstRows = (table: WalkedTable, team: number): SQL =>
  sql`SELECT ${list(named('id', table.primaryKey))} FROM (${nextKeys(table, team, null, REMOVED_BYTES_MAX)})`

export const deleteFirstRows = (table: WalkedTable, team: number): Statement =>
  statement(sql`DELETE FROM ${table.table} WHERE (${list(table.primaryKey.map(column => sql`${column}`))}) IN (
    ${firstRows(table, team)})`)

/** A value of a line that was sent, as its column holds it. */
function sentValue({ name, column, isDocument }: WalkedTable['columns'][number]): SQL {
  const at = text(`$.row.${name}`)
  if (!isDocument) return unquoted(column, sql`sent.value`, `$.row.${name}`)
  return column.notNull ? sql`jsonb(sent.value -> ${at})` : sql`jsonb(nullif(sent.value -> ${at}, 'null'))`
}

const sentValues = ({ columns }: WalkedTable, some: readonly SQLiteColumn[]): SQL[] =>
  columns.filter(({ column }) => some.includes(column)).map(each => sql`${each.column} = ${sentValue(each)}`)

/** Rows from a JSON list of lines. A row that is there already stays as it is. */
export function insertRows(table: WalkedTable, lines: string): Statement {
  const names = table.columns.map(({ column }) => sql`${columnName(column)}`)
  return statement(
    sql`INSERT INTO ${table.table} (${list(names)}) SELECT ${list(table.columns.map(sentValue))} FROM json_each(${lines}) AS sent
      WHERE ${whereKept(table)} ON CONFLICT DO NOTHING`,
  )
}

/** What was moved to an object since it was imported is not put back: entries of a job, and events. */
function whereKept({ table, movedText }: WalkedTable): SQL {
  if (table === event)
    return sql`NOT ${whereMoved(sql`(sent.value ->> '$.row.team')`, sql`(sent.value ->> '$.row.sequence')`)}`
  if (!movedText) return sql`1`
  return sql`NOT EXISTS (SELECT 1 FROM ${backgroundJob} WHERE ${backgroundJob.no} = sent.value ->> '$.row.job'
    AND ${backgroundJob.archivedAt} IS NOT NULL)`
}

/** One of these lines that has no row that is the same, but for what an installation changes by itself. */
export function selectMissing(table: WalkedTable, lines: string): Statement<{ line: string }> {
  return statement(
    sql`SELECT sent.value AS line FROM json_each(${lines}) AS sent
      LEFT JOIN ${table.table} ON ${joined(sentValues(table, table.primaryKey), ' AND ')}
      WHERE ${settledLine(table)} IS NOT sent.value AND ${whereKept(table)} LIMIT 1`,
  )
}

/** Selects one of these lines whose row exists already with other values. */
export function selectChanged(table: WalkedTable, lines: string): Statement<{ line: string }> {
  return statement(
    sql`SELECT sent.value AS line FROM json_each(${lines}) AS sent
      CROSS JOIN ${table.table} ON ${joined(sentValues(table, table.primaryKey), ' AND ')}
      WHERE ${settledLine(table)} <> sent.value LIMIT 1`,
  )
}

const whereOfOther = ({ table, team: column }: WalkedTable, team: number): SQL =>
  table === teamTable
    ? sql`(+${teamTable.no} <> ${team} OR +${teamTable.id} <> sent.value ->> '$.row.id')`
    : sql`+${column} <> ${team}`

/** One of these lines that has something in common with a row of another team that no two rows may have. */
export function selectTaken(table: WalkedTable, team: number, lines: string): readonly Statement<{ line: string }>[] {
  return table.uniques.map(unique =>
    statement(
      sql`SELECT sent.value AS line FROM json_each(${lines}) AS sent
        CROSS JOIN ${table.table} ON ${joined(sentValues(table, unique), ' AND ')}
        WHERE ${whereOfOther(table, team)} LIMIT 1`,
    ),
  )
}
