import { splitWords } from '../../tokenizer.ts'

/** A search finds the words in the first characters of each searchable attribute. */
const SEARCHED_CHARACTERS_MAX = 5_000
export const SEARCH_CHARACTERS_MAX = 200
export const SEARCH_WORDS_MAX = 10

/** The words of a search: each must occur, and stands for the words that begin with it. */
export const searchedWords = (search: string): string[] => [...new Set(splitWords(search))]

/** A character takes two units at most. Some stand for many others; what they come to is bounded as well. */
const UNITS_MAX = 2 * SEARCHED_CHARACTERS_MAX

/** The words of a value of an attribute, with a space between each two; null: it has none. */
export function storedWords(value: unknown): string | null {
  const texts = (Array.isArray(value) ? value : [value]).filter(
    each => typeof each === 'string' || Number.isFinite(each),
  )
  const text = texts.join(' ').slice(0, UNITS_MAX)
  const cut = text.length <= SEARCHED_CHARACTERS_MAX ? text : [...text].slice(0, SEARCHED_CHARACTERS_MAX).join('')
  const words = splitWords(cut).join(' ')
  if (words.length <= UNITS_MAX) return words === '' ? null : words
  return words.slice(0, words.lastIndexOf(' ', UNITS_MAX))
}
