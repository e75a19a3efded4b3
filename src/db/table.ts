import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/**
 * What the maintenance of an installation remembers, by name: how far a walk has come and until when it rests (`walk.ts`), and
 * what `maintenance-state.ts` keeps. The names of table and columns are those of its first use, the walks.
 */
export const maintenancePosition = sqliteTable('maintenance_position', {
  task: text().primaryKey(),
  // 0 where it is of all teams; that of the claim to a log, and of an erasure that fails.
  team: integer().notNull(),
  position: text().notNull(),
  restUntil: integer().notNull(),
})
