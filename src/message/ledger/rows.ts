import { type SQL, sql } from 'drizzle-orm'
import { type RowOf, type Statement, select } from '../../db/statement.ts'
import { ridOf, UUID } from '../../ids.ts'
import type { ProviderError } from '../../plugin/codes.ts'
import { plugin } from '../../plugin/table.ts'
import type { Scope } from '../../scope.ts'
import type { DeliveryEvent, DeliveryReason } from '../rules.ts'
import { message } from '../table.ts'

export interface HistoryEntry {
  status: string
  at: number
  timestamp: number | null
  source: DeliveryEvent['source']
  code?: number
  reason?: DeliveryReason
}

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
  history: sql<string>`json(${message.history})`,
  user: message.user,
  sourceId: message.sourceId,
  job: message.job,
  entry: message.entry,
  attempt: message.attempt,
  resendOf: message.resendOf,
  resentAs: message.resentAs,
  updatedAt: message.updatedAt,
}

/** A row as it is read: its documents are still JSON. */
export type StoredMessage = RowOf<typeof FIELDS>

/** A message as the database holds it. */
export type MessageRow = Omit<StoredMessage, 'request' | 'error' | 'history'> & {
  request: Record<string, unknown>
  error: ProviderError | null
  history: HistoryEntry[]
}

/** `rest` begins with FROM. */
export const selectMessages = (rest: SQL) => select(FIELDS, rest)

export const messageOfRow = ({ request, error, history, ...row }: StoredMessage): MessageRow => ({
  ...row,
  request: JSON.parse(request) as MessageRow['request'],
  error: error === null ? null : (JSON.parse(error) as ProviderError),
  history: JSON.parse(history) as HistoryEntry[],
})

/** One message of the team. No message has an id that is no UUID. */
export const selectMessage = (scope: Scope, id: string): Statement<StoredMessage> =>
  selectMessages(sql`FROM ${message} WHERE ${message.rid} = ${UUID.test(id) ? ridOf(id) : -1}
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
export const deliveryReasonOf = ({ history }: Pick<MessageRow, 'history'>): DeliveryReason | null =>
  history.findLast(each => each.reason !== undefined)?.reason ?? null
