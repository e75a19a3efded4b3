import { sql } from 'drizzle-orm'
import { select } from '../../db/statement.ts'
import { invalid } from '../../errors.ts'
import { getFirstRid, toRowNo } from '../../ids.ts'
import type { Scope } from '../../scope.ts'
import { listReadFields } from '../job-rows.ts'
import type { ReadJobRow } from '../rules.ts'
import { JOB_STATUSES, type JobsQuery } from '../schema.ts'
import type { JobSettings } from '../settings.ts'
import { backgroundJob as job } from '../table.ts'

/** How many jobs a page looks through for those that no index finds. */
const ROWS_PASSED_MAX = 1_000

/** What the engine asks others for: each refuses at a path what the team does not have. */
export type NameChecks = Record<
  'requireUser' | 'requireProcedure',
  (scope: Scope, reference: string, path: string) => Promise<void>
>

interface JobList {
  jobs: ReadJobRow[]
  /** Where the next page starts; null: there is none. */
  cursor: string | null
}

function jobBefore(cursor: string | undefined): number {
  if (cursor === undefined) return Number.MAX_SAFE_INTEGER
  const no = Number.parseInt(cursor, 36)
  if (!/^[0-9a-z]{1,11}$/.test(cursor) || !Number.isSafeInteger(no))
    throw invalid([{ message: 'the cursor is invalid', path: '/query/cursor' }])
  return no
}

/** The numbers between which a page lies: the time at which a job was created is in its number. */
function getBounds({ cursor, from, to, retryOf }: JobsQuery): { since: number; before: number } {
  const since = Math.max(from === undefined ? 0 : getFirstRid(from), retryOf === undefined ? 0 : toRowNo(retryOf) + 1)
  const before = Math.min(jobBefore(cursor), to === undefined ? Number.MAX_SAFE_INTEGER : getFirstRid(to))
  return { since: Math.min(since, Number.MAX_SAFE_INTEGER), before }
}

/**
 * The team's jobs, newest first. By status and time an index finds them; for the other filters a page looks through a
 * bounded number of jobs, so that it may be short, or empty, and have a next one.
 */
export async function listJobs(
  scope: Scope,
  { teamJobs }: JobSettings,
  query: JobsQuery,
  known: NameChecks,
): Promise<JobList> {
  const { db, team } = scope
  const { completionStatus, createdBy, procedure, retryOf, skip, limit } = query
  const { since, before } = getBounds(query)
  const index = sql.raw(completionStatus === undefined ? 'background_job_team' : 'background_job_status')
  const ofStatus = completionStatus === undefined ? sql`` : sql`AND ${job.completionStatus} = ${completionStatus}`
  const range = sql`FROM ${job} INDEXED BY ${index} WHERE ${job.team} = ${team.no} AND ${job.no} < ${before}
    AND ${job.no} >= ${since} ${ofStatus}`
  const wanted = [
    ...(createdBy === undefined ? [] : [sql`AND ${job.createdBy} = ${createdBy}`]),
    ...(procedure === undefined ? [] : [sql`AND ${job.procedure} = ${procedure}`]),
    ...(retryOf === undefined ? [] : [sql`AND ${job.retryOf} = ${retryOf}`]),
  ]
  const page = sql`ORDER BY ${job.no} DESC LIMIT ${limit + 1} OFFSET ${skip}`
  if (wanted.length === 0) {
    const [rows] = await db.read(select(listReadFields(teamJobs), sql`${range} ${page}`))
    return toPage(rows, limit, null)
  }
  const last = sql`SELECT ${job.no} ${range} ORDER BY ${job.no} DESC LIMIT 1 OFFSET ${ROWS_PASSED_MAX - 1}`
  const filters = sql.join(wanted, sql` `)
  const [[looked], rows] = await db.read(
    select({ to: sql<number | null>`(${last})` }, sql``),
    select(listReadFields(teamJobs), sql`${range} AND ${job.no} >= ifnull((${last}), 0) ${filters} ${page}`),
  )
  if (rows.length === 0 && query.cursor === undefined) await requireKnown(scope, query, known)
  return toPage(rows, limit, looked?.to ?? null)
}

/** Users and procedures stay rows; a job that was retried may have expired before its retry. */
async function requireKnown(scope: Scope, { createdBy, procedure }: JobsQuery, known: NameChecks): Promise<void> {
  if (createdBy !== undefined) await known.requireUser(scope, createdBy, '/query/createdBy')
  if (procedure !== undefined) await known.requireProcedure(scope, procedure, '/query/procedure')
}

/** `rows` may have one more than the page; `lookedTo` is the last job that was looked at, null if there are no more. */
function toPage(rows: ReadJobRow[], limit: number, lookedTo: number | null): JobList {
  const jobs = rows.slice(0, limit)
  const last = rows.length > limit ? jobs.at(-1)?.no : lookedTo
  return { jobs, cursor: last?.toString(36) ?? null }
}

/** The count of each status ends here: an entry of the index is read for each job. */
const COUNTED_MAX = 20_000

export async function countJobRows({ db, team }: Scope) {
  const counts = JOB_STATUSES.map(completionStatus =>
    select(
      { count: sql<number>`count(*)` },
      sql`FROM (SELECT 1 FROM ${job} INDEXED BY background_job_status WHERE ${job.team} = ${team.no}
        AND ${job.completionStatus} = ${completionStatus} LIMIT ${COUNTED_MAX + 1})`,
    ),
  )
  const found = await db.read(...counts)
  const counted = JOB_STATUSES.map((completionStatus, nth) => ({
    completionStatus,
    count: found[nth]?.[0]?.count ?? 0,
  }))
  return {
    counts: counted.map(({ completionStatus, count }) => ({ completionStatus, count: Math.min(count, COUNTED_MAX) })),
    isComplete: counted.every(({ count }) => count <= COUNTED_MAX),
  }
}
