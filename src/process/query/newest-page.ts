import type { Scope } from '../../scope.ts'
import { areListsIncomplete, planWithoutLists } from './element/planned-limit.ts'
import type { QueryPlan } from './plan/plan.ts'
import type { ListPosition } from './read/cursor.ts'
import type { SortPosition } from './read/sort.ts'
import { measureScan, paceScan, type ScanLimits } from './scan-limits.ts'
import { buildScan, readScan, type ScanPage, type ScanResult } from './sql/scan-page.ts'
import { estimateScanCost } from './sql/scans.ts'

/** A match with its text, as `listedProcess` selects it. The row of a long one is its length. */
export interface ProcessMatch {
  rid: number
  row: string
  /** The values by which it was sorted, as the database returned them; absent newest first. */
  values?: SortPosition['values']
}

export interface PageRequest {
  from: ListPosition
  limit: number
  limits: ScanLimits
  /** Called after each round trip. If it returns false, the page ends there, and the rest is left. */
  mayGoOn: () => boolean
}

export interface PageResult {
  found: ProcessMatch[]
  /** The position at which the list goes on if it stopped before the page was full; null if nothing is left. */
  rest: ListPosition | null
}

export async function readScanPage(scope: Scope, plan: QueryPlan, page: ScanPage): Promise<ScanResult> {
  try {
    return await readPlannedPage(scope, plan, page)
  } catch (error) {
    if (!areListsIncomplete(error)) throw error
    // The chosen index belongs to this plan only, so the next page chooses again.
    return { ...(await readPlannedPage(scope, planWithoutLists(plan), { ...page, indexScan: null })), indexScan: null }
  }
}

async function readPlannedPage(scope: Scope, plan: QueryPlan, page: ScanPage): Promise<ScanResult> {
  const { cost } = scope.db
  const before = { ...cost }
  const [rows] = await scope.db.read(buildScan(plan, { ...page, limits: paceScan(page.limits) }))
  measureScan(cost.rowsRead - before.rowsRead, estimateScanCost(plan.parts, plan, page.sort), cost.ownMs - before.ownMs)
  return readScan(rows, page)
}

/** Reads a page of matches, newest first, by bounded statements that follow one another until it is full. */
export async function readNewestPage(
  scope: Scope,
  plan: QueryPlan,
  { from, limit, limits, mayGoOn }: PageRequest,
): Promise<PageResult> {
  const found: ProcessMatch[] = []
  let [skip, indexScan]: [number, number | null] = [from.skip, null]
  let before = from.after?.rid ?? null
  do {
    // If many matches are skipped, a statement passes over a bounded number, and returns the last of them.
    const isPassing = skip > limits.skippedMax
    const wanted = isPassing
      ? ({ skip: limits.skippedMax - 1, limit: 1, selected: 'position' } as const)
      : ({ skip, limit: limit - found.length, selected: 'process' } as const)
    const result = await readScanPage(scope, plan, { ...wanted, before, indexScan, sort: null, limits })
    const [lastPassed] = isPassing ? result.matches : []
    if (!isPassing) for (const { rid, row } of result.matches) found.push({ rid, row: row ?? '' })
    skip -= lastPassed ? limits.skippedMax : Math.min(skip, result.found)
    indexScan ??= result.indexScan
    before = lastPassed?.rid ?? result.boundary
  } while (before !== null && found.length < limit && mayGoOn())
  if (before === null || found.length >= limit) return { found, rest: null }
  return { found, rest: { after: { values: [], rid: before }, skip, sorted: null } }
}
