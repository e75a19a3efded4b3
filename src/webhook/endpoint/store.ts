import { getTableColumns, type SQL, sql } from 'drizzle-orm'
import { guardChanges, IF_CHANGED } from '../../db/guard.ts'
import { assignments, insertInto, type Statement, select, statement } from '../../db/statement.ts'
import { type EventMembers, insertEvents, toRowMembers } from '../../event/append.ts'
import { NOBODY } from '../../event/feed-rows.ts'
import { procedure } from '../../procedure/table.ts'
import { team } from '../../team/table.ts'
import { IS_NOT_BEING_ERASED } from '../../team-status/present-team.ts'
import { type DeliveryAttempt, type DeliveryState, isDelivered, writeWaiting } from '../delivery-rules.ts'
import { withoutResponses } from '../responses.ts'
import { webhook, webhookDelivery, webhookProgress, webhookReplay } from '../table.ts'

/** The name of an endpoint's Durable Object. */
export interface EndpointName {
  team: number
  id: string
}

const PROCEDURE_NUMBERS = sql`(SELECT json_group_array(${procedure.no}) FROM ${procedure} WHERE ${procedure.team} = ${webhook.team}
  AND ${procedure.id} IN (SELECT value FROM json_each(${webhook.procedures})))`

/** Selects an endpoint, its progress and its team: all that a pass begins with. */
export const selectEndpoint = ({ team: no, id }: EndpointName) =>
  select(
    {
      ...getTableColumns(webhook),
      enabled: sql<number>`${webhook.enabled}`,
      procedureNumbers: sql<string | null>`iif(${webhook.procedures} IS NULL, NULL, ${PROCEDURE_NUMBERS})`,
      position: webhookProgress.position,
      waiting: webhookProgress.waiting,
      heldUntil: webhookProgress.heldUntil,
      failingSince: webhookProgress.failingSince,
      revision: webhookProgress.revision,
      teamId: team.id,
      teamShortId: team.shortId,
      teamName: team.name,
      eventFeedSince: team.eventFeedSince,
      teamSuspendedAt: team.suspendedAt,
    },
    sql`FROM ${webhook} JOIN ${webhookProgress} ON ${webhookProgress.webhook} = ${webhook.no}
      JOIN ${team} ON ${team.no} = ${webhook.team}
      WHERE ${webhook.id} = ${id} AND ${webhook.team} = ${no} AND ${webhook.deletedAt} IS NULL`,
  )

const selectNumber = ({ team: no, id }: EndpointName): SQL =>
  sql`(SELECT ${webhook.no} FROM ${webhook} WHERE ${webhook.id} = ${id} AND ${webhook.team} = ${no})`

export const selectReplays = (name: EndpointName) =>
  select(
    {
      id: webhookReplay.id,
      position: webhookReplay.position,
      last: webhookReplay.last,
      only: sql<string | null>`${webhookReplay.only}`,
    },
    sql`FROM ${webhookReplay} WHERE ${webhookReplay.webhook} = ${selectNumber(name)} ORDER BY ${webhookReplay.id}`,
  )

interface EventSelection {
  types: readonly string[] | null
  procedures: readonly string[] | null
}

/** Formats the selection of events, to compare it with that of another time. */
export const formatSelection = ({ types, procedures }: EventSelection): string => JSON.stringify([types, procedures])

/** The same in SQL, over columns that `webhook/store.ts` writes as JSON. */
const WANTED: SQL = sql`(SELECT json_array(json(${webhook.types}), json(${webhook.procedures})) FROM ${webhook}
  WHERE ${webhook.no} = ${webhookProgress.webhook})`

interface ProgressRow extends DeliveryState {
  webhook: EndpointName
  position: number
  /** The selection that chose the events up to the position: that of the endpoint as it was loaded. */
  wanted: string
  dueAt: number | null
  /** The revision of the row when it was loaded. */
  revision: number
}

const PROGRESS_CHANGED = 'the progress of the endpoint was changed by somebody else'

