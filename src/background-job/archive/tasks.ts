import { sql } from 'drizzle-orm'
import { callBucket } from '../../bucket-call.ts'
import type { Db } from '../../db/client.ts'
import { assignments, type Statement, statement } from '../../db/statement.ts'
import { restWalk } from '../../db/walk.ts'
import { describeError } from '../../describe-error.ts'
import { getFirstRid, toRowNo, UUID } from '../../ids.ts'
import { change, createDailyWalk, type MaintenanceTask } from '../../maintenance-task.ts'
import { team } from '../../team/table.ts'
import { DAY_MS, TIME_TRAVEL_MS } from '../../time-units.ts'
import { moveTexts } from '../object/move-texts.ts'
import { toObjectPrefix } from '../object/pointer.ts'
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
/** Large jobs whose objects are removed in one step: they are listed one by one. */
const PREFIXES_PER_STEP = 10

/**
 * Moves the entries of ended jobs to R2. Of a job with entries in objects only the texts that are still in rows move. A job
 * that fails is tried again when its lease is over; the database keeps its rows until then.
 */
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
      const range = { after, before: getFirstRid(cutoff) }
      const [jobs] = await db().read(selectJobsWithChunks(range, { cutoff, now, limit: JOBS_PER_STEP }))
      const due = jobs.filter(({ isDue }) => isDue === 1).slice(0, JOBS_AT_ONCE)
      after = (due.length === JOBS_AT_ONCE ? due.at(-1) : jobs.at(-1)) ?? after
      const moved = await Promise.all(due.flatMap(toCompletedJobs).map(job => tryToArchive(bucket, db, job, now)))
      return { done: moved.filter(Boolean).length, hasMore: jobs.length > 0 }
    },
  }
}

const toCompletedJobs = ({ no, id, total, revision, teamNo, teamId, hasObjects }: JobWithChunks): CompletedJob[] =>
  id === null || total === null || revision === null || teamNo === null || teamId === null
    ? []
    : [{ no, id, total, revision, hasObjects: hasObjects === 1, team: { no: teamNo, id: teamId } }]

async function tryToArchive(bucket: R2Bucket, db: () => Db, job: CompletedJob, now: number): Promise<boolean> {
  try {
    await (job.hasObjects ? moveTexts(bucket, db, job, now) : archiveJob(bucket, db, job, now))
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
    const [archives, large] = [rows.filter(isArchive), rows.filter(row => !isArchive(row))]
    const keys = archives.flatMap(({ object }) => object ?? [])
    if (keys.length > 0) await callBucket(() => bucket.delete(keys))
    const removed = [...archives]
    for (const row of large.slice(0, PREFIXES_PER_STEP)) if (await removeObjects(bucket, row)) removed.push(row)
    if (removed.length > 0) await change(db, markObjectsRemoved(removed))
    return { done: removed.length, hasMore: rows.length === OBJECTS_PER_STEP || large.length > 0 }
  },
})

const isArchive = ({ object }: { object: string | null }): boolean => object?.endsWith('.ndjson') === true

/** Whether none is left. Their keys begin with the id of the job, which no other key begins with. */
async function removeObjects(bucket: R2Bucket, { object: prefix }: { object: string | null }): Promise<boolean> {
  if (!prefix) return true
  const { objects, truncated } = await callBucket(() => bucket.list({ prefix, limit: OBJECTS_PER_STEP }))
  if (objects.length > 0) await callBucket(() => bucket.delete(objects.map(({ key }) => key)))
  return !truncated
}

const LOST_ARCHIVES = 'remove lost archives'

/**
 * After a restore nothing is removed for a month: the restore may be taken back, and the jobs are there again. A job whose
 * acceptance the restored database takes for broken off has objects that would be removed in a quarter of an hour.
 */
export const keepLostArchives = (now: number): readonly Statement[] => [
  restWalk(LOST_ARCHIVES, now + TIME_TRAVEL_MS),
  statement(sql`UPDATE ${chunkRemoval} SET ${assignments(chunkRemoval, { due: now + TIME_TRAVEL_MS })}
    WHERE ${chunkRemoval.object} IS NOT NULL AND ${chunkRemoval.job} >= ${getFirstRid(now - TIME_TRAVEL_MS - DAY_MS)}
      AND NOT EXISTS (SELECT 1 FROM ${job} WHERE ${job.no} = ${chunkRemoval.job})`),
]

/** What is younger may be under way: its job is marked, or an import has yet to insert it. */
const AGE_MS_MIN = DAY_MS

/**
 * Removes objects of jobs that are not there: whoever wrote one died before it could see that the job, or its team, was
 * erased meanwhile, or before it could say whose it is. A job that is gone is never written of again. The bucket is walked through once a day.
 */
export const createLostArchiveTask = (bucket: R2Bucket, db: () => Db, now: number): MaintenanceTask =>
  createDailyWalk({ name: LOST_ARCHIVES, db, now }, async after => {
    const from = after === '' ? {} : { startAfter: after }
    const listed = await callBucket(() => bucket.list({ prefix: 'jobs/', limit: OBJECTS_PER_STEP, ...from }))
    const old = listed.objects.filter(({ uploaded }) => uploaded.getTime() < now - AGE_MS_MIN).flatMap(parseObjectKey)
    const lost = old.length === 0 ? [] : (await db().read(selectLost(old)))[0].map(({ key }) => key)
    if (lost.length > 0) await callBucket(() => bucket.delete(lost))
    return { done: lost.length, next: listed.truncated ? (listed.objects.at(-1)?.key ?? null) : null }
  })

/** The inverse of `archiveKey` and `toObjectKey`. */
function parseObjectKey({ key }: R2Object): StoredObject[] {
  const [, team = '', file = ''] = key.split('/')
  const id = file.replace(/\.ndjson$/, '')
  return UUID.test(id) ? [{ key, prefix: toObjectPrefix({ id: team }, { id }), team, id, no: toRowNo(id) }] : []
}

/** An object, and the job that its key says. */
interface StoredObject {
  key: string
  prefix: string
  team: string
  no: number
  id: string
}

/** An object is lost if no job has it. Jobs that are listed in `chunk_removal` have theirs still. */
const selectLost = (archives: readonly StoredObject[]): Statement<{ key: string }> =>
  statement(
    sql`SELECT value ->> '$.key' AS key FROM json_each(${JSON.stringify(archives)})
      WHERE NOT EXISTS (SELECT 1 FROM ${job} WHERE ${job.no} = value ->> '$.no' AND ${job.id} = value ->> '$.id')
        AND NOT EXISTS (SELECT 1 FROM ${chunkRemoval} WHERE ${chunkRemoval.object} IN (value ->> '$.key', value ->> '$.prefix')
          AND ${chunkRemoval.job} = value ->> '$.no'
          AND ${chunkRemoval.team} = (SELECT ${team.no} FROM ${team} WHERE ${team.id} = value ->> '$.team'))`,
  )
