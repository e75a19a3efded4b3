import { type SQL, sql } from 'drizzle-orm'
import { jsonPath } from '../../db/document/json.ts'
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

/**
 * Writes the words that processes have now, in the transaction of each change: `process_search` is FTS5 without contents,
 * one row for each process by its row number.
 */
export const indexWords = (procedure: SearchedProcedure, which: SQL): Statement =>
  statement(
    sql`REPLACE INTO process_search (rowid, words) SELECT ${process.rid}, ${wordsIn(procedure)} FROM ${process}
WHERE ${which} AND +${process.proc} = ${procedure.no}`,
  )

/** Before the processes themselves are removed. */
export const removeWords = (which: SQL): Statement =>
  statement(sql`DELETE FROM process_search WHERE rowid IN (SELECT ${process.rid} FROM ${process} WHERE ${which})`)

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
