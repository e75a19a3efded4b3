import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** How somebody looks at the processes of a procedure. WITHOUT ROWID: a row is found by its id, or in the list. */
export const savedView = sqliteTable(
  'saved_view',
  {
    id: text().primaryKey(),
    team: integer().notNull(),
    // The number of the procedure.
    proc: integer().notNull(),
    // Whose it is: a user.
    createdBy: text().notNull(),
    isShared: integer({ mode: 'boolean' }).notNull(),
    name: text().notNull(),
    // JSON, as they were sent.
    query: text().notNull(),
    columns: text().notNull(),
    layout: text().$type<'table' | 'board'>().notNull(),
    version: integer().notNull(),
    createdAt: integer().notNull(),
    updatedAt: integer().notNull(),
  },
  // What somebody sees of a team is two ranges: what is shared, and their own.
  table => [index('saved_view_list').on(table.team, table.isShared, table.createdBy)],
)
