import { type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { type Statement, select, statement } from '../db/statement.ts'
import { MINUTE_MS, SECOND_MS } from '../time-units.ts'
import type { JobQueue, JobRow } from './rules.ts'
import { backgroundJob as job } from './table.ts'

const older = alias(job, 'older')

/** The jobs of a team and a queue that have started and not ended: an index holds only these. */
const running = ({ team, queue }: { team: SQL | number; queue: SQL | JobQueue | null }): SQL =>
  sql`FROM ${job} AS ${older} INDEXED BY background_job_turn WHERE ${older.completedAt} = 0
    AND ${older.completionStatus} = 'IN_PROGRESS' AND ${older.team} = ${team} AND ${older.queue} IS ${queue}`

/** A setting of the installation: as a value it would be bound as REAL. */
const integer = (value: number): SQL => sql.raw(String(value))

interface Place {
  team: SQL | number
  queue: SQL | JobQueue | null
  no: SQL | number
}

/**
 * The concurrency limit of a team and a queue: whether a job is one of the oldest that may be run at the same time. Nothing
 * else admits a job: acceptance, runners and the cron ask for it. Jobs that send are left to the limiters of their numbers.
 */
const whereMayRun = ({ team, queue, no }: Place, teamJobs: number): SQL<number> =>
  sql<number>`(${queue} IS 'sends' OR NOT EXISTS (SELECT 1 ${running({ team, queue })}
    AND ${older.no} < ${no} ORDER BY ${older.no} LIMIT 1 OFFSET ${integer(teamJobs - 1)}))`

/** Matches if a stored job may run. A cancelled one only waits for what is outstanding. */
export const whereStoredMayRun = (teamJobs: number): SQL<number> =>
  sql<number>`(${job.completionStatus} = 'CANCELLED' OR ${whereMayRun(
    { team: job.team.getSQL(), queue: job.queue.getSQL(), no: job.no.getSQL() },
    teamJobs,
  )})`

/** Whether a stored job waits until others of its team have ended. Where it is not in progress, no other job is looked at. */
export const whereHeldByTeam = (teamJobs: number): SQL<number> =>
  sql<number>`iif(${job.completionStatus} = 'IN_PROGRESS', NOT ${whereStoredMayRun(teamJobs)}, 0)`

/** Selects whether a job may run that is not stored yet. */
export const selectMayRun = (
  team: number,
  { queue, no }: Pick<JobRow, 'queue' | 'no'>,
  teamJobs: number,
): Statement<{ mayRun: number }> => statement(sql`SELECT ${whereMayRun({ team, queue, no }, teamJobs)} AS mayRun`)

/** A job that has not begun after the first time waits in its queue. After the second one, its message counts as lost. */
const QUEUED_MS = { min: SECOND_MS, max: MINUTE_MS }

/**
 * Selects the newest job of a team that may run, if it has not begun: then it waits behind slices of other jobs. A local queue
 * delivers one message at a time, and so does Cloudflare's until it has scaled up.
 */
export const selectQueuedJob = (
  team: number,
  { queue }: Pick<JobRow, 'queue'>,
  now: number,
): Statement<{ no: number }> =>
  statement(sql`SELECT no FROM (SELECT ${older.no} AS no, ${older.revision} AS revision ${running({ team, queue })}
    AND ${older.startedAt} BETWEEN ${now - QUEUED_MS.max} AND ${now - QUEUED_MS.min} ORDER BY ${older.no} DESC LIMIT 1)
    WHERE revision = 0`)

export type NextJob = Pick<JobRow, 'no' | 'id' | 'revision' | 'queue'>

/** The job that may run because this one has ended, if there is one: it needs a message. */
export const selectNextJob = (
  team: number,
  { queue, no }: Pick<JobRow, 'queue' | 'no'>,
  teamJobs: number,
): Statement<NextJob> =>
  select(
    { no: older.no, id: older.id, revision: older.revision, queue: older.queue },
    sql`FROM (SELECT * ${running({ team, queue })} AND ${queue} IS NOT 'sends' AND ${older.no} <> ${no}
      ORDER BY ${older.no} LIMIT 1 OFFSET ${integer(teamJobs - 1)}) older WHERE ${older.no} > ${no}`,
  )
