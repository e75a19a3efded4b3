import { countUtf8Bytes } from '../../bytes.ts'
import { AppError } from '../../errors.ts'
import { tooDeepError } from '../../http/request/levels.ts'
import { encodeEntry } from '../chunk.ts'
import { ENTRY_BYTES_MAX, type Entry, toFailure } from '../entry.ts'
import type { JobSettings } from '../settings.ts'

/** The bytes of the entries of one chunk, unless a single one is larger: a row of D1 has 2,000,000. */
export const CHUNK_BYTES_MAX = 1_000_000
/** Entries of one body of JSON, and matches of one query. */
export const ENTRIES_MAX = 100_000
/** Entries of one body that is read line by line, and so of one job. */
export const STREAM_ENTRIES_MAX = 1_000_000
/** Each chunk is a statement, and D1 runs 1,000 in one invocation. */
export const CHUNKS_MAX = 900

/** How many entries one job can have that a query finds. */
export const getEntriesMax = ({ chunkEntries }: Pick<JobSettings, 'chunkEntries'>): number =>
  Math.min(ENTRIES_MAX, CHUNKS_MAX * chunkEntries)

/** Entries as one row of `job_chunk` has them. */
export interface PackedChunk {
  first: number
  count: number
  invalid: number
  entries: string
  bytes: number
}

/** Packs entries into chunks, in their order; the first one has this index. */
export function packChunks(first: number, { chunkEntries }: Pick<JobSettings, 'chunkEntries'>) {
  let next = first
  let texts: string[] = []
  let [bytes, invalid] = [0, 0]

  function close(): PackedChunk | undefined {
    if (texts.length === 0) return undefined
    const count = texts.length
    const packed = { first: next - count, count, invalid, entries: `[${texts.join(',')}]`, bytes }
    texts = []
    bytes = 0
    invalid = 0
    return packed
  }

  return {
    /** The chunk before it, where that is full. */
    add(entry: Entry): { closed: PackedChunk | undefined; isInvalid: boolean } {
      const encoded = encodeForChunk(entry)
      const isFull = texts.length === chunkEntries || bytes + encoded.bytes > CHUNK_BYTES_MAX
      const closed = isFull ? close() : undefined
      texts.push(encoded.text)
      bytes += encoded.bytes
      invalid += encoded.isInvalid ? 1 : 0
      next++
      return { closed, isInvalid: encoded.isInvalid }
    },
    /** The last chunk, if there is one. */
    close,
  }
}

interface EncodedEntry {
  text: string
  bytes: number
  isInvalid: boolean
}

/** An entry as it is stored; one that can't be stored is INVALID. */
function encodeForChunk(entry: Entry): EncodedEntry {
  try {
    const text = encodeEntry(entry)
    const bytes = countUtf8Bytes(text)
    if (bytes <= ENTRY_BYTES_MAX) return { text, bytes, isInvalid: entry.invalid !== undefined }
    return encodeRefused(entry, tooLong(bytes))
  } catch (error) {
    // The stack of the runtime ends some thousand levels down.
    if (error instanceof RangeError) return encodeRefused(entry, 'the entry is nested too deeply')
    throw error
  }
}

const tooLong = (bytes: number) => `an entry holds at most ${ENTRY_BYTES_MAX} bytes, this one has ${bytes}`

const refusedEntry = (apiType: string, message: string): Entry => ({
  apiType,
  apiData: {},
  invalid: toFailure(new AppError('request_too_large', [{ message, path: '/body' }])),
})

/** An item that is so large that it was not held in memory. */
export const tooLargeEntry = (apiType: string, bytes: number): Entry => refusedEntry(apiType, tooLong(bytes))

/** An item that is nested so deeply that neither the database nor a response has room for it: its data is not kept. */
export const tooDeepEntry = (apiType: string): Entry => ({
  apiType,
  apiData: {},
  invalid: toFailure(tooDeepError('/body')),
})

function encodeRefused({ apiType }: Entry, message: string): EncodedEntry {
  const text = encodeEntry(refusedEntry(apiType, message))
  return { text, bytes: countUtf8Bytes(text), isInvalid: true }
}
