import { type SQL, sql } from 'drizzle-orm'
import type { NewRecordPlan } from '../../customer-record/plan.ts'
import { jsonPath, toStoredData } from '../../db/document/json.ts'
import { IF_CHANGED } from '../../db/guard.ts'
import {
  type Bindable,
  cacheByShape,
  insertInto,
  prepared,
  returning,
  type Statement,
  statement,
} from '../../db/statement.ts'
import { lastSequence } from '../../event/append.ts'
import { ifDefinitionHolds } from '../../procedure/definition-guard.ts'
import type { Procedure } from '../../procedure/model.ts'
import { listIndexedNames, readWordsByName, selectNewWords } from '../../procedure/search/index-words.ts'
import type { Scope } from '../../scope.ts'
import { FIELD_NAMES, type StoredFields } from '../fields.ts'
import { type ProcessRow, processRow } from '../row.ts'
import { type ProcessColumns, process, toSlotName } from '../table.ts'
import { type DerivedRows, deriveNew } from './derived.ts'
import { whereAmong, whereTarget } from './target.ts'

/** A process before it is inserted. */
export interface NewProcess extends StoredFields {
  rid: number
  /** The row of its record, which the same transaction writes. */
  record: number | null
  /** Absent but for a restored process. */
  notifiedDueAt?: number | null
  /** The attributes, by short id. */
  set: Record<string, unknown>
}

/** The columns for which there are values. */
interface InsertedShape {
  slots: readonly number[]
  words: boolean
}

/**
 * What the values of a process begin with, in this order. They are a list, because the database would look up each name
 * again for each row.
 */
const LISTED = ['rid', 'record', 'notifiedDueAt', ...FIELD_NAMES] as const
/** Behind them come the words, then the slots of a single process, or the document of one of many. */
const [WORDS_PLACE, LAST_PLACE] = [LISTED.length, LISTED.length + 1]

const listValues = (item: NewProcess, words: Record<string, string | null> | undefined, last: unknown): unknown[] => [
  ...LISTED.map(name => item[name]),
  words,
  last,
]

const selectPlace = (value: SQL, place: number): SQL => sql`${value} ->> ${sql.raw(`'$[${place}]'`)}`

function buildInsertedColumns(
  value: SQL,
  data: SQL,
  { proc, team, count }: { proc: SQL; team: SQL; count: SQL },
  words: boolean,
): ProcessColumns {
  const columns: ProcessColumns = { proc, team }
  // The next statement appends the events of all of them, in one row.
  columns.lastEvent = sql`${lastSequence(team)} + ${count}`
  for (const [place, name] of LISTED.entries()) columns[name] = selectPlace(value, place)
  columns.data = sql`jsonb(${data})`
  if (words) columns.words = selectNewWords(selectPlace(value, WORDS_PLACE))
  return columns
}

function toSlotValues({ slots }: Procedure, { set }: NewProcess): Record<string, unknown> {
  const entries = Object.entries(slots).filter(([name, { listPath }]) => !listPath && Object.hasOwn(set, name))
  return Object.fromEntries(entries.map(([name, { column }]) => [column, set[name]]))
}

interface InsertedValues {
  [name: string]: string | number
  proc: number
  definition: number
  team: number
  value: string
  data: string
}
type InsertOne = (values: InsertedValues) => Statement<{ row: string }>

export interface InsertForm {
  /** Whether the process is inserted only if the statement before this one changed something. */
  ifChanged?: boolean
  /** Whether the row is returned, for a process whose record is not all known. For others `toNewRow` builds it, which takes 20 µs less. */
  returned?: boolean
}

/** Builds an INSERT that names only the slots in use: D1 plans every statement that it is sent, and a short one takes less time. */
const getInsertOne = cacheByShape<InsertOne>()

function insertOne({ slots, words }: InsertedShape, { ifChanged = false, returned = false }: InsertForm): InsertOne {
  const shape = `${slots.join(' ')} ${words} ${ifChanged} ${returned}`
  return getInsertOne(shape, () =>
    prepared(['proc', 'definition', 'team', 'value', 'data'], ({ proc, definition, team, value, data }) => {
      const holds = ifDefinitionHolds({ no: proc, version: definition })
      const condition = ifChanged ? sql`WHERE ${IF_CHANGED} AND ${holds}` : sql`WHERE ${holds}`
      const columns = buildInsertedColumns(value, data, { proc, team, count: sql`1` }, words)
      for (const column of slots)
        columns[toSlotName(column)] = sql`${value} ->> ${sql.raw(`'$[${LAST_PLACE}]."${column}"'`)}`
      const insert = insertInto(process, columns, condition)
      return returned ? returning(insert, { row: processRow }) : statement(insert)
    }),
  )
}

