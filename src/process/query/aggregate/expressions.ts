import { type SQL, sql } from 'drizzle-orm'
import { jsonPath } from '../../../db/document/json.ts'
import { RID_TAIL, readCreatedAt } from '../../../ids.ts'
import { INDEXED_TEXT_LENGTH_MAX, type Procedure } from '../../../procedure/model.ts'
import { DAY_MS } from '../../../time-units.ts'
import { process } from '../../table.ts'
import { findColumn } from '../plan/columns.ts'
import type { QueryField } from '../read/condition.ts'
import { isCreation } from '../read/condition.ts'
import { DAYS_AFTER_MONDAY, listZoneOffsets, type ZoneOffset } from './calendar.ts'
import type { GroupField } from './parsed-aggregate.ts'

/**
 * A value by which entries are grouped, or that is summed. `read` is computed where an entry is read; `value` is made from
 * that column, or from the row number `rid`, where entries are grouped.
 */
export interface ReadValue {
  read: SQL | null
  value: SQL
}

/** Longer texts are grouped by their beginning, and so are the least and the greatest: a value may have a megabyte. No index has a longer one. */
const TEXT_CHARACTERS_MAX = INDEXED_TEXT_LENGTH_MAX

const number = (value: number): SQL => sql.raw(String(value))
const extractValue = (path: string): SQL => sql`${process.data}->>${path}`
const selectType = (path: string): SQL => sql`json_type(${process.data}, ${path})`
const named = (name: string): SQL => sql`${sql.identifier(name)}`

/** Returns the value by which entries are grouped. */
export function buildGroupValue(group: GroupField, name: string, procedure: Procedure, now: number): ReadValue {
  if (group.calendar !== null) return buildDateValue(group, name, procedure, now)
  const column = findColumn(group.field, procedure)
  if (column !== null) return { read: column.column, value: named(name) }
  const path = jsonPath(group.name)
  const text = sql`WHEN 'text' THEN json_quote(substr(${extractValue(path)}, 1, ${TEXT_CHARACTERS_MAX}))`
  const scalars = sql.join(
    ['integer', 'real', 'true', 'false'].map(type => sql`WHEN ${sql.raw(`'${type}'`)} THEN ${process.data}->${path}`),
    sql` `,
  )
  return { read: sql`CASE ${selectType(path)} ${text} ${scalars} END`, value: named(name) }
}

/** Selects the value of a field if it is a number; nothing else is summed. */
export function selectNumber(field: QueryField, procedure: Procedure): SQL {
  const column = findColumn(field, procedure)
  if (column !== null) return sql`CASE WHEN typeof(${column.column}) IN ('integer', 'real') THEN ${column.column} END`
  const path = jsonPath(getAttributeName(field))
  return sql`CASE WHEN ${selectType(path)} IN ('integer', 'real') THEN ${extractValue(path)} END`
}

/** Selects the value of a field if it is of a kind that has an order: numbers come before text. */
export function selectOrderedValue(field: QueryField, procedure: Procedure): SQL {
  if (isCreation(field)) return sql`${process.rid}`
  const column = findColumn(field, procedure)
  const kind = field.root === undefined ? field.valueKind : null
  if (column !== null && field.root !== undefined) return column.column
  const path = jsonPath(getAttributeName(field))
  const type = column === null ? selectType(path) : sql`typeof(${column.column})`
  const value = column === null ? extractValue(path) : column.column
  const numbers = kind === 'text' ? sql`` : sql`WHEN 'integer' THEN ${value} WHEN 'real' THEN ${value}`
  const texts = kind === 'number' ? sql`` : sql`WHEN 'text' THEN substr(${value}, 1, ${TEXT_CHARACTERS_MAX})`
  return sql`CASE ${type} ${numbers} ${texts} END`
}

const getAttributeName = (field: QueryField): string => (field.root === undefined ? field.attribute : field.root)

/** The years 1 to 9999. */
const EARLIEST_MS = -62_135_596_800_000
const LATEST_MS = 253_402_300_799_999
/** Changes of a zone's offset are looked up between these times. Before and after them the first and the last offset count. */
const ZONES_FROM_MS = 0
const ZONES_TO_MS = Date.UTC(2100, 0, 1)
/** The earliest time of creation. */
const CREATED_FROM_MS = readCreatedAt(0)

