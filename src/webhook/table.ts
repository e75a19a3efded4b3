import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { jsonb } from '../db/columns.ts'

/**
 * The addresses to which a team's events are sent. Routes write here, the object of an endpoint that disables its webhook,
 * the re-encryption of secrets and the erasure of a team. A removed webhook stays, without its secrets, until a maintenance
 * task has removed its deliveries.
 */
export const webhook = sqliteTable(
  'webhook',
  {
    // The number is in the range of its team (`selectNextNumber`), so it is unique over all databases.
    no: integer().primaryKey(),
    id: text().notNull().unique(),
    team: integer().notNull(),
    url: text().notNull(),
    description: text().notNull().default(''),
    // The event types, and the ids of procedures, whose events it gets; null: all.
    types: text({ mode: 'json' }).$type<string[]>(),
    procedures: text({ mode: 'json' }).$type<string[]>(),
    enabled: integer({ mode: 'boolean' }).notNull().default(true),
    order: text().$type<'any' | 'strict'>().notNull().default('any'),
    // Each secret is encrypted by itself, with the endpoint's id and the column's name as additional data.
    secret: text().notNull(),
    // The secret before a rotation, which signs as well until then.
    previousSecret: text(),
    previousSecretUntil: integer(),
    // The service disabled it then, for that reason: `enabled` is false, too.
    disabledAt: integer(),
    disabledReason: text(),
    version: integer().notNull().default(1),
    createdAt: integer().notNull(),
    updatedAt: integer().notNull(),
    deletedAt: integer(),
  },
  table => [index('webhook_team').on(table.team).where(sql`deleted_at IS NULL`)],
)

/**
 * How far the deliveries of an endpoint are. Inserted with the endpoint. Its object writes it, and so do routes (resume,
 * replay, another selection): each raises `revision`, which every UPDATE of the object compares. A team that resumes,
 * and a restore of the database, move `failingSince` alone.
 */
export const webhookProgress = sqliteTable('webhook_progress', {
  webhook: integer().primaryKey(),
  team: integer().notNull(),
  // Each event up to this one was delivered, was given up, is of no interest, or is among those that wait.
  position: integer().notNull(),
  // Events that failed and are tried again, as `writeWaiting` in `delivery-rules.ts` stores them.
  waiting: text().notNull().default('[]'),
  // The earliest time in `waiting`.
  dueAt: integer(),
  // Nothing is sent before this time, which the receiver asked for by Retry-After.
  heldUntil: integer(),
  // The time of the first failed attempt after the last one that succeeded.
  failingSince: integer(),
  revision: integer().notNull().default(0),
})

/**
 * Events that are to be sent once more: those numbered `position + 1` to `last`, or those in the list `only`. Inserted by
 * a route; the endpoint's object moves `position` and removes the row. WITHOUT ROWID, as deliveries are.
 */
export const webhookReplay = sqliteTable(
  'webhook_replay',
  {
    team: integer().notNull(),
    webhook: integer().notNull(),
    // A UUIDv7, so replays are in the order of their requests.
    id: text().notNull(),
    position: integer().notNull(),
    last: integer().notNull(),
    only: text({ mode: 'json' }).$type<number[]>(),
    createdAt: integer().notNull(),
  },
  table => [primaryKey({ columns: [table.webhook, table.id] })],
)

/** The attempts: many in a row, in their order, bounded in bytes. Rows are appended, and removed for their age. */
export const webhookDelivery = sqliteTable(
  'webhook_delivery',
  {
    team: integer().notNull(),
    webhook: integer().notNull(),
    // The number counts the rows of the endpoint.
    number: integer().notNull(),
    // The time of the last attempt.
    at: integer().notNull(),
    count: integer().notNull(),
    failed: integer().notNull(),
    // A list of `DeliveryAttempt`s of `delivery-rules.ts`.
    attempts: jsonb().notNull(),
  },
  table => [primaryKey({ columns: [table.webhook, table.number] })],
)
