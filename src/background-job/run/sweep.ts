import type { Db } from '../../db/client.ts'
import { textStatement } from '../../db/text-statement.ts'
import { firstRidAt } from '../../ids.ts'
import { withTimeout } from '../../timeout.ts'
import type { JobSettings } from '../settings.ts'
import { messageOf } from './turn.ts'

/** What one sweep does at most; the next one does more. */
const WAKES_MAX = 100
const REMOVALS_MAX = 10
const CHUNKS_REMOVED_MAX = 200

/** Jobs that have gone silent, and jobs whose time has come, get their message, again. */
export async function wakeJobs(
  db: Db,
  queue: Queue,
  { silenceMs, patienceMs }: JobSettings,
  now: number,
): Promise<number> {
  const [found] = await db.batch([
    textStatement(
      `SELECT team, no, step FROM background_job INDEXED BY background_job_wake
        WHERE completed_at = 0 AND wake_at <= ?1 ORDER BY wake_at LIMIT ${WAKES_MAX}`,
      now,
    ),
  ])
  const jobs = (found?.rows ?? []) as { team: number; no: number; step: number }[]
  if (jobs.length === 0) return 0
  await withTimeout(patienceMs, queue.sendBatch(jobs.map(job => ({ body: messageOf(job.team, job) }))))
  // Sent first, put off second: what breaks in between is sent once more, which does no harm.
  await db.batch([
    textStatement(
      `UPDATE background_job SET wake_at = ?2 WHERE completed_at = 0 AND wake_at <= ?3
        AND no IN (SELECT value FROM json_each(?1))`,
      JSON.stringify(jobs.map(({ no }) => no)),
      now + silenceMs,
      now,
    ),
  ])
  return jobs.length
}

/** Jobs that wait for a plugin which sends again, or is gone, are due at once. */
export const resumeJobs = (db: Db, now: number): Promise<unknown> =>
  db.batch([
    textStatement(
      `UPDATE background_job SET wake_at = ?1, paused_by = NULL WHERE no IN
        (SELECT j.no FROM background_job j INDEXED BY background_job_paused
          WHERE j.paused_by IS NOT NULL AND NOT EXISTS
            (SELECT 1 FROM plugin p WHERE p.no = j.paused_by AND p.stopped_at IS NOT NULL AND p.deleted_at IS NULL)
          LIMIT ${WAKES_MAX})`,
      now,
    ),
  ])

/** Jobs past their time leave at once; their chunks follow in bounded steps. */
export async function expireJobs(db: Db, { retentionMs }: JobSettings, now: number): Promise<void> {
  const expired = `SELECT no FROM background_job WHERE no < ?1 AND completed_at > 0 AND completed_at < ?2
    ORDER BY no LIMIT ${REMOVALS_MAX}`
  const cutoff = now - retentionMs
  await db.batch([
    textStatement(
      `INSERT OR IGNORE INTO chunk_removal (job, due) SELECT no, ?2 FROM (${expired})`,
      firstRidAt(cutoff),
      cutoff,
    ),
    textStatement(`DELETE FROM background_job WHERE no IN (${expired})`, firstRidAt(cutoff), cutoff),
  ])
}

/** Chunks that belong to no job: of one that expired, or of an acceptance that broke off. */
export async function removeChunks(db: Db, now: number): Promise<void> {
  const due = `SELECT job FROM chunk_removal WHERE due <= ?1 ORDER BY job LIMIT ${REMOVALS_MAX}`
  await db.batch([
    textStatement(
      `DELETE FROM job_chunk WHERE rowid IN (SELECT c.rowid FROM (${due}) d CROSS JOIN job_chunk c ON c.job = d.job
        LIMIT ${CHUNKS_REMOVED_MAX})`,
      now,
    ),
    textStatement(
      `DELETE FROM chunk_removal WHERE job IN (${due}) AND NOT EXISTS (SELECT 1 FROM job_chunk c WHERE c.job = chunk_removal.job)`,
      now,
    ),
  ])
}
