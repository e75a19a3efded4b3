import { type SQL, sql } from 'drizzle-orm'
import { record } from '../../customer-record/table.ts'
import { selectOwnPhones } from '../../customer-record/tombstone.ts'
import { assignments, insertInto, type RowOf, type Statement, select, statement } from '../../db/statement.ts'
import { whereTeamNumber } from '../../db/team-numbers.ts'
import { erasedProcess } from '../../erasure-sweep/table.ts'
import { whereMoved } from '../../event/object/statements.ts'
import { toRowNo, UUID } from '../../ids.ts'
import { message } from '../../message/table.ts'
import { process, processTrash as trash } from '../../process/table.ts'
import type { Scope } from '../../scope.ts'
import { team } from '../../team/table.ts'
import { type CustomerErasure, selectLastEvent } from './store.ts'
import { recordErasure } from './table.ts'

const FIELDS = {
  record: recordErasure.record,
  erasure: recordErasure.erasure,
  id: recordErasure.id,
  team: recordErasure.team,
  eventFeedSince: sql<
    number | null
  >`(SELECT ${team.eventFeedSince} FROM ${team} WHERE ${team.no} = ${recordErasure.team})`,
  by: recordErasure.by,
  everywhere: recordErasure.everywhere,
  phones: recordErasure.phones,
  before: recordErasure.before,
  process: recordErasure.process,
  message: recordErasure.message,
  event: recordErasure.event,
  /** 1: the event is in an object. */
  isMoved: whereMoved(sql`${recordErasure.team}`, sql`${recordErasure.event}`),
  trash: recordErasure.trash,
  trashProc: recordErasure.trashProc,
  trashAt: recordErasure.trashAt,
  trashRid: recordErasure.trashRid,
  processes: recordErasure.processes,
  messages: recordErasure.messages,
}
export type ErasureRow = RowOf<typeof FIELDS>

/** What is left of a customer, for the task. */
export interface NewErasure {
  id: string
  /** Who has asked for it, as events keep it. */
  by: string
  everywhere: boolean
  /** Decided with the row: `selectFirstYounger`. */
  before: SQL
}

/** The record is still there. */
export const insertErasure = (
  { id, by, everywhere, before }: NewErasure,
  { team: no, rid, phones }: Pick<CustomerErasure, 'team' | 'rid' | 'phones'>,
): Statement =>
  statement(
    insertInto(recordErasure, {
      record: rid,
      erasure: rid,
      id,
      team: no,
      by,
      before,
      everywhere: everywhere ? 1 : 0,
      trash: everywhere ? 1 : 0,
      phones: sql`(SELECT json_group_array(value) FROM (${selectOwnPhones(no, rid, sql`${JSON.stringify(phones)}`)}))`,
      event: selectLastEvent({ team: no, rid }),
    }),
  )

/** Inserts erasures of all who were merged into a customer: the log has nothing else of them, as their numbers are the other's. */
export const insertMergedErasures = (
  { id, by, everywhere, before }: NewErasure,
  { team: no, rid }: Pick<CustomerErasure, 'team' | 'rid'>,
): Statement =>
  statement(
    insertInto(
      recordErasure,
      {
        record: sql`${record.rid}`,
        erasure: rid,
        id,
        team: no,
        by,
        before,
        everywhere: everywhere ? 1 : 0,
        phones: '[]',
        event: sql`${record.lastEvent}`,
      },
      sql`FROM ${record} INDEXED BY record_team WHERE ${record.team} = ${no} AND ${record.mergedInto} = ${rid}`,
    ),
  )

/** What is erased so far of a customer, with those who were merged into them. */
export interface ErasureProgress {
  id: string
  everywhere: number
  processes: number
  messages: number
}

/** No row where nothing is left. */
export const selectErasure = (scope: Scope, id: string): Statement<ErasureProgress> =>
  select(
    {
      id: recordErasure.id,
      everywhere: sql<number>`max(${recordErasure.everywhere})`,
      processes: sql<number>`sum(${recordErasure.processes})`,
      messages: sql<number>`sum(${recordErasure.messages})`,
    },
    sql`FROM ${recordErasure} INDEXED BY record_erasure_team WHERE ${recordErasure.team} = ${scope.team.no}
      AND ${recordErasure.erasure} = ${UUID.test(id) ? toRowNo(id) : -1} AND ${recordErasure.id} = ${id.toLowerCase()} GROUP BY ${recordErasure.id}`,
  )

