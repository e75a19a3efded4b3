import { type SQL, sql } from 'drizzle-orm'
import type { Db } from '../../db/client.ts'
import { type Statement, select } from '../../db/statement.ts'
import { lastSequence } from '../../event/append.ts'
import type { MaintenanceTask } from '../../maintenance-task.ts'
import { whereTeamSuspended } from '../../team-status/suspension.ts'
import { withTimeout } from '../../timeout.ts'
import { webhook, webhookProgress, webhookReplay } from '../table.ts'
import type { EndpointName } from './store.ts'
import { getEndpoint } from './webhook-endpoint.ts'

const ENDPOINTS_PER_STEP = 500
/** An alarm that is later than this counts as lost. */
const LATE_MS = 30_000
const WAKE_MS_MAX = 5_000
const WOKEN_AT_ONCE_MAX = 5

/**
 * Wakes the objects of endpoints that have something to send and may not know: a signal after a commit can be lost, and an
 * alarm can be. Some rows for each endpoint, none for a team without.
 */
export function createOverdueEndpointTask(
  objects: Pick<Env, 'WEBHOOK_ENDPOINT'>,
  db: () => Db,
  now: number,
): MaintenanceTask {
  let after = 0
  return {
    async step() {
      const [rows] = await db().read(selectOverdue(after, now))
      const overdue = rows.filter(({ isOverdue }) => isOverdue === 1)
      for (let first = 0; first < overdue.length; first += WOKEN_AT_ONCE_MAX)
        await Promise.all(overdue.slice(first, first + WOKEN_AT_ONCE_MAX).map(each => wakeOverdue(objects, each)))
      after = rows.at(-1)?.no ?? after
      return { done: overdue.length, hasMore: rows.length === ENDPOINTS_PER_STEP }
    },
  }
}

/** Wakes an endpoint. If it can't be reached, it is woken a minute later. */
async function wakeOverdue(objects: Pick<Env, 'WEBHOOK_ENDPOINT'>, { team, id }: EndpointName): Promise<void> {
  try {
    await withTimeout(WAKE_MS_MAX, () => getEndpoint(objects, { team, id }).wake({ team, id }, true))
  } catch (error) {
    console.warn(JSON.stringify({ webhook: id, teamNo: team, unwoken: String(error) }))
  }
}

const selectOverdue = (after: number, now: number): Statement<EndpointName & { no: number; isOverdue: number }> =>
  select(
    { no: webhook.no, team: webhook.team, id: webhook.id, isOverdue: sql<number>`${whereOverdue(now)}` },
    sql`FROM ${webhook} JOIN ${webhookProgress} ON ${webhookProgress.webhook} = ${webhook.no}
      WHERE ${webhook.no} > ${after} AND ${webhook.enabled} = 1 AND ${webhook.deletedAt} IS NULL
      ORDER BY ${webhook.no} LIMIT ${ENDPOINTS_PER_STEP}`,
  )

/** Matches endpoints with an event to send. Those of a suspended team have none. In strict order nothing is due before the event that waits. */
const whereOverdue = (
  now: number,
): SQL => sql`NOT ${whereTeamSuspended(webhook.team.getSQL())} AND ifnull(${webhookProgress.heldUntil}, 0) <= ${now} AND
  CASE WHEN ${webhook.order} = 'strict' AND ${webhookProgress.dueAt} IS NOT NULL THEN ${webhookProgress.dueAt} <= ${now - LATE_MS}
  ELSE ifnull(${webhookProgress.dueAt} <= ${now - LATE_MS}, 0) OR ${webhookProgress.position} < ${lastSequence(sql`${webhook.team}`)}
    OR EXISTS (SELECT 1 FROM ${webhookReplay} WHERE ${webhookReplay.webhook} = ${webhook.no}) END`
