import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/**
 * The state of an installation's maintenance, by name: how far a walk has come and until when it rests (`walk.ts`), and the
 * state of `maintenance-state.ts`. In the database, table and columns have the names of their first use, the walks.
 */
export const maintenanceState = sqliteTable('maintenance_position', {
  name: text('task').primaryKey(),
  // 0 for state that belongs to no team. The claim to a log, and an erasure that fails, belong to one.
  team: integer().notNull(),
  value: text('position').notNull(),
  restUntil: integer().notNull(),
})
