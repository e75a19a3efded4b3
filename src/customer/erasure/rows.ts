import { type SQL, sql } from 'drizzle-orm'
import { assignments, insertInto, type RowOf, type Statement, select, statement } from '../../db/statement.ts'
import { message } from '../../message/table.ts'
import { process } from '../../process/table.ts'
import { record } from '../../record/table.ts'
import { selectOwnPhones } from '../../record/tombstone.ts'
import type { Scope } from '../../scope.ts'
import { type Erased, selectLastEvent } from './statements.ts'
import { recordErasure } from './table.ts'

const FIELDS = {
  record: recordErasure.record,
  id: recordErasure.id,
  team: recordErasure.team,
  phones: recordErasure.phones,
  before: recordErasure.before,
  process: recordErasure.process,
  message: recordErasure.message,
  event: recordErasure.event,
  processes: recordErasure.processes,
  messages: recordErasure.messages,
}
export type ErasureRow = RowOf<typeof FIELDS>

/** What is left of a customer, for the chore. The record is still there. */
export const insertErasure = (id: string, { team, rid, phones, before }: Omit<Erased, 'at' | 'max'>): Statement =>
  statement(
    insertInto(recordErasure, {
      record: rid,
      id,
      team,
      phones: sql`(SELECT json_group_array(value) FROM (${selectOwnPhones(team, rid, sql`${JSON.stringify(phones)}`)}))`,
      before,
      event: selectLastEvent(rid),
    }),
  )

/** The same of all who were merged into a customer: the log has nothing else of them, as their numbers are the other's. */
export const insertMergedErasures = (
  { team }: Pick<Scope, 'team'>,
  { rid, id }: { rid: number; id: string },
  before: number,
): Statement =>
  statement(
    insertInto(
      recordErasure,
      { record: sql`${record.rid}`, id, team: team.no, phones: '[]', before, event: sql`${record.lastEvent}` },
      sql`FROM ${record} INDEXED BY record_team WHERE ${record.team} = ${team.no} AND ${record.mergedInto} = ${rid}`,
    ),
  )

/** What is erased so far of a customer, with those who were merged into them; no row where nothing is left. */
export const selectErasure = (
  { team }: Scope,
  id: string,
): Statement<{ id: string; processes: number; messages: number }> =>
  select(
    {
      id: recordErasure.id,
      processes: sql<number>`sum(${recordErasure.processes})`,
      messages: sql<number>`sum(${recordErasure.messages})`,
    },
    sql`FROM ${recordErasure} INDEXED BY record_erasure_id
      WHERE ${recordErasure.id} = ${id.toLowerCase()} AND ${recordErasure.team} = ${team.no} GROUP BY ${recordErasure.id}`,
  )

/** Of all teams, the oldest first: the row number of a record is that of its creation, but any order would do. */
export const selectErasures = (max: number): Statement<ErasureRow> =>
  select(FIELDS, sql`FROM ${recordErasure} ORDER BY ${recordErasure.record} LIMIT ${max}`)

/** Follows the statement that erased messages to the numbers: fewer than `max` were the last. */
export const countMessagesTo = ({ record }: ErasureRow, max: number): Statement =>
  update(record, {
    messages: sql`${recordErasure.messages} + changes()`,
    phones: sql`iif(changes() < ${max}, '[]', ${recordErasure.phones})`,
  })

/** Follows the statement that erased messages of a process with more of them. */
export const countMessagesOf = ({ record }: ErasureRow, at: { process: number; message: number }): Statement =>
  update(record, { messages: sql`${recordErasure.messages} + changes()`, ...at })

/** Follows the statement that erased all messages of some processes. */
export const countMessages = ({ record }: ErasureRow): Statement =>
  update(record, { messages: sql`${recordErasure.messages} + changes()` })

/** Follows the statement that detached processes. */
export const countProcesses = ({ record }: ErasureRow): Statement =>
  update(record, { processes: sql`${recordErasure.processes} + changes()`, process: null, message: null })

/** With the statement that erased values of events. */
export const moveToEvent = ({ record }: ErasureRow, next: SQL): Statement => update(record, { event: next })

const update = (rid: number, set: Record<string, SQL | number | null>): Statement =>
  statement(sql`UPDATE ${recordErasure} SET ${assignments(recordErasure, set)} WHERE ${recordErasure.record} = ${rid}`)

/** Nothing is left of the customer. */
export const endErasure = ({ record }: ErasureRow): Statement =>
  statement(sql`DELETE FROM ${recordErasure} WHERE ${recordErasure.record} = ${record} AND ${recordErasure.phones} = '[]' AND ${recordErasure.event} IS NULL
    AND NOT EXISTS (SELECT 1 FROM ${process} INDEXED BY process_record WHERE ${process.record} = ${record})`)

/** A process that is still the customer's, and how many messages of it are left, counted up to a limit. */
export interface LeftProcess {
  rid: number
  id: string
  messages: number
}

const isLeft = ({ team, before, process: current, message: after }: ErasureRow): SQL =>
  sql`${message.team} = ${team} AND ${message.process} = known.id AND ${message.rid} < ${before}
    AND ${message.rid} > iif(known.rid = ${current ?? 0}, ${after ?? 0}, 0)`

export const selectLeft = (
  erasure: ErasureRow,
  { processesMax, messagesMax }: { processesMax: number; messagesMax: number },
): Statement<LeftProcess> =>
  select(
    {
      rid: sql<number>`known.rid`,
      id: sql<string>`known.id`,
      messages: sql<number>`(SELECT count(*) FROM (
        SELECT 1 FROM ${message} INDEXED BY message_process WHERE ${isLeft(erasure)} LIMIT ${messagesMax}))`,
    },
    sql`FROM (SELECT ${process.rid} AS rid, ${process.id} AS id FROM ${process} INDEXED BY process_record
      WHERE ${process.record} = ${erasure.record} LIMIT ${processesMax}) known`,
  )

/** The last of so many messages of one process. */
export const selectLastOf = (
  { team, before }: ErasureRow,
  { id, after }: { id: string; after: number },
  max: number,
): Statement<{ rid: number | null }> =>
  select(
    { rid: sql<number | null>`max(rid)` },
    sql`FROM (SELECT ${message.rid} AS rid FROM ${message} INDEXED BY message_process WHERE ${message.team} = ${team}
      AND ${message.process} = ${id} AND ${message.rid} > ${after} AND ${message.rid} < ${before}
      ORDER BY ${message.rid} LIMIT ${max})`,
  )
