import { type SQL, sql } from 'drizzle-orm'
import { assignments, type Statement, statement } from '../../db/statement.ts'
import { toTeamNo } from '../../db/team-numbers.ts'
import { selectFeedTeamsAmong } from '../../event/feed-rows.ts'
import { toRowNo } from '../../ids.ts'
import { insertFoundStatusEvents, insertStatusEvents } from '../events.ts'
import { type DeliveryEvent, deliveryNumber } from '../rules.ts'
import { message } from '../table.ts'
import { appendEntries, encodeEntry, HAS_NEW_ENTRY, toEventKey } from './history.ts'

/** Well below the 2 MB that one parameter may have. */
const PARAMETER_LENGTH_MAX = 500_000

/** What was learnt about one message, in the order in which it was learnt. `id` is ours, `externalId` the provider's. */
interface StatusUpdate {
  id: string | null
  externalId: string | null
  events: readonly DeliveryEvent[]
}

/** All events of a message as one change: it comes to what they would come to one after the other. */
function toChange({ id, externalId, events, plugin }: StatusUpdate & { plugin?: number }) {
  const delivery = Math.max(...events.map(({ status }) => deliveryNumber(status)))
  const error = events.find(({ status }) => deliveryNumber(status) === delivery)?.error ?? null
  return {
    rid: id === null ? null : toRowNo(id),
    id: id?.toLowerCase() ?? null,
    externalId: events.find(each => each.externalId !== undefined)?.externalId ?? externalId,
    delivery,
    error,
    ...(plugin === undefined ? {} : { plugin }),
    at: events.at(-1)?.at ?? 0,
    // The same event twice is one: the statement compares with what is stored, not among what is new.
    entries: [...new Map(events.map(event => [toEventKey(event), encodeEntry(event)])).values()],
  }
}

type MessageChange = ReturnType<typeof toChange>

/** The members of `toChange` as columns of `change`. */
const fromJson = (changes: readonly string[]): SQL => sql`SELECT value ->> '$.rid' AS rid, value ->> '$.id' AS id,
  value ->> '$.externalId' AS external_id, value ->> '$.delivery' AS delivery, value -> '$.error' AS error,
  value ->> '$.plugin' AS plugin, value ->> '$.at' AS at, value -> '$.entries' AS entries FROM json_each(${`[${changes.join(',')}]`})`

/** Naming the column costs a row written in its index: who knows that there is one leaves it out. */
const LEARNT_EXTERNAL_ID = {
  // That of an erased message holds the number: see `customer/erasure/store.ts`.
  externalId: sql`iif(${message.phone} = '', NULL, coalesce(${message.externalId}, change.external_id))`,
}

/** What the provider says of an erased message may name the number: only the code, and what we say of it, is kept. */
const LEARNT_ERROR = sql`iif(${message.phone} = '' AND change.error <> 'null',
  json_set(change.error, '$.details', ''), nullif(change.error, 'null'))`

/**
 * The one statement that changes the delivery of messages. It never goes back (`DELIVERY_STATUSES` has the order), an
 * event counts once (`HAS_NEW_ENTRY`), and UNKNOWN replaces only PENDING. `changes` has at most one row for each message.
 */
const advance = (changes: SQL, isTarget: SQL, more: { externalId?: SQL } = LEARNT_EXTERNAL_ID): Statement =>
  statement(sql`UPDATE ${message} SET ${assignments(message, {
    ...more,
    error: sql`iif(change.delivery > ${message.delivery}, jsonb(${LEARNT_ERROR}), ${message.error})`,
    delivery: sql`max(${message.delivery}, change.delivery)`,
    ...appendEntries(),
    // What waited in a queue may be older than what came after it.
    updatedAt: sql`max(${message.updatedAt}, change.at)`,
  })} FROM (${changes}) change WHERE ${isTarget}
    AND (change.delivery > ${deliveryNumber('UNKNOWN')} OR ${message.delivery} = ${deliveryNumber('PENDING')})
    AND ${HAS_NEW_ENTRY}`)

const byId = sql`${message.rid} = change.rid AND ${message.id} = change.id`

