import { decodeWindows1252, detectMark, type FileEncoding, HEAD_BYTES } from './encoding.ts'

/** What a charset is called in a content type. `utf-16` leaves the order of the bytes to their mark. */
export const CHARSETS: Readonly<Record<string, FileEncoding | 'utf-16'>> = {
  'utf-8': 'utf-8',
  utf8: 'utf-8',
  'us-ascii': 'utf-8',
  'utf-16': 'utf-16',
  'utf-16le': 'utf-16le',
  'utf-16be': 'utf-16be',
  'windows-1252': 'windows-1252',
  cp1252: 'windows-1252',
  'iso-8859-1': 'windows-1252',
  latin1: 'windows-1252',
}

/** What is no text, such as a workbook. */
export class NoTextError extends Error {
  override readonly name = 'NoTextError'
}

/** From the first byte that is not ASCII, so many tell whether a stream is UTF-8: it can't be read twice. */
const WINDOW_BYTES = 65_536
const ASCII_MAX = 0x7f
const LINE_FEED = 0x0a
const UTF_8_MARK = [0xef, 0xbb, 0xbf]
/** Stands in a text where its bytes are none: half of a character, which no valid text has. */
const NO_CHARACTER = '\udfff'

type Pieces = AsyncIterator<Uint8Array>

/** A text that is read once, piece by piece, and what it was found to be written in. */
interface DecodedStream {
  /** What is no text in the encoding is half of a character there, so that `isWellFormed` tells the rows that it is in. */
  text: AsyncGenerator<string, void, undefined>
  /** Undefined as long as all was ASCII. */
  encoding: () => FileEncoding | undefined
  /** Whether it begins with a byte order mark. */
  isMarked: () => boolean
}

/**
 * Decodes a stream: as its byte order mark says, else as is stated, else as UTF-8 or Windows-1252. Of these two its first
 * 64 KiB from the first byte on that is not ASCII decide; all before means the same in both.
 */
export function decodeStream(chunks: AsyncIterable<Uint8Array>, stated?: FileEncoding | 'utf-16'): DecodedStream {
  let found: FileEncoding | undefined
  let hasMark = false
  async function* decode(): AsyncGenerator<string, void, undefined> {
    const pieces = chunks[Symbol.asyncIterator]()
    const head = await readBytes(pieces, HEAD_BYTES)
    const isMarked = UTF_8_MARK.every((byte, at) => head[at] === byte)
    hasMark = isMarked || detectMark(head) !== undefined
    found = isMarked ? 'utf-8' : (detectMark(head) ?? (stated === 'utf-16' ? guessOrder(head) : stated))
    if (found === undefined && head.includes(0)) throw new NoTextError('it is no text')
    let rest = head.subarray(isMarked ? UTF_8_MARK.length : detectMark(head) ? 2 : 0)
    while (found === undefined) {
      const at = rest.findIndex(byte => byte > ASCII_MAX)
      if (at < 0) yield decodeAscii(rest)
      else {
        yield decodeAscii(rest.subarray(0, at))
        const more = await readBytes(pieces, WINDOW_BYTES - (rest.length - at))
        rest = joinTwo(rest.subarray(at), more)
        found = isMeantAsUtf8(rest, rest.length < WINDOW_BYTES) ? 'utf-8' : 'windows-1252'
        break
      }
      const next = await pieces.next()
      if (next.done) return
      rest = next.value
    }
    const decodePiece = DECODERS[found]()
    yield decodePiece(rest, false)
    for (let next = await pieces.next(); !next.done; next = await pieces.next()) yield decodePiece(next.value, false)
    yield decodePiece(new Uint8Array(), true)
  }
  return { text: decode(), encoding: () => found, isMarked: () => hasMark }
}

/** The same of a file, which is closed as soon as nobody reads on. */
export async function* decodeText(
  chunks: AsyncIterable<Uint8Array>,
  stated?: FileEncoding,
  onFound: (encoding: FileEncoding) => void = () => {},
): AsyncGenerator<string, void, undefined> {
  const pieces = chunks[Symbol.asyncIterator]()
  try {
    const { text, encoding } = decodeStream({ [Symbol.asyncIterator]: () => pieces }, stated)
    for await (const piece of text) {
      const found = encoding()
      if (found !== undefined) onFound(found)
      yield piece
    }
  } finally {
    await pieces.return?.()
  }
}

