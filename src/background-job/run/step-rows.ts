import { type TextStatement, textGuard, textStatement } from '../../db/text-statement.ts'
import { storedOutcomes } from '../chunk.ts'
import { chunkAt, IS_OUT } from '../job-rows.ts'
import type { JobRow } from '../rules.ts'
import type { Position } from './position.ts'

export const JOB_MOVED_ON = 'the job moved on'

/** The first statement of whatever a runner writes: it fails it all if the job is not where the runner believes it to be. */
const guardPlace = (team: number, { no, step }: JobRow, more: string): TextStatement =>
  textGuard(
    JOB_MOVED_ON,
    `EXISTS (SELECT 1 FROM background_job WHERE no = ?1 AND +team = ?2 AND step = ?3 AND completed_at = 0 AND ${more})`,
    no,
    team,
    step,
  )

/** Whether there is something that a cancelled job waits for. */
export const isOut = ({ claimed, deferred }: JobRow): boolean => claimed > 0 || deferred !== '[]'

/** What a step writes besides its effects. A cancelled job only takes in what became of the entries handed out before. */
export function stepStatements(
  team: number,
  before: JobRow,
  { job, chunk }: Position,
  goesOn: boolean,
): { first: TextStatement; last: TextStatement[] } {
  // What is in an index is only named where it changes, because naming it is what the index is written for.
  const changes = [
    ...(before.completionStatus === job.completionStatus ? [] : ["completion_status = ?2 ->> '$.completionStatus',"]),
    ...(before.wakeAt === job.wakeAt ? [] : ["wake_at = ?2 ->> '$.wakeAt',"]),
    // The cron may have taken it away since the job was loaded.
    ...(before.pausedBy === null && job.pausedBy === null ? [] : ["paused_by = ?2 ->> '$.pausedBy',"]),
  ].join(' ')
  // The entries of the chunk that comes next are in progress from now on, if this turn goes on to them.
  const next = (what: string) => `coalesce((SELECT ${what} FROM job_chunk WHERE job = ?1 AND first <= ?2 ->> '$.cursor'
    ORDER BY first DESC LIMIT 1), 0)`
  return {
    first: guardPlace(team, before, `(completion_status <> 'CANCELLED' OR ${IS_OUT})`),
    last: [
      textStatement(
        `UPDATE job_chunk SET outcomes = ?3, invalid = ?4, success = ?5, error = ?6, updated_at = ?7
          WHERE job = ?1 AND first = ?2`,
        job.no,
        chunk.first,
        storedOutcomes(chunk),
        chunk.invalid,
        chunk.success,
        chunk.error,
        chunk.updatedAt,
      ),
      textStatement(
        `UPDATE background_job SET ${changes} step = ?2 ->> '$.step', started_at = ?2 ->> '$.startedAt',
            cursor = ?2 ->> '$.cursor', deferred = ?2 ->> '$.deferred',
            invalid = ?2 ->> '$.invalid', success = ?2 ->> '$.success', error = ?2 ->> '$.error',
            given_up = ?2 ->> '$.givenUp', updated_at = ?2 ->> '$.updatedAt', claimed = ?2 ->> '$.claimed',
            paused_because = ?2 ->> '$.pausedBecause',
            in_progress = iif(?4, ${next('count - invalid - success - error')}, ?2 ->> '$.claimed'),
            in_progress_to = iif(?4, ${next('first + count')}, ?2 ->> '$.inProgressTo')
          WHERE no = ?1 AND +team = ?3`,
        job.no,
        JSON.stringify(job),
        team,
        goesOn ? 1 : 0,
      ),
      ...(isOut(before) ? [endCancelled(team, job)] : []),
      chunkAt('?2', job.no, job.cursor),
    ],
  }
}

/** A job that was cancelled while entries were handed out: it ends with the last of them, and waits for no plugin. */
const endCancelled = (team: number, { no, updatedAt }: JobRow): TextStatement =>
  textStatement(
    `UPDATE background_job SET cancelled = total - invalid - success - error - claimed - json_array_length(deferred),
        in_progress = claimed, completed_at = iif(${IS_OUT}, 0, ?3), updated_at = ?3, paused_by = NULL, paused_because = NULL,
        wake_at = ?3
      WHERE no = ?1 AND +team = ?2 AND completion_status = 'CANCELLED'
      RETURNING completion_status AS completionStatus, cancelled, in_progress AS inProgress, completed_at AS completedAt`,
    no,
    team,
    updatedAt,
  )

/** Before entries are handed out: from here on they can't be cancelled, and the job must not have been. */
export const claimStatements = (
  team: number,
  before: JobRow,
  job: JobRow,
): [guard: TextStatement, update: TextStatement] => [
  guardPlace(team, before, "completion_status <> 'CANCELLED'"),
  textStatement(
    `UPDATE background_job SET step = ?2 ->> '$.step', completion_status = 'IN_PROGRESS', started_at = ?2 ->> '$.startedAt',
        wake_at = ?2 ->> '$.wakeAt', updated_at = ?2 ->> '$.updatedAt', claimed = ?2 ->> '$.claimed',
        in_progress = ?2 ->> '$.claimed', in_progress_to = ?2 ->> '$.inProgressTo', paused_by = NULL,
        paused_because = NULL
      WHERE no = ?1 AND +team = ?3`,
    job.no,
    JSON.stringify(job),
    team,
  ),
]
