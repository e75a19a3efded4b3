import { sql } from 'drizzle-orm'
import { insertInto, type Statement, statement } from '../../db/statement.ts'
import { AppError } from '../../errors.ts'
import { insertChunk } from '../chunk-rows.ts'
import { encodePointer, toObjectPrefix } from '../object/pointer.ts'
import { collectTexts } from '../object/write-texts.ts'
import type { JobSettings } from '../settings.ts'
import { jobChunk } from '../table.ts'
import { CHUNKS_MAX, type PackedChunk } from './pack-chunks.ts'

/** What goes to the database in one round trip. Nearly every request fits into one; a larger one holds no more in memory. */
const BATCH_BYTES_MAX = 2_000_000
/** What goes into one object, and is held in memory as bytes. A gigabyte stays within the statements of an invocation. */
const OBJECT_BYTES_MAX = 6_000_000

/** Whose chunks they are, and where those are put that are not in rows. */
interface ChunkPlace {
  team: { no: number; id: string }
  job: { no: number; id: string }
  bucket: Pick<R2Bucket, 'put'>
}

/** How many bytes the entries of a job have that were stored before: those in rows, and all. */
export interface StoredBytes {
  inRows: number
  all: number
  /** What follows is in objects, too. */
  hasObjects: boolean
}
const NOTHING_STORED: StoredBytes = { inRows: 0, all: 0, hasObjects: false }

/** Chunks on their way to where they are stored: the first ones of a job to rows, those behind them to objects. */
export function storeChunks(
  { team, job, bucket }: ChunkPlace,
  settings: Pick<JobSettings, 'rowEntries' | 'rowBytes' | 'chunkEntries' | 'storedBytesMax'>,
  before = NOTHING_STORED,
) {
  const { rowEntries, rowBytes, chunkEntries, storedBytesMax } = settings
  const entriesInRows = Math.min(rowEntries, CHUNKS_MAX * chunkEntries)
  let rows: Statement[] = []
  let pointers: { first: number; count: number; invalid: number; entries: string }[] = []
  let texts = collectTexts()
  let last: ReturnType<typeof collectTexts> | undefined
  let { inRows, all, hasObjects } = before
  let batchBytes = 0
  return {
    add(chunk: PackedChunk | undefined): void {
      if (!chunk) return
      all += chunk.bytes
      if (all > storedBytesMax) throw entryTooLongError(storedBytesMax)
      batchBytes += chunk.bytes
      hasObjects ||= chunk.first >= entriesInRows || inRows + chunk.bytes > rowBytes
      if (!hasObjects) {
        inRows += chunk.bytes
        rows.push(insertChunk(team.no, job.no, chunk))
      } else {
        const { first, count, invalid, entries } = chunk
        pointers.push({ first, count, invalid, entries: encodePointer(texts.add(entries)) })
      }
    },
    /** Whether as much waits as is to be held. */
    isFull: () => batchBytes >= (hasObjects ? OBJECT_BYTES_MAX : BATCH_BYTES_MAX),
    stored: (): StoredBytes => ({ inRows, all, hasObjects }),
    hasObjects: () => hasObjects,
    /** Puts the object, if there is something for it. The statements write what has waited. */
    async write(): Promise<Statement[]> {
      if (pointers.length > 0) await texts.write(bucket, toObjectPrefix(team, job))
      const statements = [...rows, ...(pointers.length > 0 ? [insertPointers(team.no, job.no, pointers)] : [])]
      ;[rows, pointers, last, texts, batchBytes] = [[], [], texts, collectTexts(), 0]
      return statements
    },
    /** The statements were not run: nothing points to the object that was put last. */
    remove: async (deleting: Pick<R2Bucket, 'delete'>): Promise<void> => {
      if (hasObjects) await last?.remove(deleting, toObjectPrefix(team, job))
    },
  }
}

const entryTooLongError = (bytesMax: number): AppError =>
  new AppError('request_too_large', [
    {
      message: `the entries of a job take at most ${bytesMax} bytes as they are stored, with the names of their attributes in each`,
      path: '/body',
      hint: 'send fewer rows at once, or leave out columns that are not needed',
    },
  ])

/** One statement, because an invocation may run a thousand only. */
const insertPointers = (team: number, job: number, pointers: readonly object[]): Statement => {
  const member = (name: string) => sql`value ->> ${sql.raw(`'$.${name}'`)}`
  return statement(
    insertInto(
      jobChunk,
      {
        team,
        job,
        first: member('first'),
        count: member('count'),
        invalid: member('invalid'),
        entries: member('entries'),
      },
      sql`FROM json_each(${JSON.stringify(pointers)})`,
    ),
  )
}
