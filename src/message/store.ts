import { sql } from 'drizzle-orm'
import type { Statement } from '../db/statement.ts'
import { readRowCursor } from '../http/request/row-cursor.ts'
import type { Scope } from '../scope.ts'
import { type ListedMessage, selectListed } from './ledger/statements.ts'
import type { ListMessages } from './list-schema.ts'
import { message } from './table.ts'

/** Those of a process or a phone number, newest first; one more than asked for, which tells whether there are more. */
export function selectRecordMessages(
  scope: Scope,
  { process, phoneNumber = '', cursor, skip, limit }: ListMessages,
): Statement<ListedMessage> {
  const [index, isOf] =
    process === undefined
      ? [sql`message_phone`, sql`${message.phone} = ${phoneNumber}`]
      : [sql`message_process`, sql`${message.process} = ${process}`]
  return selectListed(sql`FROM ${message} INDEXED BY ${index} WHERE ${message.team} = ${scope.team.no} AND ${isOf}
    AND ${message.rid} < ${readRowCursor(cursor)} ORDER BY ${message.rid} DESC LIMIT ${limit + 1} OFFSET ${skip}`)
}
