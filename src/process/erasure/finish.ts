import { type SQL, sql } from 'drizzle-orm'
import { recordErasure } from '../../customer/erasure/table.ts'
import { ridList } from '../../db/document/values-by-row.ts'
import { type Statement, select } from '../../db/statement.ts'
import { change } from '../../maintenance-task.ts'
import { guardDefinition } from '../../procedure/definition-guard.ts'
import type { Procedure } from '../../procedure/model.ts'
import type { Scope } from '../../scope.ts'
import { process, processTrash as trash } from '../table.ts'
import {
  countMessages,
  countMessagesLeft,
  eraseMessagesUpTo,
  eraseProcessMessages,
  MESSAGES_PER_STEP,
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
): Statement<PendingProcess> =>
  select(
    {
      rid: sql<number>`${table.rid}`,
      id: sql<string>`${table.id}`,
      bytes: sql<number>`length(${document})`,
      messages: countMessagesLeft(team.no, { id: sql`${table.id}`, before: sql`${recordErasure.before}` }),
      record: recordErasure.record,
      by: recordErasure.by,
      before: recordErasure.before,
      everywhere: sql<0 | 1>`${recordErasure.everywhere}`,
    },
    sql`FROM ${table} CROSS JOIN ${recordErasure} ON ${recordErasure.record} = ${table.record}
        AND +${recordErasure.team} = ${table.team}
      WHERE ${which} AND +${table.proc} = ${no} AND +${table.team} = ${team.no} LIMIT ${PROCESSES_PER_STEP}`,
  )

/** Those that a step takes are nobody's: the next one does not find them. */
async function eraseInSteps(scope: Scope, procedure: Procedure, place: Place): Promise<void> {
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
    const step =
      few.length > 0 ? { some: few, after: 0 } : { some: [first], after: await eraseManyMessages(scope, first) }
    await change(
      () => scope.db,
      guardDefinition(procedure),
      eraseProcessMessages(
        { team: scope.team.no, before, at: scope.now },
        step.some.map(({ id }) => ({ id, after: step.after })),
      ),
      countMessages({ record, team: scope.team.no }),
      ...place.erase(
        first,
        step.some.map(({ rid }) => rid),
      ),
    )
  }
}

/** Erases the messages of one process with many of them. Returns the last one. */
async function eraseManyMessages(scope: Scope, { id, record, before }: PendingProcess): Promise<number> {
  const team = scope.team.no
  for (let after = 0; ; ) {
    const [[last]] = await scope.db.read(selectLastMessage({ team, before }, { id, after }, MESSAGES_PER_STEP))
    const to = last?.rid ?? null
    if (to === null) return after
    await change(
      () => scope.db,
      eraseMessagesUpTo({ team, at: scope.now }, { id, after }, to),
      countMessages({ record, team }),
    )
    after = to
  }
}
