import { type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { IS_NOT_BEING_ERASED } from '../auth/present-team.ts'
import { team } from '../auth/table.ts'
import { IF_CHANGED } from '../db/guard.ts'
import { insertInto, prepared, type Statement, statement } from '../db/statement.ts'
import type { Scope } from '../scope.ts'
import { event } from './table.ts'

/**
 * The number of a team's last event, 0 before the first. The database runs one transaction at a time, so what is one more
 * than this, in the statement that inserts it, leaves no gap.
 */
export const lastSequence = (team: SQL | number): SQL<number> =>
  sql`coalesce((SELECT max(${event.sequence}) FROM ${event} WHERE ${event.team} = ${team}), 0)`

/** When the last event of a team was; null before the first. */
export const lastTime = (team: SQL | number): SQL<number> =>
  sql`(SELECT ${event.at} FROM ${event} WHERE ${event.team} = ${team} ORDER BY ${event.sequence} DESC LIMIT 1)`

/**
 * What an UPDATE sets behind the statement that appends its events: their number, and their time. That is given by the
 * transaction, as the number is: the time that a request has read is from before others may have changed the same.
 */
export const setByLastEvent = ({ updatedAt }: { updatedAt: SQLiteColumn }, team: SQL | number) => ({
  lastEvent: lastSequence(team),
  updatedAt: sql`max(${updatedAt}, ${lastTime(team)})`,
})

/** What the events of one row keep must fit it: the values before and after, which are less than the documents. */
export const EVENT_ROW_BYTES_MAX = 1_500_000

/** Who did something, as an event keeps it. */
export const toAuthorJson = ({ user, origin }: Pick<Scope, 'user' | 'origin'>): string =>
  JSON.stringify({ user: user.id, ...origin })

/** What every row of the log has. */
interface EventColumns {
  team: SQL
  at: SQL
  type: SQL
  proc: SQL
  by: SQL
}

/** The events of a row, and how many they are: as many as have a name of their own, or the numbers would have a gap. */
interface RowMembers {
  count: SQL
  after: SQL
}

/** Each row of a query is one event. Two of one name are one event, because the row of the log is a JSON object. */
export const toMembers = (key: SQL, after: SQL): RowMembers => {
  const name = sql`CAST(${key} AS TEXT)`
  return { count: sql`count(DISTINCT ${name})`, after: sql`jsonb_group_object(${name}, ${after})` }
}

/** The events by their names. */
export const toRowMembers = (after: Record<string, unknown>): RowMembers => ({
  count: sql.raw(String(Object.keys(after).length)),
  after: sql`jsonb(${JSON.stringify(after)})`,
})

/** A row with a single event. */
export const oneMember = (key: SQL, after: SQL): RowMembers => ({
  count: sql`1`,
  after: sql`jsonb_object(CAST(${key} AS TEXT), ${after})`,
})

/** One row of the log, or none where `from` has none. Times grow with the numbers, whatever `at` says. */
export const insertEvents = (
  { team, at, by, ...columns }: EventColumns,
  { count, after, before = sql`NULL` }: RowMembers & { before?: SQL },
  from: SQL = sql``,
): SQL =>
  insertInto(
    event,
    {
      ...{ team, sequence: sql`${lastSequence(team)} + ${count}`, count, ...columns, after, before },
      at: sql`max(${at}, ifnull(${lastTime(team)}, 0))`,
      by: sql`jsonb(${by})`,
    },
    from,
  )

/** Events of rows that a statement with the same condition is about to change or to remove, in one row; none where it won't. */
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

/** What is not about a process is told only to teams that want it: a condition over no row. */
export const whereFeedOn = (teamNo: SQL | number): SQL =>
  sql`EXISTS (SELECT 1 FROM ${team} WHERE ${team.no} = ${teamNo} AND ${team.eventFeedSince} IS NOT NULL AND ${IS_NOT_BEING_ERASED})`

interface NewEvents {
  type: string
  proc?: number
  /** One event for each member, in their order. */
  after: Record<string, unknown>
  /** Only if the statement before this one changed something. */
  ifChanged?: boolean
}

/** Appends events of which nothing has to be read. Its transaction has what they tell of. */
export const appendEvents = (scope: Scope, { type, proc, after, ifChanged = false }: NewEvents): Statement =>
  (ifChanged ? insertIfChanged : insertNew)({
    team: scope.team.no,
    count: Object.keys(after).length,
    at: scope.now,
    type,
    proc: proc ?? null,
    by: toAuthorJson(scope),
    after: JSON.stringify(after),
  })
