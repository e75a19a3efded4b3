import { isGuardFailure, isUniqueViolation } from '../db/guard.ts'
import { retryOnConflict } from '../db/retry.ts'
import { isOutOfNumbers, ROWS_PER_TEAM_MAX } from '../db/team-numbers.ts'
import { write } from '../db/write.ts'
import { AppError } from '../errors.ts'
import { describeError } from '../http/request-log.ts'
import type { Scope } from '../scope.ts'
import { noSuchProcedure } from './definition-cache.ts'
import { dryRunOf } from './definition-change/dry-run.ts'
import { DEFINITION_IN_USE } from './definition-change/in-use.ts'
import { type PlannedDefinition, planDefinition } from './definition-change/plan.ts'
import { etagOfProcedure, type RequiredDefinition } from './definition-change/precondition.ts'
import type { ProcedureDryRun } from './definition-change/schema.ts'
import { definitionContended, isStale } from './definition-guard.ts'
import { buildIndexes } from './index/build.ts'
import type { Procedure, ProcedureRow } from './model.ts'
import type { SentProcedure } from './schema.ts'
import { findProcedure, guardProcedureLeft, insertProcedure, listProcedureRows, replaceDefinition } from './store.ts'

/** How long a PUT waits for the builds that it begins: the rest is done by the cron. */
const BUILD_TIME_LIMIT_MS = 5_000

export const listProcedures = (scope: Scope): Promise<Procedure[]> => listProcedureRows(scope)

export async function getProcedureNow(scope: Scope, reference: string): Promise<Procedure> {
  const found = await findProcedure(scope, reference)
  if (!found) throw await noSuchProcedure(scope, reference)
  return found
}

export interface ProcedurePut {
  shortId: string
  body: SentProcedure
  required: RequiredDefinition
}

export interface PutOutcome {
  procedure: Procedure
  created: boolean
}

export interface DryRunOutcome {
  dryRun: ProcedureDryRun
  /** Of the definition that it was compared with. */
  etag: string
}

const isConflict = (error: unknown): boolean =>
  isStale(error) || isGuardFailure(error, DEFINITION_IN_USE) || isUniqueViolation(error, 'procedure.short_id')

/** Creates a procedure or replaces its definition; decides anew where it was changed in between. */
export async function putProcedure(scope: Scope, put: ProcedurePut): Promise<PutOutcome> {
  const outcome = await retryOnConflict(isConflict, () => writeDefinition(scope, put)).catch((error: unknown) => {
    throw isConflict(error) ? definitionContended(put.shortId, error) : error
  })
  if (outcome.row.indexingBelow !== null) await startBuild(scope, outcome.row)
  return { procedure: outcome.row, created: outcome.created }
}

/** What `putProcedure` would do: decided by the same plan, which is not written. */
export async function dryRunProcedure(scope: Scope, put: ProcedurePut): Promise<DryRunOutcome> {
  const planned = await planPut(scope, put)
  const refusals = planned.before ? [] : await refusalOfNew(scope)
  const dryRun = await dryRunOf(scope, { ...planned, refusals: [...planned.refusals, ...refusals] })
  return { dryRun, etag: etagOfProcedure(planned.before) }
}

async function refusalOfNew(scope: Scope): Promise<AppError[]> {
  try {
    await scope.db.read(guardProcedureLeft(scope))
    return []
  } catch (error) {
    if (isOutOfNumbers(error)) return [tooManyProcedures(error)]
    throw error
  }
}

/** The definition is in force by now: a build that can not be started is not the caller's failure, and the cron's to do. */
async function startBuild(scope: Scope, { no, id }: ProcedureRow): Promise<void> {
  try {
    await buildIndexes(scope.db.reconnect(BUILD_TIME_LIMIT_MS), no)
  } catch (error) {
    console.warn(JSON.stringify({ indexBuildOf: id, cause: describeError(error) }))
  }
}

interface Written {
  row: ProcedureRow
  created: boolean
}

const planPut = async (scope: Scope, { shortId, body, required }: ProcedurePut): Promise<PlannedDefinition> =>
  planDefinition(scope, shortId, await findProcedure(scope, shortId), body, required)

async function writeDefinition(scope: Scope, put: ProcedurePut): Promise<Written> {
  const planned = await planPut(scope, put)
  const [refusal] = planned.refusals
  if (refusal) throw refusal
  return planned.before ? replaceProcedure(scope, planned) : createProcedure(scope, planned)
}

async function createProcedure(scope: Scope, { row }: PlannedDefinition): Promise<Written> {
  try {
    await write(scope, {
      guards: [guardProcedureLeft(scope)],
      effect: [insertProcedure(scope, row)],
      outcome: { json: JSON.stringify({ procedure: row, created: true }) },
    })
  } catch (error) {
    throw isOutOfNumbers(error) ? tooManyProcedures(error) : error
  }
  return { row, created: true }
}

const tooManyProcedures = (cause: unknown) =>
  new AppError('conflict', `a team has at most ${ROWS_PER_TEAM_MAX} procedures`, cause)

async function replaceProcedure(scope: Scope, { row, guards }: PlannedDefinition): Promise<Written> {
  await write(scope, {
    guards,
    effect: [replaceDefinition(scope, row)],
    outcome: { json: JSON.stringify({ procedure: row, created: false }) },
  })
  return { row, created: false }
}