/** Those who were merged into a customer come before the customer: then it is known where the rest of all of them is. */
const selectNext = (erasure: SQL): Statement<ErasureRow> =>
  select(
    FIELDS,
    sql`FROM ${recordErasure} INDEXED BY record_erasure_team WHERE (${recordErasure.team}, ${recordErasure.erasure}) = ${erasure}
      AND NOT ${recordErasure.done} ORDER BY ${recordErasure.record} = ${recordErasure.erasure} LIMIT 1`,
  )

/** The next one of a customer. */
export const selectErasureByRecord = (team: number, id: string): Statement<ErasureRow> =>
  selectNext(sql`(${team}, ${UUID.test(id) ? toRowNo(id) : -1})`)

/** Selects from all teams, the oldest customers first: any order would do. */
export const selectNextErasure = (isFailing: (id: SQL) => SQL): Statement<ErasureRow> =>
  selectNext(
    sql`(SELECT first.team, first.erasure FROM ${recordErasure} first WHERE NOT ${isFailing(sql`first.id`)}
      ORDER BY first.record LIMIT 1)`,
  )

export const countErasures = (max: number, team?: number): Statement<{ left: number }> => {
  const ofTeam = team === undefined ? sql`` : sql`WHERE ${recordErasure.team} = ${team}`
  return select({ left: sql<number>`count(*)` }, sql`FROM (SELECT 1 FROM ${recordErasure} ${ofTeam} LIMIT ${max})`)
}

/** Follows the statement that erased messages to the numbers: fewer than `max` were the last. */
export const countMessagesTo = ({ record }: ErasureRow, max: number): Statement =>
  update(record, {
    messages: sql`${recordErasure.messages} + changes()`,
    phones: sql`iif(changes() < ${max}, '[]', ${recordErasure.phones})`,
  })

/** Follows the statement that erased messages of a process with more of them. */
export const countMessagesOf = ({ record }: ErasureRow, at: { process: number; message: number }): Statement =>
  update(record, { messages: sql`${recordErasure.messages} + changes()`, ...at })

/** Follows the statement that took processes from the customer. */
export const countProcesses = ({ record }: ErasureRow): Statement =>
  update(record, { processes: sql`${recordErasure.processes} + changes()`, process: null, message: null })

/** With the statement that erased values of events. */
export const moveToEvent = ({ record }: ErasureRow, next: SQL): Statement => update(record, { event: next })

/** With the statements that emptied what is in the trash up to a place; null: that was all of it. */
export const moveInTrash = ({ record }: ErasureRow, to: TrashPlace | null): Statement =>
  update(
    record,
    to === null
      ? { trash: 0 }
      : { trashProc: to.proc, trashAt: to.deletedAt, trashRid: to.rid, process: null, message: null },
  )

const update = (rid: number, set: Record<string, SQL | number | null>): Statement =>
  statement(sql`UPDATE ${recordErasure} SET ${assignments(recordErasure, set)} WHERE ${recordErasure.record} = ${rid}`)

/** Nothing is left of this one. */
const whereDone = sql`${recordErasure.phones} = '[]' AND ${recordErasure.event} IS NULL AND NOT ${recordErasure.trash}
  AND NOT EXISTS (SELECT 1 FROM ${process} INDEXED BY process_record WHERE ${process.record} = ${recordErasure.record})`

/** Marks a customer who was merged into another as done. The row stays until all is erased, because the trash leads to it. */
export const endMerged = ({ record }: ErasureRow): Statement =>
  statement(
    sql`UPDATE ${recordErasure} SET ${assignments(recordErasure, { done: 1 })}
      WHERE ${recordErasure.record} = ${record} AND ${whereDone}`,
  )

/** Nothing is left of the customer, and of nobody who was merged into them. Processes that are listed are left for the jobs. */
export const endErasure = ({ team: no, erasure }: ErasureRow): Statement =>
  statement(sql`DELETE FROM ${recordErasure} WHERE ${recordErasure.team} = ${no} AND ${recordErasure.erasure} = ${erasure}
    AND EXISTS (SELECT 1 FROM ${recordErasure} WHERE ${recordErasure.record} = ${erasure} AND ${whereDone})
    AND NOT EXISTS (SELECT 1 FROM ${recordErasure} merged WHERE merged.team = ${no} AND merged.erasure = ${erasure}
      AND merged.record <> ${erasure} AND NOT merged.done)
    AND NOT EXISTS (SELECT 1 FROM ${erasedProcess} INDEXED BY erased_process_event
      WHERE ${erasedProcess.team} = ${no} AND ${erasedProcess.erasure} = ${erasure} AND ${erasedProcess.event} IS NOT NULL)`)

