import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** How far a chore has come that goes through everything in the order of its keys, and until when it rests after that. */
export const chorePosition = sqliteTable('chore_position', {
  chore: text().primaryKey(),
  // Always 0: a chore works for all teams.
  team: integer().notNull(),
  position: text().notNull(),
  restUntil: integer().notNull(),
})
