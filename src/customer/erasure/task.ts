import { sql } from 'drizzle-orm'
import type { Db } from '../../db/client.ts'
import { ridList } from '../../db/document/values-by-row.ts'
import type { Statement } from '../../db/statement.ts'
import { removeListed, selectSweep } from '../../erasure-sweep/statements.ts'
import { EVENTS_PER_STEP, eraseRecordValues, eventBefore } from '../../event/erase.ts'
import { type ErasureBucket, eraseInObject, eraseRecordMember } from '../../event/object/erase.ts'
import { revokeMoveLock } from '../../event/object/move-lock.ts'
import { createMaintenanceRound } from '../../maintenance-round.ts'
import { change, type MaintenanceTask } from '../../maintenance-task.ts'
import { guardDefinition, isStale } from '../../procedure/definition-guard.ts'
import type { Procedure } from '../../procedure/model.ts'
import { loadProcedures } from '../../procedure/personal.ts'
import { isMovedSince, stepHistory } from '../../process/erasure/history.ts'
import {
  countMessages,
  eraseMessagesUpTo,
  eraseProcessMessages,
  MESSAGES_PER_STEP,
  selectLastMessage,
  takeWithFewMessages,
} from '../../process/erasure/messages.ts'
import {
  detachProcesses,
  emptyProcesses,
  emptyTrashed,
  PROCESSES_PER_STEP,
  takeFittingProcesses,
} from '../../process/erasure/statements.ts'
import type { Team } from '../../scope.ts'
import {
  countErasures,
  countMessagesOf,
  countMessagesTo,
  countProcesses,
  type ErasureRow,
  endErasure,
  endMerged,
  moveInTrash,
  moveToEvent,
  type RemainingProcess,
  selectErasureByRecord,
  selectLeft,
  selectLeftInTrash,
  selectNextErasure,
  selectTrashEnd,
  type TrashPlace,
} from './erasure-rows.ts'
import { eraseMessagesTo } from './store.ts'

const TRASH_ROWS_PER_STEP = 2_000
const LISTED_PER_STEP = 1_000
const LIMITS = { processesMax: PROCESSES_PER_STEP, messagesMax: MESSAGES_PER_STEP + 1 }

export interface ErasureContext {
  bucket: ErasureBucket
  /** Each call gives a connection with a time limit of its own. */
  db: () => Db
  now: number
  /** Told after each transaction that may have events of a team. It never fails. */
  committed: (team: Pick<Team, 'no' | 'eventFeedSince'>) => Promise<unknown>
}

/** Erases what is left of customers whom one transaction could not erase. */
export const createErasureTask = (context: ErasureContext): MaintenanceTask =>
  createMaintenanceRound({
    task: 'erase customers',
    noun: 'erasure',
    db: context.db,
    now: context.now,
    selectNext: selectNextErasure,
    selectOne: selectErasureByRecord,
    runStep: erasure => eraseNext(context, erasure),
    countLeft: countErasures,
  })

/**
 * The next step: first the messages to their numbers, then what the log tells of them, then their processes, live and in
 * the trash, with the messages of each, and last what the log tells of these. A step changes only what is still there, and
 * notes how far it came in the same transaction: it can be cut off, repeated, or run twice at once.
 */
export async function eraseNext(context: ErasureContext, erasure: ErasureRow): Promise<void> {
  const { db, now: at } = context
  const { team, record: rid, before } = erasure
  const phones = JSON.parse(erasure.phones) as string[]
  if (phones.length > 0) {
    const erased = { team, rid, phones, before, at, max: MESSAGES_PER_STEP }
    return change(context.db, eraseMessagesTo(erased), countMessagesTo(erasure, MESSAGES_PER_STEP))
  }
  if (erasure.event !== null && erasure.isMoved) {
    const place = { team, sequence: erasure.event, pointers: [{ rid, from: erasure.event }] }
    const erased = await eraseInObject(context.bucket, db, place, eraseRecordMember)
    await change(db, ...erased.effect, moveToEvent(erasure, sql`${erased.next[0]?.event ?? null}`))
    return erased.removeFormer()
  }
  if (erasure.event !== null) {
    const events = { team, rid, from: sql`${erasure.event}`, max: EVENTS_PER_STEP }
    return change(
      context.db,
      revokeMoveLock(team),
      eraseRecordValues(events),
      moveToEvent(erasure, eventBefore(events)),
    )
  }
  const [left] = await db().read(selectLeft(erasure, LIMITS))
  if (left.length > 0) return eraseProcesses(context, erasure, left)
  if (erasure.record !== erasure.erasure) return change(context.db, endMerged(erasure))
  if (erasure.trash) return eraseTrash(context, erasure)
  const ofHistory = await stepHistory(context, erasure)
  if (ofHistory) {
    try {
      await change(db, ...ofHistory.effect)
    } catch (error) {
      if (isMovedSince(error)) return
      throw error
    }
    return ofHistory.removeFormer()
  }
  await endCustomer(context, erasure)
}

