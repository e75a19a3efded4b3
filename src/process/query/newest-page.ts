import type { Scope } from '../../scope.ts'
import type { ProcessRow } from '../row.ts'
import { readProcessRow } from '../row.ts'
import type { QueryPlan } from './plan/plan.ts'
import type { SortPosition } from './read/sort.ts'
import type { ScanLimits } from './scan-limits.ts'
import { readScan, type ScanPage, type ScanResult, scanStatement } from './sql/scan-page.ts'

export interface FoundProcess extends SortPosition {
  row: ProcessRow
}

export interface PageBounds {
  skip: number
  limit: number
}

export async function readScanPage(scope: Scope, plan: QueryPlan, page: ScanPage): Promise<ScanResult> {
  const [rows] = await scope.db.read(scanStatement(plan, page))
  return readScan(rows)
}

/** A page of matches, newest first: bounded statements follow one another until it is full. */
export async function readNewestPage(
  scope: Scope,
  plan: QueryPlan,
  { skip, limit }: PageBounds,
  after: SortPosition | null,
  limits: ScanLimits,
): Promise<FoundProcess[]> {
  const found: FoundProcess[] = []
  let [skipped, indexScan]: [number, number | null] = [0, null]
  let before = after?.rid ?? null
  do {
    const missing = { skip: skip - skipped, limit: limit - found.length }
    const page: ScanPage = { ...missing, before, indexScan, selected: 'process', sort: null, limits }
    const result = await readScanPage(scope, plan, page)
    for (const { rid, row } of result.matches) found.push({ values: [], rid, row: readProcessRow(row) })
    skipped += Math.min(missing.skip, result.found)
    indexScan ??= result.indexScan
    before = result.boundary
  } while (before !== null && found.length < limit)
  return found
}
