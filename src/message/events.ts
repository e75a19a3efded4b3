import { type SQL, sql } from 'drizzle-orm'
import * as z from 'zod'
import { ridList } from '../db/document/values-by-row.ts'
import type { Statement } from '../db/statement.ts'
import { insertForFeeds } from '../event/feed-rows.ts'
import { declareEvents, listEventKeys, type Referent } from '../event/noun-events.ts'
import { Id } from '../http/shapes.ts'
import { toRowNo } from '../ids.ts'
import { selectMessagesUpTo, toMessage } from './ledger/statements.ts'
import { DELIVERY_STATUSES, toDeliveryStatus } from './rules.ts'
import { StoredMessageView } from './schema.ts'
import { message } from './table.ts'
import { viewMessageWithHistory } from './view.ts'

const ReceivedEventData = z
  .object({
    id: Id.describe('The id of the message.'),
    message: StoredMessageView.nullable().describe(
      'The message as it is when the event is read; null once it was removed for its age.',
    ),
  })
  .describe('The message that a customer wrote.')
type ReceivedEventData = z.infer<typeof ReceivedEventData>

const StatusEventData = z
  .object({
    ...ReceivedEventData.shape,
    from: z.enum(DELIVERY_STATUSES).describe('The delivery status before.'),
    to: z.enum(DELIVERY_STATUSES).describe('The delivery status after. It never moves back.'),
  })
  .describe('The message, and what its delivery status was before and after.')
type StatusEventData = z.infer<typeof StatusEventData>

/** What an event keeps of a message that was received, by its row number. */
interface ReceivedEventDetails {
  id: string
}

/** The events of messages that the statement before inserted: no other transaction has their ids. One row for each team. */
export function insertReceivedEvents(messages: readonly { team: number; id: string }[], at: number): Statement {
  const teams = [...Map.groupBy(messages, ({ team }) => team)].map(([team, some]) => ({
    team,
    messages: some.map(({ id }) => ({ rid: toRowNo(id), id })),
  }))
  return insertForFeeds(
    { type: 'message.received', at, key: message.rid.getSQL(), after: sql`json_object('id', ${message.id})` },
    join => sql`FROM json_each(${JSON.stringify(teams)}) reported ${join(sql`reported.value ->> '$.team'`)}
      CROSS JOIN json_each(reported.value, '$.messages') new CROSS JOIN ${message}
        ON ${message.rid} = new.value ->> '$.rid' AND ${message.id} = new.value ->> '$.id'
        AND +${message.team} = reported.value ->> '$.team'`,
  )
}

/** What an event keeps of a change of the delivery status, by the row number of the message. Numbers of statuses. */
interface StatusEventDetails {
  id: string
  from: number
  to: number
}

const statusEvent = (to: SQL, at: number) => ({
  type: 'message.status_changed' as const,
  at,
  key: message.rid.getSQL(),
  after: sql`json_object('id', ${message.id}, 'from', ${message.delivery}, 'to', ${to})`,
})

/** A message whose status may change: found by our id, else by the provider's. */
interface StatusChange {
  team: number
  rid: number | null
  id: string | null
  externalId: string | null
  plugin?: number | undefined
  delivery: number
}

const changed = (name: string): SQL => sql`change.value ->> ${sql.raw(`'$.${name}'`)}`

/**
 * The events of changes that the UPDATE behind this statement makes (`advance` of `ledger/advance-status.ts`): of a status that grows.
 * An event that is known already, or that UNKNOWN makes of anything but PENDING, changes none. One row for each team.
 */
export function insertStatusEvents(
  changes: readonly StatusChange[],
  { isOurs, at }: { isOurs: boolean; at: number },
): Statement {
  const teams = [...Map.groupBy(changes, ({ team }) => team)].map(([team, some]) => ({
    team,
    changes: some.map(({ rid, id, externalId, plugin, delivery }) =>
      isOurs ? { rid, id, plugin, delivery } : { externalId, plugin, delivery },
    ),
  }))
  const isTarget = isOurs
    ? sql`${message.rid} = ${changed('rid')} AND ${message.id} = ${changed('id')}`
    : sql`${message.externalId} = ${changed('externalId')}`
  return insertForFeeds(
    statusEvent(changed('delivery'), at),
    join => sql`FROM json_each(${JSON.stringify(teams)}) reported ${join(sql`reported.value ->> '$.team'`)}
      CROSS JOIN json_each(reported.value, '$.changes') change CROSS JOIN ${message} ON ${isTarget}
        AND +${message.team} = reported.value ->> '$.team' AND ${message.received} IS NULL
        AND coalesce(${changed('plugin')}, +${message.plugin}) = +${message.plugin}
        AND ${message.delivery} < ${changed('delivery')}`,
  )
}

/** The events of messages that a condition finds, whose teams are not known. `found` has their row numbers as `rid`. */
export const insertFoundStatusEvents = (found: SQL, delivery: number, at: number): Statement =>
  insertForFeeds(
    statusEvent(sql.raw(String(delivery)), at),
    join =>
      sql`FROM (${found}) found CROSS JOIN ${message} ON ${message.rid} = found.rid ${join(message.team.getSQL())}`,
  )

/** The message as it is when the event is read, and what its status was before and after. */
export const messageEvents = declareEvents({
  data: { 'message.received': ReceivedEventData, 'message.status_changed': StatusEventData },
  async show({ db, team }, events, bytesMax) {
    const [rows] = await db.read(
      selectMessagesUpTo(
        bytesMax,
        sql`FROM ${message} WHERE ${message.rid} IN ${ridList(listEventKeys(events))} AND +${message.team} = ${team.no}`,
      ),
    )
    const found = new Map(
      rows.map(({ bytes, request, text, ...row }) => {
        const isRead = request !== null && text !== null
        const shown = isRead ? viewMessageWithHistory(team, toMessage({ ...row, request, text })) : 'not read'
        return [row.id, { bytes, shown }] as const
      }),
    )
    return new Map<number, Referent<ReceivedEventData | StatusEventData>>(
      events.map(({ sequence, after }) => {
        const known = after as ReceivedEventDetails | StatusEventDetails
        const { bytes, shown: message } = found.get(known.id) ?? { bytes: 0, shown: null }
        if (message === 'not read') return [sequence, { bytes, shown: message }]
        const change = 'from' in known ? { from: toDeliveryStatus(known.from), to: toDeliveryStatus(known.to) } : {}
        return [sequence, { bytes, shown: { id: known.id, message, ...change } }]
      }),
    )
  },
})
