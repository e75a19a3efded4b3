import { joinBytes } from '../../bytes.ts'
import { damagedError } from '../../damaged-object.ts'
import type { Team } from '../../scope.ts'
import { getRange, type ObjectRange } from '../object/range.ts'
import { archiveKey, type DecodedLine, decodeIndex, decodeLine, type IndexedLine } from './format.ts'

/** The index of 900 chunks, and all of a small job. Of a longer index more is read, until its beginning is found. */
const TAIL_BYTES = 64 * 1024
const TAIL_FACTOR = 8

/** The entries of a job that were moved to R2. */
export interface Archive {
  lines: readonly IndexedLine[]
  /** These lines, in their order. Lines that follow each other are one call. */
  read: (firsts: readonly number[]) => Promise<DecodedLine[]>
}

interface Span {
  offset: number
  bytes: number
}

/** Reads the end of the object, which has the index; small jobs are read whole by that. */
export async function openArchive(
  bucket: Pick<R2Bucket, 'get'>,
  team: Pick<Team, 'id'>,
  job: { id: string },
): Promise<Archive> {
  const key = archiveKey(team, job)
  const get = (range: ObjectRange) => getRange(bucket, key, range)
  const refuse = (cause: unknown) => damagedError('the list of its entries', key, cause)
  const { lines, tail, size } = await readIndex({ get, refuse, job }, TAIL_BYTES)
  const spans = new Map<number, Span>()
  let offset = 0
  for (const { first, bytes } of lines) {
    spans.set(first, { offset, bytes })
    offset += bytes
  }
  const tailStart = size - tail.byteLength
  const readSpan = async (span: Span): Promise<Uint8Array> =>
    span.offset >= tailStart
      ? tail.subarray(span.offset - tailStart, span.offset - tailStart + span.bytes)
      : (await get({ offset: span.offset, length: span.bytes })).bytes
  return {
    lines,
    async read(firsts) {
      const wanted = firsts.flatMap(first => spans.get(first) ?? [])
      const decoded: DecodedLine[] = []
      for (const span of joined(wanted)) {
        const text = new TextDecoder().decode(await readSpan(span))
        try {
          decoded.push(...text.split('\n').filter(Boolean).map(decodeLine))
        } catch (error) {
          throw refuse(error)
        }
      }
      return decoded
    },
  }
}

interface IndexReader {
  get: (range: ObjectRange) => ReturnType<typeof getRange>
  refuse: (cause: unknown) => Error
  job: { id: string }
}

async function readIndex({ get, refuse, job }: IndexReader, suffix: number) {
  const { bytes: tail, size } = await get({ suffix })
  let lines: IndexedLine[] | undefined
  try {
    lines = decodeIndex(job, new TextDecoder().decode(tail))
  } catch (error) {
    throw refuse(error)
  }
  if (lines) return { lines, tail, size }
  if (tail.byteLength >= size) throw refuse(new Error('it has no index at its end'))
  return readIndex({ get, refuse, job }, suffix * TAIL_FACTOR)
}

/** Spans that follow each other, as one. */
function joined(spans: readonly Span[]): Span[] {
  const all: Span[] = []
  for (const { offset, bytes } of spans) {
    const last = all.at(-1)
    if (last && last.offset + last.bytes === offset) last.bytes += bytes
    else all.push({ offset, bytes })
  }
  return all
}

/** Parts of an upload must have the same size, except the last one, and at least 5 MiB. */
const PART_BYTES = 5 * 1024 * 1024

/**
 * Writes an object from pieces, of which it never holds more than a part. An upload that breaks off leaves no object. What is
 * to replace an object names its etag: nothing is written where another one is there by now.
 */
export async function writeObject(
  bucket: Pick<R2Bucket, 'head' | 'put' | 'createMultipartUpload'>,
  key: string,
  pieces: AsyncIterable<Uint8Array>,
  etag?: string,
): Promise<void> {
  const changedMeanwhile = () => new Error(`${key} was changed meanwhile`)
  const held: Uint8Array[] = []
  let bytes = 0
  let upload: R2MultipartUpload | undefined
  const parts: R2UploadedPart[] = []
  try {
    for await (const piece of pieces) {
      held.push(piece)
      bytes += piece.byteLength
      while (bytes >= PART_BYTES) {
        const whole = joinBytes(held.splice(0))
        upload ??= await bucket.createMultipartUpload(key)
        parts.push(await upload.uploadPart(parts.length + 1, whole.subarray(0, PART_BYTES)))
        const rest = whole.slice(PART_BYTES)
        bytes = rest.byteLength
        held.push(rest)
      }
    }
    if (!upload) {
      const whole = joinBytes(held)
      const isWritten =
        etag === undefined
          ? await bucket.put(key, whole)
          : await bucket.put(key, whole, { onlyIf: { etagMatches: etag } })
      if (isWritten === null) throw changedMeanwhile()
      return
    }
    if (bytes > 0) parts.push(await upload.uploadPart(parts.length + 1, joinBytes(held)))
    // R2 knows no condition for an upload in parts.
    if (etag !== undefined && (await bucket.head(key))?.etag !== etag) throw changedMeanwhile()
    await upload.complete(parts)
  } catch (error) {
    await upload?.abort().catch(() => undefined)
    throw error
  }
}
