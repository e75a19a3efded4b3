import { type SQL, sql } from 'drizzle-orm'
import { jsonPath } from '../../db/document/json.ts'
import { ridList } from '../../db/document/values-by-row.ts'
import { IF_CHANGED } from '../../db/guard.ts'
import { type Statement, statement } from '../../db/statement.ts'
import { process } from '../../process/table.ts'
import type { Attribute } from '../model.ts'
import { SEARCHED_CHARACTERS_MAX, SEPARATORS, wordPrefix } from './words.ts'

/** What the index of words needs to know of a procedure. */
export interface SearchedProcedure {
  no: number
  attributes: readonly Attribute[]
}

export const searchableOf = ({ attributes }: Pick<SearchedProcedure, 'attributes'>): string[] =>
  attributes.filter(({ searchable }) => searchable === true).map(({ shortId }) => shortId)

/** Whether a change of these attributes changes the words of a process. */
export const changesWords = (procedure: SearchedProcedure, names: readonly string[]): boolean => {
  const searchable = searchableOf(procedure)
  return searchable.length > 0 && names.some(name => searchable.includes(name))
}

/**
 * Writes the words that processes have now, in the transaction of each change: `process_search` is FTS5 without contents,
 * one row for each process by its row number. Where the statement before changed nothing, neither does this one.
 */
export const indexWords = (procedure: SearchedProcedure, which: SQL, { ifChanged = false } = {}): Statement =>
  statement(
    sql`REPLACE INTO process_search (rowid, words) SELECT ${process.rid}, ${wordsIn(procedure)} FROM ${process}
WHERE ${which} AND +${process.proc} = ${procedure.no}${ifChanged ? sql` AND ${IF_CHANGED}` : sql``}`,
  )

/** The same for the processes of a step, which all took effect. */
export function wordsOfStep(
  procedure: SearchedProcedure,
  changed: readonly { rid: number; names: readonly string[] }[],
): Statement[] {
  const rids = changed.filter(({ names }) => changesWords(procedure, names)).map(({ rid }) => rid)
  return rids.length === 0 ? [] : [indexWords(procedure, sql`${process.rid} IN ${ridList(rids)}`)]
}

/** Before the processes themselves are removed. */
export const removeWords = (which: SQL): Statement =>
  statement(sql`DELETE FROM process_search WHERE rowid IN (SELECT ${process.rid} FROM ${process} WHERE ${which})`)

export const removeWordsOf = (rids: readonly number[]): Statement =>
  statement(sql`DELETE FROM process_search WHERE rowid IN ${ridList(rids)}`)

function wordsIn(procedure: SearchedProcedure): SQL {
  const texts = searchableOf(procedure).map(name => {
    const path = jsonPath(name)
    const list = sql`(SELECT group_concat(value, ' ') FROM json_each(${process.data}, ${path}) WHERE type = 'text')`
    const text = sql`CASE json_type(${process.data}, ${path}) WHEN 'text' THEN ${process.data}->>${path} WHEN 'array' THEN ${list} END`
    return sql`coalesce(substr(${text}, 1, ${SEARCHED_CHARACTERS_MAX}), '')`
  })
  const spaced = replaced(sql.join(texts, sql` || ' ' || `), [...SEPARATORS.map(each => [each, ' ']), ...SPACES])
  return sql`replace(' ' || trim(${spaced}), ' ', ${` ${wordPrefix(procedure.no)}`})`
}

/** Many spaces become one, or a few. */
const SPACES = [
  ['    ', ' '],
  ['  ', ' '],
  ['  ', ' '],
]

const replaced = (text: SQL, pairs: readonly string[][]): SQL =>
  sql`${sql.raw('replace('.repeat(pairs.length))}${text}${sql.raw(pairs.map(([from = '', to = '']) => `, ${quoted(from)}, ${quoted(to)})`).join(''))}`

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`
