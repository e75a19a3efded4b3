import { type SQL, sql } from 'drizzle-orm'
import { guard } from '../../db/guard.ts'
import { assignments, insertInto, type Statement, select, statement } from '../../db/statement.ts'
import { lastSequence } from '../../event/append.ts'
import { event } from '../../event/table.ts'
import type { Scope } from '../../scope.ts'
import { WAITING_EVENTS_MAX } from '../delivery-rules.ts'
import { webhook, webhookDelivery, webhookProgress, webhookReplay } from '../table.ts'

/** The most rows that a page reads: few of them may match its filter. */
const ROWS_PASSED_MAX = 1_000

/** The place of an attempt: the number of its row, and its index there. */
export interface AttemptPlace {
  row: number
  place: number
}

const selectNumber = (scope: Scope, id: string): SQL =>
  sql`(SELECT ${webhook.no} FROM ${webhook}
    WHERE ${webhook.id} = ${id.toLowerCase()} AND ${webhook.team} = ${scope.team.no} AND ${webhook.deletedAt} IS NULL)`

/** The start of a page, and the time of the last attempt of the oldest row that it reads. */
interface ScanRange {
  before: AttemptPlace | null
  since: number
}

interface AttemptFilter extends ScanRange {
  limit: number
  isFailed: boolean
  /** The id of the only event that is wanted. */
  event?: string | undefined
}

/** Selects attempts before a place, or the newest, with one more than requested, which says whether there are more. */
export function selectDeliveryAttempts(
  scope: Scope,
  id: string,
  { before, since, limit, isFailed, event: only }: AttemptFilter,
) {
  const passed = sql`SELECT ${webhookDelivery.number}, ${webhookDelivery.at}, ${webhookDelivery.attempts}, ${webhookDelivery.failed}
    FROM ${webhookDelivery}
    WHERE ${webhookDelivery.webhook} = ${selectNumber(scope, id)}
      AND ${webhookDelivery.number} <= ${before?.row ?? Number.MAX_SAFE_INTEGER}
    ORDER BY ${webhookDelivery.number} DESC LIMIT ${ROWS_PASSED_MAX}`
  // Rows without a failed attempt are not parsed.
  const rows = isFailed ? sql`SELECT * FROM (${passed}) WHERE failed > 0` : passed
  const isBefore =
    before === null ? sql`1` : sql`(kept.number < ${before.row} OR attempt.key < CAST(${before.place} AS INTEGER))`
  const isWanted = isFailed ? sql`NOT ifnull(attempt.value ->> '$.status' BETWEEN 200 AND 299, 0)` : sql`1`
  const isOfEvent = only === undefined ? sql`1` : sql`kept.at >= ${since} AND attempt.value ->> '$.event' = ${only}`
  return select(
    {
      row: sql<number>`kept.number`,
      place: sql<number>`attempt.key`,
      attempt: sql<string>`json(attempt.value)`,
    },
    sql`FROM (${rows}) kept, json_each(kept.attempts) attempt WHERE ${isBefore} AND ${isWanted} AND ${isOfEvent}
      ORDER BY kept.number DESC, attempt.key DESC LIMIT ${limit + 1}`,
  )
}

/** Selects the range of rows of a page, and the progress of the deliveries. */
export const selectDeliveryState = (scope: Scope, id: string, { before, since }: ScanRange) =>
  select(
    {
      position: webhookProgress.position,
      waiting: sql<number>`json_array_length(${webhookProgress.waiting})`,
      heldUntil: webhookProgress.heldUntil,
      failingSince: webhookProgress.failingSince,
      latest: lastSequence(scope.team.no),
      /** The oldest row that a page reads; null if it reads all that may be wanted. */
      lookedTo: sql<
        number | null
      >`(SELECT iif(${webhookDelivery.at} >= ${since}, ${webhookDelivery.number}, NULL) FROM ${webhookDelivery}
        WHERE ${webhookDelivery.webhook} = ${webhookProgress.webhook}
          AND ${webhookDelivery.number} <= ${before?.row ?? Number.MAX_SAFE_INTEGER}
        ORDER BY ${webhookDelivery.number} DESC LIMIT 1 OFFSET ${ROWS_PASSED_MAX - 1})`,
    },
    sql`FROM ${webhookProgress} WHERE ${webhookProgress.webhook} = ${selectNumber(scope, id)}`,
  )

export const TOO_MANY_REPLAYS = 'the webhook has as many replays as it may'

