import { type Outcome, toFailure, UNCHANGED, withNames } from '../../../background-job/entry.ts'
import { findSurvivorNos } from '../../../customer-record/survivor.ts'
import { AppError } from '../../../errors.ts'
import type { MovedLog } from '../../../event/object/open.ts'
import type { Procedure } from '../../../procedure/model.ts'
import type { Scope } from '../../../scope.ts'
import { duplicateKeyError } from '../../refusals.ts'
import { buildRestoredProcess } from '../../restore.ts'
import type { TrashedProcess } from '../../row.ts'
import { countDerivedStatements } from '../../rows/derived.ts'
import { type Change, toTransitionError } from '../../rules.ts'
import { createFormCache } from '../change-form.ts'
import { findHolders } from '../create.ts'
import { type RestoredItem, readTrashed } from '../restore.ts'
import {
  addDelete,
  addUpdate,
  type ProcessState,
  planRowUpdate,
  STATEMENTS_PER_STEP_MAX,
  type WritePass,
} from '../update-rules.ts'
import { type ChangeSearch, type LoggedChange, passNewest, readOn } from './change-search.ts'
import {
  type FormerValues,
  isSeekingFormerValues,
  listFormerValues,
  seekFormerValues,
  toPutBackHint,
} from './former-values.ts'
import { isOfEntry, isUndoneAlready, type PlannedUndo, planUndo, toChangedSince, type UndoPlan } from './rules.ts'

/** A process, live or in the trash, while the entries of a step are decided one after the other. */
export interface UndoneProcess extends ProcessState {
  /** As it was read; null: it is in the trash, or has none. */
  lastEvent: number | null
  isInTrash: boolean
  trashed?: TrashedProcess | undefined
  search: ChangeSearch
  /** What taking back its newest change comes to, once that is known. */
  undo?: PlannedUndo | undefined
}

/** The n-th change of each process, as in an update; and those that come back. */
interface UndoPass extends WritePass {
  restores: RestoredItem[]
}

export type Processes = ReadonlyMap<number, UndoneProcess>

export const findProcess = (processes: Processes, { rid, id }: UndoPlan): UndoneProcess | undefined => {
  const found = processes.get(rid)
  return found?.id === id ? found : undefined
}

/** How often a step reads on: where many changes of one process are taken back, the rest is left for the next one. */
const READS_PER_STEP_MAX = 12

/** What is decided so far. */
interface UndoDecision {
  outcomes: Outcome[]
  passes: UndoPass[]
  statements: number
  /** The id of the process that has a primary key by now; null: nobody has it. */
  holders: Map<string, string | null>
  /** The row of the customer to whom that of a former one leads by now; null: they were erased. */
  survivors: Map<number, number | null>
}

export async function decideUndos(
  scope: Scope & { moved: MovedLog },
  procedure: Procedure,
  plans: readonly UndoPlan[],
  processes: Processes,
): Promise<UndoDecision> {
  const decided: UndoDecision = { outcomes: [], passes: [], statements: 0, holders: new Map(), survivors: new Map() }
  const decide = decider(procedure, scope.now, decided)
  const searches = [...processes.values()].map(({ search }) => search)
  const ahead = Math.min(READS_PER_STEP_MAX, Math.max(0, ...searches.map(({ depth }) => depth))) - 1
  for (let reads = 0; reads < ahead; reads++) await readOn(scope, searches)
  for (let reads = Math.max(0, ahead); decided.outcomes.length < plans.length; reads++) {
    const rest = plans.slice(decided.outcomes.length)
    if (decided.outcomes.length > 0 && reads >= READS_PER_STEP_MAX) break
    await readOn(scope, searches)
    for (const plan of rest) {
      const found = findProcess(processes, plan)
      if (found) seekFormerValues(plan, found.search)
    }
    await readNeeded(scope, procedure, rest, processes, decided)
    for (const plan of rest) {
      const found = findProcess(processes, plan)
      if (found && found.search.newest === undefined) break
      const outcome = decide(plan, found)
      if (outcome === 'next step') return decided
      if (outcome === 'read on') break
      decided.outcomes.push(withNames(outcome, found ?? { id: plan.id, primaryKey: null }))
      if (decided.statements >= STATEMENTS_PER_STEP_MAX) return decided
    }
  }
  return decided
}

