import { sql } from 'drizzle-orm'
import { apiKey } from '../api-key/table.ts'
import { backgroundJob as job } from '../background-job/table.ts'
import type { Db } from '../db/client.ts'
import { type Statement, select } from '../db/statement.ts'
import { write } from '../db/write.ts'
import { AppError, notFound } from '../errors.ts'
import { event } from '../event/table.ts'
import { procedure } from '../procedure/table.ts'
import { user } from '../user/table.ts'
import { selectTeamByName, type TeamRow } from './team-by-name.ts'

/** Whom a sign-in link of the operator is for: a user by username or e-mail address, or the first active admin. */
export async function findUserToSignIn(db: Db, teamNo: number, name: string | undefined): Promise<string> {
  const isMeant =
    name === undefined
      ? sql`${user.role} = 'admin' AND ${user.isActive}`
      : sql`(${user.username} = ${name} OR ${user.normalizedEmail} = ${name.toLowerCase()})`
  const [[found]] = await db.read(
    select(
      { id: user.id, isActive: user.isActive },
      sql`FROM ${user} WHERE ${user.team} = ${teamNo} AND ${user.deletedAt} IS NULL AND ${isMeant} ORDER BY ${user.no} LIMIT 1`,
    ),
  )
  if (!found) throw notFound(name === undefined ? 'active admin' : `user ${name}`)
  if (!found.isActive) throw new AppError('conflict', `the user ${name} was deactivated`)
  return found.id
}

/** By id or short id. */
export async function findTeam(db: Db, name: string): Promise<TeamRow> {
  const [[found]] = await db.read(selectTeamByName(name))
  if (!found) throw notFound(`team ${name}`)
  return found
}

/** Whether anybody can act in a team: an import puts keys and users there last. */
export async function hasActors(db: Db, teamNo: number): Promise<boolean> {
  const [[found]] = await db.read(
    select(
      {
        isFound: sql<number>`EXISTS (SELECT 1 FROM ${apiKey} WHERE ${apiKey.team} = ${teamNo})
          OR EXISTS (SELECT 1 FROM ${user} WHERE ${user.team} = ${teamNo})`,
      },
      sql``,
    ),
  )
  return found?.isFound === 1
}

/** So many jobs that have not ended are looked at. */
const OPEN_JOBS_MAX = 1_000
/** So many of the newest jobs are looked at for one that was archived. */
const ARCHIVED_JOBS_MAX = 10_000
const DEFINITIONS_MAX = 10_000

/**
 * What moves as a team is written to, and an import cannot live without: the number of its last event, its newest job, the jobs
 * that have not ended with their revisions, when one was archived last, and the versions of its definitions. A copy of its rows is of one moment if this is
 * the same before and after it. Users, keys, saved views, plugins, webhooks, opt-outs and, where no event tells of them, states
 * of messages may be of another one. A build of an index goes on from where the copied definition is, so it does not count.
 */
export async function readMark(db: Db, teamNo: number): Promise<{ mark: string; definitions: string }> {
  const open = sql`SELECT ${job.no} || ' ' || ${job.revision} AS open FROM ${job} INDEXED BY background_job_status
    WHERE ${job.team} = ${teamNo} AND ${job.completionStatus} IN ('NOT_STARTED', 'IN_PROGRESS', 'CANCELLED')
      AND ${job.completedAt} = 0 LIMIT ${OPEN_JOBS_MAX}`
  const archived = sql`SELECT ${job.archivedAt} AS at FROM ${job} INDEXED BY background_job_team
    WHERE ${job.team} = ${teamNo} ORDER BY ${job.no} DESC LIMIT ${ARCHIVED_JOBS_MAX}`
  const versions = sql`SELECT ${procedure.no} || ' ' || ${procedure.version} AS version FROM ${procedure} INDEXED BY procedure_short_id
    WHERE ${procedure.team} = ${teamNo} ORDER BY ${procedure.shortId} LIMIT ${DEFINITIONS_MAX}`
  const definitions = sql<string>`(SELECT json_group_array(version) FROM (${versions}))`
  const [[found]] = await db.read(
    select(
      {
        mark: sql<string>`json_array((SELECT max(${event.sequence}) FROM ${event} WHERE ${event.team} = ${teamNo}),
          (SELECT max(${job.no}) FROM ${job} WHERE ${job.team} = ${teamNo}),
          (SELECT json_group_array(open) FROM (${open})), (SELECT max(at) FROM (${archived})), ${definitions})`,
        definitions,
      },
      sql``,
    ),
  )
  return found ?? { mark: '', definitions: '' }
}

/** Runs the statements of a suspension, or of its end. */
export async function changeSuspension(db: Db, effect: readonly Statement[]): Promise<void> {
  await write({ db, idempotency: null }, { effect, outcome: null })
}
