import { LARGE_DOCUMENT_BYTES } from '../table.ts'

/** How much one statement may read: each limit is a number of index entries or processes. And how long a list may take. */
export interface ScanLimits {
  /**
   * Candidates of a filtered scan with one look-up in each document, of up to `LARGE_DOCUMENT_BYTES`: fewer with more
   * look-ups, or larger documents. Finding its boundary reads as many index entries again.
   */
  candidates: number
  /** The same, at least, however slow the database is at the moment. */
  candidatesMin: number
  /** The most selective index is the one whose entry at this position is the oldest. */
  probePosition: number
  /** Entries of a range scan, times the square root of the rows of a page: beyond, scanning newest first is cheaper. */
  rangeEntriesPerRootOfRows: number
  rangeEntriesMax: number
  /** Entries of a range scan where an index scan is possible as well. */
  rangeEntriesBesideIndexMax: number
  /** Beginnings of texts that are looked for in an index to find the spellings of a prefix: two seeks each. */
  walkedPrefixesMax: number
  /** Entries read in index order where an index scan is possible as well. */
  indexOrderBesideIndexMax: number
  /** Entries of an index that has all that is counted: no process is read. */
  countedEntriesMax: number
  /** Matches that one statement passes over for `skip`: no document is read of them where an index has no others. */
  skippedMax: number
  /** Round trips and time of one request for a list: then it stops and gives a cursor. Below what `db/client.ts` waits. */
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

/** Longer statements use one index only, since each index repeats the conditions on the others. D1 takes 100 KB. */
export const SQL_LENGTH_MAX = 60_000

/** Asked after each round trip of a list: whether it may make another one. */
export function startBudget({ listTrips, listMs }: ScanLimits): () => boolean {
  const endsAt = Date.now() + listMs
  let trips = 0
  return () => ++trips < listTrips && Date.now() < endsAt
}

/** What one statement of a scan takes of the database: so long a call of others may wait for it. */
export const STATEMENT_MS = 10
/** Finding the boundary of a filtered scan reads as many index entries again. */
const ROWS_PER_CANDIDATE = 2
/** A quick statement that reads fewer rows says little about how many can be read in a millisecond. */
const MEASURED_ROWS_MIN = 1_000

/** The more a filter looks for in each row, the fewer candidates one statement takes: one at least. */
export const candidatesFor = ({ row }: { row: number }, { candidates }: Pick<ScanLimits, 'candidates'>): number =>
  Math.max(1, Math.floor(candidates / Math.max(1, row)))

/** And where there are large documents, no more than have so many bytes together; null: none is looked into. */
export const bytesFor = (
  { documents }: { documents: number },
  { candidates }: Pick<ScanLimits, 'candidates'>,
): number | null => (documents === 0 ? null : Math.ceil((candidates * LARGE_DOCUMENT_BYTES) / Math.max(1, documents)))

/** Look-ups, until a scan of this isolate has shown it. */
const LOOKUPS_PER_MS = 500
let lookupsPerMs = LOOKUPS_PER_MS

/** A slow statement is learnt from whatever it has read: of large documents it reads few. */
export function measureScan(rows: number, { row }: { row: number }, ms: number): void {
  if (rows >= MEASURED_ROWS_MIN || ms > STATEMENT_MS) lookupsPerMs = (rows * Math.max(1, row)) / Math.max(ms, 1)
}

/** For tests: what other scans of the isolate have shown is forgotten. */
export function forgetMeasuredScans(): void {
  lookupsPerMs = LOOKUPS_PER_MS
}

/** By halves, so that there are few different statements. */
export function paceScan(limits: ScanLimits): ScanLimits {
  const fitting = Math.max(limits.candidatesMin, (STATEMENT_MS * lookupsPerMs) / ROWS_PER_CANDIDATE)
  let { candidates } = limits
  while (candidates > fitting) candidates = Math.floor(candidates / 2)
  return { ...limits, candidates: Math.max(candidates, Math.min(limits.candidatesMin, limits.candidates)) }
}
