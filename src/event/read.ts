import { type SQL, sql } from 'drizzle-orm'
import { ridList } from '../db/document/values-by-row.ts'
import { type Statement, select } from '../db/statement.ts'
import type { Scope } from '../scope.ts'
import { choosePage, type LogRow } from './page.ts'
import { type EventRow, listRowEvents, type StoredEvent } from './stored-event.ts'
import { event } from './table.ts'

/** The rows that a filter may pass in one call. */
const ROWS_PASSED_MAX = 1_000
/** Rows up to this size are read with their events. Longer ones are read when it is certain that the page has them. */
const SHORT_ROWS_BYTES_MAX = 1_600_000
const SHORT_EVENT_BYTES_MAX = 4_096

export interface EventFilter {
  types?: readonly string[]
  /** The numbers of procedures. */
  procedures?: readonly number[]
}

export interface EventPage {
  events: StoredEvent[]
  /** The number up to which the log was read. The next page begins after it. */
  lookedTo: number
  /** The number of the team's last event. */
  latest: number
  /** The row of that event; null before the first one. */
  lastRow: RowIdentity | null
  /** The first event after `after`, whatever the filter says. */
  first: { sequence: number; at: number } | null
}

/** The identity of a row of the log: after a restore of the database another one may have its number, at another time. */
export interface RowIdentity {
  sequence: number
  at: number
}

/**
 * A page of a team's log. Without a filter it reads the rows that it returns events of; with one, it passes a bounded
 * number of others, so that a page may be empty although more follows: `lookedTo` says from where to go on.
 */
export async function readEvents(
  { db, team }: Pick<Scope, 'db' | 'team'>,
  { after, limit, ...filter }: { after: number; limit: number } & EventFilter,
): Promise<EventPage> {
  const [[lastRow = null], rows] = await db.read(selectLastRow(team.no), selectRows(team.no, { after, limit }, filter))
  const [start] = rows
  const first = start ? { sequence: Math.max(after, start.sequence - start.count) + 1, at: start.at } : null
  const page = choosePage(rows, after, limit)
  if (isFilter(filter) && !page.isFull && rows.length === limit) {
    const next = { after: page.lookedTo, limit: ROWS_PASSED_MAX }
    const [more] = await db.read(selectRows(team.no, next, filter))
    const rest = choosePage(more, page.lookedTo, limit - page.found, page.bytes)
    page.rows.push(...rest.rows)
    page.lookedTo = rest.lookedTo
  }
  const whole = await readWhole(db, team.no, page.rows)
  const events = whole.flatMap(row => listRowEvents(row, after)).filter(({ sequence }) => sequence <= page.lookedTo)
  return { events, lookedTo: page.lookedTo, latest: lastRow?.sequence ?? 0, lastRow, first }
}

const isFilter = ({ types, procedures }: EventFilter): boolean => types !== undefined || procedures !== undefined

const json = (column: SQL) => sql<string>`json(${column})`

const selectLastRow = (team: number): Statement<RowIdentity> =>
  select(
    { sequence: event.sequence, at: event.at },
    sql`FROM ${event} WHERE ${event.team} = ${team} ORDER BY ${event.sequence} DESC LIMIT 1`,
  )

/** Selects the row with this number as it is now. */
export const selectRow = (team: number, sequence: number): Statement<RowIdentity> =>
  select(
    { sequence: event.sequence, at: event.at },
    sql`FROM ${event} WHERE ${event.team} = ${team} AND ${event.sequence} = ${sequence}`,
  )

function selectRows(team: number, { after, limit }: { after: number; limit: number }, filter: EventFilter) {
  const { types = null, procedures = null } = filter
  const wanted = sql<number>`${isWanted(types, procedures && ridList(procedures))}`
  const bytes = sql<number>`length(${event.after}) + ifnull(length(${event.before}), 0)`
  const shortMax = isFilter(filter)
    ? sql`${Math.floor(SHORT_ROWS_BYTES_MAX / limit)}`
    : sql`${SHORT_EVENT_BYTES_MAX} * ${event.count}`
  const ifShort = (column: SQL) => sql<string | null>`iif(${wanted} AND ${bytes} <= ${shortMax}, ${column}, NULL)`
  // Without a filter the last row of the page is known, because no number is missing.
  const end = sql`SELECT min(${event.sequence}) FROM ${event} WHERE ${event.team} = ${team} AND ${event.sequence} >= ${after + limit}`
  const upTo = isFilter(filter) ? sql`` : sql`AND ${event.sequence} <= ifnull((${end}), ${Number.MAX_SAFE_INTEGER})`
  return select(
    {
      sequence: event.sequence,
      count: event.count,
      at: event.at,
      type: event.type,
      proc: event.proc,
      isWanted: wanted,
      bytes,
      by: ifShort(json(sql`${event.by}`)),
      after: ifShort(json(sql`${event.after}`)),
      before: ifShort(json(sql`${event.before}`)),
    },
    sql`FROM ${event} WHERE ${event.team} = ${team} AND ${event.sequence} > ${after} ${upTo}
      ORDER BY ${event.sequence} LIMIT ${limit}`,
  )
}

/** Matches the events that a reader wants; null: all. One that is not about a process has no procedure, and is not left out. */
export function isWanted(types: readonly string[] | null, procedures: SQL | null): SQL {
  const conditions = [
    ...(types === null ? [] : [sql`${event.type} IN ${types}`]),
    ...(procedures === null ? [] : [sql`ifnull(${event.proc} IN ${procedures}, 1)`]),
  ]
  return conditions.length === 0 ? sql`1` : sql`(${sql.join(conditions, sql` AND `)})`
}

/** Reads the JSON of long rows, one row read for each, and parses all of them. */
async function readWhole(db: Scope['db'], team: number, rows: readonly LogRow[]): Promise<EventRow[]> {
  const long = rows.filter(({ after }) => after === null).map(({ sequence }) => sequence)
  const found = long.length === 0 ? [] : (await db.read(selectWhole(team, long)))[0]
  const bySequence = new Map(found.map(row => [row.sequence, row]))
  return rows.flatMap(row => {
    const { by, after, before } = row.after === null ? (bySequence.get(row.sequence) ?? row) : row
    // The row may have been erased or removed for its age meanwhile; the numbers stay.
    if (after === null || by === null) return []
    return [
      { ...row, by: JSON.parse(by), after: JSON.parse(after), before: before === null ? null : JSON.parse(before) },
    ]
  })
}

const selectWhole = (team: number, sequences: readonly number[]) =>
  select(
    {
      sequence: event.sequence,
      by: json(sql`${event.by}`),
      after: json(sql`${event.after}`),
      before: sql<string | null>`${json(sql`${event.before}`)}`,
    },
    sql`FROM ${event} WHERE ${event.team} = ${team} AND ${event.sequence} IN ${ridList(sequences)}`,
  )
