import { type SQL, sql } from 'drizzle-orm'
import type { Db } from '../../db/client.ts'
import { assignments, fields, insertInto, type Statement, select, statement } from '../../db/statement.ts'
import { REMOVED_BYTES_MAX, selectWithinBytes } from '../../db/within-bytes.ts'
import { getFirstRid } from '../../ids.ts'
import { BACKLOG_COUNT_MAX, type Backlog, createRepeatedWrite, type MaintenanceTask } from '../../maintenance-task.ts'
import { archiveKeySql } from '../archive/statements.ts'
import type { JobSettings } from '../settings.ts'
import { chunkRemoval, backgroundJob as job, jobChunk, jobOutcome } from '../table.ts'

/** What one transaction removes: of entries also by their bytes. */
const JOBS_PER_STEP = 500
const REMOVALS_PER_STEP = 500
const ROWS_PER_STEP = 2_000

/** Jobs past their time leave at once; their chunks and outcomes follow in bounded steps. */
export function createExpiryTask(db: () => Db, { retentionMs }: JobSettings, now: number): MaintenanceTask {
  const cutoff = now - retentionMs
  return createRepeatedWrite(
    db,
    () => expireStep(cutoff),
    () => selectExpiredBacklog(cutoff),
  )
}

/**
 * Rows of which nobody has need: of a job that expired or was archived, or of an acceptance that broke off. Of a job that
 * has an object, that goes first (`createArchiveRemovalTask`).
 */
export const createChunkRemovalTask = (db: () => Db, now: number): MaintenanceTask =>
  createRepeatedWrite(
    db,
    () => removalStep(now),
    () => selectRemovalBacklog(now),
  )

/** Jobs are in the order of their beginning: one that ended long ago began before that. */
const whereExpired = (cutoff: number) => sql`${job.no} < ${getFirstRid(cutoff)} AND ${job.completedAt} > 0
    AND ${job.completedAt} < ${cutoff}`

function expireStep(cutoff: number) {
  const expired = sql`${job} WHERE ${whereExpired(cutoff)} ORDER BY ${job.no} LIMIT ${JOBS_PER_STEP}`
  const values = { job: job.no.getSQL(), team: job.team.getSQL(), due: sql`${cutoff}`, object: archiveKeySql }
  return [
    statement(sql`${insertInto(chunkRemoval, values, sql`FROM ${expired}`)} ON CONFLICT (team, job)
      DO UPDATE SET ${assignments(chunkRemoval, { due: sql`excluded.due`, object: sql`coalesce(${chunkRemoval.object}, excluded.object)` })}`),
    statement(sql`DELETE FROM ${job} WHERE ${job.no} IN (SELECT ${fields({ no: job.no })} FROM ${expired})`),
  ] as const
}

const selectExpiredBacklog = (cutoff: number): Statement<Backlog> =>
  select(
    { left: sql<number>`count(*)`, dueSince: sql<number | null>`min(due)` },
    sql`FROM (SELECT ${job.completedAt} AS due FROM ${job} WHERE ${whereExpired(cutoff)} LIMIT ${BACKLOG_COUNT_MAX})`,
  )

const selectRemovalBacklog = (now: number): Statement<Backlog> =>
  select(
    { left: sql<number>`count(*)`, dueSince: sql<number | null>`min(due)` },
    sql`FROM (SELECT ${chunkRemoval.due} AS due FROM ${chunkRemoval} WHERE ${chunkRemoval.due} <= ${now}
      LIMIT ${BACKLOG_COUNT_MAX})`,
  )

/**
 * The chunks of a job go before its outcomes: whoever still reads its rows misses a chunk, and looks for the object; an entry
 * whose outcome alone is missing would be taken for one that was not run.
 */
function removalStep(now: number): readonly Statement[] {
  const outcomeKey = sql`${jobOutcome.team}, ${jobOutcome.job}, ${jobOutcome.first}, ${jobOutcome.offset}`
  const chunkKey = sql`${jobChunk.team}, ${jobChunk.job}, ${jobChunk.first}`
  const size = { outcome: sql`octet_length(${jobOutcome.outcomes})`, chunk: sql`octet_length(${jobChunk.entries})` }
  const selectDueJobs = (
    which: SQL,
  ): SQL => sql`(SELECT ${fields({ team: chunkRemoval.team, job: chunkRemoval.job })} FROM ${chunkRemoval}
    WHERE ${chunkRemoval.due} <= ${now} AND ${chunkRemoval.object} IS NULL AND ${which}
    ORDER BY ${chunkRemoval.team}, ${chunkRemoval.job} LIMIT ${REMOVALS_PER_STEP})`
  const hasNoChunk = sql`NOT EXISTS (SELECT 1 FROM ${jobChunk} WHERE ${jobChunk.team} = ${chunkRemoval.team}
    AND ${jobChunk.job} = ${chunkRemoval.job})`
  return [
    statement(
      sql`DELETE FROM ${jobChunk} WHERE (${chunkKey}) IN (${selectWithinBytes(
        { key: sql`team, job, first`, bytesMax: REMOVED_BYTES_MAX },
        sql`SELECT ${fields({ team: jobChunk.team, job: jobChunk.job, first: jobChunk.first, bytes: size.chunk })}
        FROM ${jobChunk} WHERE (${jobChunk.team}, ${jobChunk.job}) IN ${selectDueJobs(sql`1`)} ORDER BY ${chunkKey} LIMIT ${ROWS_PER_STEP}`,
      )})`,
    ),
    statement(
      sql`DELETE FROM ${jobOutcome} WHERE (${outcomeKey}) IN (${selectWithinBytes(
        { key: sql`team, job, first, place`, bytesMax: REMOVED_BYTES_MAX },
        sql`SELECT ${fields({ team: jobOutcome.team, job: jobOutcome.job, first: jobOutcome.first, place: jobOutcome.offset, bytes: size.outcome })}
        FROM ${jobOutcome} WHERE (${jobOutcome.team}, ${jobOutcome.job}) IN ${selectDueJobs(hasNoChunk)} ORDER BY ${outcomeKey} LIMIT ${ROWS_PER_STEP}`,
      )})`,
    ),
    statement(sql`DELETE FROM ${chunkRemoval} WHERE (${chunkRemoval.team}, ${chunkRemoval.job}) IN ${selectDueJobs(hasNoChunk)}
      AND NOT EXISTS (SELECT 1 FROM ${jobOutcome} WHERE ${jobOutcome.team} = ${chunkRemoval.team}
        AND ${jobOutcome.job} = ${chunkRemoval.job})`),
  ]
}
