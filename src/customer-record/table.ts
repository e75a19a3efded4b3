import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { jsonb } from '../db/columns.ts'

/** A customer, for whom processes are. */
export const record = sqliteTable(
  'record',
  {
    rid: integer().primaryKey(),
    id: text().notNull(),
    team: integer().notNull(),
    data: jsonb().notNull(),
    // The attributes that hold the phone number and the e-mail address which the customer gave last, because several names can.
    phoneName: text(),
    emailName: text(),
    version: integer().notNull().default(1),
    createdAt: integer().notNull(),
    updatedAt: integer().notNull(),
    // The number of its last event, as in `process`.
    lastEvent: integer(),
    // The row number of the customer into whom this one was merged, who is not merged themselves; 0 if it was not merged. The
    // row stays, because a past state of a process shows it, and its id leads to the other.
    mergedInto: integer().notNull().default(0),
  },
  // Lists the customers of a team in the order of their creation, and those who were merged into one.
  table => [index('record_team').on(table.team, table.mergedInto)],
)

/**
 * The words of each customer's name, by which a search finds them (`name-words.ts`). They follow from the record's data and are
 * written with it. WITHOUT ROWID: one row written for each.
 */
export const recordWord = sqliteTable(
  'record_word',
  {
    team: integer().notNull(),
    word: text().notNull(),
    record: integer().notNull(),
  },
  table => [primaryKey({ columns: [table.team, table.word, table.record] })],
)

export const PHONE = 1
export const EMAIL = 2

/**
 * The phone numbers and e-mail addresses that identify customers, normalised. Each belongs to one record of a team. They
 * follow from the record's data (`toIdentity` in `identity-rules.ts`) and are written with it. WITHOUT ROWID, which the migration
 * says and drizzle can't: one row written for each.
 */
export const recordIdentity = sqliteTable(
  'record_identity',
  {
    team: integer().notNull(),
    // 1 phone number, 2 e-mail address.
    kind: integer().notNull(),
    value: text().notNull(),
    record: integer().notNull(),
  },
  table => [primaryKey({ columns: [table.team, table.kind, table.value] })],
)

/**
 * Tombstones: the phone numbers of erased customers, as keyed hashes (`tombstone.ts`). What is older than the erasure and
 * arrives after it is stored without anything of the person. They expire when nothing can be under way any more.
 * WITHOUT ROWID.
 */
export const erasedIdentity = sqliteTable(
  'erased_identity',
  {
    team: integer().notNull(),
    hash: text().notNull(),
    erasedAt: integer().notNull(),
  },
  table => [primaryKey({ columns: [table.team, table.hash] }), index('erased_identity_erased_at').on(table.erasedAt)],
)
