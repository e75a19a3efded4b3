import { sql } from 'drizzle-orm'
import { team } from '../../auth/table.ts'
import type { Db } from '../../db/client.ts'
import { type Statement, statement } from '../../db/statement.ts'
import { describeError } from '../../http/request-log.ts'
import { firstRidAt, toRowNo, UUID } from '../../ids.ts'
import { change, dailyWalk, type MaintenanceTask } from '../../maintenance-task.ts'
import { withTimeout } from '../../timeout.ts'
import { toLogFields } from '../queue.ts'
import type { JobSettings } from '../settings.ts'
import { chunkRemoval, backgroundJob as job } from '../table.ts'
import { archiveJob } from './archive-job.ts'
import {
  type CompletedJob,
  type JobWithChunks,
  markObjectsRemoved,
  selectJobsWithChunks,
  selectObjects,
} from './statements.ts'

/** Jobs that are looked at in one step, and that are moved at once. */
const JOBS_PER_STEP = 100
const JOBS_AT_ONCE = 3
/** R2 lists, and removes, so many objects in one call. */
const OBJECTS_PER_STEP = 1_000
const CALL_MS_MAX = 20_000

/** Moves the entries of ended jobs to R2. One that fails waits for the next minute; the database keeps its rows until then. */
export function createArchiveTask(
  bucket: R2Bucket,
  db: () => Db,
  { archiveAfterMs }: JobSettings,
  now: number,
): MaintenanceTask {
  const cutoff = now - archiveAfterMs
  let after = { team: 0, no: 0 }
  return {
    async step() {
      const range = { after, before: firstRidAt(cutoff) }
      const [jobs] = await db().read(selectJobsWithChunks(range, cutoff, JOBS_PER_STEP))
      const due = jobs.filter(({ isDue }) => isDue === 1).slice(0, JOBS_AT_ONCE)
      after = (due.length === JOBS_AT_ONCE ? due.at(-1) : jobs.at(-1)) ?? after
      const moved = await Promise.all(due.flatMap(endedJob).map(job => tryToArchive(bucket, db, job, now)))
      return { done: moved.filter(Boolean).length, hasMore: jobs.length > 0 }
    },
  }
}

const endedJob = ({ no, id, total, revision, teamNo, teamId }: JobWithChunks): CompletedJob[] =>
  id === null || total === null || revision === null || teamNo === null || teamId === null
    ? []
    : [{ no, id, total, revision, team: { no: teamNo, id: teamId } }]

async function tryToArchive(bucket: R2Bucket, db: () => Db, job: CompletedJob, now: number): Promise<boolean> {
  try {
    await archiveJob(bucket, db, job, now)
    return true
  } catch (error) {
    console.error(JSON.stringify({ task: 'archive jobs', ...toLogFields(job.team, job), cause: describeError(error) }))
    return false
  }
}

/** Removes the objects of jobs that have expired. Their rows wait for it, so that it is repeated until it worked. */
export const createArchiveRemovalTask = (bucket: R2Bucket, db: () => Db, now: number): MaintenanceTask => ({
  async step() {
    const [rows] = await db().read(selectObjects(now, OBJECTS_PER_STEP))
    if (rows.length === 0) return { done: 0, hasMore: false }
    const keys = rows.flatMap(({ object }) => object ?? [])
    await withTimeout(CALL_MS_MAX, bucket.delete(keys))
    await change(db, markObjectsRemoved(rows))
    return { done: rows.length, hasMore: rows.length === OBJECTS_PER_STEP }
  },
})

/** What is younger may be under way: its job is marked, or an import has yet to insert it. */
const AGE_MS_MIN = 24 * 60 * 60_000

/**
 * Removes archives of jobs that are not there: whoever wrote one died before it could see that the job, or its team, was
 * erased meanwhile. A job that is gone is never archived again. The bucket is walked through once a day.
 */
export const createLostArchiveTask = (bucket: R2Bucket, db: () => Db, now: number): MaintenanceTask =>
  dailyWalk({ name: 'remove lost archives', db, now }, async after => {
    const from = after === '' ? {} : { startAfter: after }
    const listed = await withTimeout(CALL_MS_MAX, bucket.list({ prefix: 'jobs/', limit: OBJECTS_PER_STEP, ...from }))
    const old = listed.objects.filter(({ uploaded }) => uploaded.getTime() < now - AGE_MS_MIN).flatMap(toArchive)
    const lost = old.length === 0 ? [] : (await db().read(selectLost(old)))[0].map(({ key }) => key)
    if (lost.length > 0) await withTimeout(CALL_MS_MAX, bucket.delete(lost))
    return { done: lost.length, next: listed.truncated ? (listed.objects.at(-1)?.key ?? null) : null }
  })

/** The other way round of `archiveKey`. */
function toArchive({ key }: R2Object): { key: string; team: string; no: number; id: string }[] {
  const [, team = '', file = ''] = key.split('/')
  const id = file.replace(/\.ndjson$/, '')
  return UUID.test(id) ? [{ key, team, id, no: toRowNo(id) }] : []
}

/** The objects of jobs that are to be removed are known still. */
const selectLost = (
  archives: readonly { key: string; team: string; no: number; id: string }[],
): Statement<{ key: string }> =>
  statement(
    sql`SELECT value ->> '$.key' AS key FROM json_each(${JSON.stringify(archives)})
      WHERE NOT EXISTS (SELECT 1 FROM ${job} WHERE ${job.no} = value ->> '$.no' AND ${job.id} = value ->> '$.id')
        AND NOT EXISTS (SELECT 1 FROM ${chunkRemoval} WHERE ${chunkRemoval.object} = value ->> '$.key'
          AND ${chunkRemoval.job} = value ->> '$.no'
          AND ${chunkRemoval.team} = (SELECT ${team.no} FROM ${team} WHERE ${team.id} = value ->> '$.team'))`,
  )