export const guardReplayLeft = (no: number, max: number): Statement =>
  guard(TOO_MANY_REPLAYS, sql`(SELECT count(*) FROM ${webhookReplay} WHERE ${webhookReplay.webhook} = ${no}) < ${max}`)

export const NOT_HAPPENED = 'an event that is to be replayed has not happened'

export const guardHappened = (scope: Scope, last: number): Statement =>
  guard(NOT_HAPPENED, sql`${lastSequence(scope.team.no)} >= ${last}`)

export const NOT_KEPT = 'an event that is to be replayed is not kept any more'

/** Fails the transaction if the first event is too old. It is looked for in the row that has it or, if that was removed, the first one after it. */
export const guardKept = ({ team }: Scope, first: number, keptSince: number): Statement =>
  guard(
    NOT_KEPT,
    sql`NOT EXISTS (SELECT 1 FROM ${event} WHERE ${event.team} = ${team.no} AND ${event.sequence} = (
        SELECT min(${event.sequence}) FROM ${event} WHERE ${event.team} = ${team.no} AND ${event.sequence} >= ${first})
      AND (${event.at} < ${keptSince} OR ${event.sequence} - ${event.count} >= ${first}))`,
  )

export interface EventReference {
  sequence: number
  at: number
}

/** Selects named events that happened at another time: after a restore of a backup, numbers are assigned again. */
const otherEvents = ({ team }: Scope, named: readonly EventReference[]): SQL =>
  sql`FROM json_each(${JSON.stringify(named)}) named JOIN ${event} ON ${event.team} = ${team.no} AND ${event.sequence} = (
      SELECT min(${event.sequence}) FROM ${event} WHERE ${event.team} = ${team.no}
        AND ${event.sequence} >= named.value ->> '$.sequence')
    WHERE ${event.sequence} - ${event.count} < named.value ->> '$.sequence' AND ${event.at} <> named.value ->> '$.at'`

export const OTHER_EVENT = 'an event that is to be replayed is another one by now'

export const guardSameEvents = (scope: Scope, named: readonly EventReference[]): Statement =>
  guard(OTHER_EVENT, sql`NOT EXISTS (SELECT 1 ${otherEvents(scope, named)})`)

export const selectOtherEvents = (scope: Scope, named: readonly EventReference[]): Statement<{ nth: number }> =>
  select({ nth: sql<number>`named.key` }, sql`${otherEvents(scope, named)} ORDER BY named.key`)

interface ReplayRow {
  id: string
  webhook: number
  position: number
  last: number
  only: readonly number[] | null
}

export const insertReplay = (scope: Scope, { only, ...row }: ReplayRow): Statement =>
  statement(
    insertInto(webhookReplay, {
      ...row,
      team: scope.team.no,
      only: only === null ? null : JSON.stringify(only),
      createdAt: scope.now,
    }),
  )

/**
 * Who asks for a range does not want to wait for the next attempt of what failed in it. Where something waits in strict
 * order, or as much as may, the range is not read before (`countFree`), so that is made due here. The revision makes the
 * endpoint's object see it.
 */
export const makeRangeDue = (
  { no, order }: Pick<typeof webhook.$inferSelect, 'no' | 'order'>,
  { from, to }: { from: number; to: number },
  now: number,
): Statement => {
  const isBlocked = sql`(${order} = 'strict' OR json_array_length(${webhookProgress.waiting}) >= ${WAITING_EVENTS_MAX})`
  const isLate = sql`w.value ->> 0 BETWEEN ${from} AND ${to} AND w.value ->> 3 > ${now}`
  return statement(
    sql`UPDATE ${webhookProgress} SET ${assignments(webhookProgress, {
      waiting: sql`(SELECT json_group_array(json_array(w.value ->> 0, w.value ->> 1, w.value ->> 2,
        CAST(iif(${isLate}, ${now}, w.value ->> 3) AS INTEGER)) ORDER BY w.key) FROM json_each(${webhookProgress.waiting}) w)`,
      dueAt: sql`min(${webhookProgress.dueAt}, ${now})`,
      revision: sql`${webhookProgress.revision} + 1`,
    })} WHERE ${webhookProgress.webhook} = ${no} AND ${isBlocked}
      AND EXISTS (SELECT 1 FROM json_each(${webhookProgress.waiting}) w WHERE ${isLate})`,
  )
}

/** Selects the number of the last event, which a replay may not exceed. */
export const selectLatestSequence = (scope: Scope): Statement<{ latest: number }> =>
  select({ latest: lastSequence(scope.team.no) }, sql``)
