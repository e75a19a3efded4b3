import { type SQL, sql } from 'drizzle-orm'
import type { Db } from '../../db/client.ts'
import { jsonPath } from '../../db/document/json.ts'
import { guard } from '../../db/guard.ts'
import { assignments, columnName, type Statement, select, statement } from '../../db/statement.ts'
import { getSlotColumn, process, processValue } from '../../process/table.ts'
import {
  ATTRIBUTE_TYPES,
  INDEXED_LIST_LENGTH_MAX,
  INDEXED_TEXT_LENGTH_MAX,
  type StoredDefinition,
  type ValueKind,
} from '../model.ts'
import { indexWords, listIndexedNames, readWordsByName, removeWords, selectNewWords } from '../search/index-words.ts'
import { toStoredJson } from '../stored-definition.ts'
import { procedure } from '../table.ts'
import { addElements, removeSlotElements, whereOfSlots } from './elements.ts'
import type { SlotAssignment } from './slot-rules.ts'

/** The bounds of one step, so that it ends long before D1's 30 seconds, and others are not held up. */
const STEP_PROCESSES_MAX = 2_000
const STEP_BYTES_MAX = 8_000_000
/** A step with lists takes fewer processes, because each list may have many elements. */
const STEP_LISTS_MAX = 500
const STEP_ELEMENTS_MAX = 10_000
const UNFINISHED_BUILDS_MAX = 1_000
/** The label of the guard that fails when another builder has made the step. */
export const BUILD_STEP_LOST = 'another builder made this step'

export interface Build extends StoredDefinition {
  no: number
  version: number
  /** The row number below which processes are still to be filled in. */
  below: number
  /** A bit for each slot whose attribute has a value of another type, or one that is too long. */
  unfitSlots: number
  /** The lowest process of the next step; null if none is left. */
  lowest: number | null
  /** Whether elements remain under slot numbers that are being cleared. */
  hasLeftElements: boolean
}

export async function findUnfinishedNumbers(db: Db): Promise<number[]> {
  const [rows] = await db.read(
    select(
      { no: procedure.no },
      sql`FROM ${procedure} WHERE ${procedure.indexingBelow} IS NOT NULL ORDER BY ${procedure.no} LIMIT ${UNFINISHED_BUILDS_MAX}`,
    ),
  )
  return rows.map(({ no }) => no)
}

export async function findBuild(db: Db, no: number): Promise<Build | undefined> {
  const bytes = sql`length(${process.data})`
  const candidates = sql`SELECT ${process.rid} AS rid, ${bytes} AS bytes
    FROM ${process} INDEXED BY process_list WHERE ${process.proc} = ${no}
      AND ${process.rid} < (SELECT ${procedure.indexingBelow} FROM ${procedure} WHERE ${procedure.no} = ${no})
    ORDER BY ${process.rid} DESC
    LIMIT (SELECT iif(EXISTS (SELECT 1 FROM json_each(${procedure.definition}, '$.slots') AS slot
        WHERE slot.value ->> '$.listPath' IS NOT NULL AND slot.value ->> '$.ready' = 0), ${STEP_LISTS_MAX}, ${STEP_PROCESSES_MAX})
      FROM ${procedure} WHERE ${procedure.no} = ${no})`
  const summed = sql`SELECT rid, bytes, sum(bytes) OVER (ORDER BY rid DESC) AS bytes_so_far FROM (${candidates})`
  const cleared = sql`(SELECT cleared.value FROM ${procedure}, json_each(${procedure.definition}, '$.clearing') AS cleared
    WHERE ${procedure.no} = ${no})`
  const [[row], [edge], [left]] = await db.read(
    select(
      {
        version: procedure.version,
        below: procedure.indexingBelow,
        unfitSlots: procedure.unfitSlots,
        definition: sql<string>`json(${procedure.definition})`,
      },
      sql`FROM ${procedure} WHERE ${procedure.no} = ${no}`,
    ),
    select(
      { lowest: sql<number | null>`min(rid)` },
      sql`FROM (${summed}) WHERE bytes_so_far - bytes < ${STEP_BYTES_MAX}`,
    ),
    select(
      { elements: sql<number>`count(*)` },
      sql`FROM (SELECT 1 FROM ${processValue} WHERE ${whereOfSlots(no, cleared)} LIMIT 1)`,
    ),
  )
  if (row === undefined || row.below === null) return undefined
  const { definition, below, ...rest } = row
  const found = { lowest: edge?.lowest ?? null, hasLeftElements: (left?.elements ?? 0) > 0 }
  return { ...(JSON.parse(definition) as StoredDefinition), ...rest, below, no, ...found }
}

const guardStep = ({ no, version, below, unfitSlots }: Build): Statement =>
  guard(
    BUILD_STEP_LOST,
    sql`EXISTS (SELECT 1 FROM ${procedure} WHERE ${procedure.no} = ${no} AND ${procedure.version} = ${version}
      AND ${procedure.indexingBelow} = ${below} AND ${procedure.unfitSlots} = ${unfitSlots})`,
  )