/** The first processes, of one procedure, as many as a step erases with their messages; none, where one has too many. */
function takeProcessesOfStep<Left extends RemainingProcess>(
  procedure: Procedure | undefined,
  left: readonly Left[],
): Left[] {
  const alike = left.filter(({ proc }) => proc === left[0]?.proc)
  return takeWithFewMessages(procedure ? takeFittingProcesses(procedure, alike) : alike)
}

async function eraseProcesses(
  context: ErasureContext,
  erasure: ErasureRow,
  left: readonly RemainingProcess[],
): Promise<void> {
  const { team, by } = erasure
  const procedure = erasure.everywhere ? await loadProcedure(context, erasure, left) : undefined
  const whole = takeProcessesOfStep(procedure, left)
  if (whole.length === 0) return eraseNextMessages(context, erasure, left)
  const rids = whole.map(({ rid }) => rid)
  const emptied = procedure
    ? [guardDefinition(procedure), ...emptyProcesses({ team, by, at: context.now, procedure, rids })]
    : [detachProcesses(erasure, ridList(rids))]
  await changeByDefinition(context, ...eraseMessages(context, erasure, whole), ...emptied, countProcesses(erasure))
  if (procedure) await context.committed({ no: team, eventFeedSince: erasure.eventFeedSince })
}

async function eraseTrash(context: ErasureContext, erasure: ErasureRow): Promise<void> {
  const [[end], left] = await context
    .db()
    .read(
      selectTrashEnd(erasure, TRASH_ROWS_PER_STEP),
      selectLeftInTrash(erasure, { ...LIMITS, rowsMax: TRASH_ROWS_PER_STEP }),
    )
  if (left.length === 0) return change(context.db, moveInTrash(erasure, end ?? null))
  const procedure = await loadProcedure(context, erasure, left)
  const whole = takeProcessesOfStep(procedure, left)
  const last = whole.at(-1)
  if (!last) return eraseNextMessages(context, erasure, left)
  const place: TrashPlace = { proc: last.proc, deletedAt: last.deletedAt, rid: last.rid }
  await changeByDefinition(
    context,
    ...eraseMessages(context, erasure, whole),
    guardDefinition(procedure),
    ...emptyTrashed({ team: erasure.team, procedure, rids: whole.map(({ rid }) => rid) }),
    countProcesses(erasure),
    moveInTrash(erasure, place),
  )
}

const eraseMessages = (
  { now }: ErasureContext,
  erasure: ErasureRow,
  whole: readonly RemainingProcess[],
): readonly Statement[] => [
  eraseProcessMessages(
    { ...erasure, at: now },
    whole.map(each => toPlace(erasure, each)),
  ),
  countMessages(erasure),
]

async function loadProcedure(
  { db }: ErasureContext,
  { team }: ErasureRow,
  [first]: readonly RemainingProcess[],
): Promise<Procedure> {
  const proc = first?.proc ?? 0
  const procedure = (await loadProcedures(db(), team, [proc])).get(proc)
  if (!procedure) throw new Error(`there is no procedure ${proc}`)
  return procedure
}

/** The next step decides anew where the definition has changed meanwhile. */
async function changeByDefinition(context: ErasureContext, ...effect: readonly Statement[]): Promise<void> {
  try {
    await change(context.db, ...effect)
  } catch (error) {
    if (!isStale(error)) throw error
  }
}

/** A process with more messages than a step erases takes several of them. */
async function eraseNextMessages(
  context: ErasureContext,
  erasure: ErasureRow,
  [first]: readonly RemainingProcess[],
): Promise<void> {
  if (!first) return
  const place = toPlace(erasure, first)
  const [[last]] = await context.db().read(selectLastMessage(erasure, place, MESSAGES_PER_STEP))
  const message = last?.rid ?? place.after
  await change(
    context.db,
    eraseMessagesUpTo({ team: erasure.team, at: context.now }, place, message),
    countMessagesOf(erasure, { process: first.rid, message }),
  )
}

const toPlace = ({ process, message }: ErasureRow, { rid, id }: RemainingProcess) => ({
  id,
  after: rid === process ? (message ?? 0) : 0,
})

/** The processes stay listed for the sweep through jobs, if there is one. */
async function endCustomer(context: ErasureContext, erasure: ErasureRow): Promise<void> {
  const [[sweep]] = await context.db().read(selectSweep(erasure.team, erasure.id))
  if (sweep || !erasure.everywhere) return change(context.db, endErasure(erasure))
  await change(context.db, removeListed(erasure, LISTED_PER_STEP), endErasure(erasure))
}
