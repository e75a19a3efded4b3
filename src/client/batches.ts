import { invalidCall } from './call/error.ts'

/** The limits of one bulk request. */
export const JOB_ENTRIES_MAX = 100_000
export const JOB_BODY_BYTES_MAX = 32 * 1024 * 1024

export interface BatchLimits {
  entriesMax?: number | undefined
  bytesMax?: number | undefined
}

/** The JSON text of one request, and its number of items. */
export interface Batch {
  jsonText: string
  items: number
}

const [OPENING, CLOSING] = ['{"processes":[', ']}']
const encoder = new TextEncoder()
const bytesOf = (text: string): number => encoder.encode(text).byteLength

const separator = (texts: string[]): number => (texts.length === 0 ? 0 : 1)

/** Packs items into as few requests as the limits allow, in order, with only one request in memory. */
export async function* batchesOf(
  items: Iterable<unknown> | AsyncIterable<unknown>,
  { entriesMax = JOB_ENTRIES_MAX, bytesMax = JOB_BODY_BYTES_MAX }: BatchLimits = {},
): AsyncGenerator<Batch, void, undefined> {
  let texts: string[] = []
  const frame = bytesOf(OPENING + CLOSING)
  let bytes = frame
  const batch = (): Batch => ({ jsonText: OPENING + texts.join(',') + CLOSING, items: texts.length })
  for await (const item of items) {
    const text = JSON.stringify(item)
    const size = bytesOf(text)
    if (frame + size > bytesMax) throw invalidCall(`an item of ${size} bytes does not fit into a request`, 'bulk')
    if (texts.length === entriesMax || bytes + separator(texts) + size > bytesMax) {
      yield batch()
      texts = []
      bytes = frame
    }
    bytes += separator(texts) + size
    texts.push(text)
  }
  if (texts.length > 0) yield batch()
}