/** A process that is still the customer's, and how many messages of it are left, counted up to a limit. */
export interface RemainingProcess {
  rid: number
  id: string
  proc: number
  bytes: number
  messages: number
}

interface RemainingLimits {
  processesMax: number
  messagesMax: number
}

const whereLeft = ({ team, before, process: current, message: after }: ErasureRow): SQL =>
  sql`${message.team} = ${team} AND ${message.process} = known.id AND ${message.rid} < ${before}
    AND ${message.rid} > iif(known.rid = ${current ?? 0}, ${after ?? 0}, 0)`

const leftAmong = (erasure: ErasureRow, { messagesMax }: RemainingLimits) => ({
  rid: sql<number>`known.rid`,
  id: sql<string>`known.id`,
  proc: sql<number>`known.proc`,
  bytes: sql<number>`known.bytes`,
  messages: sql<number>`(SELECT count(*) FROM (
    SELECT 1 FROM ${message} INDEXED BY message_process WHERE ${whereLeft(erasure)} LIMIT ${messagesMax}))`,
})

/** The next ones, of one procedure. */
export const selectLeft = (erasure: ErasureRow, limits: RemainingLimits): Statement<RemainingProcess> =>
  select(
    leftAmong(erasure, limits),
    sql`FROM (SELECT ${process.rid} AS rid, ${process.id} AS id, ${process.proc} AS proc, length(${process.data}) AS bytes
      FROM ${process} INDEXED BY process_record WHERE ${process.record} = ${erasure.record}
        AND ${process.proc} = (SELECT min(first.proc) FROM ${process} first INDEXED BY process_record WHERE first.record = ${erasure.record})
      LIMIT ${limits.processesMax}) known`,
  )

/** A place in the trash of a team. */
export interface TrashPlace {
  proc: number
  deletedAt: number
  rid: number
}

const nextInTrash = ({ team, trashProc, trashAt, trashRid }: ErasureRow, rowsMax: number): SQL =>
  sql`SELECT ${trash.proc} AS proc, ${trash.deletedAt} AS deleted_at, ${trash.rid} AS rid FROM ${trash} INDEXED BY process_trash_list
    WHERE ${whereTeamNumber(trash.proc, team)} AND (${trash.proc}, ${trash.deletedAt}, ${trash.rid}) > (${trashProc}, ${trashAt}, ${trashRid})
    ORDER BY ${trash.proc}, ${trash.deletedAt}, ${trash.rid} LIMIT ${rowsMax}`

/** Where a step through so many rows of the trash ends; none: these are the last ones. */
export const selectTrashEnd = (erasure: ErasureRow, rowsMax: number): Statement<TrashPlace> =>
  select(
    { proc: sql<number>`proc`, deletedAt: sql<number>`deleted_at`, rid: sql<number>`rid` },
    sql`FROM (${nextInTrash(erasure, rowsMax)}) LIMIT 1 OFFSET ${rowsMax - 1}`,
  )

/** The processes of the customer among these rows, in their order. */
export const selectLeftInTrash = (
  erasure: ErasureRow,
  limits: RemainingLimits & { rowsMax: number },
): Statement<RemainingProcess & { deletedAt: number }> =>
  select(
    { ...leftAmong(erasure, limits), deletedAt: sql<number>`known.deleted_at` },
    sql`FROM (SELECT ${trash.rid} AS rid, ${trash.id} AS id, ${trash.proc} AS proc, ${trash.deletedAt} AS deleted_at,
        length(${trash.row}) AS bytes
      FROM (${nextInTrash(erasure, limits.rowsMax)}) next CROSS JOIN ${trash} ON ${trash.rid} = next.rid
      WHERE ${trash.record} IN (SELECT ${recordErasure.record} FROM ${recordErasure}
        WHERE ${recordErasure.team} = ${erasure.team} AND ${recordErasure.erasure} = ${erasure.erasure})
      ORDER BY ${trash.proc}, ${trash.deletedAt}, ${trash.rid} LIMIT ${limits.processesMax}) known`,
  )
