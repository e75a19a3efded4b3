import type { Scope } from '../../scope.ts'
import type { PageResult } from './newest-page.ts'
import type { QueryPlan } from './plan/plan.ts'
import type { ListPosition } from './read/cursor.ts'
import { paceScan, type ScanLimits } from './scan-limits.ts'
import { buildRelevantPage } from './sql/search-page.ts'

/** Reads the best matches of a search among the newest. Its pages are counted, since each change of a process may change the order. */
export async function readRelevantPage(
  scope: Scope,
  plan: QueryPlan,
  words: readonly string[],
  { from, limit, limits }: { from: ListPosition; limit: number; limits: ScanLimits },
): Promise<PageResult> {
  const [found] = await scope.db.read(
    buildRelevantPage(plan, words, { skip: from.skip, limit, limits: paceScan(limits) }),
  )
  return { found, rest: null }
}

/** Returns the position after some matches. A cursor must have a place, although this order has none. */
export const advancePosition = ({ skip }: ListPosition, count: number): ListPosition => ({
  after: { values: [], rid: 0 },
  skip: skip + count,
  sorted: null,
})