/** The words of a process, made from its document in a version. */
interface ProcessWords {
  rid: number
  version: number
  words: Record<string, string | null>
}

/** Reads the words of the processes of a step, if words are to be indexed. */
export async function readWords(db: Db, build: Build, lowest: number): Promise<ProcessWords[]> {
  const names = build.wordsReady === false ? listIndexedNames(build) : []
  if (names.length === 0) return []
  const values = names.map(name => sql`${process.data} -> ${jsonPath(name)}`)
  const [rows] = await db.read(
    select(
      {
        rid: process.rid,
        version: process.version,
        values: sql<string>`json_array(${sql.join(values, sql`, `)})`,
      },
      sql`FROM ${process} INDEXED BY process_list WHERE ${process.proc} = ${build.no} AND ${process.rid} < ${build.below} AND ${process.rid} >= ${lowest}`,
    ),
  )
  return rows.map(({ values: texts, ...row }) => {
    const read = JSON.parse(texts) as unknown[]
    const set = Object.fromEntries(names.map((name, nth) => [name, read[nth]]))
    return { ...row, words: readWordsByName(names, { set }) ?? {} }
  })
}

/** The characters of one value. D1 binds texts of up to 2,000,000 bytes. */
const WORDS_CHARACTERS_MAX = 500_000

/** Writes words. If a process has changed since its words were made, the step is repeated. */
function writeWords({ no }: Build, processWords: readonly ProcessWords[]) {
  const texts: string[][] = []
  let left = 0
  for (const each of processWords) {
    const text = JSON.stringify(each)
    if (text.length > left) {
      texts.push([])
      left = WORDS_CHARACTERS_MAX
    }
    texts.at(-1)?.push(text)
    left -= text.length
  }
  const lists = texts.map(some => `[${some.join(',')}]`)
  const [rid, version] = [sql`made.value ->> '$.rid'`, sql`made.value ->> '$.version'`]
  return {
    guards: lists.map(list =>
      guard(
        BUILD_STEP_LOST,
        sql`NOT EXISTS (SELECT 1 FROM json_each(${list}) AS made CROSS JOIN ${process} ON ${process.rid} = ${rid}
          WHERE ${process.version} <> ${version})`,
      ),
    ),
    effect: lists.map(list =>
      statement(sql`UPDATE ${process} SET ${columnName(process.words)} = ${selectNewWords(sql`made.value -> '$.words'`)}
        FROM json_each(${list}) AS made WHERE ${process.rid} = ${rid} AND +${process.proc} = ${no}`),
    ),
  }
}

/** Updates the words of all processes of a step. They are removed if none are indexed any more. */
function updateStepWords(build: Build, processWords: readonly ProcessWords[], range: SQL) {
  const all = sql`${process.rid} IN (SELECT ${process.rid} FROM ${range})`
  const { guards, effect } = writeWords(build, processWords)
  if (listIndexedNames(build).length > 0) return { guards, effect: [...effect, indexWords(build, all)] }
  const emptied = statement(
    sql`UPDATE ${process} SET ${assignments(process, { words: null })} WHERE ${all} AND ${process.words} IS NOT NULL AND +${process.proc} = ${build.no}`,
  )
  return { guards, effect: [emptied, removeWords(all)] }
}

/** Fills the slots of the processes from `lowest` up to the last step, and stores which slots have values of another type. */
export function fillSlots(build: Build, lowest: number, processWords: readonly ProcessWords[]) {
  const { no, below, clearing } = build
  const kinds = new Map(build.attributes.map(each => [each.shortId, ATTRIBUTE_TYPES[each.type]]))
  const pending = Object.entries(build.slots)
    .filter(([, { ready }]) => !ready)
    .map(([shortId, slot]) => ({ ...slot, path: jsonPath(shortId), kind: kinds.get(shortId) ?? 'document' }))
  const inStep = sql`${process.proc} = ${no} AND ${process.rid} < ${below} AND ${process.rid} >= ${lowest}`
  const table = sql`${process} INDEXED BY process_list`
  const range = sql`${table} WHERE ${inStep}`
  const lists = pending.filter(({ listPath }) => listPath)
  const columns = pending.filter(({ listPath }) => !listPath)
  const nulls = [...clearing, ...lists.map(({ column }) => column)].map(getSlotColumn)
  const sets = [
    ...columns.map(({ column, path }) => sql`${columnName(getSlotColumn(column))} = ${process.data} ->> ${path}`),
    ...nulls.map(column => sql`${columnName(column)} = NULL`),
  ]
  const isChanged =
    columns.length > 0 ? sql`1` : sql`coalesce(${sql.join([...nulls, sql`NULL`, sql`NULL`], sql`, `)}) IS NOT NULL`
  const ofAnotherType = pending.map(
    ({ column, path, kind }) => sql`(max(${whereAnotherType(kind, path)}) << ${sql.raw(String(column))})`,
  )
  const found =
    ofAnotherType.length === 0 ? sql`0` : sql`(SELECT coalesce(${sql.join(ofAnotherType, sql` | `)}, 0) FROM ${range})`
  const words = build.wordsReady === false ? updateStepWords(build, processWords, range) : { guards: [], effect: [] }
  const moved = { indexingBelow: lowest, unfitSlots: sql`${procedure.unfitSlots} | ${found}` }
  return {
    guards: [guardStep(build), ...words.guards],
    effect: [
      ...(sets.length === 0
        ? []
        : [
            statement(sql`UPDATE ${process} SET ${sql.join(sets, sql`, `)}
        WHERE ${process.rid} IN (SELECT ${process.rid} FROM ${range} AND ${isChanged}) AND +${process.proc} = ${no}`),
          ]),
      ...words.effect,
      ...(lists.length > 0 ? [addElements(sql`${JSON.stringify(lists)}`, sql`FROM ${table}`, inStep)] : []),
      statement(sql`UPDATE ${procedure} SET ${assignments(procedure, moved)} WHERE ${procedure.no} = ${no}`),
    ],
  }
}

