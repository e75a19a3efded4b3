import { type SQL, sql } from 'drizzle-orm'
import { assignments, returning, type Statement, select, statement } from '../../db/statement.ts'
import { insertEvents, toMembers, whereFeedOn } from '../../event/append.ts'
import { NOBODY } from '../../event/feed-rows.ts'
import type { Procedure } from '../../procedure/model.ts'
import { procedure } from '../../procedure/table.ts'
import type { Scope } from '../../scope.ts'
import { team } from '../../team/table.ts'
import { countFittingEntries, IS_LARGE } from '../document-bytes.ts'
import { toStatusNumber } from '../fields.ts'
import { process } from '../table.ts'
import { SETTLED_AFTER_MS } from './due-rules.ts'

const TYPE = sql`'process.next_action_due'`

/** The process is OPEN, and nobody was notified of its value. */
const IS_PENDING = sql`${process.status} = ${sql.raw(String(toStatusNumber('OPEN')))} AND ${process.nextActionAt} IS NOT ${process.notifiedDueAt}`

/** Inserts one row with the events of some processes whose next action is due; the next statement marks the same ones. */
function insertDueEvents(of: { team: number; proc: number; now: number }, from: SQL): Statement {
  const member = sql`json_object('id', ${process.id}, 'version', ${process.version}, 'nextActionAt', ${process.nextActionAt})`
  return statement(
    insertEvents(
      {
        team: sql`${of.team}`,
        at: sql`${of.now}`,
        type: TYPE,
        proc: sql`${of.proc}`,
        by: NOBODY,
      },
      toMembers(process.rid.getSQL(), member),
      sql`${from} HAVING count(*) > 0`,
    ),
  )
}

const markNotified = (which: SQL): Statement =>
  statement(
    sql`UPDATE ${process} SET ${assignments(process, { notifiedDueAt: sql`${process.nextActionAt}` })} WHERE ${which}`,
  )

/**
 * Ends a transaction that gave processes a time, or opened them: notifies of those whose time is past, or was scanned
 * before this transaction took effect. Together with `moveScanned` no time is left out, whatever the clocks say.
 */
export function notifyPastDue({ team: { no }, now }: Scope, { no: proc }: Procedure, which: SQL): Statement[] {
  const past = sql`(SELECT max(${now}, ifnull(${team.dueScannedTo}, 0)) FROM ${team}
    WHERE ${team.no} = ${no} AND ${team.eventFeedSince} IS NOT NULL)`
  const isPastDue = sql`${which} AND ${IS_PENDING} AND ${process.nextActionAt} <= ${past}`
  return [insertDueEvents({ team: no, proc, now }, sql`FROM ${process} WHERE ${isPastDue}`), markNotified(isPastDue)]
}

/** Until all isolates know that the feed is on, `dueNotifiedTo` does not count: one of them may have committed an earlier time. */
const IS_SETTLED = sql`(${team.dueScannedTo} >= ${team.eventFeedSince} + ${sql.raw(String(SETTLED_AFTER_MS))})`
/** Up to here everybody was notified, or the feed was not on yet. */
const START = sql`iif(${IS_SETTLED}, max(${team.eventFeedSince}, ifnull(${team.dueNotifiedTo}, 0)), ${team.eventFeedSince})`

/** Comes first in a scan, which there is none of while the team is suspended: a transaction that commits an earlier time after this notifies of it itself. */
export const moveScanned = (no: number, now: number) =>
  returning(
    sql`UPDATE ${team} SET ${assignments(team, { dueScannedTo: sql`max(ifnull(${team.dueScannedTo}, 0), ${now})` })}
      WHERE ${team.no} = ${no} AND ${team.eventFeedSince} IS NOT NULL AND ${team.suspendedAt} IS NULL`,
    { upTo: sql<number>`${team.dueScannedTo}`, after: sql<number>`${START}`, isSettled: sql<0 | 1>`${IS_SETTLED}` },
  )

export const selectSuspension = (no: number) =>
  select({ suspendedAt: team.suspendedAt }, sql`FROM ${team} WHERE ${team.no} = ${no}`)

/** The first time of a procedure within bounds, whatever the status: one that is closed may be opened again. */
const firstTime = (bounds: SQL): SQL<number | null> =>
  sql`(SELECT ${process.nextActionAt} FROM ${process} INDEXED BY process_next_action_at
    WHERE ${process.proc} = ${procedure.no} AND ${bounds} ORDER BY ${process.nextActionAt} LIMIT 1)`

