import { sql } from 'drizzle-orm'
import { guard } from '../db/guard.ts'
import { assignments, type Statement, select, statement } from '../db/statement.ts'
import { team } from '../team/table.ts'
import { webhook } from '../webhook/table.ts'

export const selectSince = (no: number): Statement<{ since: number | null }> =>
  select({ since: team.eventFeedSince }, sql`FROM ${team} WHERE ${team.no} = ${no}`)

/** Switches the feed: on at a time, or off with null. One that is on keeps its time. */
export function setFeedSince(no: number, now: number | null): Statement {
  const since = now === null ? sql`NULL` : sql`coalesce(${team.eventFeedSince}, ${now})`
  return statement(sql`UPDATE ${team} SET ${assignments(team, { eventFeedSince: since })} WHERE ${team.no} = ${no}`)
}

export const HAS_WEBHOOKS = 'the team has webhooks that are enabled'

export const guardNoWebhooks = (no: number): Statement =>
  guard(
    HAS_WEBHOOKS,
    sql`NOT EXISTS (SELECT 1 FROM ${webhook} WHERE ${webhook.team} = ${no} AND ${webhook.deletedAt} IS NULL
      AND ${webhook.enabled})`,
  )
