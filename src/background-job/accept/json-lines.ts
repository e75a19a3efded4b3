import { joinBytes } from '../../bytes.ts'
import { findUnusable } from '../../http/request/levels.ts'
import type { StreamedBody } from '../../http/request/streamed-body.ts'
import { isObject } from '../../http/shapes.ts'
import { describeJsonError } from '../../refusal-text.ts'
import { ENTRY_BYTES_MAX } from '../entry.ts'
import { type BulkBody, type LineItem, readLines } from './body.ts'
import { VALUE_BYTES_MAX } from './scan.ts'

const LINE_FEED = 0x0a
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })

/** Reads a body with one item in each line. Blank lines are skipped; a malformed one is the fault of its item alone. */
export function readJsonLines(body: StreamedBody): BulkBody<LineItem> {
  const next = splitLines(body)
  return readLines(
    async () => {
      for (;;) {
        const line = await next()
        if (line === undefined) return undefined
        const item = parseLine(line)
        if (item) return item
      }
    },
    () => 'each line has one item, as {"data": {"city": "Pune"}}',
  )
}

interface Line {
  line: number
  size: number
  /** Null where it is larger than any item can be: it is read over, and not held in memory. */
  bytes: Uint8Array | null
}

function splitLines(body: StreamedBody): () => Promise<Line | undefined> {
  let [piece, at, line, hasEnded] = [new Uint8Array() as Uint8Array, 0, 0, false]
  return async () => {
    if (hasEnded) return undefined
    const held: Uint8Array[] = []
    let size = 0
    const hold = (bytes: Uint8Array) => {
      size += bytes.length
      if (size > VALUE_BYTES_MAX) held.length = 0
      else held.push(bytes)
    }
    line += 1
    const ended = () => ({ line, size, bytes: size > VALUE_BYTES_MAX ? null : joinBytes(held) })
    for (;;) {
      const end = piece.indexOf(LINE_FEED, at)
      if (end >= 0) {
        hold(piece.subarray(at, end))
        at = end + 1
        return ended()
      }
      hold(piece.subarray(at))
      const following = await body.next()
      if (following === undefined) {
        hasEnded = true
        return ended()
      }
      ;[piece, at] = [following, 0]
    }
  }
}

/** What the runtime says where something follows a whole item. */
const SECOND_ITEM = /after JSON/
const ONE_A_LINE =
  'each item stands in a line of its own; curl -d takes line breaks out of a file, --data-binary does not'

/** What is kept of a line that is no item: the beginning of a longer one tells which it was. */
const KEPT_BYTES_MAX = 100_000
const keep = (bytes: Uint8Array): string =>
  bytes.length <= KEPT_BYTES_MAX
    ? new TextDecoder().decode(bytes).trimEnd()
    : // No half of a character at its end.
      `${new TextDecoder().decode(bytes.subarray(0, KEPT_BYTES_MAX), { stream: true })}…`

function parseLine({ line, size, bytes }: Line): LineItem | undefined {
  if (bytes === null) return { line, fault: `an entry holds at most ${ENTRY_BYTES_MAX} bytes, this line has ${size}` }
  const refuse = (fault: string): LineItem => ({ line, fault, kept: { item: keep(bytes) } })
  let text: string
  try {
    text = decoder.decode(bytes)
  } catch {
    return refuse('it is not valid UTF-8')
  }
  if (text.trim() === '') return undefined
  try {
    const item: unknown = JSON.parse(text)
    const unusable = findUnusable(text, item)
    if (unusable === null) return isObject(item) ? { line, item } : refuse('an item must be an object')
    return refuse(`${unusable.message} (${unusable.path.replace('/body', '')})`)
  } catch (error) {
    const isFollowed = SECOND_ITEM.test(String(error))
    return isFollowed ? { ...refuse(describeJsonError(error)), hint: ONE_A_LINE } : refuse(describeJsonError(error))
  }
}
