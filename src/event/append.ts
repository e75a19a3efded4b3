import { type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { IF_CHANGED } from '../db/guard.ts'
import { insertInto, prepared, type Statement, statement } from '../db/statement.ts'
import type { Scope } from '../scope.ts'
import { team } from '../team/table.ts'
import { IS_NOT_BEING_ERASED } from '../team-status/present-team.ts'
import { event } from './table.ts'

/**
 * The number of a team's last event, 0 before the first. The database runs one transaction at a time, so what is one more
 * than this, in the statement that inserts it, leaves no gap.
 */
export const lastSequence = (team: SQL | number): SQL<number> =>
  sql`coalesce((SELECT max(${event.sequence}) FROM ${event} WHERE ${event.team} = ${team}), 0)`

/** Selects the time of a team's last event; null before the first. */
export const lastTime = (team: SQL | number): SQL<number> =>
  sql`(SELECT ${event.at} FROM ${event} WHERE ${event.team} = ${team} ORDER BY ${event.sequence} DESC LIMIT 1)`

/**
 * Returns the columns that an UPDATE sets after the statement that appends its events. The transaction gives the time as it gives
 * the number, because others may have changed the same since the request read its own.
 */
export const setByLastEvent = ({ updatedAt }: { updatedAt: SQLiteColumn }, team: SQL | number) => ({
  lastEvent: lastSequence(team),
  updatedAt: sql`max(${updatedAt}, ${lastTime(team)})`,
})

/** The values before and after that the events of one row store. They must fit a row, and are less than the documents. */
export const EVENT_ROW_BYTES_MAX = 1_500_000

/** Formats the author of an event as the log stores it. */
export const toAuthorJson = ({ user, origin }: Pick<Scope, 'user' | 'origin'>): string =>
  JSON.stringify({ user: user.id, ...origin })

/** The columns of every row of the log. */
interface EventColumns {
  team: SQL
  at: SQL
  type: SQL
  proc: SQL
  by: SQL
}

/** The events of a row, and their number. It counts different names, or the numbers would have a gap. */
interface RowMembers {
  count: SQL
  after: SQL
}

/** Makes an event of each row of a query. Two of one name are one event, because the log's row is a JSON object. */
export const toMembers = (key: SQL, after: SQL): RowMembers => {
  const name = sql`CAST(${key} AS TEXT)`
  return { count: sql`count(DISTINCT ${name})`, after: sql`jsonb_group_object(${name}, ${after})` }
}

/** What each event of one row is about, and its values after the change. No two are about the same. */
export type EventMembers = readonly (readonly [about: number | string, after: unknown])[]

/**
 * Writes the members of a row as one JSON object. V8 gives an object of some hundred names a shape for each of them, which
 * takes longer than all else that is done for an entry of a job: so no such object is made.
 */
const encodeMembers = (members: EventMembers): string =>
  `{${members.map(([about, after]) => `${JSON.stringify(String(about))}:${JSON.stringify(after)}`).join(',')}}`

/** Makes an event of each member. */
export const toRowMembers = (members: EventMembers): RowMembers => ({
  count: sql.raw(String(members.length)),
  after: sql`jsonb(${encodeMembers(members)})`,
})

/** Makes a single event. */
export const oneMember = (key: SQL, after: SQL): RowMembers => ({
  count: sql`1`,
  after: sql`jsonb_object(CAST(${key} AS TEXT), ${after})`,
})

/** Inserts one row of the log, or none if `from` has none. Times grow with the numbers, whatever `at` says. */
export const insertEvents = (
  { team, at, by, ...columns }: EventColumns,
  { count, after, before = sql`NULL` }: RowMembers & { before?: SQL },
  from: SQL = sql``,
): SQL =>
  insertInto(
    event,
    {
      team,
      sequence: sql`${lastSequence(team)} + ${count}`,
      count,
      ...columns,
      after,
      before,
      at: sql`max(${at}, ifnull(${lastTime(team)}, 0))`,
      by: sql`jsonb(${by})`,
    },
    from,
  )

/** Appends the events of rows that the next statement, with the same condition, changes or removes. They are one row of the log. */
export const appendReplaced = (
  scope: Scope,
  { type, proc }: { type: string; proc?: number },
  members: RowMembers & { before: SQL },
  from: SQL,
): Statement =>
  statement(
    insertEvents(
      {
        team: sql`${scope.team.no}`,
        at: sql`${scope.now}`,
        type: sql`${type}`,
        proc: proc === undefined ? sql`NULL` : sql`${proc}`,
        by: sql`${toAuthorJson(scope)}`,
      },
      members,
      from,
    ),
  )

interface EventValues {
  [name: string]: string | number | null
  team: number
  count: number
  at: number
  type: string
  proc: number | null
  by: string
  after: string
}

const prepareInsert = (from: SQL) =>
  prepared<EventValues, never>(['team', 'count', 'at', 'type', 'proc', 'by', 'after'], ({ count, after, ...columns }) =>
    statement(insertEvents(columns, { count, after: sql`jsonb(${after})` }, from)),
  )
const insertNew = prepareInsert(sql``)
const insertIfChanged = prepareInsert(sql`WHERE ${IF_CHANGED}`)

/** Matches if a team wants events which are not about a process. It needs no row. */
export const whereFeedOn = (teamNo: SQL | number): SQL =>
  sql`EXISTS (SELECT 1 FROM ${team} WHERE ${team.no} = ${teamNo} AND ${team.eventFeedSince} IS NOT NULL AND ${IS_NOT_BEING_ERASED})`

interface NewEvents {
  type: string
  proc?: number
  /** One event for each member, in their order. */
  after: EventMembers
  /** Whether events are appended only if the statement before this one changed something. */
  ifChanged?: boolean
}

/** Appends events for which nothing has to be read, in the transaction of what happened. */
export const appendEvents = (scope: Scope, { type, proc, after, ifChanged = false }: NewEvents): Statement =>
  (ifChanged ? insertIfChanged : insertNew)({
    team: scope.team.no,
    count: after.length,
    at: scope.now,
    type,
    proc: proc ?? null,
    by: toAuthorJson(scope),
    after: encodeMembers(after),
  })
