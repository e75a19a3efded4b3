/** Matches what separates words in a text as it was written: `№5` and `Acme™` are no words `no5` and `acmetm`. */
const SEPARATORS = /[^\p{L}\p{N}\p{M}]+/gu
/** Matches a word. A mark without a letter before it belongs to none. */
const WORD = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu
/**
 * Matches accents, points and harakat on letters, and variation selectors. Marks of other scripts count as letters: the
 * vowel signs of India, Thai and Khmer, and the marks of voiced kana, which many scripts share.
 */
const ACCENTS =
  /(?![\u3099\u309a])(?=\p{M})[\p{Script=Inherited}\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}]/gu

/** Small letters that share their capital with another one. */
const TWINS: Record<string, string> = { ς: 'σ', ı: 'i' }

/** Removes case, width and accents. The rest of a letter is in its composed form, so that no syllable begins another one. */
const foldText = (text: string): string =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replace(ACCENTS, '')
    .replace(/[ςı]/g, letter => TWINS[letter] ?? letter)
    .normalize('NFC')

/** The one tokenizer, for stored texts and for searches. */
export const splitWords = (text: string): string[] => foldText(text.replace(SEPARATORS, ' ')).match(WORD) ?? []
