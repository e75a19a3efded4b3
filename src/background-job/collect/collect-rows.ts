import { sql } from 'drizzle-orm'
import { assignments, returning, type Statement, select } from '../../db/statement.ts'
import { cancelledCounts, isJob, JOB_FIELDS, notBefore } from '../job-rows.ts'
import type { JobRow } from '../rules.ts'
import { backgroundJob as job } from '../table.ts'

export const selectCollection = (team: number, no: number): Statement<{ collecting: string | null }> =>
  select({ collecting: job.collecting }, sql`FROM ${job} WHERE ${isJob(team, no)}`)

interface Collected {
  count: number
  invalid: number
  /** Where the next step goes on; null: all are found, and the job begins at its first entry. */
  rest: number | null
  wakeAt: number | undefined
  now: number
}

/** What a collecting step writes besides the chunks. */
export const addCollected = (team: number, no: number, step: Collected): Statement<JobRow> =>
  returning(
    sql`UPDATE ${job} SET ${assignments(job, {
      ...(step.rest === null ? { collecting: null, cursor: 0 } : {}),
      ...(step.wakeAt === undefined ? {} : { wakeAt: step.wakeAt }),
      collectedTo: step.rest,
      total: sql`${job.total} + ${step.count}`,
      invalid: sql`${job.invalid} + ${step.invalid}`,
      revision: sql`${job.revision} + 1`,
      updatedAt: notBefore(step.now),
    })} WHERE ${isJob(team, no)}`,
    JOB_FIELDS,
  )

/** Cancels a job whose entries cannot all be found. It changes nothing if the job is not where the runner believes it to be. */
export const cancelUncollected = (
  team: number,
  { no, revision }: Pick<JobRow, 'no' | 'revision'>,
  because: string,
  now: number,
): Statement<JobRow> =>
  returning(
    sql`UPDATE ${job} SET ${assignments(job, {
      completionStatus: 'CANCELLED',
      ...cancelledCounts(now),
      cancelledBecause: because,
      revision: sql`${job.revision} + 1`,
    })} WHERE ${isJob(team, no)} AND ${job.completedAt} = 0 AND ${job.revision} = ${revision}`,
    JOB_FIELDS,
  )
