import { type SQL, sql } from 'drizzle-orm'
import { type Statement, statement } from '../../db/statement.ts'
import { process } from '../../process/table.ts'
import type { Definition } from '../model.ts'
import { toStoredWords } from './words.ts'

export const listSearchable = ({ attributes }: Pick<Definition, 'attributes'>): string[] =>
  attributes.filter(({ searchable }) => searchable === true).map(({ shortId }) => shortId)

/** Lists the attributes whose words are indexed. If none is declared searchable, the primary key is found by its own index. */
export function listIndexedNames(definition: Pick<Definition, 'attributes' | 'primaryKey'>): string[] {
  const declared = listSearchable(definition)
  const { primaryKey } = definition
  return declared.length === 0 || primaryKey === null || declared.includes(primaryKey)
    ? declared
    : [primaryKey, ...declared]
}

/** Returns the words of some values by attribute, for those attributes whose words are indexed; null for a value without words. */
export function readWordsByName(
  names: readonly string[],
  { set, unset = [] }: { set: Record<string, unknown>; unset?: readonly string[] },
): Record<string, string | null> | undefined {
  const found = names.flatMap(name =>
    Object.hasOwn(set, name)
      ? [[name, toStoredWords(set[name])] as const]
      : unset.includes(name)
        ? [[name, null] as const]
        : [],
  )
  return found.length === 0 ? undefined : Object.fromEntries(found)
}

/** The column with the words of a new process, and after a change of some, in SQL. */
export const selectNewWords = (words: SQL): SQL => sql`jsonb_patch('{}', ${words})`
export const selectChangedWords = (changed: SQL): SQL => sql`jsonb_patch(coalesce(${process.words}, '{}'), ${changed})`

/** Selects all words of a process, each after a space. */
export const WORDS_OF_PROCESS: SQL = sql`(SELECT ' ' || group_concat(value, ' ') FROM json_each(${process.words}))`

/**
 * The separator of a procedure's number and a word. It is no letter, digit or mark, so that no word has it, and FTS5 ends a
 * word only at the spaces that are written here (`ascii`: only ASCII characters separate, and words have none that do).
 */
const OWNER_MARK = '\u00a7'
const getOwnerName = (procedure: number): string => `${procedure}${OWNER_MARK}`

/**
 * Writes the words that processes have now, in the transaction of each change. `process_search` is FTS5 without contents,
 * with one row for each process by its row number. The words come from the column; `words.ts` alone decides what they are.
 */
export const indexWords = ({ no }: { no: number }, which: SQL): Statement =>
  statement(
    sql`REPLACE INTO process_search (rowid, words) SELECT ${process.rid}, replace(${WORDS_OF_PROCESS}, ' ', ${` ${getOwnerName(no)}`}) FROM ${process}
WHERE ${which} AND +${process.proc} = ${no}`,
  )

/** Removes words, before the processes themselves are removed. */
export const removeWords = (which: SQL): Statement =>
  statement(sql`DELETE FROM process_search WHERE rowid IN (SELECT ${process.rid} FROM ${process} WHERE ${which})`)

/** The terms that are written out for a word. FTS5 itself looks for the terms of a word that has more. */
const TERMS_MAX = 32

/** Selects the first term at or after `from` that begins with `word`. This seeks in an index of terms, however many processes have it. */
const findTerm = (word: SQL, from: SQL): SQL =>
  sql`(SELECT term FROM process_search_term WHERE term >= ${from} AND term < ${word} || char(1114111) LIMIT 1)`

/**
 * Builds the text that FTS5 matches, with the words of one procedure, whose doc lists no other procedure shares. FTS5 merges
 * the rows of all terms that begin with a word before it gives the first row, but reads terms that are written out only as far
 * as needed. So the terms are written out, unless there are many: at a million processes this takes 2 ms instead of 130.
 */
export function buildWordMatch(procedure: number, words: readonly string[]): SQL {
  const starts = JSON.stringify(words.map(word => `${getOwnerName(procedure)}${word}`))
  return sql`(WITH RECURSIVE step(word, term, nth) AS (
    SELECT start.value, ${findTerm(sql`start.value`, sql`start.value`)}, 1 FROM json_each(${starts}) start
    UNION ALL SELECT word, ${findTerm(sql`word`, sql`step.term || char(1)`)}, nth + 1 FROM step WHERE term IS NOT NULL AND nth <= ${TERMS_MAX})
  SELECT group_concat(terms, ' AND ') FROM (
    SELECT iif(count(term) BETWEEN 1 AND ${TERMS_MAX}, '("' || group_concat(term, '" OR "') || '")', '"' || word || '"*') AS terms FROM step GROUP BY word))`
}