/** Applies events to messages of a team. */
export const advanceStatus = (team: number, updates: readonly StatusUpdate[], at: number): Statement[] =>
  inParts(updates).flatMap(({ changes, json }) => [
    insertStatusEvents(
      changes.map(change => ({ ...change, team })),
      { isOurs: true, at },
    ),
    advance(fromJson(json), sql`${byId} AND +${message.team} = ${team}`),
  ])

/** What the reports of a plugin told about a message. */
export interface ReportedStatus extends StatusUpdate {
  plugin: number
}

/** Applies events of reports to messages of their plugins: found by our ids, else by the provider's. */
export function advanceStatusByReports(updates: readonly ReportedStatus[], at: number): Statement[] {
  const isOurs = ({ id }: StatusUpdate) => id !== null
  const others = updates.filter(each => !isOurs(each))
  const ofPlugin = sql`+${message.plugin} = change.plugin AND ${message.received} IS NULL`
  return [
    ...inParts(updates.filter(isOurs)).flatMap(({ changes, json }) => [
      insertStatusEvents(changes.map(withTeam), { isOurs: true, at }),
      advance(fromJson(json), sql`${byId} AND ${ofPlugin} AND ${message.externalId} IS NOT NULL`, {}),
      advance(fromJson(json), sql`${byId} AND ${ofPlugin} AND ${message.externalId} IS NULL`),
    ]),
    ...inParts(others).flatMap(({ changes, json }) => [
      insertStatusEvents(changes.map(withTeam), { isOurs: false, at }),
      advance(fromJson(json), sql`${message.externalId} = change.external_id AND ${ofPlugin}`, {}),
    ]),
  ]
}

const withTeam = (change: MessageChange) => ({ ...change, team: toTeamNo(change.plugin ?? 0) })

interface MessagePart {
  changes: MessageChange[]
  json: string[]
}

function inParts(updates: readonly (StatusUpdate | ReportedStatus)[]): MessagePart[] {
  const parts: MessagePart[] = []
  let length = PARAMETER_LENGTH_MAX
  for (const change of updates.map(toChange)) {
    const text = JSON.stringify(change)
    if (length + text.length > PARAMETER_LENGTH_MAX) {
      parts.push({ changes: [], json: [] })
      length = 0
    }
    const part = parts.at(-1)
    part?.json.push(text)
    part?.changes.push(change)
    length += text.length
  }
  return parts
}

/** The event of a message whose sender stopped between claim and result: nobody knows whether it was sent. */
const interruptedEvent = (at: number): DeliveryEvent => ({
  status: 'UNKNOWN',
  at,
  timestamp: null,
  source: 'SWEEP',
  reason: 'INTERRUPTED',
})

/** Messages of a team whose sender stopped. */
export const markUnknown = (team: number, ids: readonly string[], at: number): Statement[] =>
  advanceStatus(
    team,
    ids.map(id => ({ id, externalId: null, events: [interruptedEvent(at)] })),
    at,
  )

/**
 * Marks messages of all teams that are PENDING since before a row number, `max` of them. First it selects the teams to
 * be signalled.
 */
export function markInterruptedUnknown(before: number, at: number, max: number) {
  const { entries, delivery } = toChange({ id: null, externalId: null, events: [interruptedEvent(at)] })
  const interrupted = sql`FROM ${message} INDEXED BY message_pending
    WHERE ${message.delivery} = ${sql.raw(String(deliveryNumber('PENDING')))} AND ${message.rid} < ${before} LIMIT ${max}`
  const changes = sql`SELECT ${message.rid} AS rid, NULL AS external_id, ${delivery} AS delivery, NULL AS error,
    ${at} AS at, ${JSON.stringify(entries)} AS entries ${interrupted}`
  return [
    selectFeedTeamsAmong(sql`(SELECT ${message.team} ${interrupted})`),
    insertFoundStatusEvents(sql`SELECT ${message.rid} AS rid ${interrupted}`, delivery, at),
    advance(changes, sql`${message.rid} = change.rid`),
  ] as const
}
