import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { jsonb } from '../db/columns.ts'

/** The customer a process is for. */
export const record = sqliteTable(
  'record',
  {
    rid: integer().primaryKey(),
    id: text().notNull(),
    team: integer().notNull(),
    data: jsonb().notNull(),
    // Which attributes hold the phone number and the e-mail address that the customer gave last: several names can.
    phoneName: text(),
    emailName: text(),
    version: integer().notNull().default(1),
    createdAt: integer().notNull(),
    updatedAt: integer().notNull(),
    // The number of its last event, as of a process.
    lastEvent: integer(),
    // The row number of the customer that this one was merged into: never one who was merged as well. 0: it was not merged.
    // The row stays, as a past state of a process shows it, and its id leads to the other.
    mergedInto: integer().notNull().default(0),
  },
  // The customers of a team, in the order of their making; and who was merged into one.
  table => [index('record_team').on(table.team, table.mergedInto)],
)

/**
 * The words of each customer's name, by which a search finds them (`words.ts`). They follow from the record's data and are
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
 * By what a customer is known again: a phone number or an e-mail address, normalised, belongs to one record of a team.
 * It follows from the record's data (`toIdentity` in `rules.ts`) and is written with it. WITHOUT ROWID, which the
 * migration says and drizzle can't: one row written for each.
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
 * Tombstones: by what a customer who was erased was known, as a keyed hash (`tombstone.ts`). What is older than the erasure
 * and arrives after it is written without anything of the person. Swept when nothing can be under way any more.
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
