import { type SQL, sql } from 'drizzle-orm'
import type { Db } from '../../db/client.ts'
import { assignments, fields, type Statement, statement } from '../../db/statement.ts'
import { REMOVED_BYTES_MAX, selectWithinBytes } from '../../db/within-bytes.ts'
import { createRepeatedWrite, type MaintenanceTask } from '../../maintenance-task.ts'
import { cancelledCounts } from '../cancelled-counts.ts'
import { insertCancelledEvents } from '../events.ts'
import { backgroundJob as job, dryRunProcess as projected } from '../table.ts'

/** What one transaction removes, and of how many jobs. */
const ROWS_PER_STEP = 2_000
const JOBS_PER_STEP = 100

/** Removes what dry runs have projected that have ended. */
export const createProjectionRemovalTask = (db: () => Db): MaintenanceTask =>
  createRepeatedWrite(db, () => [
    removeProjected(sql`IN (SELECT team, job FROM (${JOBS}) WHERE NOT EXISTS (
    SELECT 1 FROM ${job} WHERE ${job.no} = job AND ${job.completedAt} = 0))`),
  ])

/** The jobs that have projected something, by one look-up for each, however many rows each has. */
const JOBS: SQL = sql`WITH RECURSIVE found(team, job) AS (
    SELECT * FROM (SELECT team, job FROM ${projected} ORDER BY team, job LIMIT 1)
    UNION ALL SELECT next.team, next.job FROM found CROSS JOIN ${projected} next
      ON (next.team, next.job, next.rid) = (SELECT team, job, rid FROM ${projected}
        WHERE (team, job) > (+found.team, +found.job) ORDER BY team, job, rid LIMIT 1)
  ) SELECT team, job FROM found LIMIT ${JOBS_PER_STEP}`

function removeProjected(ofJobs: SQL): Statement {
  const key = sql`${projected.team}, ${projected.job}, ${projected.rid}`
  const listed = fields({
    team: projected.team,
    job: projected.job,
    rid: projected.rid,
    bytes: sql`length(${projected.row})`,
  })
  return statement(
    sql`DELETE FROM ${projected} WHERE (${key}) IN (${selectWithinBytes(
      { key: sql`team, job, rid`, bytesMax: REMOVED_BYTES_MAX },
      sql`SELECT ${listed} FROM ${projected} WHERE (${projected.team}, ${projected.job}) ${ofJobs}
        ORDER BY ${key} LIMIT ${ROWS_PER_STEP}`,
    )})`,
  )
}

/**
 * Somebody was erased: what a dry run has projected of them may not be kept, and without it its later entries can't be
 * decided. So it ends, and can be made anew.
 */
export function forgetProjected({ team, no }: { team: number; no: number }, now: number): Statement[] {
  const which = sql`${job.no} = ${no} AND ${job.completedAt} = 0 AND ${job.isDryRun} = 1`
  const cancelled = assignments(job, {
    completionStatus: 'CANCELLED',
    ...cancelledCounts(now),
    cancelledBecause: 'a customer was erased while it ran',
    revision: sql`${job.revision} + 1`,
  })
  return [
    insertCancelledEvents(which, now),
    statement(sql`UPDATE ${job} SET ${cancelled} WHERE ${which}`),
    removeProjected(sql`= (${team}, ${no})`),
  ]
}

export const whereProjected: SQL<number> = sql<number>`EXISTS (SELECT 1 FROM ${projected} WHERE ${projected.team} = ${job.team} AND ${projected.job} = ${job.no})`
