import { type SQL, sql } from 'drizzle-orm'
import { type Statement, select } from '../db/statement.ts'
import { lastSequence } from '../event/append.ts'
import { event } from '../event/table.ts'
import { whereTeamSuspended } from '../team-status/suspension.ts'
import { webhook, webhookDelivery, webhookProgress } from './table.ts'

/** The endpoints of all teams that are examined at most, with some rows for each. */
const ENDPOINTS_MAX = 1_000
/** A due event is tried within a minute. After this time nobody tries it. */
const STALLED_MS = 10 * 60_000
const NEVER = sql.raw(String(Number.MAX_SAFE_INTEGER))

const TEAM = sql`${webhook.team}`
const POSITION = sql`ifnull(${webhookProgress.position}, ${lastSequence(TEAM)})`
const FIRST_NEW = sql`(SELECT ${event.at} FROM ${event} WHERE ${event.team} = ${TEAM}
  AND ${event.sequence} > ${POSITION} ORDER BY ${event.sequence} LIMIT 1)`
const FIRST_FAILED = sql`(SELECT min(each.value ->> 2) FROM json_each(${webhookProgress.waiting}) each)`
const earliest = (...times: SQL[]): SQL<number | null> =>
  sql`nullif(min(${sql.join(
    times.map(time => sql`ifnull(${time}, ${NEVER})`),
    sql`, `,
  )}), ${NEVER})`

/**
 * How far an endpoint is behind its team's log, over a join of both tables: events that it has not passed, and those that
 * wait to be sent again. The position of one that wants few of them may be a minute old.
 */
export const LAG = {
  behind: sql<number>`max(0, ${lastSequence(TEAM)} - ${POSITION}) + ifnull(json_array_length(${webhookProgress.waiting}), 0)`,
  oldestWaitingSince: earliest(FIRST_NEW, FIRST_FAILED),
}

/** Selects the time since when something may be sent. In strict order failed events come first; none comes while the receiver wants a pause. */
const DUE_SINCE = sql`max(ifnull(${webhookProgress.heldUntil}, 0), ${earliest(
  sql`iif(${webhook.order} = 'strict' AND ${webhookProgress.dueAt} IS NOT NULL, NULL, ${FIRST_NEW})`,
  sql`${webhookProgress.dueAt}`,
)})`
const LAST_TRIED = sql`ifnull((SELECT ${webhookDelivery.at} FROM ${webhookDelivery}
  WHERE ${webhookDelivery.webhook} = ${webhook.no} ORDER BY ${webhookDelivery.number} DESC LIMIT 1), 0)`

/** Counts the enabled endpoints of teams that are not suspended. `stalled` are those with due events that nobody tries. */
export const selectLagOfAll = (
  now: number,
): Statement<{ enabled: number; behind: number; oldestWaitingSince: number | null; stalled: number }> =>
  select(
    {
      enabled: sql<number>`count(*)`,
      behind: sql<number>`ifnull(sum(behind), 0)`,
      oldestWaitingSince: sql<number | null>`min(since)`,
      stalled: sql<number>`ifnull(sum(max(due, tried) < ${now - STALLED_MS}), 0)`,
    },
    sql`FROM (SELECT ${LAG.behind} AS behind, ${LAG.oldestWaitingSince} AS since, ${DUE_SINCE} AS due, ${LAST_TRIED} AS tried
      FROM ${webhook} JOIN ${webhookProgress} ON ${webhookProgress.webhook} = ${webhook.no}
      WHERE ${webhook.enabled} = 1 AND ${webhook.deletedAt} IS NULL AND NOT ${whereTeamSuspended(TEAM)} ORDER BY ${webhook.no} LIMIT ${ENDPOINTS_MAX})`,
  )