/** What has to be known of the changes that were found: who holds the keys that they give back, what is in the trash, and to whom former customers lead. */
async function readNeeded(
  scope: Scope,
  procedure: Procedure,
  plans: readonly UndoPlan[],
  processes: Processes,
  { holders, survivors }: UndoDecision,
): Promise<void> {
  const wanted = new Map<number, UndoneProcess>()
  for (const plan of plans) {
    const found = findProcess(processes, plan)
    const newest = found && findNewest(found)
    if (!newest || !isOfEntry(newest, plan)) continue
    found.undo ??= planUndo(procedure, newest)
    wanted.set(found.rid, found)
  }
  const all = [...wanted.values()]
  const returning = all.filter(each => each.undo?.what === 'restore' && each.isInTrash && !each.trashed)
  const rows = await readTrashed(
    scope,
    procedure,
    returning.map(({ rid }) => rid),
  )
  for (const each of returning) {
    each.trashed = rows.get(each.rid)
    each.isInTrash = each.trashed !== undefined
  }
  const keys = all.flatMap(each => [...keysInLog(each), ...(keyToTake(each) ?? [])])
  const unknown = [...new Set(keys)].filter(key => !holders.has(key))
  const found = await findHolders(scope, procedure, unknown)
  for (const key of unknown) holders.set(key, found.get(key) ?? null)
  const customers = new Set(all.flatMap(recordsInLog).filter(rid => !survivors.has(rid)))
  for (const [rid, survivor] of await findSurvivorNos(scope, [...customers])) survivors.set(rid, survivor)
}

/** The primary key that the process gets, if its newest change is taken back. */
const keyToTake = ({ undo, primaryKey }: UndoneProcess): string[] | undefined => {
  const key = undo?.what === 'restore' ? primaryKey : undo?.what === 'update' ? undo.change.primaryKey : undefined
  return typeof key === 'string' ? [key] : undefined
}

/** Those that it had before the changes which were read. */
const keysInLog = ({ primaryKey, search }: UndoneProcess): string[] =>
  search.depth === 1
    ? []
    : [
        primaryKey,
        ...[...search.read.values()].map(each => (each === 'not kept' ? null : each.before?.fields.primaryKey)),
      ].filter(key => typeof key === 'string')

const recordsInLog = ({ search }: UndoneProcess): number[] =>
  [...search.read.values()]
    .map(each => (each === 'not kept' ? null : each.before?.fields.record))
    .filter(rid => typeof rid === 'number')

const findNewest = ({ search: { newest } }: UndoneProcess): LoggedChange | undefined =>
  typeof newest === 'object' ? newest : undefined

const GONE =
  'the process is not there any more: it was purged, its time in the trash was over, or it was deleted while the database was full'
const NOT_KEPT = 'what the entry has changed is not kept any more'

/** With their events and guards. */
const STATEMENTS_PER_RESTORES = 6

