import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/**
 * The state of an installation's maintenance, by name: how far a walk has come and until when it rests (`walk.ts`), and the
 * state of `maintenance-state.ts`. The names of table and columns are those of its first use, the walks.
 */
export const maintenancePosition = sqliteTable('maintenance_position', {
  task: text().primaryKey(),
  // 0 for state that belongs to no team. The claim to a log, and an erasure that fails, belong to one.
  team: integer().notNull(),
  position: text().notNull(),
  restUntil: integer().notNull(),
})
