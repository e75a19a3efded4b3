import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { jsonb } from '../db/columns.ts'

/** A stop: why nothing can be sent, and since when. `code` is the provider's, `message` ours. */
export interface Stop {
  code: number
  message: string
  at: number
}

/** A team's connection to its WhatsApp business account. A removed one stays, without its secrets, for its messages. */
export const plugin = sqliteTable(
  'plugin',
  {
    // In the range of its team (`selectNextNumber`), and so unique over all databases.
    no: integer().primaryKey(),
    id: text().notNull().unique(),
    team: integer().notNull(),
    name: text().notNull(),
    businessAccountId: text().notNull(),
    phoneNumbers: text({ mode: 'json' })
      .$type<{ id: string; displayNumber: string; messagesPerSecond?: number }[]>()
      .notNull(),
    graphVersion: text().notNull(),
    // The language of a template that a request names without one.
    defaultLanguage: text(),
    // Each secret is encrypted separately, with the plugin's id and the column's name as additional data.
    accessToken: text().notNull(),
    appSecret: text().notNull(),
    verifyToken: text().notNull(),
    // Set while the provider refuses everything. Nothing is sent until somebody changes the plugin.
    stoppedAt: integer(),
    stoppedBy: integer(),
    statusMessage: text(),
    // The stops of single phone numbers, by their ids.
    stoppedSenders: text({ mode: 'json' }).$type<Record<string, Stop>>().notNull().default({}),
    templatesSyncedAt: integer(),
    version: integer().notNull().default(1),
    createdAt: integer().notNull(),
    updatedAt: integer().notNull(),
    deletedAt: integer(),
  },
  table => [index('plugin_team').on(table.team).where(sql`deleted_at IS NULL`)],
)

/** The plugin's templates as the provider last listed them. WITHOUT ROWID, as `job_outcome`. */
export const template = sqliteTable(
  'template',
  {
    team: integer().notNull(),
    plugin: integer().notNull(),
    id: text().notNull(),
    externalId: text().notNull(),
    name: text().notNull(),
    language: text().notNull(),
    category: text().notNull(),
    status: text().notNull(),
    statusReason: text(),
    parameterFormat: text().notNull(),
    components: jsonb().notNull(),
    syncedAt: integer().notNull(),
    updatedAt: integer().notNull(),
  },
  table => [primaryKey({ columns: [table.plugin, table.name, table.language] })],
)
