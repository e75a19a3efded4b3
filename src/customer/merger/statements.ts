import { type SQL, sql } from 'drizzle-orm'
import { record } from '../../customer-record/table.ts'
import { assignments, insertInto, type RowOf, type Statement, select, statement } from '../../db/statement.ts'
import { whereTeamNumber } from '../../db/team-numbers.ts'
import { toRowNo } from '../../ids.ts'
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
  id: record.id,
  team: recordMove.team,
  by: recordMove.by,
  eventFeedSince: team.eventFeedSince,
  proc: sql<number | null>`(SELECT min(${process.proc}) FROM ${process} INDEXED BY process_record
    WHERE ${process.record} = ${recordMove.record})`,
}
export type NextMove = RowOf<typeof NEXT>

/** A merged customer keeps the record, by which the id leads to the survivor, as long as there is a move. */
const selectFirst = (which: SQL): Statement<NextMove> =>
  select(
    NEXT,
    sql`FROM ${recordMove} CROSS JOIN ${record} ON ${record.rid} = ${recordMove.record}
      CROSS JOIN ${team} ON ${team.no} = ${recordMove.team} WHERE ${which} ORDER BY ${recordMove.record} LIMIT 1`,
  )

/** Selects the next move of all teams, the oldest customers first, with a procedure in which it still has processes. */
export const selectNextMove = (isFailing: (id: SQL) => SQL): Statement<NextMove> =>
  selectFirst(sql`NOT ${isFailing(sql`${record.id}`)}`)

export const selectMove = (teamNo: number, id: string): Statement<NextMove> =>
  selectFirst(sql`${recordMove.record} = ${toRowNo(id)} AND ${recordMove.team} = ${teamNo}`)

export const countMoves = (max: number): Statement<{ left: number }> =>
  select({ left: sql<number>`count(*)` }, sql`FROM (SELECT 1 FROM ${recordMove} LIMIT ${max})`)

type MoveOfTeam = Pick<NextMove, 'record' | 'team'>

const whereMove = ({ record, team: no }: MoveOfTeam): SQL =>
  sql`${recordMove.record} = ${record} AND ${recordMove.team} = ${no}`

/** Selects the customer who gets the processes by now: another merge may have redirected them, or an erasure ended the move. */
export const selectPresentSurvivor = (move: MoveOfTeam): SQL =>
  sql`(SELECT ${recordMove.toRecord} FROM ${recordMove} WHERE ${whereMove(move)})`

/** Counts the processes that the statement before it has moved. */
export const countMoved = (move: MoveOfTeam): Statement =>
  statement(
    sql`UPDATE ${recordMove} SET ${assignments(recordMove, { processes: sql`${recordMove.processes} + changes()` })}
      WHERE ${whereMove(move)}`,
  )

/** Ends a move if nothing is left. Nothing can follow: a statement that gives a process to a customer checks that they were not merged. */
export const endMove = (move: MoveOfTeam): Statement =>
  statement(sql`DELETE FROM ${recordMove} WHERE ${whereMove(move)}
    AND NOT EXISTS (SELECT 1 FROM ${process} INDEXED BY process_record
      WHERE ${process.record} = ${move.record} AND ${whereTeamNumber(process.proc, move.team)})`)

const selectProcesses = (scope: Scope, rid: number, max: number): SQL =>
  sql`(SELECT ${process.proc} AS proc FROM ${process} INDEXED BY process_record
    WHERE ${process.record} = ${rid} AND ${whereTeamNumber(process.proc, scope.team.no)} LIMIT ${max})`

/** Counts the processes of a customer in each procedure, up to a limit. */
export const countProcesses = (
  scope: Scope,
  rid: number,
  max: number,
): Statement<{ proc: number; processes: number }> =>
  select(
    { proc: sql<number>`proc`, processes: sql<number>`count(*)` },
    sql`FROM ${selectProcesses(scope, rid, max)} GROUP BY proc`,
  )

/** Matches if a customer has exactly this number of processes. */
export const whereHasProcesses = (scope: Scope, rid: number, count: number): SQL =>
  sql`(SELECT count(*) FROM ${selectProcesses(scope, rid, count + 1)}) = ${count}`

/** Counts the messages to some numbers that are not another customer's, up to a limit. */
export const countMessages = (scope: Scope, rid: number, phones: readonly string[], max: number) =>
  select(
    { messages: sql<number>`count(*)` },
    sql`FROM (SELECT 1 FROM json_each(${JSON.stringify(phones)}) phone
      CROSS JOIN ${message} INDEXED BY message_phone ON ${message.team} = ${scope.team.no} AND ${message.phone} = phone.value
      WHERE NOT ${belongsToOther(scope, rid, sql`phone.value`)} LIMIT ${max})`,
  )