/**
 * Fails the transaction where the row is another one than was read: a second instance of the object, an erased team, or a
 * removed endpoint whose number another one has by now.
 * The position stays where the endpoint wants other events by now: some that it wants may have been passed over.
 */
export const updateProgress = ({
  webhook: name,
  revision,
  waiting,
  position,
  wanted,
  ...row
}: ProgressRow): readonly Statement[] => [
  statement(
    sql`UPDATE ${webhookProgress} SET ${assignments(webhookProgress, {
      ...row,
      position: sql`iif(${WANTED} = ${wanted}, ${position}, ${webhookProgress.position})`,
      waiting: writeWaiting(waiting),
      revision: revision + 1,
    })} WHERE ${webhookProgress.webhook} = ${selectNumber(name)} AND ${webhookProgress.revision} = ${revision}`,
  ),
  guardChanges(PROGRESS_CHANGED, 1),
]

/** Inserts one row for all attempts, unless the team is being erased. Responses to events from before an erasure are left out. */
export const insertAttempts = (
  { team: teamNo, webhook: no }: { team: number; webhook: number },
  attempts: readonly DeliveryAttempt[],
): Statement =>
  statement(
    insertInto(
      webhookDelivery,
      {
        team: teamNo,
        webhook: no,
        number: sql`(SELECT coalesce(max(${webhookDelivery.number}), 0) + 1 FROM ${webhookDelivery}
        WHERE ${webhookDelivery.webhook} = ${no})`,
        at: attempts.at(-1)?.at ?? 0,
        count: attempts.length,
        failed: attempts.filter(({ status }) => !isDelivered(status)).length,
        attempts: withoutResponses(sql`${JSON.stringify(attempts)}`, sql`coalesce(${team.lastErasureAt}, 0)`),
      },
      sql`FROM ${team} WHERE ${team.no} = ${teamNo} AND ${IS_NOT_BEING_ERASED}`,
    ),
  )

export const updateReplay = (no: number, id: string, position: number): Statement =>
  statement(
    sql`UPDATE ${webhookReplay} SET ${assignments(webhookReplay, { position })}
      WHERE ${webhookReplay.webhook} = ${no} AND ${webhookReplay.id} = ${id}`,
  )

export const deleteReplay = (no: number, id: string): Statement =>
  statement(sql`DELETE FROM ${webhookReplay} WHERE ${webhookReplay.webhook} = ${no} AND ${webhookReplay.id} = ${id}`)

/** Disables an endpoint that keeps failing, unless its address was changed meanwhile. */
export const disableEndpoint = (
  { no, version }: { no: number; version: number },
  { at, reason }: { at: number; reason: string },
): Statement =>
  statement(
    sql`UPDATE ${webhook} SET ${assignments(webhook, {
      enabled: 0,
      disabledAt: at,
      disabledReason: reason,
      updatedAt: sql`max(${webhook.updatedAt}, ${at})`,
      version: version + 1,
    })} WHERE ${webhook.no} = ${no} AND ${webhook.version} = ${version} AND ${webhook.enabled} = 1`,
  )

/** Appends the event of `disableEndpoint`, which comes before it. Nobody is its author. */
export const appendDisabled = (teamNo: number, at: number, member: EventMembers[number]): Statement =>
  statement(
    insertEvents(
      {
        team: sql`${teamNo}`,
        at: sql`${at}`,
        type: sql`'webhook.disabled'`,
        proc: sql`NULL`,
        by: NOBODY,
      },
      toRowMembers([member]),
      sql`WHERE ${IF_CHANGED}`,
    ),
  )

/** Selects the version of an endpoint, which differs from the one before if it was changed. */
export const selectVersion = (no: number): Statement<{ version: number; deletedAt: number | null }> =>
  select({ version: webhook.version, deletedAt: webhook.deletedAt }, sql`FROM ${webhook} WHERE ${webhook.no} = ${no}`)
