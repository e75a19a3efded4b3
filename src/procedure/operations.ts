import { isGuardFailure, isUniqueViolation } from '../db/guard.ts'
import { retryOnConflict } from '../db/retry.ts'
import type { Statement } from '../db/statement.ts'
import { isOutOfNumbers, ROWS_PER_TEAM_MAX } from '../db/team-numbers.ts'
import { write } from '../db/write.ts'
import { describeError } from '../describe-error.ts'
import { AppError } from '../errors.ts'
import type { Scope } from '../scope.ts'
import { loadUnknownProcedureError } from './definition-cache.ts'
import { runDefinitionDryRun } from './definition-change/dry-run.ts'
import { DEFINITION_IN_USE } from './definition-change/in-use.ts'
import { type PlannedDefinition, planDefinition } from './definition-change/plan.ts'
import { formatProcedureEtag, type RequiredDefinition } from './definition-change/precondition.ts'
import type { ProcedureDryRun } from './definition-change/schema.ts'
import { definitionContendedError, isStale } from './definition-guard.ts'
import { buildIndexes } from './index/build.ts'
import type { Procedure, ProcedureRow } from './model.ts'
import type { ProcedureInput } from './schema.ts'
import {
  areDefinitionsTooLarge,
  DEFINITIONS_BYTES_MAX,
  findProcedure,
  guardDefinitionsFit,
  guardProcedureLeft,
  insertProcedure,
  listProcedureRows,
  replaceDefinition,
} from './store.ts'

/** The time for which a PUT waits for the builds that it begins. The cron does the rest. */
const BUILD_TIME_LIMIT_MS = 5_000

export const listProcedures = (scope: Scope): Promise<Procedure[]> => listProcedureRows(scope)

export async function getProcedureNow(scope: Scope, reference: string): Promise<Procedure> {
  const found = await findProcedure(scope, reference)
  if (!found) throw await loadUnknownProcedureError(scope, reference)
  return found
}

interface ProcedurePut {
  shortId: string
  body: ProcedureInput
  required: RequiredDefinition
}

export interface PutOutcome {
  procedure: Procedure
  created: boolean
}

export interface DryRunOutcome {
  dryRun: ProcedureDryRun
  /** The entity tag of the definition with which it was compared. */
  etag: string
}

const isConflict = (error: unknown): boolean =>
  isStale(error) || isGuardFailure(error, DEFINITION_IN_USE) || isUniqueViolation(error, 'procedure.short_id')

/** Creates a procedure or replaces its definition. Decides again if another request has changed it meanwhile. */
export async function putProcedure(scope: Scope, put: ProcedurePut): Promise<PutOutcome> {
  const outcome = await retryOnConflict(isConflict, () => writeDefinition(scope, put)).catch((error: unknown) => {
    throw isConflict(error) ? definitionContendedError(put.shortId, error) : error
  })
  if (outcome.row.indexingBelow !== null) await startBuild(scope, outcome.row)
  return { procedure: outcome.row, created: outcome.created }
}

/** Describes what `putProcedure` would do, by the same plan, which is not written. */
export async function dryRunProcedure(scope: Scope, put: ProcedurePut): Promise<DryRunOutcome> {
  const planned = await planPut(scope, put)
  const refusals = await findTeamRefusals(scope, planned)
  const dryRun = await runDefinitionDryRun(scope, { ...planned, refusals: [...planned.refusals, ...refusals] })
  return { dryRun, etag: formatProcedureEtag(planned.before) }
}

/** Guards against more procedures, or larger definitions, than a team may have. */
const guardTeam = (scope: Scope, { before, row }: PlannedDefinition): Statement[] => [
  ...(before ? [] : [guardProcedureLeft(scope)]),
  guardDefinitionsFit(scope, row),
]

function toRefusal(error: unknown): AppError | undefined {
  if (isOutOfNumbers(error))
    return new AppError('conflict', `a team has at most ${ROWS_PER_TEAM_MAX} procedures`, error)
  return areDefinitionsTooLarge(error)
    ? new AppError('conflict', `the definitions of a team take at most ${DEFINITIONS_BYTES_MAX} bytes together`, error)
    : undefined
}

async function findTeamRefusals(scope: Scope, planned: PlannedDefinition): Promise<AppError[]> {
  try {
    await scope.db.read(...guardTeam(scope, planned))
    return []
  } catch (error) {
    const refusal = toRefusal(error)
    if (refusal) return [refusal]
    throw error
  }
}

/** Starts the build. The definition is in force by now, so a build that fails to start is not the caller's failure, and left to the cron. */
async function startBuild(scope: Scope, { no, id }: ProcedureRow): Promise<void> {
  try {
    await buildIndexes(scope.db.reconnect(BUILD_TIME_LIMIT_MS), no)
  } catch (error) {
    console.warn(JSON.stringify({ procedure: id, procedureNo: no, team: scope.team.id, cause: describeError(error) }))
  }
}

interface DefinitionWriteResult {
  row: ProcedureRow
  created: boolean
}

const planPut = async (scope: Scope, { shortId, body, required }: ProcedurePut): Promise<PlannedDefinition> =>
  planDefinition(scope, shortId, await findProcedure(scope, shortId), body, required)

async function writeDefinition(scope: Scope, put: ProcedurePut): Promise<DefinitionWriteResult> {
  const planned = await planPut(scope, put)
  const [refusal] = planned.refusals
  if (refusal) throw refusal
  try {
    return planned.before ? await replaceProcedure(scope, planned) : await createProcedure(scope, planned)
  } catch (error) {
    throw toRefusal(error) ?? error
  }
}

async function createProcedure(scope: Scope, planned: PlannedDefinition): Promise<DefinitionWriteResult> {
  const { row } = planned
  await write(scope, {
    guards: guardTeam(scope, planned),
    effect: [insertProcedure(scope, row)],
    outcome: { json: JSON.stringify({ procedure: row, created: true }) },
  })
  return { row, created: true }
}

async function replaceProcedure(scope: Scope, planned: PlannedDefinition): Promise<DefinitionWriteResult> {
  const { row, guards } = planned
  await write(scope, {
    guards: [...guards, ...guardTeam(scope, planned)],
    effect: [replaceDefinition(scope, row)],
    outcome: { json: JSON.stringify({ procedure: row, created: false }) },
  })
  return { row, created: false }
}
