import { sql } from 'drizzle-orm'
import { BACKLOG_COUNT_MAX, type Chore, type ChoreStep } from '../../chore.ts'
import type { Db } from '../../db/client.ts'
import type { Statement } from '../../db/statement.ts'
import { write } from '../../db/write.ts'
import { EVENTS_PER_STEP, eraseRecordValues, eventBefore } from '../../event/erase.ts'
import {
  countMessages,
  countMessagesOf,
  countMessagesTo,
  countProcesses,
  type ErasureRow,
  endErasure,
  type LeftProcess,
  moveToEvent,
  selectErasures,
  selectLastOf,
  selectLeft,
} from './rows.ts'
import { detachProcesses, eraseMessagesOf, eraseMessagesTo, eraseNextMessagesOf } from './statements.ts'

const MESSAGES_PER_STEP = 1_000
const PROCESSES_PER_STEP = 100

/**
 * Erases what is left of customers whom one transaction could not erase: first the messages to their numbers, then what
 * the log tells of them, then their processes with the messages of each. A step changes only what is still there, and notes how far it came in the same
 * transaction: it can be cut off, repeated, or run twice at once.
 */
export const erasureChore = (db: () => Db, now: number): Chore => ({
  async step() {
    const [[erasure]] = await db().read(selectErasures(1))
    return erasure === undefined ? { done: 0, hasMore: false } : eraseNext(db, erasure, now)
  },
  async backlog() {
    const [rows] = await db().read(selectErasures(BACKLOG_COUNT_MAX))
    return { left: rows.length, dueSince: null }
  },
})

const change = async (db: () => Db, ...effect: readonly Statement[]): Promise<void> => {
  await write({ db: db(), idempotency: null }, { effect, outcome: null })
}

async function eraseNext(db: () => Db, erasure: ErasureRow, at: number): Promise<ChoreStep> {
  const { team, record: rid, before } = erasure
  const phones = JSON.parse(erasure.phones) as string[]
  const done = { done: 1, hasMore: true }
  if (phones.length > 0) {
    const erased = { team, rid, phones, before, at, max: MESSAGES_PER_STEP }
    await change(db, eraseMessagesTo(erased), countMessagesTo(erasure, MESSAGES_PER_STEP))
    return done
  }
  if (erasure.event !== null) {
    const events = { team, rid, from: sql`${erasure.event}`, max: EVENTS_PER_STEP }
    await change(db, eraseRecordValues(events), moveToEvent(erasure, eventBefore(events)))
    return done
  }
  const [left] = await db().read(
    selectLeft(erasure, { processesMax: PROCESSES_PER_STEP, messagesMax: MESSAGES_PER_STEP + 1 }),
  )
  const [first] = left
  const whole = firstWithin(left, MESSAGES_PER_STEP)
  if (first === undefined) await change(db, endErasure(erasure))
  else if (whole.length > 0) {
    await change(
      db,
      eraseMessagesOf(
        { team, before, at },
        whole.map(process => placeOf(erasure, process)),
      ),
      countMessages(erasure),
      detachProcesses({ rid }, sql`SELECT value FROM json_each(${JSON.stringify(whole.map(each => each.rid))})`),
      countProcesses(erasure),
    )
  } else {
    const place = placeOf(erasure, first)
    const [[last]] = await db().read(selectLastOf(erasure, place, MESSAGES_PER_STEP))
    const message = last?.rid ?? place.after
    await change(
      db,
      eraseNextMessagesOf({ team, at }, place, message),
      countMessagesOf(erasure, { process: first.rid, message }),
    )
  }
  return done
}

const placeOf = ({ process, message }: ErasureRow, { rid, id }: LeftProcess) => ({
  id,
  after: rid === process ? (message ?? 0) : 0,
})

/** The first processes that have so many messages together at most. */
function firstWithin(left: readonly LeftProcess[], max: number): LeftProcess[] {
  let sum = 0
  const over = left.findIndex(({ messages }) => {
    sum += messages
    return sum > max
  })
  return over < 0 ? [...left] : left.slice(0, over)
}
