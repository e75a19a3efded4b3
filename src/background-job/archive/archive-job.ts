import { callBucket } from '../../bucket-call.ts'
import type { Db } from '../../db/client.ts'
import { write } from '../../db/write.ts'
import { withTimeout } from '../../timeout.ts'
import { type ChunkCounts, countedEntries } from '../chunk.ts'
import { selectChunkCounts, selectChunkRows } from '../chunk-rows.ts'
import { readInParts } from '../read/stored-entries.ts'
import { archiveKey, encodeIndex, encodeLine, type IndexedLine } from './format.ts'
import { openArchive, writeObject } from './object.ts'
import { type CompletedJob, leaseJob, markArchived, selectOthersJob } from './statements.ts'

const UPLOAD_MS_MAX = 120_000

/**
 * Moves the entries of a job to an object: first it is written, then read back, then the job is marked, and its rows are
 * due for removal. Broken off at any point it is repeated, as soon as nothing of this attempt can go on any more.
 */
export async function archiveJob(bucket: R2Bucket, db: () => Db, job: CompletedJob, now: number): Promise<void> {
  const key = archiveKey(job.team, job)
  const { lease, leasing } = leaseJob(job, Math.max(now, Date.now()))
  const beginning = [leasing, selectChunkCounts(job.team.no, job.no)] as const
  const [leased, { rows: counts }] = await write({ db: db(), idempotency: null }, { effect: beginning, outcome: null })
  // The rows of a job that is not whole are being removed.
  if (leased.changes === 0 || countedEntries(counts) !== job.total) return
  const lines: IndexedLine[] = []
  await withTimeout(UPLOAD_MS_MAX, () => writeObject(bucket, key, streamLines(db, job, counts, lines)))
  const written = await openArchive(bucket, job.team, job)
  if (encodeIndex(job, written.lines) !== encodeIndex(job, lines)) throw new Error(`${key} is not as it was written`)
  const ending = [...markArchived(job, { lease, now }), selectOthersJob(job, lease)] as const
  const [marked, _lease, others] = await write({ db: db(), idempotency: null }, { effect: ending, outcome: null })
  // The job has expired or was changed meanwhile, so no row refers to the object.
  if (marked.changes === 0 && others.rows.length === 0) await callBucket(() => bucket.delete(key))
}

/** The lines of the object. `lines` gets their index, which is the last of them. */
async function* streamLines(
  db: () => Db,
  job: CompletedJob,
  counts: readonly ChunkCounts[],
  lines: IndexedLine[],
): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder()
  yield* readInParts(counts, async part => {
    const firsts = part.map(({ first }) => first)
    const [chunks, outcomes] = await db().read(...selectChunkRows(job.team.no, job.no, firsts))
    if (chunks.length < part.length) throw new Error(`job ${job.id} lacks entries`)
    const byChunk = Map.groupBy(outcomes, ({ first }) => first)
    const items = chunks.map(chunk => encoder.encode(encodeLine({ chunk, outcomes: byChunk.get(chunk.first) ?? [] })))
    const indexed = part.map((counted, index) => ({ ...counted, bytes: items[index]?.byteLength ?? 0 }))
    lines.push(...indexed)
    return { items, length: indexed.reduce((sum, { bytes }) => sum + bytes, 0) }
  })
  yield encoder.encode(encodeIndex(job, lines))
}
