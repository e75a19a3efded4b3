import type { Db } from '../db/client.ts'
import { type TextStatement, textStatement } from '../db/text-statement.ts'
import { ridOf, UUID } from '../ids.ts'
import type { Scope, Team } from '../scope.ts'
import { CHUNK_COLUMNS, type Chunk, readChunk } from './chunk.ts'
import type { JobRow } from './rules.ts'

const COLUMNS = `j.no, j.id, j.type, j.procedure, j.completion_status AS completionStatus, j.total, j.step, j.cursor, j.deferred, j.invalid,
  j.in_progress AS inProgress, j.in_progress_to AS inProgressTo, j.claimed, j.success, j.error, j.cancelled, j.given_up AS givenUp, j.created_by AS createdBy,
  j.updated_at AS updatedAt, j.started_at AS startedAt, j.completed_at AS completedAt, j.start_at AS startAt,
  j.retry_of AS retryOf, j.wake_at AS wakeAt, j.paused_by AS pausedBy, j.paused_because AS pausedBecause`

export const selectJob = (team: number, no: number): TextStatement =>
  textStatement(`SELECT ${COLUMNS} FROM background_job j WHERE j.no = ?1 AND +j.team = ?2`, no, team)

export async function findJob(scope: Scope, id: string): Promise<JobRow | undefined> {
  if (!UUID.test(id)) return undefined
  const [found] = await scope.db.batch([selectJob(scope.team.no, ridOf(id))])
  const row = found?.rows[0] as unknown as JobRow | undefined
  return row?.id === id.toLowerCase() ? row : undefined
}

export interface JobPage {
  status?: string | undefined
  /** The number of the last job of the page before. */
  before?: number | undefined
  skip: number
  limit: number
}

/** The team's jobs, newest first, and one more than wanted, which tells that there are more. */
export async function listJobRows(scope: Scope, { status, before, skip, limit }: JobPage): Promise<JobRow[]> {
  const index = status === undefined ? 'background_job_team' : 'background_job_status'
  const ofStatus = status === undefined ? '' : 'AND j.completion_status = ?5'
  const [found] = await scope.db.batch([
    textStatement(
      `SELECT ${COLUMNS} FROM background_job j INDEXED BY ${index} WHERE j.team = ?1 AND j.no < ?2 ${ofStatus}
        ORDER BY j.no DESC LIMIT ?3 OFFSET ?4`,
      scope.team.no,
      before ?? Number.MAX_SAFE_INTEGER,
      limit + 1,
      skip,
      ...(status === undefined ? [] : [status]),
    ),
  ])
  return (found?.rows ?? []) as unknown as JobRow[]
}

export const insertJob = (scope: Scope, job: JobRow): TextStatement =>
  textStatement(
    `INSERT INTO background_job (no, id, team, type, procedure, completion_status, total, cursor, invalid, created_by,
        updated_at, started_at, completed_at, start_at, retry_of, wake_at)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)`,
    job.no,
    job.id,
    scope.team.no,
    job.type,
    job.procedure,
    job.completionStatus,
    job.total,
    job.cursor,
    job.invalid,
    job.createdBy,
    job.updatedAt,
    job.startedAt,
    job.completedAt,
    job.startAt,
    job.retryOf,
    job.wakeAt,
  )

/** A job as its runner needs it: with its team, and the chunk that it has come to. */
export interface Turn {
  team: Team
  job: JobRow
  chunk: Chunk | undefined
}

export const chunkAt = (cursor: string, ...params: number[]): TextStatement =>
  textStatement(
    `SELECT ${CHUNK_COLUMNS} FROM job_chunk c WHERE c.job = ?1 AND c.first <= ${cursor} ORDER BY c.first DESC LIMIT 1`,
    ...params,
  )

/** The chunk that an entry is in; the job is the team's own. */
export async function loadChunk(db: Db, no: number, index: number): Promise<Chunk | undefined> {
  const [found] = await db.batch([chunkAt('?2', no, index)])
  const row = found?.rows[0]
  return row && readChunk(row)
}

export async function loadTurn(db: Db, team: number, no: number): Promise<Turn | undefined> {
  const [found, chunks] = await db.batch([
    textStatement(
      `SELECT ${COLUMNS}, t.id AS teamId, t.short_id AS teamShortId, t.name AS teamName
        FROM background_job j CROSS JOIN team t ON t.no = j.team WHERE j.no = ?1 AND +j.team = ?2`,
      no,
      team,
    ),
    chunkAt('(SELECT cursor FROM background_job WHERE no = ?1 AND +team = ?2)', no, team),
  ])
  const row = found?.rows[0] as unknown as
    | (JobRow & { teamId: string; teamShortId: string; teamName: string })
    | undefined
  if (!row) return undefined
  const { teamId, teamShortId, teamName, ...job } = row
  const chunk = chunks?.rows[0]
  return {
    team: { no: team, id: teamId, shortId: teamShortId, name: teamName },
    job,
    chunk: chunk && readChunk(chunk),
  }
}

/** Something was handed out, and is not settled: a job that is cancelled waits for that. */
export const IS_OUT = "(claimed > 0 OR deferred <> '[]')"

/** Ends a job all of whose entries are done, once; whoever says it again changes nothing. */
export const finishStatement = (team: number, no: number, now: number): TextStatement =>
  textStatement(
    `UPDATE background_job SET completion_status = iif(error + invalid = 0, 'SUCCESS', 'ERROR'), in_progress = 0, paused_by = NULL,
        completed_at = ?3, updated_at = ?3 WHERE no = ?1 AND +team = ?2 AND completed_at = 0 AND cursor = total AND deferred = '[]'`,
    no,
    team,
    now,
  )

/**
 * What has not been run is cancelled, by number: its chunks need not be touched. What was handed out can't be: then the
 * job ends when its runner has written down what became of that.
 */
export const cancelStatement = (team: number, no: number, now: number): TextStatement =>
  textStatement(
    `UPDATE background_job SET completion_status = 'CANCELLED', in_progress = claimed, paused_by = NULL,
        cancelled = total - invalid - success - error - claimed - json_array_length(deferred), updated_at = ?3,
        completed_at = iif(${IS_OUT}, 0, ?3), wake_at = iif(${IS_OUT}, ?3, wake_at)
      WHERE no = ?1 AND +team = ?2 AND completed_at = 0 AND (cursor < total OR deferred <> '[]')`,
    no,
    team,
    now,
  )
