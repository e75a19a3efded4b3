import { sql } from 'drizzle-orm'
import type { Db } from '../../db/client.ts'
import { fields, insertInto, type Statement, statement } from '../../db/statement.ts'
import { write } from '../../db/write.ts'
import { firstRidAt } from '../../ids.ts'
import type { JobSettings } from '../settings.ts'
import { chunkRemoval, backgroundJob as job, jobChunk, jobOutcome } from '../table.ts'
import type { Chore } from './wake.ts'

/** What one transaction removes. */
const JOBS_PER_STEP = 100
const CHUNKS_PER_STEP = 50
const OUTCOMES_PER_STEP = 500
/** What one run of the cron does; the next one does more. */
const STEPS_MAX = 50
const TIME_MS_MAX = 20_000

/** Jobs past their time leave at once; their chunks and outcomes follow in bounded steps. */
export const expireJobs = (db: Db, { retentionMs }: JobSettings, now: number): Promise<Chore> =>
  removeInSteps(db, JOBS_PER_STEP, expireStep(now - retentionMs))

/** Rows that belong to no job: of one that expired, or of an acceptance that broke off. */
export const removeChunks = (db: Db, now: number): Promise<Chore> => removeInSteps(db, 1, removalStep(now))

/** The last statement of a step counts what it removed: fewer than its limit means that it was the last step. */
async function removeInSteps(db: Db, perStep: number, step: readonly Statement[]): Promise<Chore> {
  const startedAt = Date.now()
  let done = 0
  for (let nth = 1; nth <= STEPS_MAX && Date.now() - startedAt < TIME_MS_MAX; nth++) {
    const results = await write({ db: db.reconnect(), idempotency: null }, { effect: step, outcome: null })
    const removed = results.reduce((sum, { changes }) => sum + changes, 0)
    done += removed
    if (removed < perStep) return { done, hasMore: false }
  }
  return { done, hasMore: true }
}

function expireStep(cutoff: number): readonly Statement[] {
  const expired = sql`${job} WHERE ${job.no} < ${firstRidAt(cutoff)} AND ${job.completedAt} > 0
    AND ${job.completedAt} < ${cutoff} ORDER BY ${job.no} LIMIT ${JOBS_PER_STEP}`
  const values = { job: job.no.getSQL(), team: job.team.getSQL(), due: sql`${cutoff}` }
  return [
    statement(sql`${insertInto(chunkRemoval, values, sql`FROM ${expired}`)} ON CONFLICT DO NOTHING`),
    statement(sql`DELETE FROM ${job} WHERE ${job.no} IN (SELECT ${fields({ no: job.no })} FROM ${expired})`),
  ]
}

function removalStep(now: number): readonly Statement[] {
  const outcomeKey = sql`${jobOutcome.job}, ${jobOutcome.first}, ${jobOutcome.offset}`
  const chunkKey = sql`${jobChunk.job}, ${jobChunk.first}`
  const due = sql`(SELECT ${fields({ job: chunkRemoval.job })} FROM ${chunkRemoval}
    WHERE ${chunkRemoval.due} <= ${now} ORDER BY ${chunkRemoval.job} LIMIT 1)`
  return [
    statement(sql`DELETE FROM ${jobOutcome} WHERE (${outcomeKey}) IN
      (SELECT ${outcomeKey} FROM ${jobOutcome} WHERE ${jobOutcome.job} = ${due} LIMIT ${OUTCOMES_PER_STEP})`),
    statement(sql`DELETE FROM ${jobChunk} WHERE (${chunkKey}) IN
      (SELECT ${chunkKey} FROM ${jobChunk} WHERE ${jobChunk.job} = ${due} LIMIT ${CHUNKS_PER_STEP})`),
    statement(sql`DELETE FROM ${chunkRemoval} WHERE ${chunkRemoval.job} = ${due}
      AND NOT EXISTS (SELECT 1 FROM ${jobChunk} WHERE ${jobChunk.job} = ${chunkRemoval.job})
      AND NOT EXISTS (SELECT 1 FROM ${jobOutcome} WHERE ${jobOutcome.job} = ${chunkRemoval.job})`),
  ]
}
