import { LARGE_DOCUMENT_BYTES } from '../table.ts'

/** The limits of one statement, as numbers of index entries or processes; and of the time that a list takes. */
export interface ScanLimits {
  /**
   * Candidates of a filtered scan with one look-up in each document, of up to `LARGE_DOCUMENT_BYTES`; fewer with more
   * look-ups, or larger documents. Finding its boundary reads as many index entries again.
   */
  candidates: number
  /** Candidates that a statement reads at least, however slow the database is at the moment. */
  candidatesMin: number
  /** The most selective index is the one whose entry at this position is the oldest. */
  probePosition: number
  /** Entries of a range scan, times the square root of the rows of a page. Beyond that, scanning newest first is cheaper. */
  rangeEntriesPerRootOfRows: number
  rangeEntriesMax: number
  /** Entries of a range scan if an index scan is possible as well. */
  rangeEntriesBesideIndexMax: number
  /** Beginnings of texts that are looked for in an index to find the spellings of a prefix: two seeks each. */
  walkedPrefixesMax: number
  /** Entries read in index order if an index scan is possible as well. */
  indexOrderBesideIndexMax: number
  /** Entries of an index that has all that is counted, so that no process is read. */
  countedEntriesMax: number
  /** Matches over which one statement passes for `skip`. Their documents are not read if every entry of an index matches. */
  skippedMax: number
  /** Round trips and time of one request for a list, which then stops and returns a cursor. Less than `db/client.ts` waits. */
  listTrips: number
  listMs: number
}

export const SCAN_LIMITS: ScanLimits = {
  candidates: 10_000,
  candidatesMin: 1_000,
  probePosition: 64,
  rangeEntriesPerRootOfRows: 600,
  rangeEntriesMax: 6_000,
  rangeEntriesBesideIndexMax: 500,
  walkedPrefixesMax: 1_000,
  indexOrderBesideIndexMax: 2_000,
  countedEntriesMax: 200_000,
  skippedMax: 20_000,
  listTrips: 900,
  listMs: 8_000,
}

/** Longer statements use only one index, since each index repeats the conditions on the others. D1 takes 100 KB. */
export const SQL_LENGTH_MAX = 60_000

/** Returns a function that tells, after each round trip of a list, whether it may make another one. */
export function startBudget({ listTrips, listMs }: ScanLimits): () => boolean {
  const endsAt = Date.now() + listMs
  let trips = 0
  return () => ++trips < listTrips && Date.now() < endsAt
}

/** The time that one statement of a scan takes of the database: a call of others may wait that long for it. */
export const STATEMENT_MS = 10
/** Finding the boundary of a filtered scan reads as many index entries again. */
const ROWS_PER_CANDIDATE = 2
/** A quick statement that reads fewer rows says little about how many are read in a millisecond. */
const MEASURED_ROWS_MIN = 1_000

/** Returns the candidates of one statement: the more a filter looks for in each row, the fewer, and at least one. */
export const countCandidates = ({ row }: { row: number }, { candidates }: Pick<ScanLimits, 'candidates'>): number =>
  Math.max(1, Math.floor(candidates / Math.max(1, row)))

/** Returns the bytes that the documents of one statement may have together, if some are large; null if it reads no document. */
export const countDocumentBytes = (
  { documents }: { documents: number },
  { candidates }: Pick<ScanLimits, 'candidates'>,
): number | null => (documents === 0 ? null : Math.ceil((candidates * LARGE_DOCUMENT_BYTES) / Math.max(1, documents)))

/** The assumed speed until a scan of this isolate has shown another one. */
const LOOKUPS_PER_MS = 500
let lookupsPerMs = LOOKUPS_PER_MS

/** Measures the speed of a scan. A slow statement counts even if it has read few rows: large documents may be the reason. */
export function measureScan(rows: number, { row }: { row: number }, ms: number): void {
  if (rows >= MEASURED_ROWS_MIN || ms > STATEMENT_MS) lookupsPerMs = (rows * Math.max(1, row)) / Math.max(ms, 1)
}

/** Forgets the measured speed. Used by tests alone. */
export function forgetMeasuredScans(): void {
  lookupsPerMs = LOOKUPS_PER_MS
}

/** Adapts the limits to the measured speed. Candidates are halved, so that there are few different statements. */
export function paceScan(limits: ScanLimits): ScanLimits {
  const fitting = Math.max(limits.candidatesMin, (STATEMENT_MS * lookupsPerMs) / ROWS_PER_CANDIDATE)
  let { candidates } = limits
  while (candidates > fitting) candidates = Math.floor(candidates / 2)
  return { ...limits, candidates: Math.max(candidates, Math.min(limits.candidatesMin, limits.candidates)) }
}
