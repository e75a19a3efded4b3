import { isGuardFailure, isUniqueViolation } from '../db/guard.ts'
import { AppError, invalid } from '../errors.ts'
import type { Receipt } from '../http/idempotency/record.ts'
import { newId } from '../ids.ts'
import type { Scope } from '../scope.ts'
import { noSuchProcedure } from './definition-cache.ts'
import { changedMeanwhile, guardDefinition, isStale } from './definition-guard.ts'
import { definitionOf, faultsOfDefinition } from './definition-rules.ts'
import { buildIndexes } from './index/build.ts'
import { assignColumns } from './index/slot-rules.ts'
import type { Definition, Procedure, ProcedureRow } from './model.ts'
import type { PutProcedure } from './schema.ts'
import {
  CAME_IN_THE_WAY,
  countInTheWay,
  findProcedure,
  guardEmpty,
  guardNoneIn,
  hasProcesses,
  insertProcedure,
  listProcedureRows,
  replaceDefinition,
} from './store.ts'

const ATTEMPTS_MAX = 5

export const listProcedures = (scope: Scope): Promise<Procedure[]> => listProcedureRows(scope)

export async function getProcedureNow(scope: Scope, reference: string): Promise<Procedure> {
  const found = await findProcedure(scope, reference)
  if (!found) throw await noSuchProcedure(scope, reference)
  return found
}

export interface PutOutcome {
  procedure: Procedure
  created: boolean
}

/** Creates a procedure or replaces its definition. Whoever changed it in between wins, and we decide anew. */
export async function putProcedure(
  scope: Scope,
  shortId: string,
  body: PutProcedure,
  receipt: Receipt,
  attempt = 1,
): Promise<PutOutcome> {
  const before = await findProcedure(scope, shortId)
  const faults = faultsOfDefinition(before?.shortId ?? shortId, body)
  if (faults.length > 0) throw invalid(faults)
  try {
    return before
      ? await replace(scope, before, definitionOf(body), receipt)
      : await create(scope, shortId, definitionOf(body), receipt)
  } catch (error) {
    const raced =
      isStale(error) || isGuardFailure(error, CAME_IN_THE_WAY) || isUniqueViolation(error, 'procedure.short_id')
    if (!raced) throw error
    if (attempt >= ATTEMPTS_MAX) throw changedMeanwhile(shortId, error)
    return putProcedure(scope, shortId, body, receipt, attempt + 1)
  }
}

async function create(scope: Scope, shortId: string, definition: Definition, receipt: Receipt): Promise<PutOutcome> {
  const columns = assignColumns(definition, undefined, true) ?? { slots: {}, clearing: [] }
  const times = { createdAt: scope.now, updatedAt: scope.now }
  const row = { ...definition, ...columns, ...times, id: newId(scope.now), shortId, version: 1, indexingBelow: null }
  const outcome = { procedure: { ...row, no: 0 }, created: true }
  await scope.db.batch([insertProcedure(scope, row), ...receipt.of({ json: JSON.stringify(outcome) })])
  return outcome
}

async function replace(
  scope: Scope,
  before: ProcedureRow,
  definition: Definition,
  receipt: Receipt,
): Promise<PutOutcome> {
  const next = definition.states.map(state => state.shortId)
  const removed = before.states.map(state => state.shortId).filter(state => !next.includes(state))
  const keyChanges = definition.primaryKey !== before.primaryKey
  if (removed.length > 0 || keyChanges) await refuseIfInUse(scope, before.no, removed, keyChanges)
  const isEmpty = !(await hasProcesses(scope, before.no))
  const columns = assignColumns(definition, before, isEmpty)
  if (!columns)
    throw new AppError(
      'conflict',
      'the columns of attributes that are no longer indexed are still being cleared; try again shortly',
    )
  const row: ProcedureRow = {
    ...before,
    ...definition,
    ...columns,
    version: before.version + 1,
    updatedAt: scope.now,
    indexingBelow: needsBuild(columns) ? Number.MAX_SAFE_INTEGER : null,
  }
  const outcome = { procedure: row, created: false }
  await scope.db.batch([
    guardDefinition(before),
    ...(removed.length > 0 ? [guardNoneIn(before.no, removed)] : []),
    ...(keyChanges || isEmpty ? [guardEmpty(before.no)] : []),
    replaceDefinition(scope, row),
    ...receipt.of({ json: JSON.stringify(outcome) }),
  ])
  if (row.indexingBelow !== null) await buildIndexes(scope.db, row.no)
  return outcome
}

const needsBuild = ({ slots, clearing }: Pick<ProcedureRow, 'slots' | 'clearing'>): boolean =>
  clearing.length > 0 || Object.values(slots).some(slot => !slot.ready)

async function refuseIfInUse(scope: Scope, no: number, removed: string[], keyChanges: boolean): Promise<void> {
  const { byState, all } = await countInTheWay(scope, no, removed, keyChanges)
  const faults = byState.map(({ state, count }) => ({
    message: `the state ${JSON.stringify(state)} can't be removed: ${count} ${plural(count)} in it`,
    path: '/body/states',
    detail: { state, processes: count },
  }))
  if (all > 0)
    faults.push({
      message: `the primary key can't be changed: the procedure has ${all} process${all === 1 ? '' : 'es'}`,
      path: '/body/primaryKey',
      detail: { state: '', processes: all },
    })
  if (faults.length > 0) throw new AppError('definition_in_use', faults)
}

const plural = (count: number) => (count === 1 ? 'process is' : 'processes are')