/** Selects for each procedure the first time that the scan covers, and the first one after it: one or two rows read for each. */
export const selectTimes = (no: number) =>
  select(
    {
      proc: procedure.no,
      first: firstTime(sql`${process.nextActionAt} > ${START} AND ${process.nextActionAt} <= ${team.dueScannedTo}`),
      next: firstTime(sql`${process.nextActionAt} > ${team.dueScannedTo}`),
    },
    sql`FROM ${team} CROSS JOIN ${procedure} ON ${procedure.team} = ${team.no}
      WHERE ${team.no} = ${no} AND ${team.eventFeedSince} IS NOT NULL`,
  )

/** The last entry of the index that the scan has passed. */
export interface DuePosition {
  at: number
  rid: number
}

interface DuePage {
  team: number
  proc: number
  after: DuePosition
  upTo: number
  entries: number
  now: number
}

const AT = sql.identifier('at')
const RID = sql.identifier('rid')

/** What is marked is written anew, whole. */
const PAGE_BYTES_MAX = 4_000_000

/** How many entries a page has room for: their documents are looked at only where the procedure has a large one. */
function entriesMax(page: DuePage): SQL<number> {
  const hasLarge = sql`EXISTS (SELECT 1 FROM ${process} INDEXED BY process_large WHERE ${process.proc} = ${page.proc} AND ${IS_LARGE})`
  const bytes = sql`SELECT length(${process.data}) AS bytes
    FROM ${selectEntries(page, sql`${page.entries}`)} entry CROSS JOIN ${process} ON ${process.rid} = entry.${RID}`
  return sql`(SELECT iif(${hasLarge}, ${countFittingEntries({ most: page.entries, bytesMax: PAGE_BYTES_MAX }, bytes)}, ${page.entries}))`
}

/** Entries of the index after a position. Those with its own time are a range of their own, so that any number may have one time. */
function selectEntries({ proc, after: { at, rid }, upTo, entries }: DuePage, max: SQL): SQL {
  const within = (bounds: SQL, order: SQL) =>
    sql`SELECT * FROM (SELECT ${process.nextActionAt} AS ${AT}, ${process.rid} AS ${RID}
      FROM ${process} INDEXED BY process_next_action_at
      WHERE ${process.proc} = ${proc} AND ${bounds} ORDER BY ${order} LIMIT ${entries})`
  const tied = within(sql`${process.nextActionAt} = ${at} AND ${process.rid} > ${rid}`, sql`${process.rid}`)
  const later = within(
    sql`${process.nextActionAt} > ${at} AND ${process.nextActionAt} <= ${upTo}`,
    sql`${process.nextActionAt}, ${process.rid}`,
  )
  return sql`(${tied} UNION ALL ${later} LIMIT ${max})`
}

/**
 * Notifies of the pending entries of a page, and marks them. The first statement selects where the page ends, and whether
 * that is before the last entry.
 */
export function notifyPage(page: DuePage) {
  const max = entriesMax(page)
  const entries = selectEntries(page, max)
  const which = sql`${process.rid} IN (SELECT ${RID} FROM ${entries}) AND ${IS_PENDING} AND ${whereFeedOn(page.team)}`
  return [
    select(
      {
        entries: sql<number>`count(*) OVER ()`,
        isFull: sql<number>`count(*) OVER () = ${max}`,
        at: sql<number>`${AT}`,
        rid: sql<number>`${RID}`,
      },
      sql`FROM ${entries} ORDER BY ${AT} DESC, ${RID} DESC LIMIT 1`,
    ),
    insertDueEvents(page, sql`FROM ${process} WHERE ${which}`),
    markNotified(which),
  ] as const
}

/** Everybody was notified of all times up to here. */
export const moveNotified = (no: number, to: number): Statement =>
  statement(
    sql`UPDATE ${team} SET ${assignments(team, { dueNotifiedTo: sql`max(ifnull(${team.dueNotifiedTo}, 0), ${to})` })} WHERE ${team.no} = ${no}`,
  )

/** Selects teams with a time that came before `time` and was missed: one or two rows read for each of their procedures. */
export const selectTeamsWithMissed = (time: number, limit: number) =>
  select(
    { team: team.no },
    sql`FROM ${team} INDEXED BY team_event_feed WHERE ${team.eventFeedSince} IS NOT NULL AND ${team.suspendedAt} IS NULL AND EXISTS (
      SELECT 1 FROM ${procedure} WHERE ${procedure.team} = ${team.no} AND EXISTS (
        SELECT 1 FROM ${process} INDEXED BY process_next_action_at WHERE ${process.proc} = ${procedure.no}
          AND ${process.nextActionAt} > max(${team.eventFeedSince}, ifnull(${team.dueNotifiedTo}, 0))
          AND ${process.nextActionAt} <= ${time})) LIMIT ${limit}`,
  )
