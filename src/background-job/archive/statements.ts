import { type SQL, sql } from 'drizzle-orm'
import { assignments, type Statement, select, statement } from '../../db/statement.ts'
import { team as teamTable } from '../../team/table.ts'
import { whereJob } from '../job-rows.ts'
import { leaseEntries, removeLease, whereLeased, whereToBeMoved } from '../removal.ts'
import { chunkRemoval, backgroundJob as job, jobChunk } from '../table.ts'

/** No job has a larger number. */
const NUMBER_MAX = Number.MAX_SAFE_INTEGER

/** A job whose entries are to be moved. */
export interface CompletedJob {
  no: number
  id: string
  team: { no: number; id: string }
  total: number
  /** Whoever changes its entries, because of an erasure, changes this. */
  revision: number
  /** Some of its entries are in objects from the start. */
  hasObjects: boolean
}

/** A job that has chunks; `isDue` where it ended before the cutoff, and its entries were not moved yet. */
export interface JobWithChunks {
  team: number
  no: number
  isDue: number
  id: string | null
  total: number | null
  revision: number | null
  teamNo: number | null
  teamId: string | null
  hasObjects: number
}

/** The first chunk of the next job. */
const nextChunk = (after: SQL): SQL =>
  sql`SELECT rowid FROM ${jobChunk} WHERE (team, job) > (${after}) ORDER BY team, job, first LIMIT 1`

/**
 * The next jobs that have chunks, by one seek of the primary key for each. Jobs that were archived have none, so what is
 * passed over again and again is only what has not ended, and large jobs, whose rows stay. Of those that are too young only the first one of a team is.
 */
export const selectJobsWithChunks = (
  { after, before }: { after: Pick<JobWithChunks, 'team' | 'no'>; before: number },
  { cutoff, now, limit }: { cutoff: number; now: number; limit: number },
): Statement<JobWithChunks> => {
  const behindYoung = (no: SQL): SQL => sql`iif(${no} >= ${before}, ${NUMBER_MAX}, ${no})`
  return select(
    {
      team: sql<number>`seen.team`,
      no: sql<number>`seen.no`,
      isDue: sql<number>`coalesce(${job.completedAt} > 0 AND ${job.completedAt} <= ${cutoff} AND ${job.archivedAt} IS NULL
        AND ${whereToBeMoved(now)}, 0)`,
      hasObjects: sql<number>`${chunkRemoval.object} IS NOT NULL`,
      id: sql<string | null>`${job.id}`,
      total: sql<number | null>`${job.total}`,
      revision: sql<number | null>`${job.revision}`,
      teamNo: sql<number | null>`${teamTable.no}`,
      teamId: sql<string | null>`${teamTable.id}`,
    },
    sql`FROM (WITH RECURSIVE jobs(team, no) AS (
        SELECT team, job FROM ${jobChunk} WHERE rowid = (${nextChunk(sql`${after.team}, ${behindYoung(sql`${after.no}`)}`)})
        UNION ALL SELECT next.team, next.job FROM jobs CROSS JOIN ${jobChunk} next
          ON next.rowid = (${nextChunk(sql`jobs.team, ${behindYoung(sql`jobs.no`)}`)})
        LIMIT ${limit})
      SELECT team, no FROM jobs) seen
      LEFT JOIN ${chunkRemoval} ON ${chunkRemoval.team} = seen.team AND ${chunkRemoval.job} = seen.no
      LEFT JOIN ${job} ON ${job.no} = seen.no LEFT JOIN ${teamTable} ON ${teamTable.no} = ${job.team}`,
  )
}

/** Its entries are as they were, and not in its object. */
const whereUnchanged = ({ revision }: CompletedJob): SQL =>
  sql`${job.completedAt} > 0 AND ${job.archivedAt} IS NULL AND ${job.revision} = ${revision}`

export const leaseJob = (which: CompletedJob, now: number) => leaseEntries(which, whereUnchanged(which), now)

/** Marks a job as archived, and changes nothing if it is gone, was changed, or another task has its lease: then its rows stay. */
export const markArchived = (which: CompletedJob, { lease, now }: { lease: number; now: number }) => {
  const { no, team } = which
  return [
    statement(sql`UPDATE ${job} SET ${assignments(job, { archivedAt: now })}
      WHERE ${whereJob(team.no, no)} AND ${whereUnchanged(which)} AND ${whereLeased(team.no, no, lease)}`),
    removeLease(team.no, no, { lease, now }),
  ] as const
}

/** The job where it is there, and somebody else has it: its object may be theirs. */
export const selectOthersJob = ({ no, team }: CompletedJob, lease: number): Statement<{ no: number }> =>
  select({ no: job.no }, sql`FROM ${job} WHERE ${whereJob(team.no, no)} AND NOT ${whereLeased(team.no, no, lease)}`)

/** The key of a job's object, as `archiveKey` makes it. */
export const archiveKeySql: SQL = sql`'jobs/' || (SELECT ${teamTable.id} FROM ${teamTable}
  WHERE ${teamTable.no} = ${job.team}) || '/' || ${job.id} || '.ndjson'`

interface RemovedJob {
  team: number
  job: number
}

export const selectObjects = (now: number, limit: number): Statement<RemovedJob & { object: string | null }> =>
  select(
    { team: chunkRemoval.team, job: chunkRemoval.job, object: chunkRemoval.object },
    sql`FROM ${chunkRemoval} WHERE ${chunkRemoval.object} IS NOT NULL AND ${chunkRemoval.due} <= ${now}
      ORDER BY ${chunkRemoval.team}, ${chunkRemoval.job} LIMIT ${limit}`,
  )

export const markObjectsRemoved = (jobs: readonly RemovedJob[]): Statement =>
  statement(sql`UPDATE ${chunkRemoval} SET ${assignments(chunkRemoval, { object: null })}
    WHERE (${chunkRemoval.team}, ${chunkRemoval.job}) IN (
      SELECT value ->> '$[0]', value ->> '$[1]' FROM json_each(${JSON.stringify(jobs.map(({ team, job }) => [team, job]))}))`)
