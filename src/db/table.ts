import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** How far a maintenance task has come that goes through everything in the order of its keys, and until when it rests after that. */
export const maintenancePosition = sqliteTable('maintenance_position', {
  task: text().primaryKey(),
  // Always 0: a maintenance task works for all teams.
  team: integer().notNull(),
  position: text().notNull(),
  restUntil: integer().notNull(),
})
