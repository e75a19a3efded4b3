import { type SQL, sql } from 'drizzle-orm'
import { assignments, type Statement, select, statement } from '../db/statement.ts'
import { whereTeamNumber } from '../db/team-numbers.ts'
import type { DeliveryPosition } from '../erasure-sweep/task.ts'
import { webhookDelivery } from './table.ts'

/** What is sent of an event is read before it is sent: so long after an erasure an answer may still be to what was before. */
const ANSWER_MS_MAX = 60_000

/** A list of attempts without the answers of receivers, which may repeat what they were sent, up to a time. */
export const withoutResponses = (attempts: SQL, erasedAt: SQL | number): SQL =>
  sql`(SELECT jsonb_group_array(jsonb(iif(attempt.value ->> '$.at' > ${erasedAt} + ${sql.raw(String(ANSWER_MS_MAX))},
    attempt.value, json_remove(attempt.value, '$.response')))) FROM json_each(${attempts}) attempt)`

const nextDeliveries = ({ team: no, webhook, delivery }: DeliveryPosition, max: number): SQL =>
  sql`SELECT ${webhookDelivery.webhook} AS webhook, ${webhookDelivery.number} AS number FROM ${webhookDelivery}
    WHERE ${whereTeamNumber(webhookDelivery.webhook, no)}
      AND (${webhookDelivery.webhook}, ${webhookDelivery.number}) > (${webhook}, ${delivery})
    ORDER BY ${webhookDelivery.webhook}, ${webhookDelivery.number} LIMIT ${max}`

/** Where a step of so many deliveries ends; none: these are the last ones. */
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