function buildDateValue(
  { field, type, calendar }: GroupField,
  name: string,
  procedure: Procedure,
  now: number,
): ReadValue {
  const { unit, timeZone } = calendar ?? { unit: 'day', timeZone: 'UTC' }
  const isRecent = field.root === 'createdAt' || field.root === 'updatedAt'
  const [from, to] = isRecent ? [CREATED_FROM_MS, getEndOfNextYear(now)] : [ZONES_FROM_MS, ZONES_TO_MS]
  const offsets = listZoneOffsets(timeZone, from, to)
  if (field.root === 'createdAt') {
    const ms = sql`(${named('rid')} / ${number(RID_TAIL)} + ${number(readCreatedAt(0))})`
    return { read: null, value: toBucket(unit, toLocalMs(ms, offsets)) }
  }
  const read = selectDate(field, type, procedure)
  // A text is local already, and has no offset.
  const local = toLocalMs(named(name), offsets)
  const mayBeText = type === 'date' || type === 'datetimeISO8601'
  const fromText = sql`CAST(unixepoch(${named(name)}) AS INTEGER) * 1000`
  const value = mayBeText ? sql`CASE typeof(${named(name)}) WHEN 'text' THEN ${fromText} ELSE ${local} END` : local
  return { read, value: toBucket(unit, sql`(${value})`) }
}

const getEndOfNextYear = (now: number): number => Date.UTC(new Date(now).getUTCFullYear() + 2, 0, 1)

/** Selects a time as epoch milliseconds; as text if it has no offset, or is a date. */
function selectDate(field: QueryField, type: GroupField['type'], procedure: Procedure): SQL {
  const column = findColumn(field, procedure)
  const path = jsonPath(getAttributeName(field))
  const value = column === null ? extractValue(path) : column.column
  if (field.root !== undefined) return value
  const kind = column === null ? selectType(path) : sql`typeof(${value})`
  const time = sql`CASE WHEN ${value} BETWEEN ${number(EARLIEST_MS)} AND ${number(LATEST_MS)} THEN CAST(${value} AS INTEGER) END`
  const numbers = sql`WHEN 'integer' THEN ${time} WHEN 'real' THEN ${time}`
  // SQLite takes other texts for dates, too, for example a number.
  const isDate = sql`${value} GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]*'`
  if (type === 'date')
    return sql`CASE ${kind} ${numbers} WHEN 'text' THEN CASE WHEN ${isDate} THEN substr(${value}, 1, 10) END END`
  if (type !== 'datetimeISO8601') return sql`CASE ${kind} ${numbers} END`
  const text = sql`substr(${value}, 1, 40)`
  // SQLite reads an offset only with a colon.
  const withColon = sql`CASE WHEN ${text} GLOB '*[+-][0-9][0-9][0-9][0-9]' AND ${text} GLOB '*T*' THEN substr(${text}, 1, length(${text}) - 2) || ':' || substr(${text}, -2) ELSE ${text} END`
  const hasOffset = sql`(${text} GLOB '*Z' OR ${text} GLOB '*T*[+-]*')`
  return sql`CASE ${kind} WHEN 'text' THEN CASE WHEN NOT ${isDate} THEN NULL WHEN ${hasOffset} THEN CAST(unixepoch(${withColon}) AS INTEGER) * 1000 ELSE ${text} END END`
}

/** Converts a time to the wall clock of a zone, as if that were UTC. */
const toLocalMs = (ms: SQL, offsets: readonly ZoneOffset[]): SQL => sql`(${ms} + ${selectOffset(ms, offsets)})`

/** Selects the offset at a time by bisection: expressions must be neither nested deep nor long to compute. */
function selectOffset(ms: SQL, offsets: readonly ZoneOffset[]): SQL {
  const [only] = offsets
  if (offsets.length <= 1) return number(only?.offsetMs ?? 0)
  const middle = offsets.length >> 1
  const from = offsets[middle]?.from ?? 0
  return sql`CASE WHEN ${ms} < ${number(from)} THEN ${selectOffset(ms, offsets.slice(0, middle))} ELSE ${selectOffset(ms, offsets.slice(middle))} END`
}

/** Days that are added before a division and subtracted after it, because SQLite rounds towards zero. A multiple of seven. */
const DAYS_BEFORE = 7_000_000

function toBucket(unit: 'day' | 'week' | 'month', local: SQL): SQL {
  const day = sql`((${local} + ${number(DAYS_BEFORE * DAY_MS)}) / ${number(DAY_MS)} - ${number(DAYS_BEFORE)})`
  if (unit === 'day') return day
  if (unit === 'month') return sql`strftime('%Y-%m', ${day} * 86400, 'unixepoch')`
  return sql`((${day} + ${number(DAYS_AFTER_MONDAY + DAYS_BEFORE)}) / 7 - ${number(DAYS_BEFORE / 7)})`
}
