import { getTableColumns, type SQL, sql } from 'drizzle-orm'
import { guard } from '../db/guard.ts'
import { assignments, insertInto, type Statement, select, statement } from '../db/statement.ts'
import { guardNumberLeft, selectNextNumber } from '../db/team-numbers.ts'
import { lastSequence } from '../event/append.ts'
import { isWanted } from '../event/read.ts'
import { event } from '../event/table.ts'
import { procedure } from '../procedure/table.ts'
import type { Scope } from '../scope.ts'
import { team } from '../team/table.ts'
import { LAG } from './lag.ts'
import { webhook, webhookProgress } from './table.ts'

/** A webhook, and its progress as its page shows it. */
export type WebhookRow = typeof webhook.$inferSelect & {
  failingSince: number | null
  behind: number
  oldestWaitingSince: number | null
}

const whereTeam = (scope: Scope): SQL => sql`${webhook.team} = ${scope.team.no} AND ${webhook.deletedAt} IS NULL`

const COLUMNS = { ...getTableColumns(webhook), failingSince: webhookProgress.failingSince, ...LAG }
const WITH_PROGRESS = sql`LEFT JOIN ${webhookProgress} ON ${webhookProgress.webhook} = ${webhook.no}`

export const selectWebhook = (scope: Scope, id: string): Statement<WebhookRow> =>
  select(
    COLUMNS,
    sql`FROM ${webhook} ${WITH_PROGRESS} WHERE ${webhook.id} = ${id.toLowerCase()} AND ${whereTeam(scope)}`,
  )

export const selectAllWebhooks = (scope: Scope): Statement<WebhookRow> =>
  select(
    COLUMNS,
    sql`FROM ${webhook} INDEXED BY webhook_team ${WITH_PROGRESS} WHERE ${whereTeam(scope)} ORDER BY ${webhook.no}`,
  )

export const TOO_MANY_WEBHOOKS = 'the team has as many webhooks as it may'

/** Fails the transaction if the team has `max` webhooks already, or no number is left. */
export const guardWebhookLeft = (scope: Scope, max: number): Statement[] => [
  guard(
    TOO_MANY_WEBHOOKS,
    sql`(SELECT count(*) FROM ${webhook} INDEXED BY webhook_team WHERE ${whereTeam(scope)}) < ${max}`,
  ),
  guardNumberLeft(webhook, scope.team.no),
]

const whereWebhook = ({ no, team }: Pick<WebhookRow, 'no' | 'team'>): SQL =>
  sql`${webhook.no} = ${no} AND ${webhook.team} = ${team}`

export const WEBHOOK_CHANGED = 'the webhook changed'

/** Fails the transaction if the webhook was changed or removed since it was loaded. */
export const guardWebhookVersion = ({ no, team, version }: Pick<WebhookRow, 'no' | 'team' | 'version'>): Statement =>
  guard(
    WEBHOOK_CHANGED,
    sql`EXISTS (SELECT 1 FROM ${webhook}
      WHERE ${whereWebhook({ no, team })} AND ${webhook.version} = ${version} AND ${webhook.deletedAt} IS NULL)`,
  )

type WebhookValues = Parameters<typeof assignments<typeof webhook>>[1]

const jsonOrNull = (value: readonly string[] | null): string | null => (value === null ? null : JSON.stringify(value))

const stored = ({
  types,
  procedures,
  enabled,
  failingSince: _ofProgress,
  behind: _behind,
  oldestWaitingSince: _since,
  ...row
}: Omit<WebhookRow, 'no' | 'id' | 'team'>): WebhookValues => ({
  ...row,
  types: jsonOrNull(types),
  procedures: jsonOrNull(procedures),
  enabled: enabled ? 1 : 0,
})

/** Switches the feed on, with each webhook that is made or enabled: it may have been switched off while none was (`guardNoWebhooks` of `feed`). */
export const needFeed = (scope: Scope): Statement =>
  statement(
    sql`UPDATE ${team} SET ${assignments(team, { eventFeedSince: scope.now })}
      WHERE ${team.no} = ${scope.team.no} AND ${team.eventFeedSince} IS NULL`,
  )

