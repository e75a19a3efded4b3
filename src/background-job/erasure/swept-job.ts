import { callBucket } from '../../bucket-call.ts'
import { countFitting, countUtf8Bytes } from '../../bytes.ts'
import { isDamaged } from '../../damaged-object.ts'
import type { Db } from '../../db/client.ts'
import type { Statement } from '../../db/statement.ts'
import { withTimeout } from '../../timeout.ts'
import { archiveKey, type DecodedLine, encodeIndex, type IndexedLine } from '../archive/format.ts'
import { type Archive, openArchive, writeObject } from '../archive/object.ts'
import { parseList } from '../chunk.ts'
import { selectChunkRows } from '../chunk-rows.ts'
import { type PatchedBucket, patchTexts, type TextPatch } from '../object/patch-texts.ts'
import { parsePointer, toObjectPrefix } from '../object/pointer.ts'
import { createTextReader, type ReadTexts } from '../object/read-texts.ts'
import type { EntryEraser } from './eraser.ts'
import type { StoredEntries, StoredEntry, StoredOutcome } from './rules.ts'
import {
  guardRows,
  replaceEntries,
  replaceOutcomes,
  type SweptJob,
  selectNextChunks,
  selectOutcomeRows,
  touchJob,
} from './statements.ts'

/** What a step looks at, and holds in memory: one chunk at least, which has some hundred entries and up to 2 MB. */
const STEP_LENGTH_MAX = 4_000_000
const CHUNKS_PER_STEP_MAX = 16
const ARCHIVE_MS_MAX = 120_000
/** Stands in the place of an archive that was damaged, and is read as one. */
const REMOVED = '{"damaged":true}\n'

/** What a step comes to: what it writes, and the entry at which the next one goes on; null at the end of the job. */
interface SweptEntries {
  effect: Statement[]
  next: number | null
  /** Replaces texts in objects, once the effect holds: then the next step looks at the same entries again. */
  patch?: () => Promise<void>
}

/**
 * Builds the statements that empty, in the next chunks of a job, the entries and outcomes that are about an erased person. A
 * chunk that is damaged is emptied whole.
 */
export async function sweepChunks(
  bucket: PatchedBucket,
  db: () => Db,
  erase: EntryEraser,
  { teamNo, from, ...job }: SweptJob & { teamNo: number; from: number },
): Promise<SweptEntries> {
  const [counted] = await db().read(selectNextChunks(job, from, CHUNKS_PER_STEP_MAX))
  const lengths = counted.map(({ length }) => length)
  const some = counted.slice(0, countFitting(lengths, STEP_LENGTH_MAX))
  const last = some.at(-1)
  if (!last) return { effect: [], next: null }
  const firsts = some.map(({ first }) => first)
  const [[chunks], [outcomes]] = await Promise.all([
    db().read(selectChunkRows(teamNo, job.no, firsts)[0]),
    db().read(selectOutcomeRows(job, firsts)),
  ])
  const team = { id: job.teamId }
  const readTexts = createTextReader(bucket, team, job)
  const entriesRead = await readLists<StoredEntry>(
    readTexts,
    chunks.map(({ entries }) => entries),
  )
  const outcomesRead = await readLists<StoredOutcome>(
    readTexts,
    outcomes.map(row => row.outcomes),
  )
  const found = chunks.map((row, nth) => ({
    row,
    read: entriesRead[nth] ?? NOTHING,
    outcomes: outcomes.flatMap((outcome, at) =>
      outcome.first === row.first ? [{ row: outcome, read: outcomesRead[at] ?? NOTHING }] : [],
    ),
  }))
  const [whole, damaged] = [found.filter(isWhole), found.filter(chunk => !isWhole(chunk))]
  const erased = await erase(
    db(),
    job,
    whole.map(({ read, outcomes: some }) => ({
      entries: read.list ?? [],
      outcomes: some.map(each => each.read.list ?? []),
    })),
  )
  const effect: Statement[] = []
  const [outcomePatches, entryPatches, emptied]: [TextPatch[], TextPatch[], TextPatch[]] = [[], [], []]
  for (const [nth, { row: chunk, read, outcomes: some }] of whole.entries()) {
    const left = erased[nth]
    if (!left) continue
    const pointer = parsePointer(chunk.entries)
    const text = JSON.stringify(left.entries)
    if (!pointer) effect.push(replaceEntries(job, chunk.first, text))
    else if (isOther(text, read.text)) entryPatches.push({ ...pointer, before: read.text, text })
    for (const [at, { row, read: before }] of some.entries()) {
      const after = JSON.stringify(left.outcomes[at])
      const place = parsePointer(row.outcomes)
      if (!place) effect.push(replaceOutcomes(job, { ...row, outcomes: after }))
      else if (isOther(after, before.text)) outcomePatches.push({ ...place, before: before.text, text: after })
    }
  }
  const empty = (stored: string, replaceRow: Statement): void => {
    const pointer = parsePointer(stored)
    if (pointer) emptied.push({ ...pointer, before: null, text: '' })
    else effect.push(replaceRow)
  }
  for (const { row: chunk, outcomes: some } of damaged) {
    empty(chunk.entries, replaceEntries(job, chunk.first, '[]'))
    for (const { row } of some) empty(row.outcomes, replaceOutcomes(job, { ...row, outcomes: '[]' }))
  }
  const prefix = toObjectPrefix(team, job)
  await patchTexts(bucket, prefix, emptied)
  const pointers = [...chunks.map(({ entries }) => entries), ...outcomes.map(row => row.outcomes)].filter(
    text => parsePointer(text) !== undefined,
  ).length
  // The entries tell what is to be taken from their outcomes, so they come last.
  const patches = [...outcomePatches, ...entryPatches]
  const isLast = some.length === counted.length && counted.length < CHUNKS_PER_STEP_MAX
  const next = isLast ? null : last.first + last.count
  return {
    effect: [
      guardRows(job, firsts, { outcomes: outcomes.length, pointers }),
      ...(effect.length > 0 || patches.length > 0 ? touchJob(job.no) : []),
      ...effect,
    ],
    next: patches.length > 0 ? from : next,
    ...(patches.length > 0 ? { patch: () => patchTexts(bucket, prefix, patches) } : {}),
  }
}

