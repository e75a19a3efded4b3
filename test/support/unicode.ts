import fc from 'fast-check'

const LAST_CODE_POINT = 0x10ffff
const BLOCK = 256

/** Returns all characters of Unicode that fit, by blocks, so that small scripts come as often as large ones. */
export function listBlocks(fits: RegExp, end = LAST_CODE_POINT + 1): string[][] {
  const blocks: string[][] = []
  for (let first = 0; first < end; first += BLOCK) {
    const codes = Array.from({ length: BLOCK }, (_, nth) => first + nth).filter(
      code => code > 0 && (code < 0xd800 || code > 0xdfff),
    )
    const block = codes.map(code => String.fromCodePoint(code)).filter(character => fits.test(character))
    if (block.length > 0) blocks.push(block)
  }
  return blocks
}

/** Two blocks stand for the planes for private use, and for those that nobody has filled. */
const ASSIGNED = [
  ...listBlocks(/^[^\p{Co}\p{Cn}]$/u),
  ['\ue000', '\uf8ff', '\u{f0000}', '\u{10fffd}'],
  ['\u0378', '\ufdd0', '\uffff', '\u{1ffff}', '\u{50000}', '\u{10ffff}'],
]

const fromAnyBlock = fc.tuple(fc.nat({ max: ASSIGNED.length - 1 }), fc.nat({ max: BLOCK - 1 })).map(([block, nth]) => {
  const characters = ASSIGNED[block] ?? []
  return characters[nth % characters.length] ?? 'a'
})

/** Characters that are written from right to left, join or change others, grow in another case, or are invisible. */
const TRICKY = [
  ...['\u202e', '\u2066', '\u200f', '\u05d0', '\u0627', '\u0301', '\u0323', '\u20e3', '\u200d', '\ufe0f', '\u3099'],
  ...['\u{e0101}', '\u{1f3fd}', '\u{1f1ee}', '\u0130', '\u0131', '\u017f', '\u212a', '\u00df', '\ufb01', '\u03c2'],
  ...['\ufeff', '\u00ad', '\u2028', '\u2029', '\u0085', '\u00a0', '\u0001', '\u001f', '\u007f', '\t', '\n', '\r'],
  ...['\ufffd', '\uffff', '\ue000', '\u{10000}', '\u{10ffff}', '\ud7ff', '\uac00', '\u1100'],
]

/** Generates one character of Unicode, except NUL and halves of pairs. */
const character: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fromAnyBlock },
  { weight: 2, arbitrary: fc.constantFrom(...TRICKY) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 1 }) },
)

/** A text that can be stored. */
export const storableText = (maxLength: number): fc.Arbitrary<string> =>
  fc.string({ unit: character, maxLength, size: 'max' })

const UNSTORABLE = ['\0', '\ud800', '\udbff', '\udc00', '\udfff', '\udc00\ud800']

/** A text with something in it that no attribute takes: a NUL, or half of a pair. */
const unstorableText = (maxLength: number): fc.Arbitrary<string> =>
  fc
    .tuple(storableText(maxLength), fc.constantFrom(...UNSTORABLE), storableText(maxLength))
    .map(parts => parts.join(''))
    .filter(text => text.includes('\0') || !text.isWellFormed())

/** Whatever a caller can write between two quotation marks of JSON. */
export const sentText = (maxLength: number): fc.Arbitrary<string> =>
  fc.oneof({ weight: 6, arbitrary: storableText(maxLength) }, unstorableText(maxLength))
