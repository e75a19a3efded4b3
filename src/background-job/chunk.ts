import type { Entry, Failure, Outcome } from './entry.ts'

/** Some hundred entries of a job and what became of them so far. */
export interface Chunk {
  job: number
  first: number
  count: number
  invalid: number
  success: number
  error: number
  updatedAt: number
  entries: Entry[]
  /** As many as are done; null where the entry was invalid from the start. */
  outcomes: (Outcome | null)[]
}

/** What is known of a chunk without its entries: enough to find the chunks that a page is in. */
export type ChunkHead = Omit<Chunk, 'entries' | 'outcomes'>

export const HEAD_COLUMNS = 'c.job, c.first, c.count, c.invalid, c.success, c.error, c.updated_at AS updatedAt'
export const CHUNK_COLUMNS = `${HEAD_COLUMNS}, c.entries, c.outcomes`

type StoredEntry = [apiType: string, apiData: Record<string, unknown>, invalid?: Failure]
type StoredOutcome = [status: Outcome['status'], result: Outcome['result']] | null

export const storedEntry = ({ apiType, apiData, invalid }: Entry): string =>
  JSON.stringify(invalid === undefined ? [apiType, apiData] : [apiType, apiData, invalid])

export const storedOutcomes = ({ outcomes }: Pick<Chunk, 'outcomes'>): string =>
  JSON.stringify(outcomes.map(outcome => outcome && [outcome.status, outcome.result]))

export function readChunk(row: Record<string, unknown>): Chunk {
  const { entries, outcomes, ...head } = row as unknown as ChunkHead & { entries: string; outcomes: string | null }
  return {
    ...head,
    entries: (JSON.parse(entries) as StoredEntry[]).map(([apiType, apiData, invalid]) =>
      invalid === undefined ? { apiType, apiData } : { apiType, apiData, invalid },
    ),
    outcomes:
      outcomes === null
        ? []
        : (JSON.parse(outcomes) as StoredOutcome[]).map(
            stored => stored && ({ status: stored[0], result: stored[1] } as Outcome),
          ),
  }
}

/** What became of an entry, if anything has yet. */
export function outcomeAt({ entries, outcomes }: Chunk, offset: number): Outcome | undefined {
  const invalid = entries[offset]?.invalid
  return invalid === undefined ? (outcomes[offset] ?? undefined) : { status: 'INVALID', result: invalid }
}
