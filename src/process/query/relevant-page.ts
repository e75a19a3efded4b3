import type { Scope } from '../../scope.ts'
import type { FoundProcess } from './newest-page.ts'
import type { QueryPlan } from './plan/plan.ts'
import type { ListPosition } from './read/cursor.ts'
import { paceScan, type ScanLimits } from './scan-limits.ts'
import { relevantPage } from './sql/search-page.ts'

/** What fits a search best of the newest matches. Its pages are counted, since each change of a process may change the order. */
export async function readRelevantPart(
  scope: Scope,
  plan: QueryPlan,
  words: readonly string[],
  { from, limit, limits }: { from: ListPosition; limit: number; limits: ScanLimits },
): Promise<{ found: FoundProcess[]; next: ListPosition | null }> {
  const [found] = await scope.db.read(
    relevantPage(plan, words, { skip: from.skip, limit: limit + 1, limits: paceScan(limits) }),
  )
  // A cursor has a position, although this order has none.
  const next = { after: { values: [], rid: 0 }, skip: from.skip + limit, sorted: null }
  return { found: found.slice(0, limit), next: found.length > limit ? next : null }
}