/** Finds, of some attributes, a process with a value that their index does not take, among those of the last step. */
export async function findUnfitValues(db: Db, build: Build, names: readonly string[]): Promise<Record<string, number>> {
  const kinds = new Map(build.attributes.map(each => [each.shortId, ATTRIBUTE_TYPES[each.type]]))
  const columns = names.map((name, nth) => {
    const isUnfit = whereAnotherType(kinds.get(name) ?? 'document', jsonPath(name))
    return [`unfit${nth}`, sql<number | null>`min(CASE WHEN ${isUnfit} THEN ${process.rid} END)`] as const
  })
  const candidates = sql`SELECT ${process.rid} AS rid, length(${process.data}) AS bytes
    FROM ${process} INDEXED BY process_list WHERE ${process.proc} = ${build.no} AND ${process.rid} >= ${build.below}
    ORDER BY ${process.rid} LIMIT ${STEP_PROCESSES_MAX}`
  const summed = sql`SELECT rid, bytes, sum(bytes) OVER (ORDER BY rid) AS bytes_so_far FROM (${candidates})`
  const [[found]] = await db.read(
    select(
      Object.fromEntries(columns),
      sql`FROM (${summed}) AS candidate CROSS JOIN ${process} ON ${process.rid} = candidate.rid
        WHERE bytes_so_far - bytes < ${2 * STEP_BYTES_MAX}`,
    ),
  )
  return Object.fromEntries(
    names.flatMap((name, nth) => {
      const rid = found?.[`unfit${nth}`] ?? null
      return rid === null ? [] : [[name, rid]]
    }),
  )
}

const FITTING_JSON_TYPES: Record<ValueKind, SQL> = {
  text: sql`'text'`,
  number: sql`'integer', 'real'`,
  boolean: sql`'true', 'false'`,
  moment: sql`'text', 'integer', 'real'`,
  // A scalar in place of a list is found as its only element would be.
  list: sql`'array', 'text', 'integer', 'real', 'true', 'false'`,
  document: sql`''`,
}

/** Matches if a value was stored before its kind was declared, and is of another kind: an index with it would give wrong results. */
export const whereAnotherType = (kind: ValueKind, path: string | SQL): SQL =>
  sql`coalesce(json_type(${process.data}, ${path}) NOT IN (${FITTING_JSON_TYPES[kind]}) OR ${whereTooLong(kind, path)}, 0)`

/** Matches if a value is too long for an index, as `procedure/values.ts` does. */
const whereTooLong = (kind: ValueKind, path: string | SQL): SQL =>
  kind === 'list'
    ? sql`json_array_length(${process.data}, ${path}) > ${INDEXED_LIST_LENGTH_MAX} OR EXISTS
        (SELECT 1 FROM json_each(${process.data}, ${path}) AS element WHERE element.type = 'text' AND length(element.value) > ${INDEXED_TEXT_LENGTH_MAX})`
    : sql`length(${process.data} ->> ${path}) > ${INDEXED_TEXT_LENGTH_MAX}`

/** Removes elements of attributes that are not indexed any more. */
export const removeLeftElements = (build: Build) => ({
  guards: [guardStep(build)],
  effect: [removeSlotElements(build.no, build.clearing, STEP_ELEMENTS_MAX)],
})

/** Ends a build, or begins it again below `indexingBelow`. */
export const replaceSlots = (
  build: Build,
  assigned: SlotAssignment & Pick<StoredDefinition, 'wordsReady' | 'unfitProcesses'>,
  indexingBelow: number | null,
) => ({
  guards: [guardStep(build)],
  effect: [
    statement(
      sql`UPDATE ${procedure} SET ${assignments(procedure, {
        definition: toStoredJson({ ...build, ...assigned }),
        version: sql`${procedure.version} + 1`,
        indexingBelow,
        unfitSlots: 0,
      })} WHERE ${procedure.no} = ${build.no}`,
    ),
  ],
})
