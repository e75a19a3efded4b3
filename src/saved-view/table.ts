import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** A way to look at the processes of a procedure. WITHOUT ROWID: a row is found by its id, or in the list. */
export const savedView = sqliteTable(
  'saved_view',
  {
    id: text().primaryKey(),
    team: integer().notNull(),
    // The number of the procedure.
    proc: integer().notNull(),
    // The user to whom it belongs.
    createdBy: text().notNull(),
    isShared: integer({ mode: 'boolean' }).notNull(),
    name: text().notNull(),
    // JSON, as it was sent.
    query: text().notNull(),
    columns: text().notNull(),
    layout: text().$type<'table' | 'board'>().notNull(),
    version: integer().notNull(),
    createdAt: integer().notNull(),
    updatedAt: integer().notNull(),
  },
  // A user sees two ranges of a team: the shared views, and their own.
  table => [index('saved_view_list').on(table.team, table.isShared, table.createdBy)],
)
