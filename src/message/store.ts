import { sql } from 'drizzle-orm'
import { recordErasure } from '../customer/erasure/table.ts'
import { guard, isGuardFailure } from '../db/guard.ts'
import type { Statement } from '../db/statement.ts'
import { readRowCursor } from '../http/request/row-cursor.ts'
import { toRowNo } from '../ids.ts'
import { process, processTrash } from '../process/table.ts'
import type { Scope } from '../scope.ts'
import { type ListedMessage, type MessageRow, selectListed } from './ledger/statements.ts'
import type { ListMessages } from './list-schema.ts'
import { message } from './table.ts'

/** Those of a process or a phone number, newest first; one more than asked for, which tells whether there are more. */
export function selectRecordMessages(
  scope: Scope,
  { process: of, phoneNumber = '', cursor, skip, limit }: ListMessages,
): Statement<ListedMessage> {
  const [index, isOf] =
    of === undefined
      ? [sql`message_phone`, sql`${message.phone} = ${phoneNumber}`]
      : [sql`message_process`, sql`${message.process} = ${of}`]
  return selectListed(sql`FROM ${message} INDEXED BY ${index} WHERE ${message.team} = ${scope.team.no} AND ${isOf}
    AND ${message.rid} < ${readRowCursor(cursor)} ORDER BY ${message.rid} DESC LIMIT ${limit + 1} OFFSET ${skip}`)
}

const RECIPIENT_ERASED = 'the recipient of the message is being erased'
export const isRecipientBeingErased = (error: unknown): boolean => isGuardFailure(error, RECIPIENT_ERASED)

/** Fails the transaction if an erasure that is under way has yet to come to the message: a copy of it would stay. */
export function guardRecipientKept({ team }: Scope, sent: Pick<MessageRow, 'id' | 'phone' | 'process'>): Statement {
  const rid = sent.process === null ? -1 : toRowNo(sent.process)
  const ofProcess = sql.join(
    [process, processTrash].map(
      table => sql`SELECT ${table.record} FROM ${table} WHERE ${table.rid} = ${rid} AND +${table.team} = ${team.no}`,
    ),
    sql` UNION ALL `,
  )
  return guard(
    RECIPIENT_ERASED,
    sql`NOT EXISTS (SELECT 1 FROM ${recordErasure} INDEXED BY record_erasure_team
      WHERE ${recordErasure.team} = ${team.no} AND ${recordErasure.before} > ${toRowNo(sent.id)}
        AND (${sent.phone} IN (SELECT value FROM json_each(${recordErasure.phones})) OR ${recordErasure.record} IN (${ofProcess})))`,
  )
}
