import { invalidCall } from './call/error.ts'

/** The limits of one bulk request whose items are lines. */
export const JOB_ENTRIES_MAX = 1_000_000
export const JOB_BODY_BYTES_MAX = 100_000_000

export interface BatchLimits {
  entriesMax?: number | undefined
  bytesMax?: number | undefined
}

/** A line of a body, or a row of a table in it, with its line end. */
export interface BodyLine {
  text: string
  /** Where it begins in the file that it is of: in the body it begins there as well, so that the API tells this line. */
  line?: number | undefined
}

/** What each body of a table begins with. */
export interface BodyHead extends BodyLine {
  line: number
  /** Whether the API numbers its rows by lines, or as a spreadsheet does. */
  numbering: 'lines' | 'rows'
  /** The byte order mark of the table, or empty. */
  mark: string
}

/** Lines are joined to pieces of this size, so that a million of them are no million objects. */
const PIECE_CHARACTERS = 1_000_000

/** Packs lines into as few bodies as the limits allow, in order, with only one body in memory. */
export async function* packLines(
  lines: Iterable<BodyLine> | AsyncIterable<BodyLine>,
  { entriesMax = JOB_ENTRIES_MAX, bytesMax = JOB_BODY_BYTES_MAX, head }: BatchLimits & { head?: BodyHead } = {},
): AsyncGenerator<Blob, void, undefined> {
  const countLines = head === undefined ? countLineFeeds : COUNT_LINES[head.numbering]
  let body: Body | undefined
  for await (const { text, line } of lines) {
    const size = countBytes(text)
    const fits = body !== undefined && body.entries < entriesMax && body.hasRoom(size, line)
    if (body !== undefined && !fits) yield body.close()
    if (body === undefined || !fits) {
      // The heading of a table that is continued stands just before its first row.
      const isFirst = body === undefined
      body = openBody(bytesMax, countLines)
      if (head !== undefined) body.begin(isFirst ? head : { ...head, line: (line ?? 1) - countLines(head.text) })
      if (!body.hasRoom(size, line)) throw invalidCall(`an item of ${size} bytes does not fit into a request`, 'bulk')
    }
    body.add({ text, line }, size)
  }
  if (body !== undefined) yield body.close()
}

type CountLines = (text: string) => number

const countLineFeeds: CountLines = text => text.match(/\n/g)?.length ?? 0
/** As `parseCsv` counts them; each text is a row with its line end. */
const COUNT_LINES: Readonly<Record<BodyHead['numbering'], CountLines>> = {
  lines: text => text.match(/\r\n?|\n/g)?.length ?? 0,
  rows: () => 1,
}

type Body = ReturnType<typeof openBody>

function openBody(bytesMax: number, countLines: CountLines) {
  const pieces: Blob[] = []
  let [entries, bytes, text, at] = [0, 0, '', 1]
  const blankLines = (line = at): number => Math.max(0, line - at)
  const write = (line: BodyLine, size: number) => {
    const blank = blankLines(line.line)
    at += blank + countLines(line.text)
    bytes += blank + size
    text += '\n'.repeat(blank) + line.text
    if (text.length < PIECE_CHARACTERS) return
    pieces.push(toBlob(text))
    text = ''
  }
  return {
    get entries() {
      return entries
    },
    hasRoom: (more: number, line: number | undefined) => bytes + blankLines(line) + more <= bytesMax,
    begin({ mark, ...head }: BodyHead) {
      text = mark
      bytes = countBytes(mark)
      write(head, countBytes(head.text))
    },
    add(line: BodyLine, size: number) {
      entries += 1
      write(line, size)
    },
    close: () => new Blob([...pieces, toBlob(text)]),
  }
}

const encoder = new TextEncoder()
const countBytes = (text: string): number => encoder.encode(text).byteLength

/** No text has this byte in UTF-8. */
const NO_TEXT = new Uint8Array([0xff])
const LONE_HALF = /\p{Surrogate}/u

/** What was no text in the file is none in the body either: half of a character would become another character. */
const toBlob = (text: string): Blob =>
  new Blob(
    text.isWellFormed() ? [text] : text.split(LONE_HALF).flatMap((part, nth) => (nth === 0 ? [part] : [NO_TEXT, part])),
  )
