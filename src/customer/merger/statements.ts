import { type SQL, sql } from 'drizzle-orm'
import { type Statement, select } from '../../db/statement.ts'
import { message } from '../../message/table.ts'
import { process } from '../../process/table.ts'
import type { Scope } from '../../scope.ts'
import { isOfOther } from '../lists/messages.ts'

const selectProcesses = (rid: number, max: number): SQL =>
  sql`(SELECT ${process.proc} AS proc FROM ${process} INDEXED BY process_record WHERE ${process.record} = ${rid} LIMIT ${max})`

/** How many processes of a customer each procedure has, counted up to a limit. */
export const countProcesses = (rid: number, max: number): Statement<{ proc: number; processes: number }> =>
  select(
    { proc: sql<number>`proc`, processes: sql<number>`count(*)` },
    sql`FROM ${selectProcesses(rid, max)} GROUP BY proc`,
  )

/** Whether a customer has so many processes, and no more. */
export const hasProcesses = (rid: number, count: number): SQL =>
  sql`(SELECT count(*) FROM ${selectProcesses(rid, count + 1)}) = ${count}`

/** The messages to some numbers that are not another customer's, counted up to a limit. */
export const countMessages = (scope: Scope, rid: number, phones: readonly string[], max: number) =>
  select(
    { messages: sql<number>`count(*)` },
    sql`FROM (SELECT 1 FROM json_each(${JSON.stringify(phones)}) phone
      CROSS JOIN ${message} INDEXED BY message_phone ON ${message.team} = ${scope.team.no} AND ${message.phone} = phone.value
      WHERE NOT ${isOfOther(scope, rid, sql`phone.value`)} LIMIT ${max})`,
  )
