import { type SQL, sql } from 'drizzle-orm'
import { countFitting } from '../../bytes.ts'
import { recordErasure } from '../../customer/erasure/table.ts'
import { assignments, type Statement, select, statement } from '../../db/statement.ts'
import { message } from '../../message/table.ts'

// Erases messages of processes: for the task, and for a request that gives a process away before the task has come to it.

/** The messages that one statement erases. */
export const MESSAGES_PER_STEP = 1_000

interface MessageErasure {
  team: number
  /** Messages from this row number on are younger than the erasure. */
  before: number
  at: number
}

/**
 * A message without anything of its recipient; an empty number says so. What the provider calls it goes, too: that holds
 * the number. Its delivery, its template and whom of the team it was sent by stay, so all counts do.
 */
export const eraseMessages = (at: number, which: SQL): Statement =>
  statement(
    sql`UPDATE ${message} SET ${assignments(message, {
      phone: '',
      text: '',
      request: sql`jsonb('{}')`,
      // A customer's own message keeps a digest of it: the provider may tell it once more.
      externalId: sql`${message.received} ->> '$.key'`,
      error: sql`iif(${message.error} IS NULL, NULL, jsonb_set(${message.error}, '$.details', ''))`,
      updatedAt: at,
    })} WHERE ${message.phone} <> '' AND ${message.rid} IN (${which})`,
  )

interface ErasedProcess {
  id: string
  /** Up to this message its messages are erased already. */
  after: number
}

/** All messages of some processes. */
export const eraseProcessMessages = (
  { team, before, at }: MessageErasure,
  processes: readonly ErasedProcess[],
): Statement =>
  eraseMessages(
    at,
    sql`SELECT ${message.rid} FROM json_each(${JSON.stringify(processes)}) known
      CROSS JOIN ${message} INDEXED BY message_process ON ${message.team} = ${team}
        AND ${message.process} = known.value ->> '$.id' AND ${message.rid} > known.value ->> '$.after'
        AND ${message.rid} < ${before}`,
  )

/** The next messages of one process, up to `last`. */
export const eraseMessagesUpTo = (
  { team, at }: Pick<MessageErasure, 'team' | 'at'>,
  { id, after }: ErasedProcess,
  last: number,
): Statement =>
  eraseMessages(
    at,
    sql`SELECT ${message.rid} FROM ${message} INDEXED BY message_process WHERE ${message.team} = ${team}
      AND ${message.process} = ${id} AND ${message.rid} > ${after} AND ${message.rid} <= ${last}`,
  )

/** The last of so many messages of one process. */
export const selectLastMessage = (
  { team, before }: Pick<MessageErasure, 'team' | 'before'>,
  { id, after }: { id: string; after: number },
  max: number,
): Statement<{ rid: number | null }> =>
  select(
    { rid: sql<number | null>`max(rid)` },
    sql`FROM (SELECT ${message.rid} AS rid FROM ${message} INDEXED BY message_process WHERE ${message.team} = ${team}
      AND ${message.process} = ${id} AND ${message.rid} > ${after} AND ${message.rid} < ${before}
      ORDER BY ${message.rid} LIMIT ${max})`,
  )

/** How many messages of a process are left, counted up to one more than a step erases. */
export const countMessagesLeft = (team: number, { id, after, before }: Record<'id' | 'after' | 'before', SQL>) =>
  sql<number>`(SELECT count(*) FROM (SELECT 1 FROM ${message} INDEXED BY message_process WHERE ${message.team} = ${team}
    AND ${message.process} = ${id} AND ${message.rid} > ${after} AND ${message.rid} < ${before} LIMIT ${MESSAGES_PER_STEP + 1}))`

/** The message of a process up to which its messages are erased already, as the erasure of its customer notes it. */
export const erasedUpTo = (rid: SQL): SQL<number> =>
  sql<number>`iif(${recordErasure.process} = ${rid}, ifnull(${recordErasure.message}, 0), 0)`

/** Notes how far the messages of a process are erased, unless the task is at another process. */
export const noteErasedUpTo = (
  { record, team }: { record: number; team: number },
  { rid, after }: { rid: number; after: number },
): Statement =>
  statement(
    sql`UPDATE ${recordErasure} SET ${assignments(recordErasure, { process: rid, message: after })}
      WHERE ${recordErasure.record} = ${record} AND +${recordErasure.team} = ${team}
        AND ifnull(${recordErasure.process}, ${rid}) = ${rid}`,
  )

/** Takes processes whose messages one step erases; none, where the first one has too many. */
export function takeWithFewMessages<Row extends { messages: number }>(rows: readonly Row[]): Row[] {
  const counts = rows.map(({ messages }) => messages)
  return (counts[0] ?? 0) > MESSAGES_PER_STEP ? [] : rows.slice(0, countFitting(counts, MESSAGES_PER_STEP))
}

/** Follows a statement that erased messages of processes. */
export const countMessages = ({ record, team }: { record: number; team: number }): Statement =>
  statement(
    sql`UPDATE ${recordErasure} SET ${assignments(recordErasure, { messages: sql`${recordErasure.messages} + changes()` })}
      WHERE ${recordErasure.record} = ${record} AND +${recordErasure.team} = ${team}`,
  )
