import { getTableColumns, type SQL, sql } from 'drizzle-orm'
import {
  assignments,
  insertInto,
  jsonObject,
  prepared,
  returning,
  type Statement,
  select,
  statement,
} from '../db/statement.ts'
import { toRowNo, UUID } from '../ids.ts'
import type { Scope } from '../scope.ts'
import { cancelledCounts, FOUND_IN_PART, notBefore } from './cancelled-counts.ts'
import type { JobRow, ReadJobRow, UndoRow } from './rules.ts'
import { backgroundJob as job } from './table.ts'
import { whereHeldByTeam } from './team-concurrency.ts'

/** All but what only their own readers need. */
const { team: _team, collecting: _collecting, columns: _columns, ...JOB_FIELDS } = getTableColumns(job)

export { JOB_FIELDS }

/** The job of a team; `+` keeps the index over teams out of it. */
export const whereJob = (team: number | SQL, no: number | SQL): SQL => sql`${job.no} = ${no} AND +${job.team} = ${team}`

const selectJobOf = prepared<{ team: number; no: number }, JobRow>(['team', 'no'], ({ team, no }) =>
  select(JOB_FIELDS, sql`FROM ${job} WHERE ${whereJob(team, no)}`),
)
export const selectJob = (team: number, no: number): Statement<JobRow> => selectJobOf({ team, no })

/** What is read of a job for those who look at it. */
export const listReadFields = (teamJobs: number) => ({ ...JOB_FIELDS, isHeldByTeam: whereHeldByTeam(teamJobs) })

type SelectJob<Row extends JobRow> = (team: number, no: number) => Statement<Row>

export const createReadSelection =
  (teamJobs: number): SelectJob<ReadJobRow> =>
  (team, no) =>
    select(listReadFields(teamJobs), sql`FROM ${job} WHERE ${whereJob(team, no)}`)

export async function findJob<Row extends JobRow>(
  { db, team }: Scope,
  id: string,
  selectOne: SelectJob<Row>,
): Promise<Row | undefined> {
  if (!UUID.test(id)) return undefined
  const [[row]] = await db.read(selectOne(team.no, toRowNo(id)))
  return row?.id === id.toLowerCase() ? row : undefined
}

/** How many retries of a chain are read: the oldest ones. */
const RETRIES_MAX = 1_000

/** All retries of the chain that a job belongs to, the oldest first. */
const selectRetries = (team: number, no: number): Statement<JobRow> =>
  select(
    JOB_FIELDS,
    sql`FROM ${job} INDEXED BY background_job_retries WHERE ${job.team} = ${team} AND ${job.firstJob} = (
        SELECT ifnull(one.first_job, one.id) FROM ${job} one WHERE one.no = ${no} AND one.team = ${team})
      ORDER BY ${job.no} LIMIT ${RETRIES_MAX}`,
  )

/** The ids of a job, of the first one that it retries, and of all other retries of that. */
export async function listChainIds({ db, team }: Pick<Scope, 'db' | 'team'>, id: string): Promise<Set<string>> {
  const [retries] = await db.read(selectRetries(team.no, toRowNo(id)))
  return new Set([id, retries[0]?.firstJob ?? id, ...retries.map(retry => retry.id)])
}

export interface JobWithRetries<Row extends JobRow = JobRow> {
  job: Row
  /** All of the chain that the job belongs to, the oldest first. */
  retries: JobRow[]
  /** What undoes it, what undoes that, and so on, the oldest first. */
  undos: UndoRow[]
  /** The job that makes the changes of it, a dry run. */
  appliedBy: string | null
}

/** How many undos of a job, and of its undos, are read. */
const UNDOS_MAX = 100

const selectUndos = (team: number, id: string): Statement<UndoRow & Pick<JobRow, 'no'>> =>
  statement(
    sql`WITH RECURSIVE undos(no, id, undoOf, success, completedAt) AS (
        SELECT ${job.no}, ${job.id}, ${job.undoOf}, ${job.success}, ${job.completedAt}
          FROM ${job} INDEXED BY background_job_undos WHERE ${job.team} = ${team} AND ${job.undoOf} = ${id}
        UNION ALL SELECT ${job.no}, ${job.id}, ${job.undoOf}, ${job.success}, ${job.completedAt}
          FROM undos CROSS JOIN ${job} INDEXED BY background_job_undos
          WHERE ${job.team} = ${team} AND ${job.undoOf} = undos.id LIMIT ${UNDOS_MAX})
      SELECT no, id, undoOf, success, completedAt FROM undos`,
  )

