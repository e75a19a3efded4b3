import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

export const team = sqliteTable(
  'team',
  {
    // A number is never given again: queues and isolates may still have that of an erased team, which must not become another one's.
    no: integer().primaryKey({ autoIncrement: true }),
    id: text().notNull().unique(),
    shortId: text().notNull().unique(),
    name: text().notNull(),
    createdAt: integer().notNull(),
    // The time at which the event feed was switched on; null if it is off.
    eventFeedSince: integer(),
    // The time up to which due next actions were scanned. A transaction that commits an earlier one notifies of it itself (`process/due`).
    dueScannedTo: integer(),
    // The time up to which all due next actions have their events.
    dueNotifiedTo: integer(),
    // The time at which the operator began to erase the team. From then on nothing is inserted for it (`team-status/present-team.ts`).
    erasingAt: integer(),
    // The time at which the operator suspended the team. Its calls are refused, and its work rests until it is resumed (`team-status/suspension.ts`).
    suspendedAt: integer(),
    // The rows that it may write on a day; null if there is no limit (`team-status/allowance.ts`).
    rowsPerDay: integer(),
    // The time of the last erasure of a customer, or purge of a process. Answers to earlier requests are not stored then.
    lastErasureAt: integer(),
  },
  table => [index('team_event_feed').on(table.no).where(sql`event_feed_since IS NOT NULL`)],
)
