import { joinBytes } from '../../bytes.ts'
import { AppError, invalid } from '../../errors.ts'
import { pointer } from '../../http/request/faults.ts'
import {
  BODY_LEVELS_MAX,
  findDeepOrLarge,
  findDoubled,
  MAYBE_TOO_LARGE,
  tooDeepError,
} from '../../http/request/levels.ts'
import { ENTRY_BYTES_MAX } from '../entry.ts'

/**
 * Limits one value as it was sent. In JSON each character may be escaped, which takes up to three times the bytes of its
 * UTF-8, so a larger item would be no entry in any case: it is read over, and not held in memory.
 */
export const VALUE_BYTES_MAX = 4 * ENTRY_BYTES_MAX
/** So many unknown names at the top of a body are kept for the faults. */
const UNKNOWN_NAMES_MAX = 1_000

/** A value of the body: where it begins, and its bytes, unless it is larger than `VALUE_BYTES_MAX`, or too deep. */
export interface Value {
  at: number
  size: number
  bytes: Uint8Array | null
  /** Nested more than `BODY_LEVELS_MAX` deep. */
  isTooDeep: boolean
}

interface Scan {
  /** Takes the next bytes of the body, and returns the items that end in them. */
  feed: (piece: Uint8Array) => Value[]
  /** Refuses a body that ends too early, and returns nothing but faults. */
  end: () => void
  /** Whether the body is a list, or its named member is one. */
  hasList: () => boolean
  /** The other members of the top-level object. Those that are not known have no bytes. */
  members: ReadonlyMap<string, Value>
}

type ScanState =
  | ['document' | 'item' | 'first item' | 'item end' | 'name' | 'first name' | 'end' | 'member end']
  | ['colon' | 'member', name: string]

interface OpenValue {
  use: 'item' | 'name' | 'member'
  /** The name of the member. */
  name: string
  at: number
  /** What came in earlier pieces; null: it is not held. */
  held: Uint8Array[] | null
  size: number
  depth: number
  isTooDeep: boolean
  inText: boolean
  isEscaped: boolean
}

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a]
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d]
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf]

export const malformedItemError = (message: string, hint?: string): AppError =>
  new AppError('malformed_json', [{ message: `the body is not JSON: ${message}`, path: '/body', hint }])

const isSpace = (byte: number | undefined) => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09

/**
 * Finds each item of the top-level list, or of the named member of the top-level object, while the body comes in. Only
 * texts and brackets are told apart here; whether a value is JSON is found out when it is parsed. No parser of a stream
 * bounds the bytes of an item and says where a fault is. `otherForms` says how a body that is something else is sent.
 */