/** How a file is written, by the part of it that tells. What is ASCII is UTF-8, too. */
export async function detectEncoding(name: string, chunks: AsyncIterable<Uint8Array>): Promise<FileEncoding> {
  let known: FileEncoding | undefined
  const pieces = decodeText(chunks, undefined, found => {
    known = found
  })
  try {
    for await (const _ of pieces) if (known !== undefined) break
  } catch (error) {
    throw error instanceof NoTextError ? new Error(`${name} is not a text file: save it as “CSV UTF-8”`) : error
  }
  return known ?? 'utf-8'
}

/** At least so many bytes, but where the stream ends before. */
async function readBytes(pieces: Pieces, bytesMin: number): Promise<Uint8Array> {
  let bytes: Uint8Array = new Uint8Array()
  while (bytes.length < bytesMin) {
    const next = await pieces.next()
    if (next.done) break
    bytes = joinTwo(bytes, next.value)
  }
  return bytes
}

function joinTwo(one: Uint8Array, other: Uint8Array): Uint8Array {
  if (one.length === 0) return other
  if (other.length === 0) return one
  const joined = new Uint8Array(one.length + other.length)
  joined.set(one)
  joined.set(other, one.length)
  return joined
}

/** The first character of a table is ASCII nearly always, so half of it is zero. */
const guessOrder = ([first]: Uint8Array): FileEncoding => (first === 0 ? 'utf-16be' : 'utf-16le')

const ascii = new TextDecoder()
const decodeAscii = (bytes: Uint8Array): string => ascii.decode(bytes)

/** One byte that is none does not make another encoding of all others: in Windows-1252 hardly any two follow each other as UTF-8 has them. */
function isMeantAsUtf8(bytes: Uint8Array, isWhole: boolean): boolean {
  const decoder = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true })
  let [characters, broken] = [0, 0]
  for (const character of decoder.decode(bytes, { stream: !isWhole })) {
    if (character === '\ufffd') broken += 1
    else if (character.charCodeAt(0) > ASCII_MAX) characters += 1
  }
  return characters > broken
}

type DecodePiece = (piece: Uint8Array, isLast: boolean) => string

const DECODERS: Record<FileEncoding, () => DecodePiece> = {
  'utf-8': decodeUtf8,
  'utf-16le': () => decodeUtf16(0),
  'utf-16be': () => decodeUtf16(1),
  'windows-1252': () => decodeWindows1252,
}

/** A character whose bytes stand in two pieces is held until the second one. */
function decodeUtf8(): DecodePiece {
  const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  let held: Uint8Array = new Uint8Array()
  return (piece, isLast) => {
    const bytes = joinTwo(held, piece)
    const end = isLast ? bytes.length : endOfCharacters(bytes)
    held = bytes.slice(end)
    const whole = bytes.subarray(0, end)
    try {
      return strict.decode(whole)
    } catch {
      return decodeLines(whole, strict)
    }
  }
}

/** Where the last character that is whole ends, if the bytes are UTF-8. */
function endOfCharacters(bytes: Uint8Array): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back] ?? 0
    if (byte < 0x80) break
    if (byte < 0xc0) continue
    const length = byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4
    return length > back ? bytes.length - back : bytes.length
  }
  return bytes.length
}

/** Only the lines that are no text are marked. */
function decodeLines(bytes: Uint8Array, strict: TextDecoder): string {
  const lenient = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true })
  let text = ''
  for (let at = 0; at < bytes.length; ) {
    const feed = bytes.indexOf(LINE_FEED, at)
    const end = feed < 0 ? bytes.length : feed + 1
    const line = bytes.subarray(at, end)
    at = end
    try {
      text += strict.decode(line)
    } catch {
      text += lenient.decode(line).replaceAll('\ufffd', NO_CHARACTER)
    }
  }
  return text
}

const CHARACTERS_AT_ONCE = 8_192

/** `order` is which byte of two is the lower one. Halves of characters stay what they are, as a `TextDecoder` would not leave them. */
function decodeUtf16(order: 0 | 1): DecodePiece {
  let held: Uint8Array = new Uint8Array()
  return (piece, isLast) => {
    const bytes = joinTwo(held, piece)
    const count = bytes.length >> 1
    held = bytes.slice(2 * count)
    const units = new Uint16Array(count)
    for (let nth = 0; nth < count; nth++)
      units[nth] = (bytes[2 * nth + order] ?? 0) | ((bytes[2 * nth + 1 - order] ?? 0) << 8)
    let text = ''
    for (let at = 0; at < count; at += CHARACTERS_AT_ONCE)
      text += String.fromCharCode(...units.subarray(at, at + CHARACTERS_AT_ONCE))
    return isLast && held.length > 0 ? text + NO_CHARACTER : text
  }
}
