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
export const splitWords = (text: string): string[] => folded(text.replace(SEPARATORS, ' ')).match(WORD) ?? []
