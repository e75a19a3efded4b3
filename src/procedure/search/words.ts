/** Of the texts of each searchable attribute the words up to here are found. */
export const SEARCHED_CHARACTERS_MAX = 5_000
export const SEARCH_CHARACTERS_MAX = 200
export const SEARCH_WORDS_MAX = 10

/**
 * What ends a word, in stored texts (`index-words.ts`) and in what is searched. SQLite's tokenizer, which takes the case and
 * the accents off both, knows more separators; words behind those are only found together with the word before.
 */
export const SEPARATORS = [
  ...'\t\n\r!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~',
  ...'\u00a0«»·¿¡–—‘’“”„…•\u3000、。，！？（）：；「」',
]

const EDGES = new RegExp(
  `[ ${SEPARATORS.map(each => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')}]+`,
  'u',
)

/** The words of a search: each must occur, and stands for the words that begin with it. */
export const searchedWords = (search: string): string[] => [
  ...new Set(search.split(EDGES).filter(word => /[\p{L}\p{N}]/u.test(word) && !/[\0\ud800-\udfff]/u.test(word))),
]

/**
 * Written before each word, so that the words of a procedure are apart from those of all others in the one index: a
 * search reads and ranks by its own procedure's only. The first x ends the number.
 */
export const wordPrefix = (procedure: number): string => `${procedure}x`

/** What FTS5 matches. A word has no quote: that is a separator. */
export const wordMatch = (procedure: number, words: readonly string[]): string =>
  words.map(word => `"${wordPrefix(procedure)}${word}"*`).join(' AND ')
