import { type TextStatement, textGuard, textStatement } from '../db/text-statement.ts'
import { ridOf, UUID } from '../ids.ts'
import type { ProviderError } from '../plugin/codes.ts'
import type { Scope } from '../scope.ts'
import { type DeliveryEvent, deliveryNumber, type UnknownReason } from './rules.ts'

export interface HistoryEntry {
  status: string
  at: number
  timestamp: number | null
  source: DeliveryEvent['source']
  code?: number
  reason?: UnknownReason
}

/** A message as the database holds it. */
export interface MessageRow {
  rid: number
  id: string
  plugin: string
  sender: string
  graphVersion: string
  phone: string
  process: string | null
  template: string | null
  dataType: string
  text: string
  request: Record<string, unknown>
  delivery: number
  externalId: string | null
  error: ProviderError | null
  history: HistoryEntry[]
  user: string
  sourceId: string
  /** Those of a job's message: see the table. */
  job: number | null
  entry: number | null
  attempt: number | null
  resendOf: string | null
  resentAs: string | null
  updatedAt: number
}

/** Enough for every status a provider tells and a few more: beyond, the state still changes, unrecorded. */
const HISTORY_MAX = 30

const MESSAGE_ROW = `json_object('rid', m.rid, 'id', m.id, 'plugin', (SELECT id FROM plugin WHERE no = m.plugin), 'sender', m.sender,
  'graphVersion', m.graph_version, 'phone', m.phone, 'process', m.process, 'template', m.template,
  'dataType', m.data_type, 'text', m.text, 'request', json(m.request), 'delivery', m.delivery,
  'externalId', m.external_id, 'error', json(m.error), 'history', json(m.history), 'user', m.user,
  'sourceId', m.source_id, 'job', m.job, 'entry', m.entry, 'attempt', m.attempt, 'resendOf', m.resend_of, 'resentAs', m.resent_as, 'updatedAt', m.updated_at)`

export const readMessage = (rows: Record<string, unknown>[] | undefined): MessageRow | undefined =>
  rows?.[0] === undefined ? undefined : (JSON.parse(rows[0].row as string) as MessageRow)

export interface NewMessage extends Omit<MessageRow, 'plugin' | 'delivery' | 'externalId' | 'error' | 'resentAs'> {
  pluginNo: number
}

export const insertMessages = (scope: Scope, messages: readonly NewMessage[]): TextStatement =>
  textStatement(
    `INSERT INTO message (rid, id, team, plugin, sender, graph_version, phone, process, template, data_type, text,
        request, delivery, history, user, source_id, job, entry, attempt, resend_of, updated_at)
      SELECT value ->> '$.rid', value ->> '$.id', ?2, value ->> '$.pluginNo', value ->> '$.sender',
        value ->> '$.graphVersion', value ->> '$.phone', value ->> '$.process', value ->> '$.template',
        value ->> '$.dataType', value ->> '$.text', jsonb(value -> '$.request'), 0, jsonb(value -> '$.history'),
        value ->> '$.user', value ->> '$.sourceId', value ->> '$.job', value ->> '$.entry', value ->> '$.attempt',
        value ->> '$.resendOf', value ->> '$.updatedAt' FROM json_each(?1)`,
    JSON.stringify(messages),
    scope.team.no,
  )

const byId = 'm.rid = ?1 AND m.id = ?2 AND m.team = ?3'
const keyOf = (scope: Scope, id: string) => [ridOf(id), id.toLowerCase(), scope.team.no] as const

export const selectMessage = (scope: Scope, id: string): TextStatement =>
  textStatement(`SELECT ${MESSAGE_ROW} AS row FROM message m WHERE ${byId}`, ...keyOf(scope, id))

export async function findMessage(scope: Scope, id: string): Promise<MessageRow | undefined> {
  if (!UUID.test(id)) return undefined
  const [found] = await scope.db.batch([selectMessage(scope, id)])
  return readMessage(found?.rows)
}

export interface Filter {
  process?: string | undefined
  phoneNumber?: string | undefined
  skip: number
  limit: number
}

/** Newest first, and one more than asked for, which tells whether there are more. */
export async function listMessageRows(
  scope: Scope,
  { process, phoneNumber, skip, limit }: Filter,
): Promise<MessageRow[]> {
  const by = process === undefined ? 'message_phone' : 'message_process'
  const where = process === undefined ? 'm.phone = ?2' : 'm.process = ?2'
  const [found] = await scope.db.batch([
    textStatement(
      `SELECT ${MESSAGE_ROW} AS row FROM message m INDEXED BY ${by} WHERE m.team = ?1 AND ${where}
        ORDER BY m.rid DESC LIMIT ?3 OFFSET ?4`,
      scope.team.no,
      process ?? phoneNumber ?? '',
      limit + 1,
      skip,
    ),
  ])
  return (found?.rows ?? []).flatMap(row => readMessage([row]) ?? [])
}

const entryOf = ({ status, at, timestamp, source, error, reason }: DeliveryEvent): HistoryEntry => ({
  status,
  at,
  timestamp,
  source,
  ...(error === undefined ? {} : { code: error.code }),
  ...(reason === undefined ? {} : { reason }),
})