/** Inserts a webhook and its progress, which begins after the last event there is. The first webhook switches the feed on. */
export const insertWebhook = (scope: Scope, { no: _no, id, team: _team, ...row }: WebhookRow): Statement[] => [
  needFeed(scope),
  statement(
    insertInto(webhook, { ...stored(row), id, no: selectNextNumber(webhook, scope.team.no), team: scope.team.no }),
  ),
  statement(
    insertInto(
      webhookProgress,
      { webhook: sql`${webhook.no}`, team: scope.team.no, position: lastSequence(scope.team.no) },
      sql`FROM ${webhook} WHERE ${webhook.id} = ${id} AND ${whereTeam(scope)}`,
    ),
  ),
]

/** Updates a webhook, after `guardWebhookVersion`, which keeps it from undoing somebody else's change. */
export const updateWebhookRow = ({ no, id: _id, team, ...row }: WebhookRow): Statement =>
  statement(sql`UPDATE ${webhook} SET ${assignments(webhook, stored(row))} WHERE ${whereWebhook({ no, team })}`)

interface WebhookResume {
  now: number
  /** The number up to which events are too old to be sent. */
  expired: number
}

/**
 * Somebody has seen to the receiver: what waits is sent now, and its failures count from now on. The revision makes the
 * endpoint's object read anew what it may have read before.
 */
export const resumeDeliveries = (
  { no, team }: Pick<WebhookRow, 'no' | 'team'>,
  { now, expired }: WebhookResume,
): Statement => {
  const left = sql`FROM json_each(${webhookProgress.waiting}) w WHERE w.value ->> 0 > ${expired}`
  return statement(
    sql`UPDATE ${webhookProgress} SET ${assignments(webhookProgress, {
      position: sql`max(${webhookProgress.position}, ${expired})`,
      waiting: sql`(SELECT json_group_array(json_array(w.value ->> 0, w.value ->> 1, w.value ->> 2,
        CAST(min(w.value ->> 3, ${now}) AS INTEGER)) ORDER BY w.key) ${left})`,
      dueAt: sql`iif(EXISTS (SELECT 1 ${left}), min(${webhookProgress.dueAt}, ${now}), NULL)`,
      heldUntil: null,
      failingSince: null,
      revision: sql`${webhookProgress.revision} + 1`,
    })} WHERE ${webhookProgress.webhook} = ${no} AND ${webhookProgress.team} = ${team}`,
  )
}

type EventSelection = Pick<WebhookRow, 'team' | 'types' | 'procedures'>

const isWantedBy = ({ team: teamNo, types, procedures }: EventSelection): SQL =>
  isWanted(
    types,
    procedures &&
      sql`(SELECT ${procedure.no} FROM ${procedure} WHERE ${procedure.team} = ${teamNo}
        AND ${procedure.id} IN (SELECT value FROM json_each(${JSON.stringify(procedures)})))`,
  )

/**
 * What waits to be sent again, and is wanted no more since this change, waits no more. An event that was named by a replay and
 * not tried yet is meant, and so is one that the webhook did not want before. The revision makes the endpoint's object read
 * anew what it may have read before.
 */
export const dropUnwanted = (before: EventSelection, after: WebhookRow): Statement => {
  const { no, team: teamNo, order } = after
  const isDropped = sql`w.value ->> 1 > 0 AND ifnull((SELECT ${isWantedBy(before)} AND NOT ${isWantedBy(after)}
    FROM ${event} WHERE ${event.team} = ${teamNo} AND ${event.sequence} >= w.value ->> 0 ORDER BY ${event.sequence} LIMIT 1), 0)`
  const left = sql`FROM json_each(${webhookProgress.waiting}) w WHERE NOT (${isDropped})`
  return statement(
    sql`UPDATE ${webhookProgress} SET ${assignments(webhookProgress, {
      waiting: sql`(SELECT json_group_array(json(w.value) ORDER BY w.key) ${left})`,
      dueAt: sql`(SELECT w.value ->> 3 ${left} ORDER BY iif(${order} = 'strict', w.key, w.value ->> 3) LIMIT 1)`,
      revision: sql`${webhookProgress.revision} + 1`,
    })} WHERE ${webhookProgress.webhook} = ${no} AND ${webhookProgress.team} = ${teamNo}`,
  )
}

/** Removes a webhook. Its secrets go, and its row stays until its deliveries are removed. */
export const removeWebhook = (row: WebhookRow, now: number): Statement =>
  statement(
    sql`UPDATE ${webhook} SET ${assignments(webhook, {
      deletedAt: now,
      enabled: 0,
      secret: '',
      previousSecret: null,
      previousSecretUntil: null,
    })} WHERE ${whereWebhook(row)}`,
  )
