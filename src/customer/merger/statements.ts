import { type SQL, sql } from 'drizzle-orm'
import { assignments, insertInto, type RowOf, type Statement, select, statement } from '../../db/statement.ts'
import { message } from '../../message/table.ts'
import { process } from '../../process/table.ts'
import type { Scope } from '../../scope.ts'
import { team } from '../../team/table.ts'
import { belongsToOther } from '../lists/messages.ts'
import { recordMove } from './table.ts'

/** Inserts a move of processes, which the maintenance task carries out. */
export const insertMove = (move: {
  record: number
  toRecord: number
  team: number
  by: string
  messages: number
}): Statement => statement(insertInto(recordMove, move))

/** Redirects moves that are still on their way to a merged customer to the survivor. */
export const redirectMoves = (team: number, merged: number, survivor: number): Statement =>
  statement(
    sql`UPDATE ${recordMove} SET ${assignments(recordMove, { toRecord: survivor })} WHERE ${recordMove.team} = ${team} AND ${recordMove.toRecord} = ${merged}`,
  )

/** Removes moves to a customer who is erased. */
export const removeMovesTo = (team: number, rid: number): Statement =>
  statement(sql`DELETE FROM ${recordMove} WHERE ${recordMove.team} = ${team} AND ${recordMove.toRecord} = ${rid}`)

export const selectProgress = (teamNo: number, rid: number): Statement<{ processes: number; messages: number }> =>
  select(
    { processes: recordMove.processes, messages: recordMove.messages },
    sql`FROM ${recordMove} WHERE ${recordMove.record} = ${rid} AND ${recordMove.team} = ${teamNo}`,
  )

const NEXT = {
  record: recordMove.record,
  team: recordMove.team,
  by: recordMove.by,
  eventFeedSince: team.eventFeedSince,
  proc: sql<number | null>`(SELECT min(${process.proc}) FROM ${process} INDEXED BY process_record
    WHERE ${process.record} = ${recordMove.record})`,
}
type NextMove = RowOf<typeof NEXT>

/** Selects moves of all teams, the oldest customers first, each with a procedure in which it still has processes. */
export const selectMoves = (max: number): Statement<NextMove> =>
  select(
    NEXT,
    sql`FROM (SELECT * FROM ${recordMove} ORDER BY ${recordMove.record} LIMIT ${max}) AS ${recordMove}
      CROSS JOIN ${team} ON ${team.no} = ${recordMove.team}`,
  )

/** Selects the customer who gets the processes by now: another merge may have redirected them, or an erasure ended the move. */
export const selectPresentSurvivor = (rid: number): SQL =>
  sql`(SELECT ${recordMove.toRecord} FROM ${recordMove} WHERE ${recordMove.record} = ${rid})`

/** Counts the processes that the statement before it has moved. */
export const countMoved = (rid: number): Statement =>
  statement(
    sql`UPDATE ${recordMove} SET ${assignments(recordMove, { processes: sql`${recordMove.processes} + changes()` })}
      WHERE ${recordMove.record} = ${rid}`,
  )

/** Ends a move if nothing is left. Nothing can follow: a statement that gives a process to a customer checks that they were not merged. */
export const endMove = (rid: number): Statement =>
  statement(sql`DELETE FROM ${recordMove} WHERE ${recordMove.record} = ${rid}
    AND NOT EXISTS (SELECT 1 FROM ${process} INDEXED BY process_record WHERE ${process.record} = ${rid})`)

const selectProcesses = (rid: number, max: number): SQL =>
  sql`(SELECT ${process.proc} AS proc FROM ${process} INDEXED BY process_record WHERE ${process.record} = ${rid} LIMIT ${max})`

/** Counts the processes of a customer in each procedure, up to a limit. */
export const countProcesses = (rid: number, max: number): Statement<{ proc: number; processes: number }> =>
  select(
    { proc: sql<number>`proc`, processes: sql<number>`count(*)` },
    sql`FROM ${selectProcesses(rid, max)} GROUP BY proc`,
  )

/** Matches if a customer has exactly this number of processes. */
export const whereHasProcesses = (rid: number, count: number): SQL =>
  sql`(SELECT count(*) FROM ${selectProcesses(rid, count + 1)}) = ${count}`

/** Counts the messages to some numbers that are not another customer's, up to a limit. */
export const countMessages = (scope: Scope, rid: number, phones: readonly string[], max: number) =>
  select(
    { messages: sql<number>`count(*)` },
    sql`FROM (SELECT 1 FROM json_each(${JSON.stringify(phones)}) phone
      CROSS JOIN ${message} INDEXED BY message_phone ON ${message.team} = ${scope.team.no} AND ${message.phone} = phone.value
      WHERE NOT ${belongsToOther(scope, rid, sql`phone.value`)} LIMIT ${max})`,
  )
