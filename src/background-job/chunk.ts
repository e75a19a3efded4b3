import { BYTES_PER_CODE_UNIT_MAX, countUtf8Bytes } from '../bytes.ts'
import { damagedError } from '../damaged-object.ts'
import type { Entry, Failure, Outcome } from './entry.ts'

/** Some hundred entries of a job, in order. */
export interface Chunk {
  /** The index of its first entry. */
  first: number
  count: number
  entries: Entry[]
  /** All entries together, as they are stored. */
  bytes: number
}

export const getChunkEnd = ({ first, count }: Pick<Chunk, 'first' | 'count'>): number => first + count

/** How many entries of a chunk have ended, and how: enough to find the chunks that a page is in. */
export interface ChunkCounts {
  first: number
  count: number
  invalid: number
  success: number
  error: number
}

export const countedEntries = (counts: readonly ChunkCounts[]): number =>
  counts.reduce((sum, { count }) => sum + count, 0)

/** An entry that has ended. */
export interface CompletedEntry {
  index: number
  outcome: Outcome
}

type StoredEntry = [apiType: string, apiData: Record<string, unknown>, invalid?: Failure]
type StoredOutcome = [offset: number, status: Outcome['status'], result: Outcome['result']]

export const encodeEntry = ({ apiType, apiData, invalid }: Entry): string =>
  JSON.stringify(invalid === undefined ? [apiType, apiData] : [apiType, apiData, invalid])

export const decodeChunk = ({ entries, ...head }: Omit<Chunk, 'entries' | 'bytes'> & { entries: string }): Chunk => ({
  ...head,
  bytes: countUtf8Bytes(entries),
  entries: parseStoredEntries(parseList(entries)),
})

/** Parses entries or outcomes, which may stand in an object of R2. Throws `storage_damaged`. */
export function parseList(text: string): unknown[] {
  try {
    return JSON.parse(text) as unknown[]
  } catch (error) {
    throw damagedError('the list of its entries', 'a text of a job', error)
  }
}

/** Entries as `encodeEntry` stores them. */
export const parseStoredEntries = (stored: readonly unknown[]): Entry[] =>
  (stored as StoredEntry[]).map(([apiType, apiData, invalid]) =>
    invalid === undefined ? { apiType, apiData } : { apiType, apiData, invalid },
  )

/** One row of `job_outcome`, before it is written. */
export interface OutcomeRow {
  first: number
  offset: number
  invalid: number
  success: number
  error: number
  outcomes: string
}

/** Limits the outcomes in one row: D1 takes 2,000,000 bytes in a row. */
export const OUTCOME_ROW_BYTES_MAX = 500_000

/** The outcomes of a step as rows of bounded size: one row, unless the results are unusually long. */
export function encodeOutcomes({ first }: Pick<Chunk, 'first'>, ended: readonly CompletedEntry[]): OutcomeRow[] {
  const inOneRow = allInOneRow(first, ended)
  if (inOneRow) return [inOneRow]
  const rows: { offset: number; bytes: number; ended: CompletedEntry[]; texts: string[] }[] = []
  for (const each of ended) {
    const offset = each.index - first
    const text = JSON.stringify(storedOutcome(first, each))
    const bytes = countUtf8Bytes(text) + 1
    const last = rows.at(-1)
    if (last && last.bytes + bytes <= OUTCOME_ROW_BYTES_MAX) {
      last.bytes += bytes
      last.ended.push(each)
      last.texts.push(text)
    } else rows.push({ offset, bytes, ended: [each], texts: [text] })
  }
  return rows.map(({ offset, ended: some, texts }) => ({
    first,
    offset,
    ...countEnded(some),
    outcomes: `[${texts.join(',')}]`,
  }))
}

const storedOutcome = (first: number, { index, outcome }: CompletedEntry): StoredOutcome => [
  index - first,
  outcome.status,
  outcome.result,
]

/** As almost always. Encoded at once, and measured only where the count of characters does not say that they fit. */
function allInOneRow(first: number, ended: readonly CompletedEntry[]): OutcomeRow | undefined {
  const [head] = ended
  if (!head) return undefined
  const outcomes = JSON.stringify(ended.map(each => storedOutcome(first, each)))
  if (outcomes.length * BYTES_PER_CODE_UNIT_MAX > OUTCOME_ROW_BYTES_MAX) return undefined
  return { first, offset: head.index - first, ...countEnded(ended), outcomes }
}

export const decodeOutcomes = ({ first, outcomes }: { first: number; outcomes: string }): CompletedEntry[] =>
  parseStoredOutcomes(first, parseList(outcomes))

/** Outcomes as `encodeOutcomes` stores them, of the chunk that begins with this entry. */
export const parseStoredOutcomes = (first: number, stored: readonly unknown[]): CompletedEntry[] =>
  (stored as StoredOutcome[]).map(([offset, status, result]) => ({
    index: first + offset,
    outcome: { status, result } as Outcome,
  }))

export function countEnded(ended: readonly CompletedEntry[]): { invalid: number; success: number; error: number } {
  const counts = { INVALID: 0, SUCCESS: 0, ERROR: 0 }
  for (const { outcome } of ended) counts[outcome.status] += 1
  return { invalid: counts.INVALID, success: counts.SUCCESS, error: counts.ERROR }
}
