import { archiveKey, type DecodedLine, encodeIndex } from '../background-job/archive/format.ts'
import { openArchive, writeObject } from '../background-job/archive/object.ts'
import { selectChunkRows } from '../background-job/chunk-rows.ts'
import { utf8Bytes } from '../bytes.ts'
import type { Db } from '../db/client.ts'
import type { Statement } from '../db/statement.ts'
import { withTimeout } from '../timeout.ts'
import {
  replaceEntries,
  replaceOutcomes,
  type SweptJob,
  selectNextChunks,
  selectOutcomeRows,
  touchJob,
} from './job-statements.ts'
import { emptyEntries } from './names-rules.ts'

/** What is read in one round trip. A chunk has some hundred entries, and up to 2 MB. */
const CHUNKS_PER_STEP = 8
const ARCHIVE_MS_MAX = 120_000

type IsNamed = (json: string) => boolean

/** Statements that empty the entries which name somebody in the next chunks; `next`: where to go on, null at the end. */
export async function emptyChunks(
  db: () => Db,
  team: number,
  no: number,
  from: number,
  isNamed: IsNamed,
): Promise<{ effect: Statement[]; next: number | null }> {
  const [counts] = await db().read(selectNextChunks(no, from, CHUNKS_PER_STEP))
  const last = counts.at(-1)
  if (!last) return { effect: [], next: null }
  const firsts = counts.map(({ first }) => first)
  const [chunkRows, outcomeRows] = await db().read(selectChunkRows(team, no, firsts)[0], selectOutcomeRows(no, firsts))
  const effect = chunkRows.flatMap(chunk => {
    const rows = outcomeRows.filter(({ first }) => first === chunk.first)
    const emptied = emptyEntries(
      { entries: JSON.parse(chunk.entries), outcomes: rows.map(({ outcomes }) => JSON.parse(outcomes)) },
      isNamed,
    )
    if (!emptied) return []
    return [
      replaceEntries(no, chunk.first, JSON.stringify(emptied.entries)),
      ...rows.map((row, nth) => replaceOutcomes(no, { ...row, outcomes: JSON.stringify(emptied.outcomes[nth]) })),
    ]
  })
  return {
    effect: effect.length > 0 ? [...touchJob(no), ...effect] : [],
    next: counts.length < CHUNKS_PER_STEP ? null : last.first + last.count,
  }
}

/** The same in the object of a job. It is written anew only where somebody is named. */
export async function emptyArchive(
  bucket: Pick<R2Bucket, 'get' | 'head' | 'put' | 'createMultipartUpload'>,
  { id, teamId }: SweptJob,
  isNamed: IsNamed,
): Promise<void> {
  const team = { id: teamId }
  const key = archiveKey(team, { id })
  // The job has expired meanwhile.
  if ((await bucket.head(key)) === null) return
  const archive = await openArchive(bucket, team, { id })
  let isAnyNamed = false
  for (const { first } of archive.lines) {
    const [line] = await archive.read([first])
    isAnyNamed ||= line !== undefined && emptyLine(line, isNamed) !== null
    if (isAnyNamed) break
  }
  if (!isAnyNamed) return
  const encoder = new TextEncoder()
  async function* pieces(): AsyncGenerator<Uint8Array> {
    for (const { first, bytes } of archive.lines) {
      const [line] = await archive.read([first])
      if (!line) throw new Error(`${key} lacks the line ${first}`)
      yield encoder.encode(padTo(bytes, `${JSON.stringify(emptyLine(line, isNamed) ?? line)}\n`))
    }
    yield encoder.encode(encodeIndex({ id }, archive.lines))
  }
  await withTimeout(ARCHIVE_MS_MAX, writeObject(bucket, key, pieces()))
}

function emptyLine(line: DecodedLine, isNamed: IsNamed): DecodedLine | null {
  const outcomes = line.outcomes.map(each => each.outcomes)
  const emptied = emptyEntries({ entries: line.entries, outcomes }, isNamed)
  if (!emptied) return null
  const rows = line.outcomes.map((row, nth) => ({ ...row, outcomes: emptied.outcomes[nth] ?? [] }))
  return { ...line, entries: emptied.entries, outcomes: rows }
}

/** A line is as long as it was, so that the index of the object, and what readers know of it, stay true. */
function padTo(bytes: number, line: string): string {
  const missing = bytes - utf8Bytes(line)
  if (missing < 0) throw new Error('a line that was emptied is longer than before')
  return `${line.slice(0, -1)}${' '.repeat(missing)}\n`
}
