/** Of the texts of each searchable attribute the words up to here are found. */
export const SEARCHED_CHARACTERS_MAX = 5_000
export const SEARCH_CHARACTERS_MAX = 200
export const SEARCH_WORDS_MAX = 10

/** What separates words, in a text as it was written: `№5` and `Acme™` are no words `no5` and `acmetm`. */
const SEPARATORS = /[^\p{L}\p{N}\p{M}]+/gu
/** A mark without a letter before it belongs to none. */
const WORD = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu
/**
 * Marks that are accents, points or harakat on letters, and variation selectors. Those of other scripts are letters in all
 * but name: the vowel signs of India, Thai and Khmer. The marks of voiced kana, which many scripts share, are as well.
 */
const ACCENTS =
  /(?![\u3099\u309a])(?=\p{M})[\p{Script=Inherited}\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}]/gu

/** Small letters that share their capital with another one. */
const TWINS: Record<string, string> = { ς: 'σ', ı: 'i' }

/** Without case, width and accents. What is left of a letter stands in one form, so that no syllable begins another one. */
const folded = (text: string): string =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replace(ACCENTS, '')
    .replace(/[ςı]/g, letter => TWINS[letter] ?? letter)
    .normalize('NFC')

/** The one tokenizer: the words of what is stored, and of what is searched. */
export const wordsOf = (text: string): string[] => folded(text.replace(SEPARATORS, ' ')).match(WORD) ?? []

/** The words of a search: each must occur, and stands for the words that begin with it. */
export const searchedWords = (search: string): string[] => [...new Set(wordsOf(search))]

/** A character takes two units at most. Some stand for many others; what they come to is bounded as well. */
const UNITS_MAX = 2 * SEARCHED_CHARACTERS_MAX

/** The words of a value of an attribute, with a space between each two; null: it has none. */
export function storedWords(value: unknown): string | null {
  const texts = (Array.isArray(value) ? value : [value]).filter(
    each => typeof each === 'string' || Number.isFinite(each),
  )
  const text = texts.join(' ').slice(0, UNITS_MAX)
  const cut = text.length <= SEARCHED_CHARACTERS_MAX ? text : [...text].slice(0, SEARCHED_CHARACTERS_MAX).join('')
  const words = wordsOf(cut).join(' ')
  if (words.length <= UNITS_MAX) return words === '' ? null : words
  return words.slice(0, words.lastIndexOf(' ', UNITS_MAX))
}
