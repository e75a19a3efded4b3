import type { Scope } from '../../scope.ts'
import type { FoundPage, WantedPage } from './newest-page.ts'
import type { QueryPlan } from './plan/plan.ts'
import type { ListPosition } from './read/cursor.ts'
import { relevantPage } from './sql/search-page.ts'

/** What fits a search best; its pages are counted, because its order changes with every process. */
export async function readRelevantPage(
  scope: Scope,
  plan: QueryPlan,
  match: string,
  { from, limit }: WantedPage,
): Promise<FoundPage> {
  const [found] = await scope.db.read(relevantPage(plan, match, { skip: from.skip, limit }))
  return { found, rest: null }
}

/** Behind so many. A cursor names a position, although the order has none. */
export const afterRelevant = (from: ListPosition, shown: number): ListPosition => ({
  after: { values: [], rid: 0 },
  skip: from.skip + shown,
  sorted: null,
})
