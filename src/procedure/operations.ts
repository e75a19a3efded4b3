import { isGuardFailure, isUniqueViolation } from '../db/guard.ts'
import { retryOnConflict } from '../db/retry.ts'
import { isOutOfNumbers, ROWS_PER_TEAM_MAX } from '../db/team-numbers.ts'
import { write } from '../db/write.ts'
import { AppError, invalid } from '../errors.ts'
import { describeError } from '../http/request-log.ts'
import { newId } from '../ids.ts'
import type { Scope } from '../scope.ts'
import { noSuchProcedure } from './definition-cache.ts'
import { definitionContended, guardDefinition, isStale } from './definition-guard.ts'
import { definitionOf, faultsOfDefinition } from './definition-rules.ts'
import { buildIndexes } from './index/build.ts'
import { assignSlots, assignWords, type SlotAssignment } from './index/slot-rules.ts'
import type { Definition, Procedure, ProcedureRow, Slot } from './model.ts'
import type { PutProcedure } from './schema.ts'
import { searchableOf } from './search/index-words.ts'
import {
  countStranded,
  DEFINITION_IN_USE,
  findProcedure,
  findUnenteredLists,
  guardNoProcesses,
  guardProcedureLeft,
  guardStatesUnused,
  hasProcesses,
  insertProcedure,
  listProcedureRows,
  replaceDefinition,
} from './store.ts'

/** How long a PUT waits for the builds that it begins: the rest is done by the cron. */
const BUILD_TIME_LIMIT_MS = 5_000

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

const isConflict = (error: unknown): boolean =>
  isStale(error) || isGuardFailure(error, DEFINITION_IN_USE) || isUniqueViolation(error, 'procedure.short_id')

/** Creates a procedure or replaces its definition; decides anew where it was changed in between. */
export async function putProcedure(scope: Scope, shortId: string, body: PutProcedure): Promise<PutOutcome> {
  const outcome = await retryOnConflict(isConflict, () => writeDefinition(scope, shortId, body)).catch(
    (error: unknown) => {
      throw isConflict(error) ? definitionContended(shortId, error) : error
    },
  )
  if (outcome.row.indexingBelow !== null) await startBuild(scope, outcome.row)
  return { procedure: outcome.row, created: outcome.created }
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

async function writeDefinition(scope: Scope, shortId: string, body: PutProcedure): Promise<Written> {
  const before = await findProcedure(scope, shortId)
  const faults = faultsOfDefinition(before?.shortId ?? shortId, body)
  if (faults.length > 0) throw invalid(faults)
  const definition = definitionOf(body)
  return before ? replaceProcedure(scope, before, definition) : createProcedure(scope, shortId, definition)
}

async function createProcedure(scope: Scope, shortId: string, definition: Definition): Promise<Written> {
  const assigned = assignSlots(definition, undefined, true) ?? { slots: {}, clearing: [] }
  const times = { createdAt: scope.now, updatedAt: scope.now }
  const state = { version: 1, indexingBelow: null, unfitSlots: 0 }
  const words = searchableOf(definition).length > 0 ? { wordsReady: true } : {}
  const own = { id: newId(scope.now), shortId, no: 0 }
  const row: ProcedureRow = { ...definition, ...assigned, ...words, ...times, ...state, ...own }
  try {
    await write(scope, {
      guards: [guardProcedureLeft(scope)],
      effect: [insertProcedure(scope, row)],
      outcome: { json: JSON.stringify({ procedure: row, created: true }) },
    })
  } catch (error) {
    if (!isOutOfNumbers(error)) throw error
    throw new AppError('conflict', `a team has at most ${ROWS_PER_TEAM_MAX} procedures`, error)
  }
  return { row, created: true }
}

async function replaceProcedure(scope: Scope, before: ProcedureRow, definition: Definition): Promise<Written> {
  const next = definition.states.map(state => state.shortId)
  const removed = before.states.map(state => state.shortId).filter(state => !next.includes(state))
  const keyChanges = definition.primaryKey !== before.primaryKey
  if (removed.length > 0 || keyChanges) await refuseIfInUse(scope, before.no, removed, keyChanges)
  const isEmpty = !(await hasProcesses(scope, before.no))
  const assigned = assignSlots(definition, before, isEmpty)
  if (!assigned)
    throw new AppError(
      'conflict',
      'the columns of attributes that are no longer indexed are still being cleared; try again shortly',
    )
  const row: ProcedureRow = {
    ...before,
    ...definition,
    ...(await withListsReopened(scope, before.no, assigned)),
    ...assignWords(definition, before, isEmpty),
    version: before.version + 1,
    updatedAt: scope.now,
    unfitSlots: 0,
  }
  row.indexingBelow = needsBuild(row) ? Number.MAX_SAFE_INTEGER : null
  await write(scope, {
    guards: [
      guardDefinition(before),
      ...(removed.length > 0 ? [guardStatesUnused(before.no, removed)] : []),
      ...(keyChanges || isEmpty ? [guardNoProcesses(before.no)] : []),
    ],
    effect: [replaceDefinition(scope, row)],
    outcome: { json: JSON.stringify({ procedure: row, created: false }) },
  })
  return { row, created: false }
}

/** Elements that code of an earlier version has left out are entered when the definition is sent again. */
async function withListsReopened(scope: Scope, no: number, assigned: SlotAssignment): Promise<SlotAssignment> {
  const lists = Object.values(assigned.slots).filter(({ listPath, ready }) => listPath && ready)
  const unentered = await findUnenteredLists(
    scope,
    no,
    lists.map(({ column }) => column),
  )
  if (unentered.length === 0) return assigned
  const slots = Object.entries(assigned.slots).map(([name, slot]): [string, Slot] => [
    name,
    unentered.includes(slot.column) ? { ...slot, ready: false } : slot,
  ])
  return { ...assigned, slots: Object.fromEntries(slots) }
}

const needsBuild = ({
  slots,
  clearing,
  wordsReady,
}: Pick<ProcedureRow, 'slots' | 'clearing' | 'wordsReady'>): boolean =>
  wordsReady === false || clearing.length > 0 || Object.values(slots).some(slot => !slot.ready)

async function refuseIfInUse(scope: Scope, no: number, removed: string[], keyChanges: boolean): Promise<void> {
  const { byState, all } = await countStranded(scope, no, removed, keyChanges)
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
