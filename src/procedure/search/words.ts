import { splitWords } from '../../tokenizer.ts'

/** The characters of a searchable attribute whose words a search finds. */
const SEARCHED_CHARACTERS_MAX = 5_000
export const SEARCH_CHARACTERS_MAX = 200
export const SEARCH_WORDS_MAX = 10

/** Splits a search into words. Each must occur, and also finds the words that begin with it. */
export const splitSearch = (search: string): string[] => [...new Set(splitWords(search))]

/** The code units that are read. A character has at most two; some expand to many others, so the result is bounded as well. */
const UNITS_MAX = 2 * SEARCHED_CHARACTERS_MAX

/** Returns the words of a value of an attribute, separated by spaces; null if it has none. */
export function toStoredWords(value: unknown): string | null {
  const texts = (Array.isArray(value) ? value : [value]).filter(
    each => typeof each === 'string' || Number.isFinite(each),
  )
  const text = texts.join(' ').slice(0, UNITS_MAX)
  const cut = text.length <= SEARCHED_CHARACTERS_MAX ? text : [...text].slice(0, SEARCHED_CHARACTERS_MAX).join('')
  const words = splitWords(cut).join(' ')
  if (words.length <= UNITS_MAX) return words === '' ? null : words
  return words.slice(0, words.lastIndexOf(' ', UNITS_MAX))
}