export function scanBody(list: string, known: readonly string[], itemsMax: number, otherForms?: string): Scan {
  const members = new Map<string, Value>()
  let expected: ScanState = ['document']
  let value: OpenValue | null = null
  let [base, items, marks] = [0, 0, 0]
  let [isObject, hasList] = [false, false]
  let found: Value[] = []

  return {
    members,
    hasList: () => hasList,
    feed(piece) {
      found = []
      let at = 0
      while (at < piece.length) at = value === null ? take(piece, at) : readOn(value, piece, at)
      base += piece.length
      return found
    },
    end() {
      if (value !== null && (value.depth > 0 || value.inText)) throw malformedItemError('it ends in the middle')
      if (value !== null) finish(value, new Uint8Array(), 0, 0)
      if (expected[0] === 'document') throw malformedItemError('it is empty')
      if (expected[0] !== 'end') throw missing(base)
    },
  }

  /** One byte between values; returns where the next one is. */
  function take(piece: Uint8Array, at: number): number {
    const byte = piece[at] ?? 0
    if (expected[0] === 'document' && marks === base + at && byte === BYTE_ORDER_MARK[marks]) {
      marks++
      return at + 1
    }
    if (isSpace(byte)) return at + 1
    switch (expected[0]) {
      case 'document':
        if (marks % BYTE_ORDER_MARK.length > 0) throw missing(base + at)
        if (byte === OPEN_LIST) return openList(at)
        if (byte !== OPEN_OBJECT && !mayBeginValue(piece, at)) throw noDocumentError(piece, at, otherForms)
        if (byte !== OPEN_OBJECT) return open('member', '', at)
        isObject = true
        expected = ['first name']
        return at + 1
      case 'first item':
      case 'item':
        if (byte === CLOSE_LIST && expected[0] === 'first item') return close(isObject ? ['member end'] : ['end'], at)
        if (isNoValue(byte)) throw missing(base + at)
        if (items === itemsMax) throw tooManyItemsError(itemsMax)
        return open('item', '', at)
      case 'item end':
        if (byte === CLOSE_LIST) return close(isObject ? ['member end'] : ['end'], at)
        if (byte !== COMMA) throw missing(base + at)
        return close(['item'], at)
      case 'first name':
      case 'name':
        if (byte === CLOSE_OBJECT && expected[0] === 'first name') return close(['end'], at)
        if (byte !== QUOTE) throw missing(base + at)
        return open('name', '', at)
      case 'colon':
        if (byte !== COLON) throw missing(base + at)
        return close(['member', expected[1]], at)
      case 'member':
        if (isNoValue(byte)) throw missing(base + at)
        if (expected[1] === list && byte === OPEN_LIST) return openList(at)
        return open('member', expected[1], at)
      case 'member end':
        if (byte === CLOSE_OBJECT) return close(['end'], at)
        if (byte !== COMMA) throw missing(base + at)
        return close(['name'], at)
      case 'end':
        throw malformedItemError(`something follows its end at byte ${base + at}`, otherForms)
    }
  }

  function openList(at: number): number {
    hasList = true
    return close(['first item'], at)
  }

  function close(next: ScanState, at: number): number {
    expected = next
    return at + 1
  }

  function open(use: OpenValue['use'], name: string, at: number): number {
    const isHeld = use !== 'member' || known.includes(name)
    const state = { size: 0, depth: 0, isTooDeep: false, inText: false, isEscaped: false }
    value = { use, name, at: base + at, held: isHeld ? [] : null, ...state }
    return at
  }

  /** Goes on in a value; returns where it ends, or the end of the piece. */
  function readOn(open: OpenValue, piece: Uint8Array, from: number): number {
    let { depth, inText, isEscaped } = open
    for (let at = from; at < piece.length; at++) {
      const byte = piece[at]
      if (inText) {
        if (isEscaped) isEscaped = false
        else if (byte === BACKSLASH) isEscaped = true
        else if (byte === QUOTE) {
          inText = false
          if (depth === 0) return finish(open, piece, from, at + 1)
        }
      } else if (byte === QUOTE) inText = true
      else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
        if (++depth > BODY_LEVELS_MAX) open.isTooDeep = true
      } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) {
        if (depth === 0) return finish(open, piece, from, at)
        if (--depth === 0) return finish(open, piece, from, at + 1)
      } else if (depth === 0 && (byte === COMMA || isSpace(byte))) return finish(open, piece, from, at)
    }
    hold(open, piece.subarray(from))
    Object.assign(open, { depth, inText, isEscaped })
    return piece.length
  }

  function hold(open: OpenValue, bytes: Uint8Array): void {
    open.size += bytes.length
    if (open.size > VALUE_BYTES_MAX || open.isTooDeep) open.held = null
    open.held?.push(bytes)
  }

  function finish(ended: OpenValue, piece: Uint8Array, from: number, to: number): number {
    hold(ended, piece.subarray(from, to))
    value = null
    const { use, name, at, size, held, isTooDeep } = ended
    const whole: Value = { at, size, bytes: held && joinBytes(held), isTooDeep }
    if (use === 'item') {
      items++
      found.push(whole)
      expected = ['item end']
    } else if (use === 'member') endMember(name, whole)
    else beginMember(parseValue(whole))
    return to
  }

  function beginMember(name: unknown): void {
    if (typeof name !== 'string') throw malformedItemError('a name is expected')
    if (members.has(name) || (name === list && hasList))
      throw invalid([{ message: `${JSON.stringify(name)} is there twice`, path: pointer('body', name) }])
    expected = ['colon', name]
  }

  function endMember(name: string, whole: Value): void {
    expected = isObject ? ['member end'] : ['end']
    if (!isObject) return
    members.set(name, whole)
    if (members.size > known.length + UNKNOWN_NAMES_MAX) throw malformedItemError('it has too many members')
  }

  function missing(at: number): AppError {
    const what = expected[0] === 'colon' ? 'a colon' : /name$/.test(expected[0]) ? 'a name' : ''
    return malformedItemError(`${what || (/end$/.test(expected[0]) ? 'a comma' : 'a value')} is expected at byte ${at}`)
  }
}

const BEGINNING_BYTES_MAX = 40
const readBeginning = (piece: Uint8Array, at: number): string =>
  new TextDecoder().decode(piece.subarray(at, at + BEGINNING_BYTES_MAX))

const LITERALS = ['true', 'false', 'null']

/** A text, a number or a literal, as far as it has come in. */
function mayBeginValue(piece: Uint8Array, at: number): boolean {
  const [word = ''] = /^[^\s,\]}]*/.exec(readBeginning(piece, at)) ?? []
  return /^["\d-]/.test(word) || LITERALS.some(literal => literal.startsWith(word))
}

/** What begins like nothing of JSON is something else: a page, or a table that nobody has declared. */
function noDocumentError(piece: Uint8Array, at: number, otherForms: string | undefined): AppError {
  const [line = ''] = readBeginning(piece, at).split(/[\r\n\uFFFD]/)
  return malformedItemError(`it begins with ${JSON.stringify(line)}`, otherForms)
}

const isNoValue = (byte: number) => byte === COMMA || byte === CLOSE_LIST || byte === CLOSE_OBJECT

export const tooManyItemsError = (itemsMax: number): AppError =>
  new AppError('request_too_large', [{ message: `a request holds at most ${itemsMax} entries`, path: '/body' }])

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })

export function parseValue({ at, size, bytes, isTooDeep }: Value, path = '/body'): unknown {
  if (isTooDeep) throw tooDeepError(path)
  if (bytes === null)
    throw new AppError('request_too_large', [
      { message: `a value holds at most ${VALUE_BYTES_MAX} bytes, the one at byte ${at} has ${size}`, path: '/body' },
    ])
  let [text, value]: [string, unknown] = ['', null]
  try {
    text = decoder.decode(bytes)
    value = JSON.parse(text)
  } catch (error) {
    throw malformedItemError(`at byte ${at}, ${error instanceof Error ? error.message : 'it cannot be parsed'}`)
  }
  const unusable = (MAYBE_TOO_LARGE.test(text) ? findDeepOrLarge(value) : null) ?? findDoubled(text, value)
  if (unusable && path === '/body')
    throw invalid([{ message: `in the value at byte ${at}, ${unusable.message} (${unusable.path})`, path }])
  if (unusable) throw invalid([{ message: unusable.message, path: unusable.path.replace('/body', path) }])
  return value
}
