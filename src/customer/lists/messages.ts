import { type SQL, sql } from 'drizzle-orm'
import { listPhones } from '../../customer-record/identity-rules.ts'
import { getRecord, type RecordRow } from '../../customer-record/rows.ts'
import { PHONE, recordIdentity } from '../../customer-record/table.ts'
import { readRowCursor, writeRowCursor } from '../../http/request/row-cursor.ts'
import { type MessageRow, readMessagesPage, selectListed } from '../../message/ledger/statements.ts'
import { message } from '../../message/table.ts'
import type { Scope } from '../../scope.ts'
import type { CustomerPageQuery } from '../schema.ts'

/** Tells whether a number in a record's data identifies another record, whose messages it has then. */
export const belongsToOther = ({ team }: { team: { no: number } }, rid: number, phone: SQL): SQL =>
  sql`EXISTS (SELECT 1 FROM ${recordIdentity} WHERE ${recordIdentity.team} = ${team.no} AND ${recordIdentity.kind} = ${PHONE}
    AND ${recordIdentity.value} = ${phone} AND ${recordIdentity.record} <> ${rid})`

const selectMessagesTo = (scope: Scope, { rid, data }: RecordRow, before: number, rowsMax: number) =>
  selectListed(sql`FROM (
      SELECT page.value AS rid FROM json_each(${JSON.stringify(listPhones(data))}) phone
      CROSS JOIN json_each((SELECT json_group_array(rid) FROM (
        SELECT ${message.rid} AS rid FROM ${message} INDEXED BY message_phone
        WHERE ${message.team} = ${scope.team.no} AND ${message.phone} = phone.value AND ${message.rid} < ${before}
        ORDER BY ${message.rid} DESC LIMIT ${rowsMax}))) page
      WHERE NOT ${belongsToOther(scope, rid, sql`phone.value`)} ORDER BY 1 DESC LIMIT ${rowsMax}) found
    CROSS JOIN ${message} ON ${message.rid} = found.rid`)

/** Lists the messages to a customer's phone numbers, newest first. */
export async function listCustomerMessages(
  scope: Scope,
  id: string,
  { cursor, limit }: CustomerPageQuery,
): Promise<{ rows: MessageRow[]; next: string | null }> {
  const before = readRowCursor(cursor)
  const [found] = await scope.db.read(selectMessagesTo(scope, await getRecord(scope, id), before, limit + 1))
  // Rows are sorted here, because the database would count each row once more for it.
  const newest = found.sort((one, other) => other.rid - one.rid)
  const { rows, hasMore, last } = await readMessagesPage(scope, newest, limit)
  return { rows, next: hasMore && last ? writeRowCursor(last.rid) : null }
}
