import { AppError, type Fault, invalid } from '../../errors.ts'
import { guardDefinition } from '../../procedure/definition-guard.ts'
import type { Procedure } from '../../procedure/model.ts'
import type { Scope } from '../../scope.ts'
import { type ListRequest, prepareList, readWhere } from './list.ts'
import { readScanPage } from './newest-page.ts'
import { planQuery } from './plan/plan.ts'
import { matchesEverything } from './read/matches-everything.ts'
import { SCAN_LIMITS, type ScanLimits } from './scan-limits.ts'
import type { ScanPage } from './sql/scan-page.ts'

/** Examines the filter of a bulk change before anything is changed by it. */
export async function examineWhere(scope: Scope, procedure: Procedure, where: unknown, pointer: string) {
  const { condition, faults, undeclared } = await readWhere(scope, procedure, { where, pointer })
  const isUnbounded = faults.length === 0 && matchesEverything(condition, procedure, scope.now)
  return { faults, undeclared, isUnbounded }
}

/** Finds the faults of a query that is saved for later. `pointer` is its place in the request. */
export async function examineList(
  scope: Scope,
  procedure: Procedure,
  query: Pick<ListRequest, 'where' | 'sort' | 'search'>,
  pointer: string,
): Promise<readonly Fault[]> {
  const at = (name: string) => `${pointer}/${name}`
  const pointers = { where: at('where'), sort: at('sort'), search: at('search'), cursor: pointer }
  try {
    await prepareList(scope, procedure, { ...query, skip: 0 }, pointers)
    return []
  } catch (error) {
    if (error instanceof AppError && error.code === 'invalid_request') return error.faults
    throw error
  }
}

interface MatchRequest {
  where: unknown
  /** The time from which relative times count. */
  moment: number
  /** Processes from this row number on were looked at by earlier calls; null on the first call. */
  before: number | null
  limit: number
  /** Called after each round trip. If it returns false, the rest is left for another call. */
  mayGoOn: () => boolean
  limits?: ScanLimits
}

export interface MatchResult {
  /** The ids of the matches, newest first. */
  ids: string[]
  /** The row number down to which processes were looked at; null if none are left. */
  rest: number | null
}

/** Finds the next processes that match a filter. Each round trip has a time limit of its own. */
export async function findMatches(
  scope: Scope,
  procedure: Procedure,
  { where, moment, before, limit, mayGoOn, limits = SCAN_LIMITS }: MatchRequest,
): Promise<MatchResult> {
  const { condition, faults } = await readWhere({ ...scope, now: moment }, procedure, { where, pointer: '/body/where' })
  if (faults.length > 0) throw invalid(faults)
  const plan = planQuery(condition, procedure)
  const ids: string[] = []
  if (plan === null) {
    await scope.db.read(guardDefinition(procedure))
    return { ids, rest: null }
  }
  let [rest, indexScan]: [number | null, number | null] = [before, null]
  do {
    const wanted = limit - ids.length
    const page: ScanPage = { skip: 0, limit: wanted, before: rest, indexScan, selected: 'id', sort: null, limits }
    const result = await readScanPage({ ...scope, db: scope.db.reconnect() }, plan, page)
    for (const { row } of result.matches) ids.push(String(row))
    indexScan ??= result.indexScan
    rest = result.matches.length === wanted ? (result.matches.at(-1)?.rid ?? null) : result.boundary
  } while (rest !== null && ids.length < limit && mayGoOn())
  return { ids, rest }
}
