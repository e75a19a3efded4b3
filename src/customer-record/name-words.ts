import { sql } from 'drizzle-orm'
import { IF_CHANGED } from '../db/guard.ts'
import { columnName, prepared, type Statement, statement } from '../db/statement.ts'
import type { Scope } from '../scope.ts'
import { splitWords } from '../tokenizer.ts'
import { NAME_NAMES } from './identity-rules.ts'
import { recordWord } from './table.ts'

/** The characters of a name whose words a search finds. */
export const NAME_CHARACTERS_MAX = 200
const WORDS_MAX = 20
const WORD_CHARACTERS_MAX = 60

/** A word of the name of a record. */
interface RecordWord {
  word: string
  record: number
}

const cutWord = (word: string): string => [...word].slice(0, WORD_CHARACTERS_MAX).join('')

/** Splits a search into words. Each must begin a word of the name. */
export const splitNameSearch = (search: string): string[] => [...new Set(splitWords(search).map(cutWord))]

/** Lists the words of a customer's names, each once. */
export function listNameWords(names: Record<string, unknown>): string[] {
  const words = NAME_NAMES.flatMap(name => {
    const value = Object.hasOwn(names, name) ? names[name] : null
    return typeof value === 'string'
      ? splitWords([...value.slice(0, 2 * NAME_CHARACTERS_MAX)].slice(0, NAME_CHARACTERS_MAX).join(''))
      : []
  })
  return [...new Set(words.map(cutWord))].slice(0, WORDS_MAX)
}

/** Returns the words that a change of a customer's names adds and removes. */
export function planWordsChange(
  record: number,
  before: Record<string, unknown>,
  after: Record<string, unknown>,
): { added: RecordWord[]; removed: RecordWord[] } {
  const [had, has] = [listNameWords(before), listNameWords(after)]
  const rows = (words: string[], others: string[]) =>
    words.filter(word => !others.includes(word)).map(word => ({ word, record }))
  return { added: rows(has, had), removed: rows(had, has) }
}

const { team: owner, word: wordColumn, record: recordColumn } = recordWord
const NAMES = [owner, wordColumn, recordColumn].map(columnName)
const PAIR = sql`value ->> '$.word', value ->> '$.record'`

/** Inserts words. Returns no statement if there are none. */
export const insertWords = ({ team }: Scope, rows: readonly RecordWord[]): Statement[] =>
  rows.length === 0
    ? []
    : [
        statement(
          sql`INSERT INTO ${recordWord} (${sql.join(NAMES, sql`, `)}) SELECT ${team.no}, ${PAIR}
            FROM json_each(${JSON.stringify(rows)}) WHERE true ON CONFLICT DO NOTHING`,
        ),
      ]

const insertIfChanged = prepared<{ team: number; rows: string }, never>(['team', 'rows'], ({ team, rows }) =>
  statement(
    sql`INSERT INTO ${recordWord} (${sql.join(NAMES, sql`, `)}) SELECT ${team}, ${PAIR} FROM json_each(${rows}) WHERE ${IF_CHANGED}`,
  ),
)

/** Inserts the words of a record that the statements before this one inserted, if they did. */
export const insertWordsIfChanged = ({ team }: Scope, record: number, names: Record<string, unknown>): Statement[] => {
  const rows = listNameWords(names).map(word => ({ word, record }))
  return rows.length === 0 ? [] : [insertIfChanged({ team: team.no, rows: JSON.stringify(rows) })]
}

/** Removes words. Returns no statement if there are none. */
export const removeWords = ({ team }: Scope, rows: readonly RecordWord[]): Statement[] =>
  rows.length === 0
    ? []
    : [
        statement(
          sql`DELETE FROM ${recordWord} WHERE (${sql.join(NAMES, sql`, `)})
            IN (SELECT ${team.no}, ${PAIR} FROM json_each(${JSON.stringify(rows)}))`,
        ),
      ]
