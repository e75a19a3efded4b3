import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'

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
    // The id of the key to which it was rotated. A key is rotated once.
    replacedBy: text(),
  },
  table => [uniqueIndex('api_key_hash').on(table.hash), index('api_key_team').on(table.team, table.id)],
)
