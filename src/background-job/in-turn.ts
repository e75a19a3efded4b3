import { type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { type Statement, select, statement } from '../db/statement.ts'
import type { JobQueue } from './queue.ts'
import type { JobRow } from './rules.ts'
import { backgroundJob as job } from './table.ts'

const older = alias(job, 'older')

/** The jobs of a team and a queue that have started and not ended, in the order of their acceptance: an index holds only these. */
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
 * Whether a job is one of the oldest of its team that may be run at the same time. Nothing else says whose turn it is:
 * acceptance, runners and the cron ask for it. The rate limiter of a number decides about jobs that send messages.
 */
export const isInTurn = ({ team, queue, no }: Place, teamJobs: number): SQL<number> =>
  sql<number>`(${queue} IS 'sends' OR NOT EXISTS (SELECT 1 ${running({ team, queue })}
    AND ${older.no} < ${no} ORDER BY ${older.no} LIMIT 1 OFFSET ${integer(teamJobs - 1)}))`

/** The place of a stored job, for `isInTurn`. A cancelled job only waits for what is outstanding. */
export const isStoredInTurn = (teamJobs: number): SQL<number> =>
  sql<number>`(${job.completionStatus} = 'CANCELLED' OR ${isInTurn(
    { team: job.team.getSQL(), queue: job.queue.getSQL(), no: job.no.getSQL() },
    teamJobs,
  )})`

/** Of a job that is not stored yet. */
export const selectIsInTurn = (
  team: number,
  { queue, no }: Pick<JobRow, 'queue' | 'no'>,
  teamJobs: number,
): Statement<{ isInTurn: number }> => statement(sql`SELECT ${isInTurn({ team, queue, no }, teamJobs)} AS isInTurn`)

export type NextJob = Pick<JobRow, 'no' | 'revision' | 'queue'>

/** After the end of a job: the one whose turn has come, if there is one. It needs a message. */
export const selectNextInTurn = (
  team: number,
  { queue, no }: Pick<JobRow, 'queue' | 'no'>,
  teamJobs: number,
): Statement<NextJob> =>
  select(
    { no: older.no, revision: older.revision, queue: older.queue },
    sql`FROM (SELECT * ${running({ team, queue })} AND ${queue} IS NOT 'sends' AND ${older.no} <> ${no}
      ORDER BY ${older.no} LIMIT 1 OFFSET ${integer(teamJobs - 1)}) older WHERE ${older.no} > ${no}`,
  )
