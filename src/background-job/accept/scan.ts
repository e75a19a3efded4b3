import { AppError, type Fault } from '../../errors.ts'

/** Where a value stands in the body, as bytes: from the first to before the second. */
export type Span = readonly [start: number, end: number]

export interface Scanned {
  /** The items of the top-level array, or of the named member of the top-level object. */
  items: Span[] | undefined
  /** The other members of the top-level object. */
  members: Map<string, Span>
}

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a]
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d]

const malformed = (message: string): AppError =>
  new AppError('malformed_json', [{ message: `the body is not JSON: ${message}`, path: '/body' }])

/** Finds where each item begins and ends, in one pass over the bytes. What is inside an item is looked at item by item. */
export function scan(bytes: Uint8Array, list: string, itemsMax: number): Scanned {
  const scanned: Scanned = { items: undefined, members: new Map() }
  let at = skipSpace(bytes, hasByteOrderMark(bytes) ? 3 : 0)
  if (at >= bytes.length) throw malformed('it is empty')
  if (bytes[at] === OPEN_LIST) at = scanList(at)
  else if (bytes[at] === OPEN_OBJECT) at = scanObject(at)
  else at = endOfValue(bytes, at)
  if (skipSpace(bytes, at) < bytes.length) throw malformed(`something follows its end at byte ${at}`)
  return scanned

  function scanList(start: number): number {
    const items: Span[] = []
    scanned.items = items
    return each(start, CLOSE_LIST, from => {
      const end = endOfValue(bytes, from)
      if (items.length === itemsMax)
        throw new AppError('request_too_large', [
          { message: `a request holds at most ${itemsMax} entries`, path: '/body' },
        ])
      items.push([from, end])
      return end
    })
  }

  function scanObject(start: number): number {
    return each(start, CLOSE_OBJECT, from => {
      if (bytes[from] !== QUOTE) throw malformed(`a name is expected at byte ${from}`)
      const nameEnd = endOfValue(bytes, from)
      const name = parse(bytes, [from, nameEnd])
      const colon = skipSpace(bytes, nameEnd)
      if (bytes[colon] !== COLON || typeof name !== 'string') throw malformed(`a colon is expected at byte ${colon}`)
      const value = skipSpace(bytes, colon + 1)
      if (scanned.members.has(name) || (name === list && scanned.items)) throw malformed(`"${name}" is there twice`)
      if (name === list && bytes[value] === OPEN_LIST) return scanList(value)
      const end = endOfValue(bytes, value)
      scanned.members.set(name, [value, end])
      return end
    })
  }

  /** The things between brackets, with commas between them. */
  function each(start: number, close: number, read: (from: number) => number): number {
    let next = skipSpace(bytes, start + 1)
    if (bytes[next] === close) return next + 1
    for (;;) {
      next = skipSpace(bytes, read(next))
      if (bytes[next] === close) return next + 1
      if (bytes[next] !== COMMA) throw malformed(`a comma is expected at byte ${next}`)
      next = skipSpace(bytes, next + 1)
    }
  }
}

const hasByteOrderMark = (bytes: Uint8Array) => bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf

const isSpace = (byte: number | undefined) => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09

function skipSpace(bytes: Uint8Array, from: number): number {
  let at = from
  while (isSpace(bytes[at])) at++
  return at
}

/** Only strings and brackets are told apart here; whether it is JSON is found out when the value is parsed. */
function endOfValue(bytes: Uint8Array, start: number): number {
  let depth = 0
  let at = start
  for (; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === QUOTE) {
      at++
      while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1
      if (depth === 0) return Math.min(at + 1, bytes.length)
    } else if (byte === OPEN_LIST || byte === OPEN_OBJECT) depth++
    else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) {
      if (depth === 0) break
      if (--depth === 0) return at + 1
    } else if (depth === 0 && (byte === COMMA || isSpace(byte))) break
  }
  if (depth > 0) throw malformed('it ends in the middle')
  if (at === start) throw malformed(`a value is expected at byte ${at}`)
  return at
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })

export function parse(bytes: Uint8Array, [start, end]: Span): unknown {
  try {
    return JSON.parse(decoder.decode(bytes.subarray(start, end)))
  } catch (error) {
    throw malformed(`at byte ${start}, ${error instanceof Error ? error.message : 'it cannot be parsed'}`)
  }
}

export const unknownMembers = (members: Iterable<string>, known: readonly string[]): Fault[] =>
  [...members]
    .filter(name => !known.includes(name))
    .map(name => ({
      message: `unknown field ${JSON.stringify(name)}`,
      path: `/body/${name}`,
      hint: `known fields: ${known.join(', ')}`,
    }))
