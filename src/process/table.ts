import { type SQL, sql } from 'drizzle-orm'
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { jsonb, untyped } from '../db/columns.ts'

/** Above this weight a document is in the index `process_large`, so that a statement knows where it has to count weight instead of rows. */
export const LARGE_DOCUMENT_BYTES = 4_096
/** In the time in which a filter looks at one element of a list, this many bytes of a document are read. */
const ELEMENT_BYTES = 512
/** A process with a longer list weighs so much that it is in the index `process_large`. */
export const SHORT_LIST_LENGTH_MAX = LARGE_DOCUMENT_BYTES / ELEMENT_BYTES

/** The cost of reading a document, in bytes, computed without reading it. `table` ends with a dot. */
export const selectDocumentWeight = (table: string): string =>
  `length(${table}data) + ${ELEMENT_BYTES} * ifnull(${table}longest_list, 0)`

/**
 * `rid` is read off the public UUIDv7 (its millisecond and the 12 bits after it), so an id is found without an index
 * of its own and "newest first" is `rid DESC` in every index. See `ids.ts`.
 */
export const process = sqliteTable(
  'process',
  {
    rid: integer().primaryKey(),
    id: text().notNull(),
    proc: integer().notNull(),
    team: integer().notNull(),
    // 1 CANCELLED, 2 COMPLETED, 3 OPEN: in the order of the words, so that sorting by number sorts by word.
    status: integer().notNull(),
    state: text().notNull(),
    assignedTo: text(),
    nextActionAt: integer(),
    createdBy: text(),
    completedAt: integer().notNull().default(0),
    updatedAt: integer().notNull(),
    version: integer().notNull().default(1),
    record: integer(),
    primaryKey: text(),
    // One column for each indexed attribute of a procedure. The definition says which attribute each column has.
    s1: untyped(),
    s2: untyped(),
    s3: untyped(),
    s4: untyped(),
    s5: untyped(),
    s6: untyped(),
    s7: untyped(),
    s8: untyped(),
    s9: untyped(),
    s10: untyped(),
    s11: untyped(),
    s12: untyped(),
    s13: untyped(),
    s14: untyped(),
    s15: untyped(),
    s16: untyped(),
    // The words that `search` finds, by attribute, as `procedure/search/words.ts` makes them of the texts of the document.
    // It stands before the document, so that what looks at words passes over none.
    words: jsonb(),
    // The length of the longest list of an attribute when a long one was last set; null if none ever was.
    longestList: integer(),
    data: jsonb().notNull(),
    // The number of its last event. Each event names the one before, so the log of a process is read from here.
    lastEvent: integer(),
    // The value of `nextActionAt` that has its event `process.next_action_due` already.
    notifiedDueAt: integer(),
  },
  table => [
    index('process_list').on(table.proc),
    index('process_large')
      .on(table.proc)
      .where(sql.raw(`${selectDocumentWeight('')} > ${LARGE_DOCUMENT_BYTES}`)),
    index('process_status').on(table.proc, table.status),
    index('process_state').on(table.proc, table.state),
    index('process_assigned_to').on(table.proc, table.assignedTo).where(sql`assigned_to IS NOT NULL`),
    // Finds a customer's processes: of one procedure for filters, of all procedures for the routes of records.
    index('process_record').on(table.record, table.proc).where(sql`record IS NOT NULL`),
    index('process_next_action_at').on(table.proc, table.nextActionAt).where(sql`next_action_at IS NOT NULL`),
    // A full unique index, not a partial one: only then does SQLite know that a lookup finds one row.
    uniqueIndex('process_primary_key').on(table.proc, table.primaryKey),
    index('process_s1').on(table.proc, table.s1).where(sql`s1 IS NOT NULL`),
    index('process_s2').on(table.proc, table.s2).where(sql`s2 IS NOT NULL`),
    index('process_s3').on(table.proc, table.s3).where(sql`s3 IS NOT NULL`),
    index('process_s4').on(table.proc, table.s4).where(sql`s4 IS NOT NULL`),
    index('process_s5').on(table.proc, table.s5).where(sql`s5 IS NOT NULL`),
    index('process_s6').on(table.proc, table.s6).where(sql`s6 IS NOT NULL`),
    index('process_s7').on(table.proc, table.s7).where(sql`s7 IS NOT NULL`),
    index('process_s8').on(table.proc, table.s8).where(sql`s8 IS NOT NULL`),
    index('process_s9').on(table.proc, table.s9).where(sql`s9 IS NOT NULL`),
    index('process_s10').on(table.proc, table.s10).where(sql`s10 IS NOT NULL`),
    index('process_s11').on(table.proc, table.s11).where(sql`s11 IS NOT NULL`),
    index('process_s12').on(table.proc, table.s12).where(sql`s12 IS NOT NULL`),
    index('process_s13').on(table.proc, table.s13).where(sql`s13 IS NOT NULL`),
    index('process_s14').on(table.proc, table.s14).where(sql`s14 IS NOT NULL`),
    index('process_s15').on(table.proc, table.s15).where(sql`s15 IS NOT NULL`),
    index('process_s16').on(table.proc, table.s16).where(sql`s16 IS NOT NULL`),
  ],
)

const SLOTS = [
  process.s1,
  process.s2,
  process.s3,
  process.s4,
  process.s5,
  process.s6,
  process.s7,
  process.s8,
  process.s9,
  process.s10,
  process.s11,
  process.s12,
  process.s13,
  process.s14,
  process.s15,
  process.s16,
] as const

/** The column `s<number>`. */
export function getSlotColumn(number: number) {
  const column = SLOTS[number - 1]
  if (column === undefined) throw new Error(`there is no slot ${number}`)
  return column
}

/** SQL for some columns, by name. */
export type ProcessColumns = { [Name in keyof (typeof process)['$inferInsert']]?: SQL }
type SlotName = Extract<keyof (typeof process)['$inferInsert'], `s${number}`>
export const toSlotName = (column: number): SlotName => `s${column}` as SlotName

/** Deleted processes, whole, out of every index and query until they are restored. */
export const processTrash = sqliteTable(
  'process_trash',
  {
    rid: integer().primaryKey(),
    id: text().notNull(),
    proc: integer().notNull(),
    team: integer().notNull(),
    deletedAt: integer().notNull(),
    deletedBy: text(),
    primaryKey: text(),
    // The customer of the process, whose id is in `row`.
    record: integer(),
    row: jsonb().notNull(),
  },
  table => [
    index('process_trash_list').on(table.proc, table.deletedAt),
    index('process_trash_key').on(table.proc, table.primaryKey, table.deletedAt).where(sql`primary_key IS NOT NULL`),
  ],
)

/**
 * The elements of indexed attributes of a multi… type: one row for each different element of a process, derived from its
 * document (`rows/list-values.ts`). `slot` is the number that the definition gives the attribute.
 */
export const processValue = sqliteTable(
  'process_value',
  {
    proc: integer().notNull(),
    slot: integer().notNull(),
    value: untyped().notNull(),
    rid: integer().notNull(),
    team: integer().notNull(),
  },
  table => [primaryKey({ columns: [table.proc, table.slot, table.value, table.rid] })],
)
