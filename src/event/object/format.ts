import { joinBytes } from '../../bytes.ts'

/** A row of the log in an R2 object. The JSON is as the database wrote it, so that no number and no text changes on its way. */
export interface ObjectRow {
  /** The number of the last event in it. */
  sequence: number
  count: number
  at: number
  type: string
  proc: number | null
  by: string
  after: string
  before: string | null
}

/** Tabs and ends of line separate, because JSON has neither: in a text they are written `\t` and `\n`. */
const BETWEEN = '\t'

const encoder = new TextEncoder()
const decoder = new TextDecoder()

const encodeRow = ({ sequence, count, at, type, proc, by, after, before }: ObjectRow): Uint8Array =>
  encoder.encode(`${[sequence, count, at, type, proc ?? '', by, after, before ?? ''].join(BETWEEN)}\n`)

function decodeRow(line: Uint8Array): ObjectRow {
  const [sequence, count, at, type, proc, by = '', after = '', before] = decoder.decode(line).trimEnd().split(BETWEEN)
  return {
    sequence: Number(sequence),
    count: Number(count),
    at: Number(at),
    type: String(type),
    proc: proc ? Number(proc) : null,
    by,
    after,
    before: before || null,
  }
}

/** The rows of an R2 object, each decoded when it is needed. */
export interface ObjectRows {
  sequences: readonly number[]
  /** Returns undefined if no row has this number. */
  read: (sequence: number) => ObjectRow | undefined
  /** Returns the line of a row as it is in the R2 object; empty if no row has this number. */
  bytes: (sequence: number) => Uint8Array
}

const compressed = (bytes: Uint8Array, through: CompressionStream | DecompressionStream): Promise<ArrayBuffer> =>
  new Response(new Blob([bytes]).stream().pipeThrough(through)).arrayBuffer()

/** Encodes an R2 object: a first line names the rows and their bytes, then the rows follow. All of it is compressed. */
export async function encodeObject(
  rows: readonly (ObjectRow | { sequence: number; line: Uint8Array })[],
): Promise<Uint8Array> {
  const lines = rows.map(row => ('line' in row ? row.line : encodeRow(row)))
  const index = rows.map(({ sequence }, nth) => [sequence, lines[nth]?.byteLength ?? 0])
  const whole = joinBytes([encoder.encode(`${JSON.stringify(index)}\n`), ...lines])
  return new Uint8Array(await compressed(whole, new CompressionStream('gzip')))
}

const END_OF_LINE = 10

export async function decodeObject(stored: Uint8Array): Promise<ObjectRows & { size: number }> {
  const whole = new Uint8Array(await compressed(stored, new DecompressionStream('gzip')))
  const indexEnd = whole.indexOf(END_OF_LINE) + 1
  const index = JSON.parse(decoder.decode(whole.subarray(0, indexEnd))) as [sequence: number, bytes: number][]
  const spans = new Map<number, Uint8Array>()
  let at = indexEnd
  for (const [sequence, bytes] of index) {
    spans.set(sequence, whole.subarray(at, at + bytes))
    at += bytes
  }
  if (at !== whole.byteLength) throw new Error(`an object of the log has ${whole.byteLength} bytes, not ${at}`)
  const bytes = (sequence: number) => spans.get(sequence) ?? new Uint8Array()
  return {
    size: whole.byteLength,
    sequences: index.map(([sequence]) => sequence),
    bytes,
    read: sequence => (spans.has(sequence) ? decodeRow(bytes(sequence)) : undefined),
  }
}
