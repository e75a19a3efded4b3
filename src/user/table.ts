import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'

export const user = sqliteTable(
  'user',
  {
    // The number is read off the id, as that of a process, so it is likely to be free in another database, too.
    no: integer().primaryKey(),
    id: text().notNull().unique(),
    team: integer().notNull(),
    username: text().notNull(),
    firstName: text().notNull().default(''),
    lastName: text().notNull().default(''),
    middleName: text().notNull().default(''),
    displayName: text().notNull().default(''),
    // 1 once somebody has chosen a display name: from then on it no longer follows first and last name.
    displayNameSet: integer({ mode: 'boolean' }).notNull().default(false),
    role: text().notNull(),
    timezone: text().notNull().default('+0000'),
    manager: text(),
    emailId: text(),
    email: text(),
    normalizedEmail: text(),
    isActive: integer({ mode: 'boolean' }).notNull().default(true),
    createdAt: integer().notNull(),
    updatedAt: integer().notNull(),
    deletedAt: integer(),
  },
  table => [
    uniqueIndex('user_username').on(table.team, table.username),
    uniqueIndex('user_email').on(table.team, table.normalizedEmail),
    // The index spans all teams: an OpenID provider names a person by the address alone.
    index('user_address').on(table.normalizedEmail).where(sql`normalized_email IS NOT NULL`),
    index('user_manager').on(table.team, table.manager),
  ],
)
