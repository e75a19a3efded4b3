const encoder = new TextEncoder()
const decoder = new TextDecoder()

export const BYTES_PER_CODE_UNIT_MAX = 3
/** Short texts are encoded into this buffer to be measured: a buffer for each would cost more than the encoding. */
const scratch = new Uint8Array(64 * 1024)

/** Counts the bytes of a text in UTF-8, by which the limits of the database count. */
export const countUtf8Bytes = (text: string): number =>
  text.length * BYTES_PER_CODE_UNIT_MAX <= scratch.length
    ? encoder.encodeInto(text, scratch).written
    : encoder.encode(text).length

/** Cuts a text to the characters that fit into some bytes. */
export function truncateUtf8(text: string, bytesMax: number): string {
  const bytes = encoder.encode(text)
  if (bytes.length <= bytesMax) return text
  // A character that is cut becomes U+FFFD.
  return decoder.decode(bytes.subarray(0, bytesMax)).replace(/\ufffd$/, '')
}

/** Counts the first values that fit together. The very first one fits, however large it is. */
export function countFitting(bytes: readonly number[], bytesMax: number, bytesBefore = 0): number {
  let sum = bytesBefore
  const tooMuchAt = bytes.findIndex((each, nth) => {
    const isFirst = nth === 0 && bytesBefore === 0
    sum += each
    return !isFirst && sum > bytesMax
  })
  return tooMuchAt === -1 ? bytes.length : tooMuchAt
}

/** Joins pieces into one array. A single piece is not copied. */
export function joinBytes(pieces: readonly Uint8Array[]): Uint8Array {
  const [first] = pieces
  if (pieces.length === 1 && first) return first
  const whole = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}
