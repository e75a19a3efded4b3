import { type SQL, sql } from 'drizzle-orm'
import { assignments, type Statement, select, statement } from '../db/statement.ts'
import { whereTeamNumber } from '../db/team-numbers.ts'
import type { DeliveryPosition } from '../erasure-sweep/task.ts'
import { webhookDelivery } from './table.ts'

/** An event may be read this long before it is sent, so a response may repeat values of a customer erased up to this long ago. */
const ANSWER_MS_MAX = 60_000

/** Selects a list of attempts without the responses up to a time, which may repeat what was sent. */
export const withoutResponses = (attempts: SQL, erasedAt: SQL | number): SQL =>
  sql`(SELECT jsonb_group_array(jsonb(iif(attempt.value ->> '$.at' > ${erasedAt} + ${sql.raw(String(ANSWER_MS_MAX))},
    attempt.value, json_remove(attempt.value, '$.response')))) FROM json_each(${attempts}) attempt)`

const nextDeliveries = ({ team: no, webhook, delivery }: DeliveryPosition, max: number): SQL =>
  sql`SELECT ${webhookDelivery.webhook} AS webhook, ${webhookDelivery.number} AS number FROM ${webhookDelivery}
    WHERE ${whereTeamNumber(webhookDelivery.webhook, no)}
      AND (${webhookDelivery.webhook}, ${webhookDelivery.number}) > (${webhook}, ${delivery})
    ORDER BY ${webhookDelivery.webhook}, ${webhookDelivery.number} LIMIT ${max}`

/** Selects the row at which a step of `max` deliveries ends; none if it is the last step. */
export const selectDeliveriesEnd = (row: DeliveryPosition, max: number) =>
  select(
    { webhook: sql<number>`webhook`, delivery: sql<number>`number` },
    sql`FROM (${nextDeliveries(row, max)}) LIMIT 1 OFFSET ${max - 1}`,
  )

export const emptyResponses = (row: DeliveryPosition, max: number): Statement =>
  statement(
    sql`UPDATE ${webhookDelivery} SET ${assignments(webhookDelivery, { attempts: withoutResponses(webhookDelivery.attempts.getSQL(), row.at) })}
      WHERE (webhook, number) IN (${nextDeliveries(row, max)}) AND ${webhookDelivery.at} <= ${row.at + 2 * ANSWER_MS_MAX}`,
  )
