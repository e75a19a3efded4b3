import { sql } from 'drizzle-orm'
import type { Statement } from '../db/statement.ts'
import { invalid } from '../errors.ts'
import type { Scope } from '../scope.ts'
import { type MessageRow, type StoredMessage, selectMessages } from './ledger/rows.ts'
import type { ListMessages } from './list-schema.ts'
import { type JobOfMessages, selectMessagesOfJob } from './of-job.ts'
import { message } from './table.ts'

const BASE = 36

/** Where the next page begins: after a row, or after an attempt at an entry of a job. */
export const cursorAfter = ({ rid, entry, attempt }: MessageRow, isOfJob: boolean): string =>
  isOfJob ? `${(entry ?? 0).toString(BASE)}-${(attempt ?? 0).toString(BASE)}` : rid.toString(BASE)

function placesOf(cursor: string, count: number): number[] {
  const places = cursor
    .split('-')
    .map(each => (/^[0-9a-z]{1,11}$/.test(each) ? Number.parseInt(each, BASE) : Number.NaN))
  if (places.length === count && places.every(Number.isSafeInteger)) return places
  throw invalid([{ message: 'the cursor is invalid', path: '/query/cursor' }])
}

/** Those of a process or a phone number, newest first; one more than asked for, which tells whether there are more. */
export function selectMessagesOf(
  scope: Scope,
  { process, phoneNumber = '', cursor, skip, limit }: ListMessages,
): Statement<StoredMessage> {
  const [index, isOf] =
    process === undefined
      ? [sql`message_phone`, sql`${message.phone} = ${phoneNumber}`]
      : [sql`message_process`, sql`${message.process} = ${process}`]
  const [before] = cursor === undefined ? [] : placesOf(cursor, 1)
  const isBefore = before === undefined ? sql`` : sql` AND ${message.rid} < ${before}`
  return selectMessages(sql`FROM ${message} INDEXED BY ${index} WHERE ${message.team} = ${scope.team.no} AND ${isOf}${isBefore}
    ORDER BY ${message.rid} DESC LIMIT ${limit + 1} OFFSET ${skip}`)
}

export function selectPageOfJob(
  scope: Scope,
  job: JobOfMessages,
  { cursor, skip, limit }: ListMessages,
): Statement<StoredMessage> {
  const [entry = -1, attempt = 0] = cursor === undefined ? [] : placesOf(cursor, 2)
  return selectMessagesOfJob(scope, job, { after: { entry, attempt }, skip, limit })
}
