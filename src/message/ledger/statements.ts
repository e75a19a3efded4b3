import { type SQL, sql } from 'drizzle-orm'
import { PHONE, record, recordIdentity } from '../../customer-record/table.ts'
import { ridList } from '../../db/document/values-by-row.ts'
import { type RowOf, type Statement, select } from '../../db/statement.ts'
import { SHORT_BYTES_MAX, takeFittingRows } from '../../http/response/page-bytes.ts'
import { toRowNo, UUID } from '../../ids.ts'
import type { ProviderError } from '../../plugin/codes.ts'
import { plugin } from '../../plugin/table.ts'
import type { Scope } from '../../scope.ts'
import type { ReceivedColumn } from '../received/message.ts'
import type { DeliveryReason } from '../rules.ts'
import { message } from '../table.ts'
import { decodeHistory, type HistoryEntry } from './history.ts'

const FIELDS = {
  rid: message.rid,
  id: message.id,
  plugin: sql<string>`(SELECT ${plugin.id} FROM ${plugin} WHERE ${plugin.no} = ${message.plugin})`,
  sender: message.sender,
  graphVersion: message.graphVersion,
  phone: message.phone,
  process: message.process,
  template: message.template,
  dataType: message.dataType,
  text: message.text,
  request: sql<string>`json(${message.request})`,
  delivery: message.delivery,
  externalId: message.externalId,
  error: sql<string | null>`json(${message.error})`,
  steps: message.steps,
  history: sql<string>`json(${message.history})`,
  user: message.user,
  sourceId: message.sourceId,
  job: message.job,
  entry: message.entry,
  attempt: message.attempt,
  resendOf: message.resendOf,
  resentAs: message.resentAs,
  updatedAt: message.updatedAt,
  received: sql<string | null>`json(${message.received})`,
  // The customer whose number it is now, as in the messages of a customer.
  record: sql<string | null>`CASE WHEN ${message.received} IS NULL THEN NULL ELSE (
    SELECT ${record.id} FROM ${recordIdentity} CROSS JOIN ${record} ON ${record.rid} = ${recordIdentity.record}
    WHERE ${recordIdentity.team} = ${message.team} AND ${recordIdentity.kind} = ${sql.raw(String(PHONE))}
      AND ${recordIdentity.value} = ${message.phone}) END`,
}

/** A row as it is read: its documents are still JSON. */
export type StoredMessage = RowOf<typeof FIELDS>

/** A message as the database holds it. */
export type MessageRow = Omit<StoredMessage, 'request' | 'error' | 'steps' | 'history' | 'received'> & {
  request: Record<string, unknown>
  error: ProviderError | null
  history: HistoryEntry[]
  /** Null: we wrote it. */
  received: ReceivedColumn | null
}

/** `rest` begins with FROM. */
export const selectMessages = (rest: SQL) => select(FIELDS, rest)

/** A response has the text twice. */
const BYTES = sql<number>`2 * length(CAST(${message.text} AS BLOB)) + length(${message.request})`

/** The same with their bytes; of one that is longer than `bytesMax` `request` and `text` are null. */
export const selectMessagesUpTo = (bytesMax: number, rest: SQL) => select(columnsUpTo(bytesMax), rest)

function columnsUpTo(bytesMax: number) {
  const ifShort = (value: SQL) => sql<string | null>`iif(${BYTES} <= ${bytesMax}, ${value}, NULL)`
  return { ...FIELDS, bytes: BYTES, request: ifShort(FIELDS.request), text: ifShort(sql`${message.text}`) }
}

export const toMessage = ({ request, error, steps, history, received, ...row }: StoredMessage): MessageRow => ({
  ...row,
  request: JSON.parse(request) as MessageRow['request'],
  error: error === null ? null : (JSON.parse(error) as ProviderError),
  history: decodeHistory(steps, JSON.parse(history) as HistoryEntry[]),
  received: received === null ? null : (JSON.parse(received) as ReceivedColumn),
})

/** What a list reads of each message at once. */
export const selectListed = (rest: SQL) => selectMessagesUpTo(SHORT_BYTES_MAX, rest)
export type ListedMessage = RowOf<ReturnType<typeof columnsUpTo>>

export interface MessagePage {
  rows: MessageRow[]
  hasMore: boolean
  /** The last message of the page, also if it was removed since. None has room where the pages before have taken it all. */
  last: ListedMessage | undefined
  bytes: number
}

/** The first messages that were found, as many as are wanted and have room; long ones are read once it is known which. */
export async function readMessagesPage(
  { db, team }: Scope,
  found: readonly ListedMessage[],
  limit: number,
  bytesBefore = 0,
): Promise<MessagePage> {
  const { page, hasMore } = takeFittingRows(found, limit, bytesBefore)
  const long = page.filter(({ request, text }) => request === null || text === null).map(({ rid }) => rid)
  const [read] =
    long.length === 0
      ? [[]]
      : await db.read(
          selectMessages(
            sql`FROM ${message} WHERE ${message.rid} IN ${ridList(long)} AND +${message.team} = ${team.no}`,
          ),
        )
  const whole = new Map(read.map(row => [row.rid, row]))
  const rows = page.flatMap(({ bytes: _, request, text, ...row }) => {
    const stored = request === null || text === null ? whole.get(row.rid) : { ...row, request, text }
    return stored === undefined ? [] : toMessage(stored)
  })
  return {
    rows,
    hasMore,
    last: page.at(-1),
    bytes: page.reduce((sum, { bytes }) => sum + bytes, bytesBefore),
  }
}

/** One message of the team. No message has an id that is no UUID. */
export const selectMessage = (scope: Scope, id: string): Statement<StoredMessage> =>
  selectMessages(sql`FROM ${message} WHERE ${message.rid} = ${UUID.test(id) ? toRowNo(id) : -1}
    AND ${message.id} = ${id.toLowerCase()} AND ${message.team} = ${scope.team.no}`)

/** The job's entry that a message is sent for. */
export interface Origin {
  job: number
  entry: number
}

/** All attempts at these entries of jobs, the first one first. */
export const selectAttempts = (scope: Scope, origins: readonly Origin[]): Statement<StoredMessage> =>
  selectMessages(sql`FROM json_each(${JSON.stringify(origins)}) origin
    CROSS JOIN ${message} INDEXED BY message_attempt
      ON ${message.job} = origin.value ->> '$.job' AND ${message.entry} = origin.value ->> '$.entry'
    WHERE +${message.team} = ${scope.team.no} ORDER BY ${message.attempt}`)

/** Why the delivery of a message is not known, as of the last event that says so. */
export const getDeliveryReason = ({ history }: Pick<MessageRow, 'history'>): DeliveryReason | null =>
  history.findLast(each => each.reason !== undefined)?.reason ?? null
