import { sql } from 'drizzle-orm'
import { apiKey } from '../api-key/table.ts'
import { backgroundJob as job } from '../background-job/table.ts'
import { assignments, type Statement, statement } from '../db/statement.ts'
import { passkey, session, signInLink } from '../session/table.ts'
import { webhook, webhookProgress } from '../webhook/table.ts'
import { team } from './table.ts'

/** From now on the team's calls are refused and all that it has under way rests: `team-status/suspension.ts`. */
export const suspendTeam = (no: number, now: number): Statement =>
  statement(sql`UPDATE ${team} SET ${assignments(team, { suspendedAt: now })}
    WHERE ${team.no} = ${no} AND ${team.suspendedAt} IS NULL`)

/** One that a backup has begun becomes another by its time, so that the backup does not end it. */
export const suspendByOperator = (no: number, now: number): Statement =>
  statement(sql`UPDATE ${team} SET ${assignments(team, { suspendedAt: sql`ifnull(${team.suspendedAt} + 1, ${now})` })}
    WHERE ${team.no} = ${no}`)

/**
 * All goes on where it was. What ends after some days of failing (a webhook, a job whose plugin is stopped) has not failed
 * while the team was suspended.
 */
export function resumeTeam(no: number, now: number): Statement[] {
  const restedMs = sql`(SELECT ${now} - ${team.suspendedAt} FROM ${team} WHERE ${team.no} = ${no})`
  return [
    statement(sql`UPDATE ${webhookProgress}
      SET ${assignments(webhookProgress, { failingSince: sql`${webhookProgress.failingSince} + ifnull(${restedMs}, 0)` })}
      WHERE ${webhookProgress.failingSince} IS NOT NULL
        AND ${webhookProgress.webhook} IN (SELECT ${webhook.no} FROM ${webhook} WHERE ${webhook.team} = ${no})`),
    statement(sql`UPDATE ${job} SET ${assignments(job, { pausedAt: sql`${job.pausedAt} + ifnull(${restedMs}, 0)` })}
      WHERE ${job.team} = ${no} AND ${job.completedAt} = 0 AND ${job.completionStatus} = 'IN_PROGRESS' AND ${job.pausedAt} IS NOT NULL`),
    statement(sql`UPDATE ${team} SET ${assignments(team, { suspendedAt: null })} WHERE ${team.no} = ${no}`),
  ]
}

/**
 * Ends every key and session, and all that could still make one: links and passkeys. It is for a team whose key was leaked:
 * whoever has a key that makes links can have added a passkey, so none is kept.
 */
export const revokeCredentials = (no: number, now: number): Statement[] => [
  statement(sql`UPDATE ${apiKey} SET ${assignments(apiKey, { revokedAt: now })}
    WHERE ${apiKey.team} = ${no} AND (${apiKey.revokedAt} IS NULL OR ${apiKey.revokedAt} > ${now})`),
  statement(sql`UPDATE ${session} SET ${assignments(session, { endedAt: now })}
    WHERE ${session.team} = ${no} AND ${session.endedAt} IS NULL`),
  statement(sql`UPDATE ${signInLink} SET ${assignments(signInLink, { usedAt: now })}
    WHERE ${signInLink.team} = ${no} AND ${signInLink.usedAt} IS NULL`),
  statement(sql`DELETE FROM ${passkey} WHERE ${passkey.team} = ${no}`),
]
