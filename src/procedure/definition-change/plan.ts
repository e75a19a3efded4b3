import type { Statement } from '../../db/statement.ts'
import { AppError, invalid } from '../../errors.ts'
import { newId } from '../../ids.ts'
import type { Scope } from '../../scope.ts'
import { guardDefinition } from '../definition-guard.ts'
import { findDefinitionFaults, toDefinition } from '../definition-rules.ts'
import { assignSlots, assignWords, isSameBuild, type SlotAssignment } from '../index/slot-rules.ts'
import type { Definition, ProcedureRow, Slot } from '../model.ts'
import type { ProcedureInput } from '../schema.ts'
import { listSearchable } from '../search/index-words.ts'
import {
  countStranded,
  findUnenteredLists,
  findUnfitProcesses,
  guardNoProcesses,
  guardStatesUnused,
  hasProcesses,
} from './in-use.ts'
import { type RequiredDefinition, requireDefinition } from './precondition.ts'
import { findReadOnlyFaults, pickWrittenPart } from './read-only.ts'

/** The result of deciding on a definition. A PUT writes it, its dry run describes it. */
export interface PlannedDefinition {
  /** Undefined for a new procedure. */
  before: ProcedureRow | undefined
  row: ProcedureRow
  /** Guards of the state on which the row was decided. */
  guards: readonly Statement[]
  /** The reasons why the row must not be written. */
  refusals: readonly AppError[]
}

export async function planDefinition(
  scope: Scope,
  shortId: string,
  before: ProcedureRow | undefined,
  sent: ProcedureInput,
  required: RequiredDefinition,
): Promise<PlannedDefinition> {
  const body = pickWrittenPart(sent)
  const faults = [...findReadOnlyFaults(sent, before), ...findDefinitionFaults(before?.shortId ?? shortId, body)]
  if (faults.length > 0) throw invalid(faults)
  requireDefinition(before, required)
  const definition = toDefinition(body)
  return before ? planReplacement(scope, before, definition) : planNew(scope, shortId, definition)
}

function planNew(scope: Scope, shortId: string, definition: Definition): PlannedDefinition {
  const assigned = assignSlots(definition, undefined, { isEmpty: true, unfitProcesses: {} }) ?? {
    slots: {},
    clearing: [],
  }
  const times = { createdAt: scope.now, updatedAt: scope.now }
  const state = { version: 1, indexingBelow: null, unfitSlots: 0 }
  const words = listSearchable(definition).length > 0 ? { wordsReady: true } : {}
  const own = { id: newId(scope.now), shortId, no: 0 }
  const row = { ...definition, ...assigned, ...words, ...times, ...state, ...own }
  return { before: undefined, row, guards: [], refusals: [] }
}

async function planReplacement(scope: Scope, before: ProcedureRow, definition: Definition): Promise<PlannedDefinition> {
  const next = definition.states.map(state => state.shortId)
  const removed = before.states.map(state => state.shortId).filter(state => !next.includes(state))
  const keyChanges = definition.primaryKey !== before.primaryKey
  const inUse = removed.length > 0 || keyChanges ? await findUseRefusals(scope, before.no, removed, keyChanges) : []
  const isEmpty = !(await hasProcesses(scope, before.no))
  const unfitProcesses = await findUnfitProcesses(scope, before, definition)
  const assigned = assignSlots(definition, before, { isEmpty, unfitProcesses })
  const row: ProcedureRow = {
    ...before,
    ...definition,
    ...(assigned && (await reopenLists(scope, before.no, assigned))),
    ...assignWords(definition, before, isEmpty),
    unfitProcesses,
    version: before.version + 1,
    // Each definition has a time of its own, with which `If-Match` is compared (`precondition.ts`).
    updatedAt: Math.max(scope.now, before.updatedAt + 1),
  }
  const anew = { indexingBelow: needsBuild(row) ? Number.MAX_SAFE_INTEGER : null, unfitSlots: 0 }
  return {
    before,
    // A step that is written meanwhile is made again: a place and what was found down to it are kept together.
    row: before.indexingBelow !== null && isSameBuild(row, before) ? row : { ...row, ...anew },
    guards: [
      guardDefinition(before),
      ...(removed.length > 0 ? [guardStatesUnused(before.no, removed)] : []),
      ...(keyChanges || isEmpty ? [guardNoProcesses(before.no)] : []),
    ],
    refusals: [...inUse, ...(assigned ? [] : [columnsClearingError()])],
  }
}

const columnsClearingError = () =>
  new AppError(
    'conflict',
    'the columns of attributes that are no longer indexed are still being cleared; try again shortly',
  )

/** Reopens lists whose elements code of an earlier version has left out: they are entered when the definition is sent again. */
async function reopenLists(scope: Scope, no: number, assigned: SlotAssignment): Promise<SlotAssignment> {
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

async function findUseRefusals(scope: Scope, no: number, removed: string[], keyChanges: boolean): Promise<AppError[]> {
  const { byState, all } = await countStranded(scope, no, removed, keyChanges)
  const faults = byState.map(({ state, counted: { count, words } }) => ({
    message: `the state ${JSON.stringify(state)} can't be removed: ${words} ${plural(count)} in it`,
    path: '/body/states',
    detail: { state, processes: count },
  }))
  if (all.count > 0)
    faults.push({
      message: `the primary key can't be changed: the procedure has ${all.words} process${all.count === 1 ? '' : 'es'}`,
      path: '/body/primaryKey',
      detail: { state: '', processes: all.count },
    })
  return faults.length > 0 ? [new AppError('definition_in_use', faults)] : []
}

const plural = (count: number) => (count === 1 ? 'process is' : 'processes are')
