import { type SQL, sql } from 'drizzle-orm'
import { backgroundJob } from '../background-job/table.ts'
import { select } from '../db/statement.ts'
import { whereTeamNumber } from '../db/team-numbers.ts'
import { eventObject } from '../event/object/table.ts'
import { event } from '../event/table.ts'
import { getFirstRid, RID_EPOCH_MS, RID_TAIL } from '../ids.ts'
import type { Scope } from '../scope.ts'
import { DAY_MS } from '../time-units.ts'
import { webhookDelivery } from '../webhook/table.ts'
import { usageDay } from './table.ts'

/** The jobs that are read, the newest first, and the rows of deliveries, those of the newest webhooks first. */
const ROWS_MAX = 20_000

/** Days since 1970, from the first to below the last. */
export interface DayRange {
  first: number
  end: number
}

/** Reads the figures of each day, in one round trip. */
export async function readDays(scope: Scope, { first, end }: DayRange) {
  const team = scope.team.no
  const [from, to] = [first * DAY_MS, end * DAY_MS]
  const selectTimeDay = (at: SQL) => sql<number>`CAST(${at} AS INTEGER) / ${sql.raw(String(DAY_MS))}`
  const dayOfRid = sql<number>`no / ${sql.raw(String(RID_TAIL * DAY_MS))} + ${sql.raw(String(RID_EPOCH_MS / DAY_MS))}`
  const [used, jobs, deliveries, recent, [oldest], moved, [firstMoved]] = await scope.db.read(
    select(
      {
        day: usageDay.day,
        requests: usageDay.requests,
        failed: usageDay.failed,
        rowsRead: usageDay.rowsRead,
        rowsWritten: usageDay.rowsWritten,
        databaseMicros: usageDay.databaseMicros,
      },
      sql`FROM ${usageDay} WHERE ${usageDay.team} = ${team} AND ${usageDay.day} >= ${first} AND ${usageDay.day} < ${end}`,
    ),
    select(
      { day: dayOfRid, jobs: sql<number>`count(*)`, entries: sql<number>`sum(total)` },
      sql`FROM (SELECT ${backgroundJob.no} AS no, ${backgroundJob.total} AS total FROM ${backgroundJob} INDEXED BY background_job_team
        WHERE ${backgroundJob.team} = ${team} AND ${backgroundJob.no} >= ${getFirstRid(from)} AND ${backgroundJob.no} < ${getFirstRid(to)}
        ORDER BY ${backgroundJob.no} DESC LIMIT ${ROWS_MAX}) GROUP BY 1`,
    ),
    select(
      { day: selectTimeDay(sql`at`), attempts: sql<number>`sum(count)`, rows: sql<number>`count(*)` },
      sql`FROM (SELECT ${webhookDelivery.at} AS at, ${webhookDelivery.count} AS count FROM ${webhookDelivery}
        WHERE ${whereTeamNumber(webhookDelivery.webhook, team)} ORDER BY ${webhookDelivery.webhook} DESC, ${webhookDelivery.number} DESC LIMIT ${ROWS_MAX}) GROUP BY 1`,
    ),
    selectSequences(team, { first, end }),
    select(
      { before: BEFORE_OLDEST, at: event.at },
      sql`FROM ${event} WHERE ${event.team} = ${team} ORDER BY ${event.sequence} LIMIT 1`,
    ),
    select(
      { first: eventObject.first, firstAt: eventObject.firstAt, lastAt: eventObject.lastAt, days: eventObject.days },
      sql`FROM ${eventObject} WHERE ${eventObject.team} = ${team} AND ${eventObject.lastAt} >= ${from} AND ${eventObject.firstAt} < ${to + DAY_MS}
        ORDER BY ${eventObject.last}`,
    ),
    select(
      {
        before: sql<number>`${eventObject.first} - 1`,
        at: sql<number>`max(${eventObject.firstAt}, min(${eventObject.keptFrom}, ${eventObject.lastAt}))`,
      },
      sql`FROM ${eventObject} WHERE ${eventObject.team} = ${team} ORDER BY ${eventObject.last} LIMIT 1`,
    ),
  )
  const sequences = recent.map(each => ({ ...each, before: findMovedBefore(moved, each.day) ?? each.before }))
  const oldestKept = firstMoved ?? oldest
  const isAll = (rows: readonly number[]) => rows.reduce((sum, each) => sum + each, 0) < ROWS_MAX
  // Each source tells whether it has counted everything.
  const areWhole = [
    isAll(jobs.map(each => each.jobs)),
    isAll(deliveries.map(({ rows }) => rows)),
    // Events that have expired may have been of these days.
    oldestKept === undefined || oldestKept.before === 0 || oldestKept.at < from,
  ]
  return { used, jobs, deliveries, sequences, isComplete: areWhole.every(Boolean) }
}

interface MovedDays {
  first: number
  firstAt: number
  lastAt: number
  days: string
}

/** Returns the number of the last event before a day, if the first event of that day or later was moved to R2. */
function findMovedBefore(objects: readonly MovedDays[], day: number): number | undefined {
  const object = objects.find(({ lastAt }) => lastAt >= day * DAY_MS)
  if (!object) return undefined
  if (object.firstAt >= day * DAY_MS) return object.first - 1
  return (JSON.parse(object.days) as [number, number][]).find(([each]) => each === day)?.[1]
}

/** The number before the first event that is retained. */
const BEFORE_OLDEST = sql<number>`${event.sequence} - ${event.count}`

/**
 * Selects the number of the last event before each day. Times of the log grow with its numbers, so it is found by bisection:
 * some twenty steps for each day, whatever the number of events.
 */
function selectSequences(team: number, { first, end }: DayRange) {
  const days = JSON.stringify(Array.from({ length: end - first + 1 }, (_, nth) => first + nth))
  const middle = sql`(low + high) / 2`
  const isBefore = sql`coalesce((SELECT ${event.at} FROM ${event} WHERE ${event.team} = ${team} AND ${event.sequence} > ${middle}
    ORDER BY ${event.sequence} LIMIT 1), 1e15) < day * ${sql.raw(String(DAY_MS))}`
  return select(
    { day: sql<number>`day`, before: sql<number>`low` },
    sql`FROM (WITH RECURSIVE half(day, low, high) AS (
      SELECT CAST(value AS INTEGER), coalesce((SELECT ${BEFORE_OLDEST} FROM ${event} WHERE ${event.team} = ${team} ORDER BY ${event.sequence} LIMIT 1), 0), coalesce((SELECT max(${event.sequence}) FROM ${event} WHERE ${event.team} = ${team}), 0) FROM json_each(${days})
      UNION ALL SELECT day, iif(${isBefore}, ${middle} + 1, low), iif(${isBefore}, high, ${middle}) FROM half WHERE low < high
    ) SELECT day, low FROM half WHERE low >= high)`,
  )
}