/** Inserts a process, whose event the next statement appends. A primary key that is taken, or another definition, fails the transaction. */
export function insertProcess(
  { team }: Scope,
  procedure: Procedure,
  item: NewProcess,
  form: InsertForm = {},
): Statement<{ row: string }> {
  const words = readWordsByName(listIndexedNames(procedure), item)
  const slots = toSlotValues(procedure, item)
  return insertOne(
    { slots: Object.keys(slots).map(Number), words: words !== undefined },
    form,
  )({
    proc: procedure.no,
    definition: procedure.version,
    team: team.no,
    value: JSON.stringify(listValues(item, words, slots)),
    data: JSON.stringify(toStoredData(item.set)),
  })
}

/** Derives the rows that follow from a new process. */
export const deriveInsert = (procedure: Procedure, item: NewProcess): DerivedRows =>
  deriveNew(procedure, [item], () => whereTarget({ proc: procedure.no, rid: item.rid, id: item.id }))

/** Returns the row as a read would return it, for a process that was inserted with its record, or has none. */
export const toNewRow = (
  { set, record: _, notifiedDueAt: __, ...fields }: NewProcess,
  record: NewRecordPlan['record'] | null,
  now: number,
): ProcessRow => ({
  ...fields,
  data: toStoredData(set),
  record: record && {
    id: record.id,
    version: 1,
    createdAt: now,
    updatedAt: now,
    phoneName: record.last.phoneName,
    data: toStoredData(record.set),
  },
})

type InsertMany = (values: Record<string, Bindable>) => Statement

/** A slot in the values of a process: its column, and the path of its attribute. */
interface SlotPath {
  column: number
  path: string
}

/**
 * LIMIT and the condition keep SQLite from flattening the subquery: each value is made into binary JSON once, and not
 * written as text for each of its members.
 */
function prepareInsertMany(slots: readonly SlotPath[], words: boolean): InsertMany {
  const names = slots.map(({ column }) => `path${column}`)
  return prepared(['proc', 'team', 'count', 'values', ...names], placeholders => {
    const given = (name: string): SQL => placeholders[name] ?? sql`NULL`
    const value = sql`${sql.identifier('value')}`
    const columns = buildInsertedColumns(
      value,
      sql`jsonb_extract(${value}, ${sql.raw(`'$[${LAST_PLACE}]'`)})`,
      { proc: given('proc'), team: given('team'), count: given('count') },
      words,
    )
    for (const { column } of slots) columns[toSlotName(column)] = sql`${value} ->> ${given(`path${column}`)}`
    const values = sql`SELECT jsonb(${value}) AS ${value} FROM json_each(${given('values')}) LIMIT -1`
    return statement(insertInto(process, columns, sql`FROM (${values}) WHERE ${value} IS NOT NULL`))
  })
}

const getInsertMany = cacheByShape<InsertMany>()

/** Derives the rows that follow from any number of new processes. */
export const deriveInserts = (procedure: Procedure, items: readonly NewProcess[]): DerivedRows =>
  deriveNew(procedure, items, found => whereAmong(procedure, found))

/** Inserts any number of processes by one statement. The next one appends their events. */
export function insertProcesses({ team }: Scope, procedure: Procedure, items: readonly NewProcess[]): Statement {
  const slots = Object.entries(procedure.slots)
    .filter(([name, { listPath }]) => !listPath && items.some(({ set }) => Object.hasOwn(set, name)))
    .map(([name, { column }]) => ({ column, path: `$[${LAST_PLACE}]${jsonPath(name).slice(1)}` }))
  const names = listIndexedNames(procedure)
  const shape = `${slots.map(({ column }) => column).join(' ')} ${names.length > 0}`
  const insert = getInsertMany(shape, () => prepareInsertMany(slots, names.length > 0))
  return insert({
    proc: procedure.no,
    team: team.no,
    count: items.length,
    ...Object.fromEntries(slots.map(({ column, path }) => [`path${column}`, path])),
    values: JSON.stringify(items.map(item => listValues(item, readWordsByName(names, item), toStoredData(item.set)))),
  })
}