/** Decides each entry on the result of those before it. */
function decider(procedure: Procedure, now: number, decided: UndoDecision) {
  const getForm = createFormCache(procedure)
  const derived = countDerivedStatements(procedure)
  const refuse = (error: AppError, former: FormerValues = {}): Outcome => ({
    status: 'ERROR',
    result: { ...toFailure(error), ...former },
  })

  function passFor({ changes = 0 }: UndoneProcess): UndoPass {
    decided.passes[changes] ??= { deletes: [], groups: [], open: new Map(), restores: [] }
    return decided.passes[changes] as UndoPass
  }

  function hold(key: string | null, id: string | null): void {
    if (key !== null) decided.holders.set(key, id)
  }

  const findKeyConflict = (key: string | null | undefined, { id }: UndoneProcess): AppError | undefined => {
    const holder = typeof key === 'string' ? decided.holders.get(key) : undefined
    return typeof key === 'string' && holder && holder !== id ? duplicateKeyError(procedure, key, holder) : undefined
  }

  function deleteAgain(found: UndoneProcess, entry: number, undid: number): Outcome {
    decided.statements += addDelete(passFor(found), { rid: found.rid, id: found.id, entry, undid })
    hold(found.primaryKey, null)
    found.isDeleted = true
    return { status: 'SUCCESS', result: {} }
  }

  function restore(found: UndoneProcess, entry: number, undid: number): Outcome | 'next step' | 'read on' {
    // What a deletion of this step puts into the trash is not known before.
    if (!found.trashed) return found.isInTrash ? 'read on' : 'next step'
    const item = buildRestoredProcess(procedure, found.trashed, now)
    if (found.primaryKey !== null && !decided.holders.has(found.primaryKey)) return 'read on'
    const taken = findKeyConflict(item.primaryKey, found)
    if (taken) return refuse(taken)
    const { restores } = passFor(found)
    if (restores.push({ entry, undid, item, trashed: found.trashed }) === 1)
      decided.statements += STATEMENTS_PER_RESTORES + derived
    hold(item.primaryKey, found.id)
    Object.assign(found, { state: item.state, primaryKey: item.primaryKey, isInTrash: false, isDeleted: false })
    found.trashed = undefined
    return { status: 'SUCCESS', result: {} }
  }

  function update(
    found: UndoneProcess,
    plan: UndoPlan,
    undid: number,
    { change: planned, faults }: Extract<PlannedUndo, { what: 'update' }>,
  ): Outcome | 'read on' {
    const { entry } = plan
    if (typeof planned.primaryKey === 'string' && !decided.holders.has(planned.primaryKey)) return 'read on'
    if (faults.length > 0) {
      const former = listFormerValues(plan, found.search)
      const hint = toPutBackHint(former)
      // The definition no longer holds these former values. The others can be put back by hand.
      const described = faults.map((fault, nth) => (nth === 0 ? { ...fault, hint } : fault))
      return refuse(new AppError('conflict', described), former)
    }
    const taken = findKeyConflict(planned.primaryKey, found)
    if (taken) return refuse(taken)
    const survivor = typeof planned.record === 'number' ? decided.survivors.get(planned.record) : planned.record
    if (survivor === undefined && planned.record !== undefined) return 'read on'
    const change: Change = {
      ...planned,
      ...(survivor === undefined ? {} : { record: survivor }),
      // Only what would be refused without is told as forced.
      ...(toTransitionError(procedure, found, planned) ? { forced: true as const } : {}),
    }
    const row = planRowUpdate(procedure, found, { entry, change, form: getForm(change), reliesOnState: false })
    const added = addUpdate(passFor(found), { ...row, undid })
    decided.statements += added === 0 ? 0 : added + derived
    if (change.primaryKey !== undefined) {
      hold(found.primaryKey, null)
      hold(change.primaryKey, found.id)
      found.primaryKey = change.primaryKey
    }
    found.state = change.state ?? found.state
    return { status: 'SUCCESS', result: {} }
  }

  function takeBack(found: UndoneProcess, plan: UndoPlan, newest: LoggedChange, undo: PlannedUndo) {
    const isThere = !found.isInTrash && !found.isDeleted
    if (isThere !== (undo.what !== 'restore')) return refuse(new AppError('changed_since', GONE))
    if (undo.what === 'delete') return deleteAgain(found, plan.entry, newest.row)
    if (undo.what === 'restore') return restore(found, plan.entry, newest.row)
    return update(found, plan, newest.row, undo)
  }

  return (plan: UndoPlan, found: UndoneProcess | undefined): Outcome | 'next step' | 'read on' => {
    if (!found) return refuse(new AppError('changed_since', GONE))
    const { search } = found
    const newest = findNewest(found)
    if (newest === undefined || !isOfEntry(newest, plan)) {
      if (isUndoneAlready(plan, search)) return { status: 'SUCCESS', result: UNCHANGED }
      if (!newest) return refuse(new AppError('history_expired', NOT_KEPT))
      if (isSeekingFormerValues(plan, search)) return 'read on'
      const former = listFormerValues(plan, search)
      return refuse(toChangedSince(plan, newest, toPutBackHint(former)), former)
    }
    try {
      const outcome = takeBack(found, plan, newest, found.undo ?? planUndo(procedure, newest))
      if (outcome === 'next step' || outcome === 'read on' || outcome.status !== 'SUCCESS') return outcome
      found.changes = (found.changes ?? 0) + 1
      found.undo = undefined
      passNewest(search, newest)
      return outcome
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      return refuse(error)
    }
  }
}
