import { countCandidates, paceScan, type ScanLimits, STATEMENT_MS } from '../scan-limits.ts'
import type { RowCost } from '../sql/where.ts'
import type { Source } from './stages.ts'

/** Returns how many entries the first statement of an aggregation reads. The time that it takes paces the next ones. */
export const startPace = ({ isCovered }: Source, cost: RowCost, limits: ScanLimits): number =>
  isCovered ? Math.ceil(limits.countedEntriesMax / COVERED_START) : countCandidates(cost, paceScan(limits))

/** The fraction of the maximum with which an aggregation begins if it reads an index alone. */
const COVERED_START = 4

/** Doubles the entries while a statement takes less than half of its time, and halves them when it takes more than twice of it. */
export function getNextEntriesMax(
  { entriesMax, ms }: { entriesMax: number; ms: number },
  { isCovered }: Source,
  cost: RowCost,
  limits: ScanLimits,
): number {
  const fewest = countCandidates(cost, { candidates: limits.candidatesMin })
  const most = isCovered ? limits.countedEntriesMax : countCandidates(cost, limits)
  if (ms > 2 * STATEMENT_MS) return Math.min(entriesMax, Math.max(fewest, Math.floor(entriesMax / 2)))
  if (ms > STATEMENT_MS / 2) return entriesMax
  return Math.max(entriesMax, Math.min(2 * entriesMax, most))
}