const selectAppliedBy = (team: number, id: string) =>
  select(
    { id: job.id },
    sql`FROM ${job} INDEXED BY background_job_apply WHERE ${job.team} = ${team} AND ${job.applyOf} = ${id}`,
  )

/** One round trip, however long the chain is. */
export async function findJobWithRetries<Row extends JobRow>(
  { db, team }: Scope,
  id: string,
  selectOne: SelectJob<Row>,
): Promise<JobWithRetries<Row> | undefined> {
  if (!UUID.test(id)) return undefined
  const [[row], retries, undos, [applied]] = await db.read(
    selectOne(team.no, toRowNo(id)),
    selectRetries(team.no, toRowNo(id)),
    selectUndos(team.no, id.toLowerCase()),
    selectAppliedBy(team.no, id.toLowerCase()),
  )
  if (row?.id !== id.toLowerCase()) return undefined
  // Sorted here: by SQL, that is a row read more where there are none.
  return { job: row, retries, undos: undos.toSorted((one, other) => one.no - other.no), appliedBy: applied?.id ?? null }
}

/** `collecting` is there where the queue finds the rest of the entries. */
export const insertJob = (
  team: number,
  { no, id, type, procedure, ...row }: JobRow,
  { collecting, columns }: { collecting: string | null; columns: string | SQL | null },
): SQL =>
  insertInto(job, {
    no,
    id,
    team,
    type,
    procedure,
    completionStatus: row.completionStatus,
    total: row.total,
    cursor: row.cursor,
    invalid: row.invalid,
    createdBy: row.createdBy,
    updatedAt: row.updatedAt,
    startedAt: row.startedAt,
    completedAt: row.completedAt,
    startAt: row.startAt,
    retryOf: row.retryOf,
    firstJob: row.firstJob,
    retrySelection: row.retrySelection,
    isDryRun: row.isDryRun,
    applyOf: row.applyOf,
    undoOf: row.undoOf,
    wakeAt: row.wakeAt,
    queue: row.queue,
    title: row.title,
    ...(columns === null ? {} : { columns }),
    ...(collecting === null ? {} : { collecting, collectedTo: row.collectedTo }),
  })

/** Nothing is left to run or to find, now or later; `whereDone` in rules.ts says the same of a row. */
const whereRunAll = sql`(${job.cursor} = ${job.total} AND ${job.unfinished} = '[]')`

/** Completes a job all of whose entries have ended, once; run again, it changes nothing. */
export const finishJob = (team: number, no: number, now: number): Statement<JobRow> =>
  returning(
    sql`UPDATE ${job} SET ${assignments(job, {
      completionStatus: sql`iif(${job.error} + ${job.invalid} = 0, 'SUCCESS', 'ERROR')`,
      inProgress: 0,
      pausedBy: null,
      completedAt: notBefore(now),
      updatedAt: notBefore(now),
    })} WHERE ${whereJob(team, no)} AND ${job.completedAt} = 0 AND ${whereRunAll}`,
    JOB_FIELDS,
  )

/** Cancels what was not run. What is outstanding is waited for: its runner ends the job by `updateCancelled`. */
export const cancelJobRow = (team: number, no: number, now: number): Statement<JobRow> =>
  returning(
    sql`UPDATE ${job} SET ${assignments(job, {
      completionStatus: 'CANCELLED',
      ...cancelledCounts(now),
      cancelledBecause: sql`iif(${job.collectedTo} IS NULL, ${job.cancelledBecause}, ${FOUND_IN_PART})`,
    })}
      WHERE ${whereJob(team, no)} AND ${job.completedAt} = 0 AND NOT ${whereRunAll}`,
    JOB_FIELDS,
  )

/** After a step of a cancelled job: it ends with the last entry that is outstanding. */
export const updateCancelled = (team: number, no: number, now: number): Statement<JobRow> =>
  returning(
    sql`UPDATE ${job} SET ${assignments(job, cancelledCounts(now))}
      WHERE ${whereJob(team, no)} AND ${job.completionStatus} = 'CANCELLED'`,
    JOB_FIELDS,
  )

/** The row of a cancelled job as one JSON text; of any other there is none. */
export const cancelledJobJson = (team: number, no: number): SQL<string> =>
  sql`SELECT ${jsonObject(JOB_FIELDS)} FROM ${job} WHERE ${whereJob(team, no)} AND ${job.completionStatus} = 'CANCELLED'`
