import { sql } from 'drizzle-orm'
import { ridList } from '../db/document/values-by-row.ts'
import { type EventView, listEventKeys, type Referent } from '../event/event-view.ts'
import { selectMessagesUpTo, toMessage } from './ledger/statements.ts'
import type { StatusEventDetails } from './ledger/status-events.ts'
import type { ReceivedEventDetails } from './received/events.ts'
import { toDeliveryStatus } from './rules.ts'
import type { ReceivedEventData, StatusEventData } from './schema.ts'
import { message } from './table.ts'
import { viewMessageWithHistory } from './view.ts'

/** The message as it is when the event is read, and what its status was before and after. */
export const messageEvents: EventView<ReceivedEventData | StatusEventData> = {
  types: ['message.received', 'message.status_changed'],
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
}
