/** How much one statement may do. Every number is a count of processes. */
export interface ScanLimits {
  /** Examined by one statement at most. Finding where they end reads as many index entries again. */
  candidates: number
  /** The same where each of them costs many look-ups in its document. */
  candidatesMin: number
  /** Which of several indexes is the sparsest is seen from how far back its entry of this number lies. */
  probe: number
  /** How much of an index that is not in the order of creation is read, before walking by creation seems cheaper. */
  rangeEntriesPerRootOfRows: number
  rangeEntriesMax: number
  /** The same where there is an index to walk besides. */
  rangeEntriesBesideIndexMax: number
  /** Read of an index that has the order of the list, before the filter's own index is tried. */
  indexOrderBesideIndexMax: number
  /** Handed over at once when all matches are wanted. */
  matches: number
}

export const SCAN_LIMITS: ScanLimits = {
  candidates: 10_000,
  candidatesMin: 1_000,
  probe: 64,
  rangeEntriesPerRootOfRows: 600,
  rangeEntriesMax: 6_000,
  rangeEntriesBesideIndexMax: 500,
  indexOrderBesideIndexMax: 2_000,
  matches: 2_000,
}

/** Beyond this much SQL (D1 takes 100 KB) only one index is tried: each repeats the conditions on the others. */
export const SQL_LENGTH_MAX = 60_000
