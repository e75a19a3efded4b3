import type { PlainText, Result } from '../../db/text-statement.ts'
import { textStatement } from '../../db/text-statement.ts'
import type { Procedure } from '../../procedure/model.ts'
import { StaleProcedure } from '../../procedure/stale.ts'
import type { Scope } from '../../scope.ts'
import type { ProcessRow } from '../row.ts'
import { PROCESS_ROW, readProcessRow } from '../row.ts'
import type { Limits } from './limits.ts'
import type { Plan } from './plan/plan.ts'
import type { Position } from './read/sort.ts'
import type { Step } from './sql/step.ts'
import { readStep, stepStatement } from './sql/step.ts'

export interface Found extends Position {
  row: ProcessRow
}

export interface Wanted {
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

export async function none(scope: Scope, procedure: Procedure): Promise<Found[]> {
  await run(scope, procedure, [])
  return []
}

const NO_RESULT: Result = { rows: [], changes: 0 }

export async function runOne(scope: Scope, procedure: Procedure, statement: PlainText): Promise<Result> {
  const [result = NO_RESULT] = await run(scope, procedure, [statement])
  return result
}

export async function takeStep(scope: Scope, plan: Plan, step: Step) {
  return readStep(await runOne(scope, plan.procedure, stepStatement(plan, step)))
}

export async function newestFirst(
  scope: Scope,
  plan: Plan,
  { skip, limit }: Wanted,
  after: Position | null,
  limits: Limits,
): Promise<Found[]> {
  const found: Found[] = []
  let [skipped, stream]: [number, number | null] = [0, null]
  let before = after?.rid ?? null
  do {
    const rest = { skip: skip - skipped, limit: limit - found.length }
    const result = await takeStep(scope, plan, { ...rest, before, stream, row: PROCESS_ROW, sorting: null, limits })
    for (const { k, row } of result.rows) found.push({ values: [], rid: Number(k), row: readProcessRow(row) })
    skipped += Math.min(rest.skip, result.found)
    stream ??= result.stream
    before = result.boundary
  } while (before !== null && found.length < limit)
  return found
}