/** A text as it was read, and the list in it; null where it is damaged. */
interface ReadList<Item> {
  text: string
  list: Item[] | null
}

const NOTHING: ReadList<never> = { text: '', list: null }

/** Reads texts by themselves where one of them is damaged, so that the others are whole. */
async function readLists<Item>(readTexts: ReadTexts, texts: readonly string[]): Promise<ReadList<Item>[]> {
  try {
    return (await readTexts(texts)).map(text => ({ text, list: parseList(text) as Item[] }))
  } catch (error) {
    if (!isDamaged(error)) throw error
    if (texts.length === 1) return [NOTHING]
    const read: ReadList<Item>[] = []
    for (const text of texts) read.push(...(await readLists<Item>(readTexts, [text])))
    return read
  }
}

/** Nobody knows whose values a chunk has that is not. */
const isWhole = (chunk: { read: ReadList<unknown>; outcomes: { read: ReadList<unknown> }[] }): boolean =>
  [chunk, ...chunk.outcomes].every(({ read }) => read.list !== null)

/** Behind the text in an object there may be spaces. */
const isOther = (text: string, before: string): boolean => text !== before.trimEnd()

/**
 * Looks at the next lines of a job's archive. If one of them is about an erased person, the whole archive is rewritten at
 * once, and the job is done. Nobody knows whose values a damaged archive has: it is emptied whole.
 */
export async function sweepArchive(
  bucket: Pick<R2Bucket, 'get' | 'head' | 'put' | 'createMultipartUpload'>,
  db: () => Db,
  erase: EntryEraser,
  { from, ...job }: SweptJob & { from: number },
): Promise<SweptEntries> {
  const team = { id: job.teamId }
  const key = archiveKey(team, job)
  // The job has expired meanwhile.
  const found = await callBucket(() => bucket.head(key))
  if (found === null) return { effect: [], next: null }
  try {
    const archive = await openArchive(bucket, team, job)
    const rest = archive.lines.filter(({ first }) => first >= from)
    const some = takeLines(rest)
    const erased = await eraseLines(db, erase, job, await archive.read(some.map(({ first }) => first)))
    if (erased.every(line => line === null)) return { effect: [], next: rest[some.length]?.first ?? null }
    await withTimeout(ARCHIVE_MS_MAX, () =>
      writeObject(bucket, key, rewrittenPieces(archive, db, erase, job), found.etag),
    )
  } catch (error) {
    if (!isDamaged(error)) throw error
    await callBucket(() => bucket.put(key, REMOVED))
  }
  return { effect: [], next: null }
}

/** The first lines, as many as a step has room for. */
const takeLines = (lines: readonly IndexedLine[]): readonly IndexedLine[] => {
  const bytes = lines.slice(0, CHUNKS_PER_STEP_MAX).map(line => line.bytes)
  return lines.slice(0, countFitting(bytes, STEP_LENGTH_MAX))
}

async function* rewrittenPieces(
  archive: Archive,
  db: () => Db,
  erase: EntryEraser,
  job: SweptJob,
): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder()
  for (let at = 0; at < archive.lines.length; ) {
    const some = takeLines(archive.lines.slice(at))
    const lines = await archive.read(some.map(({ first }) => first))
    const erased = await eraseLines(db, erase, job, lines)
    for (const [nth, { first, bytes }] of some.entries()) {
      const line = lines[nth]
      if (line?.first !== first) throw new Error(`the archive of job ${job.id} lacks the line ${first}`)
      yield encoder.encode(padTo(bytes, `${JSON.stringify(erased[nth] ?? line)}\n`))
    }
    at += some.length
  }
  yield encoder.encode(encodeIndex(job, archive.lines))
}

async function eraseLines(
  db: () => Db,
  erase: EntryEraser,
  job: SweptJob,
  lines: readonly DecodedLine[],
): Promise<(DecodedLine | null)[]> {
  const stored = lines.map(
    ({ entries, outcomes }): StoredEntries => ({
      entries: entries as StoredEntry[],
      outcomes: outcomes.map(each => each.outcomes as StoredOutcome[]),
    }),
  )
  const erased = await erase(db(), job, stored)
  return lines.map((line, nth) => {
    const left = erased[nth]
    if (!left) return null
    const outcomes = line.outcomes.map((row, at) => ({ ...row, outcomes: left.outcomes[at] ?? [] }))
    return { ...line, entries: left.entries, outcomes }
  })
}

/** A line is as long as it was, so that the index of the object, and what readers know of it, stay true. */
function padTo(bytes: number, line: string): string {
  const missing = bytes - countUtf8Bytes(line)
  if (missing < 0) throw new Error('a line that was emptied is longer than before')
  return `${line.slice(0, -1)}${' '.repeat(missing)}\n`
}
