import type { QueryPlan } from '../plan/plan.ts'
import { candidatesFor, paceScan, type ScanLimits, STATEMENT_MS } from '../scan-limits.ts'
import { documentLookups } from '../sql/where.ts'
import type { Source } from './stages.ts'

/** How many entries the first statement of an aggregation reads. The next ones are paced by what it took. */
export function startPace({ isCovered }: Source, { parts, procedure }: QueryPlan, limits: ScanLimits): number {
  if (isCovered) return Math.ceil(limits.countedEntriesMax / COVERED_START)
  const lookups = parts.reduce((sum, part) => sum + documentLookups(part, procedure), 0)
  return candidatesFor(lookups, paceScan(limits))
}

/** A part of what the fastest would take. */
const COVERED_START = 4

/** Twice as many as long as a statement takes half of its time, half as many if it takes twice of it. */
export function nextEntriesMax(entriesMax: number, ms: number, { isCovered }: Source, limits: ScanLimits): number {
  if (ms > 2 * STATEMENT_MS) return Math.max(limits.candidatesMin, Math.floor(entriesMax / 2))
  if (ms > STATEMENT_MS / 2) return entriesMax
  return Math.max(entriesMax, Math.min(2 * entriesMax, isCovered ? limits.countedEntriesMax : limits.candidates))
}
