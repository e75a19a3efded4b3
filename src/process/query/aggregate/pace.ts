import { candidatesFor, paceScan, type ScanLimits, STATEMENT_MS } from '../scan-limits.ts'
import type { RowCost } from '../sql/where.ts'
import type { Source } from './stages.ts'

/** How many entries the first statement of an aggregation reads. The next ones are paced by what it took. */
export const startPace = ({ isCovered }: Source, cost: RowCost, limits: ScanLimits): number =>
  isCovered ? Math.ceil(limits.countedEntriesMax / COVERED_START) : candidatesFor(cost, paceScan(limits))

/** A part of what the fastest would take. */
const COVERED_START = 4

/** Twice as many as long as a statement takes half of its time, half as many if it takes twice of it. */
export function nextEntriesMax(
  entriesMax: number,
  ms: number,
  { isCovered }: Source,
  cost: RowCost,
  limits: ScanLimits,
): number {
  const fewest = candidatesFor(cost, { candidates: limits.candidatesMin })
  const most = isCovered ? limits.countedEntriesMax : candidatesFor(cost, limits)
  if (ms > 2 * STATEMENT_MS) return Math.min(entriesMax, Math.max(fewest, Math.floor(entriesMax / 2)))
  if (ms > STATEMENT_MS / 2) return entriesMax
  return Math.max(entriesMax, Math.min(2 * entriesMax, most))
}
