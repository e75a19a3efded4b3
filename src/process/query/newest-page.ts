import type { PlainText, Result } from '../../db/text-statement.ts'
import { textStatement } from '../../db/text-statement.ts'
import { StaleProcedure } from '../../procedure/definition-guard.ts'
import type { Procedure } from '../../procedure/model.ts'
import type { Scope } from '../../scope.ts'
import type { ProcessRow } from '../row.ts'
import { PROCESS_ROW, readProcessRow } from '../row.ts'
import type { QueryPlan } from './plan/plan.ts'
import type { SortPosition } from './read/sort.ts'
import type { ScanLimits } from './scan-limits.ts'
import type { ScanPage } from './sql/scan-page.ts'
import { readScan, scanStatement } from './sql/scan-page.ts'

export interface FoundProcess extends SortPosition {
  row: ProcessRow
}

export interface PageBounds {
  skip: number
  limit: number
}

/** Runs one statement of a list, unless the procedure has changed since it was loaded: then its columns may hold others. */
async function run(scope: Scope, procedure: Procedure, statements: PlainText[]): Promise<Result[]> {
  const current = textStatement('SELECT version FROM procedure WHERE no = ?', procedure.no)
  const [version, ...results] = await scope.db.batch([current, ...statements])
  if (version?.rows[0]?.version !== procedure.version) throw new StaleProcedure()
  return results
}

export async function readEmptyPage(scope: Scope, procedure: Procedure): Promise<FoundProcess[]> {
  await run(scope, procedure, [])
  return []
}

const NO_RESULT: Result = { rows: [], changes: 0 }

export async function runOne(scope: Scope, procedure: Procedure, statement: PlainText): Promise<Result> {
  const [result = NO_RESULT] = await run(scope, procedure, [statement])
  return result
}

export async function runScan(scope: Scope, plan: QueryPlan, step: ScanPage) {
  return readScan(await runOne(scope, plan.procedure, scanStatement(plan, step)))
}

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
    const rest = { skip: skip - skipped, limit: limit - found.length }
    const result = await runScan(scope, plan, { ...rest, before, indexScan, row: PROCESS_ROW, sortBy: null, limits })
    for (const { k, row } of result.rows) found.push({ values: [], rid: Number(k), row: readProcessRow(row) })
    skipped += Math.min(rest.skip, result.found)
    indexScan ??= result.indexScan
    before = result.boundary
  } while (before !== null && found.length < limit)
  return found
}
