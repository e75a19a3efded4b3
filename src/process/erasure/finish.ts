import { type SQL, sql } from 'drizzle-orm'
import { recordErasure } from '../../customer/erasure/table.ts'
import { ridList } from '../../db/document/values-by-row.ts'
import { type Statement, select } from '../../db/statement.ts'
import { StorageError } from '../../db/storage-error.ts'
import { change } from '../../maintenance-task.ts'
import { guardDefinition } from '../../procedure/definition-guard.ts'
import type { Procedure } from '../../procedure/model.ts'
import type { Scope } from '../../scope.ts'
import { process, processTrash as trash } from '../table.ts'
import {
  countMessages,
  countMessagesLeft,
  erasedUpTo,
  eraseMessagesUpTo,
  eraseProcessMessages,
  MESSAGES_PER_STEP,
  noteErasedUpTo,
  selectLastMessage,
  takeWithFewMessages,
} from './messages.ts'
import {
  detachProcesses,
  emptyProcesses,
  emptyTrashed,
  PROCESSES_PER_STEP,
  takeFittingProcesses,
} from './statements.ts'

// A process that is given away by a customer who is being erased, or brought back from the trash, loses its messages first, and
// is emptied where the customer is erased everywhere, if the erasure has not come to it yet: it never would, as nothing leads
// from the customer to the process any more. Values and messages that it is given after that stay.

/** A process whose customer is being erased. */
interface PendingProcess {
  rid: number
  id: string
  bytes: number
  /** Up to this message its messages are erased already, and so many are left: see `countMessagesLeft`. */
  after: number
  messages: number
  record: number
  by: string
  before: number
  everywhere: 0 | 1
}

interface Place {
  table: typeof process | typeof trash
  document: SQL
  /** The processes of the procedure that are looked at. */
  which: SQL
  erase: (waiting: PendingProcess, rids: readonly number[]) => Statement[]
}

export const finishErasure = (scope: Scope, procedure: Procedure, which: SQL): Promise<void> =>
  eraseInSteps(scope, procedure, {
    table: process,
    document: sql`${process.data}`,
    which,
    erase: ({ by, record, everywhere }, rids) =>
      everywhere
        ? emptyProcesses({ team: scope.team.no, at: scope.now, procedure, by, rids })
        : [detachProcesses({ team: scope.team.no, record }, ridList(rids))],
  })

export const finishErasureInTrash = (scope: Scope, procedure: Procedure, rids: readonly number[]): Promise<void> =>
  eraseInSteps(scope, procedure, {
    table: trash,
    document: sql`${trash.row}`,
    // Without `everywhere` the trash is kept.
    which: sql`${trash.rid} IN ${ridList(rids)} AND ${recordErasure.everywhere}`,
    erase: (_waiting, some) => emptyTrashed({ team: scope.team.no, procedure, rids: some }),
  })

const selectWaiting = (
  { team }: Scope,
  { no }: Procedure,
  { table, document, which }: Place,
): Statement<PendingProcess> => {
  const after = erasedUpTo(sql`${table.rid}`)
  return select(
    {
      rid: sql<number>`${table.rid}`,
      id: sql<string>`${table.id}`,
      bytes: sql<number>`length(${document})`,
      after,
      messages: countMessagesLeft(team.no, { id: sql`${table.id}`, after, before: sql`${recordErasure.before}` }),
      record: recordErasure.record,
      by: recordErasure.by,
      before: recordErasure.before,
      everywhere: sql<0 | 1>`${recordErasure.everywhere}`,
    },
    sql`FROM ${table} CROSS JOIN ${recordErasure} ON ${recordErasure.record} = ${table.record}
        AND +${recordErasure.team} = ${table.team}
      WHERE ${which} AND +${table.proc} = ${no} AND +${table.team} = ${team.no} LIMIT ${PROCESSES_PER_STEP}`,
  )
}

/** What a request, or a step of a job, does itself: far fewer statements than an invocation may run. */
const STEPS_PER_CALL_MAX = 50

/** Those that a step takes are nobody's: the next one does not find them. */
async function eraseInSteps(scope: Scope, procedure: Procedure, place: Place): Promise<void> {
  const call = { stepsLeft: STEPS_PER_CALL_MAX }
  for (;;) {
    const [waiting] = await scope.db.read(selectWaiting(scope, procedure, place))
    const [first] = waiting
    if (!first) return
    const { record, before } = first
    const ofOne = takeFittingProcesses(
      procedure,
      waiting.filter(each => each.record === record),
    )
    const few = takeWithFewMessages(ofOne)
    if (few.length > 0 && call.stepsLeft-- === 0) throw stillErasedError()
    const some = few.length > 0 ? few : [{ ...first, after: await eraseManyMessages(scope, call, first) }]
    await change(
      () => scope.db,
      guardDefinition(procedure),
      eraseProcessMessages(
        { team: scope.team.no, before, at: scope.now },
        some.map(({ id, after }) => ({ id, after })),
      ),
      countMessages({ record, team: scope.team.no }),
      ...place.erase(
        first,
        some.map(({ rid }) => rid),
      ),
    )
  }
}

/** The request, or the step, is made again: it goes on where this one ends, and meanwhile the task does. */
const stillErasedError = () => new StorageError('messages of a former customer are still being erased', true)

/** Erases the messages of one process with many of them. Returns the last one. */
async function eraseManyMessages(
  scope: Scope,
  call: { stepsLeft: number },
  { rid, id, record, before, ...from }: PendingProcess,
): Promise<number> {
  const team = scope.team.no
  for (let { after } = from; ; ) {
    const [[last]] = await scope.db.read(selectLastMessage({ team, before }, { id, after }, MESSAGES_PER_STEP))
    const to = last?.rid ?? null
    if (to === null) return after
    if (call.stepsLeft-- === 0) {
      await change(() => scope.db, noteErasedUpTo({ record, team }, { rid, after }))
      throw stillErasedError()
    }
    await change(
      () => scope.db,
      eraseMessagesUpTo({ team, at: scope.now }, { id, after }, to),
      countMessages({ record, team }),
    )
    after = to
  }
}
