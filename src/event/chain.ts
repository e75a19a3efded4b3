import { type SQL, sql } from 'drizzle-orm'
import { type Bindable, prepared, type Statement, select } from '../db/statement.ts'
import { event } from './table.ts'

/** One event of a process or a customer. Each names the one before it, so that its row is found without an index. */
export interface ChainRow {
  nth: number
  /** The number of the row that has the event. */
  row: number
  /** The number of the event; null unless `sequences` asks for it. */
  sequence: number | null
  at: number
  type: string
  by: string
  after: string
  before: string | null
  /** 1: the page takes no more, although there may be some. */
  isFull: number
}

/** The end of a page: it is the first event that is not newer. */
export interface ChainEnd {
  at?: number
  version?: number
  row?: number
}

interface ChainPage extends ChainEnd {
  team: number
  rowsMax: number
  /** Whether the number of each event is selected, which takes time by the length of its row. */
  sequences?: boolean
}

/** A page takes no further event when it has this many characters, */
const CHAIN_PAGE_CHARACTERS = 1_000_000
/** or when the rows that its events stand in have so many bytes: one of a job's step has those of 800 processes. */
const CHAIN_ROWS_BYTES = 32_000_000

const NAMES = ['team', 'rowsMax', 'at', 'version', 'row', 'sequences'] as const

/**
 * The events of a process or a customer, newest first, two rows read for each. `seed` selects `rid` and `last`, the number
 * of the row that has its last event: of one, or of none.
 */
export function prepareChain<Values extends Record<string, Bindable>>(
  names: readonly (keyof Values & string)[],
  seed: (values: Record<keyof Values | 'team', SQL>) => SQL,
): (values: Values & ChainPage) => Statement<ChainRow> {
  const make = prepared<Record<string, Bindable>, ChainRow>([...NAMES, ...names], values =>
    select({ ...CHAIN_FIELDS, isFull: IS_FULL }, chainFrom(seed(values as Record<keyof Values | 'team', SQL>), values)),
  )
  return ({ at = -1, version = -1, row = -1, sequences = false, ...values }) =>
    make({ ...values, at, version, row, sequences: sequences ? 1 : 0 })
}

const step = <Value>(name: string): SQL<Value> => sql.raw(`step."${name}"`) as SQL<Value>

const CHAIN_FIELDS = {
  nth: step<number>('nth'),
  row: step<number>('row'),
  sequence: step<number | null>('sequence'),
  at: step<number>('at'),
  type: step<string>('type'),
  by: step<string>('by'),
  after: step<string>('after'),
  before: step<string | null>('before'),
}

/** Each event names the row of the previous one: in `StoredProcessBefore` or `StoredRecordBefore`, that of a restored process in `ProcessAfter`. */
const PREVIOUS_ROW = sql`coalesce(${step('before')} ->> '$[1]', ${step('after')} ->> '$.last')`
const VERSION_BEFORE = sql`coalesce(${step('before')} ->> '$[0]', ${step('after')} ->> '$.version')`
const CHARACTERS = sql`${step('characters')} + length(${step('after')}) + coalesce(length(${step('before')}), 0)`

/** The events of a row have its last numbers, in the order of the members. */
const SEQUENCE = sql`iif(${event.count} = 1, ${event.sequence}, ${event.sequence} - ${event.count} + (
  SELECT count(*) FROM json_each(${event.after}) member
  WHERE member.id <= (SELECT own.id FROM json_each(${event.after}) own WHERE own.key = ${step('rid')})))`

const IS_FULL = sql<number>`(${CHARACTERS} >= ${sql.raw(String(CHAIN_PAGE_CHARACTERS))} OR ${step('loaded')} >= ${sql.raw(String(CHAIN_ROWS_BYTES))})`

const chainFrom = (seed: SQL, { team, rowsMax, at, version, row, sequences }: Partial<Record<string, SQL>>): SQL => {
  const member = sql`('$."' || ${step('rid')} || '"')`
  const isAbove = sql`${step('at')} > ${at} AND ${VERSION_BEFORE} >= ${version} AND ${step('row')} > ${row}`
  return sql`FROM (WITH RECURSIVE step(rid, nth, characters, loaded, "row", sequence, at, type, "by", after, before) AS (
    SELECT CAST(rid AS TEXT), 0, 0, 0, NULL, NULL, NULL, NULL, NULL, json_object('last', last), NULL FROM (${seed})
    UNION ALL
    SELECT ${step('rid')}, ${step('nth')} + 1, ${CHARACTERS}, ${step('loaded')} + length(${event.after}) + coalesce(length(${event.before}), 0), ${event.sequence}, iif(${sequences}, ${SEQUENCE}, NULL),
      ${event.at}, ${event.type}, json(${event.by}), ${event.after} -> ${member}, ${event.before} -> ${member}
    FROM step CROSS JOIN ${event} ON ${event.team} = ${team} AND ${event.sequence} = ${PREVIOUS_ROW}
    WHERE ${step('nth')} < ${rowsMax} AND NOT ${IS_FULL}
      AND (${step('nth')} = 0 OR (${isAbove}))
    ) SELECT * FROM step) step WHERE ${step('nth')} > 0 AND ${step('after')} IS NOT NULL`
}
