import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'

export const team = sqliteTable(
  'team',
  {
    // Never given again: what queues and isolates still hold of an erased team must not become another one's.
    no: integer().primaryKey({ autoIncrement: true }),
    id: text().notNull().unique(),
    shortId: text().notNull().unique(),
    name: text().notNull(),
    createdAt: integer().notNull(),
    // Since when the event feed is switched on; null: it is off.
    eventFeedSince: integer(),
    // Next actions that are due were scanned up to this time. A transaction that commits an earlier one notifies of it itself (`process/due`).
    dueScannedTo: integer(),
    // All due next actions up to this time have their events.
    dueNotifiedTo: integer(),
    // When the operator began to erase it: from then on nothing is inserted for it (`present-team.ts`).
    erasingAt: integer(),
    // When the operator suspended it: its calls are refused, and what it has under way rests until it is resumed (`suspension.ts`).
    suspendedAt: integer(),
    // How many rows it may write on a day; null: any number (`allowance.ts`).
    rowsPerDay: integer(),
    // When a customer was erased, or a process purged, the last time: answers to what was sent before are not kept.
    lastErasureAt: integer(),
  },
  table => [index('team_event_feed').on(table.no).where(sql`event_feed_since IS NOT NULL`)],
)

export const apiKey = sqliteTable(
  'api_key',
  {
    id: text().primaryKey(),
    team: integer().notNull(),
    name: text().notNull(),
    description: text().notNull().default(''),
    role: text().notNull(),
    user: text().notNull(),
    hash: text().notNull(),
    prefix: text().notNull(),
    lastFour: text().notNull(),
    createdAt: integer().notNull(),
    createdBy: text(),
    expiresAt: integer(),
    revokedAt: integer(),
    lastUsedAt: integer(),
    // The id of the key that it was rotated to: a key is rotated once.
    replacedBy: text(),
  },
  table => [uniqueIndex('api_key_hash').on(table.hash), index('api_key_team').on(table.team, table.id)],
)