export const firstHistory = (now: number): HistoryEntry[] => [
  { status: 'PENDING', at: now, timestamp: null, source: 'REQUEST' },
]

/**
 * The one way in which a message's state changes: never back, and never twice by the same event. That nothing is known of
 * it is no news of one of which something is.
 */
const ADVANCE_DELIVERY = `UPDATE message SET
    error = CASE WHEN ?1 ->> '$.delivery' > delivery THEN jsonb(?1 -> '$.error') ELSE error END,
    delivery = max(delivery, ?1 ->> '$.delivery'),
    external_id = coalesce(external_id, ?1 ->> '$.externalId'),
    history = iif(json_array_length(history) < ${HISTORY_MAX}, jsonb_insert(history, '$[#]', ?1 -> '$.entry'), history),
    updated_at = ?1 ->> '$.at'
  WHERE (?1 ->> '$.delivery' > ${deliveryNumber('UNKNOWN')} OR delivery = ${deliveryNumber('PENDING')})
    AND NOT EXISTS (SELECT 1 FROM json_each(message.history) AS past
    WHERE past.value ->> '$.source' = ?1 ->> '$.source' AND past.value ->> '$.status' = ?1 ->> '$.status'
      AND past.value ->> '$.timestamp' IS ?1 ->> '$.timestamp')`

const eventOf = (event: DeliveryEvent): string => {
  const { status, at, timestamp, source, externalId = null, error = null } = event
  return JSON.stringify({
    delivery: deliveryNumber(status),
    status,
    at,
    timestamp,
    source,
    externalId,
    error,
    entry: entryOf(event),
  })
}

export const advanceDelivery = (scope: Scope, id: string, event: DeliveryEvent): TextStatement =>
  textStatement(`${ADVANCE_DELIVERY} AND rid = ?2 AND id = ?3 AND team = ?4`, eventOf(event), ...keyOf(scope, id))

/** What a webhook tells, of a message of that webhook's plugin: found by our own id, else by the provider's. */
export function advanceDeliveryByWebhook(
  plugin: { no: number },
  ourId: string | undefined,
  event: DeliveryEvent,
): TextStatement {
  const isOurs = ourId !== undefined && UUID.test(ourId)
  return isOurs
    ? textStatement(
        `${ADVANCE_DELIVERY} AND plugin = ?2 AND rid = ?3 AND id = ?4`,
        eventOf(event),
        plugin.no,
        ridOf(ourId),
        ourId.toLowerCase(),
      )
    : textStatement(
        `${ADVANCE_DELIVERY} AND plugin = ?2 AND external_id = ?3`,
        eventOf(event),
        plugin.no,
        event.externalId ?? '',
      )
}

export interface Origin {
  job: number
  entry: number
}

/** All attempts at these entries of jobs, the first one first. */
export const attemptsOf = (scope: Scope, origins: readonly Origin[]): TextStatement =>
  textStatement(
    `SELECT ${MESSAGE_ROW} AS row FROM json_each(?1) origin CROSS JOIN message m INDEXED BY message_attempt
        ON m.job = origin.value ->> '$.job' AND m.entry = origin.value ->> '$.entry'
      WHERE +m.team = ?2 ORDER BY m.attempt`,
    JSON.stringify(origins),
    scope.team.no,
  )

export const NOT_RESENDABLE = 'not to be sent again'

/** Marks a message as sent again, once, and only one that is not known to have been accepted. */
export const markResent = (scope: Scope, id: string, as: string): TextStatement[] => [
  textStatement(
    `UPDATE message SET resent_as = ?4 WHERE rid = ?1 AND id = ?2 AND team = ?3 AND resent_as IS NULL
      AND delivery IN (${deliveryNumber('UNKNOWN')}, ${deliveryNumber('FAILED')})`,
    ...keyOf(scope, id),
    as,
  ),
  textGuard(NOT_RESENDABLE, 'changes() = 1'),
]

/** The same of many that failed, and are attempted again. */
export const markAttemptedAgain = (scope: Scope, pairs: readonly { id: string; as: string }[]): TextStatement[] =>
  pairs.length === 0
    ? []
    : [
        textStatement(
          `UPDATE message SET resent_as = pair.value ->> '$.as' FROM json_each(?1) pair
            WHERE message.rid = pair.value ->> '$.rid' AND message.id = pair.value ->> '$.id' AND +message.team = ?2
              AND message.resent_as IS NULL AND message.delivery = ${deliveryNumber('FAILED')}`,
          JSON.stringify(pairs.map(pair => ({ ...pair, rid: ridOf(pair.id) }))),
          scope.team.no,
        ),
        textGuard(NOT_RESENDABLE, 'changes() = ?1', pairs.length),
      ]

/** Why nothing is known of a message, as it was last learnt. */
export const reasonOf = ({ history }: MessageRow): UnknownReason | null =>
  history.findLast(each => each.reason !== undefined)?.reason ?? null
