const encoder = new TextEncoder()
const decoder = new TextDecoder()

export const BYTES_PER_CODE_UNIT_MAX = 3
/** Short texts are encoded into this, whatever for: a buffer for each would cost more than the encoding. */
const scratch = new Uint8Array(64 * 1024)

/** How many bytes a text takes where it is stored: what the limits of the database are about. */
export const utf8Bytes = (text: string): number =>
  text.length * BYTES_PER_CODE_UNIT_MAX <= scratch.length
    ? encoder.encodeInto(text, scratch).written
    : encoder.encode(text).length

/** As much of a text as fits into so many bytes. */
export function truncateUtf8(text: string, bytesMax: number): string {
  const bytes = encoder.encode(text)
  if (bytes.length <= bytesMax) return text
  // A character that is cut becomes U+FFFD.
  return decoder.decode(bytes.subarray(0, bytesMax)).replace(/\ufffd$/, '')
}

/** How many there is room for: the first one, however large it is, and those after it in their order. */
export function countFitting(bytes: readonly number[], bytesMax: number, bytesBefore = 0): number {
  let sum = bytesBefore
  const tooMuchAt = bytes.findIndex((each, nth) => {
    const isFirst = nth === 0 && bytesBefore === 0
    sum += each
    return !isFirst && sum > bytesMax
  })
  return tooMuchAt === -1 ? bytes.length : tooMuchAt
}

/** Some pieces as one; a single piece is not copied. */
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
