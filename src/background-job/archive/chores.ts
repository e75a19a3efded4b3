import type { Chore } from '../../chore.ts'
import type { Db } from '../../db/client.ts'
import { write } from '../../db/write.ts'
import { describeError } from '../../http/request-log.ts'
import { firstRidAt } from '../../ids.ts'
import { withTimeout } from '../../timeout.ts'
import type { JobSettings } from '../settings.ts'
import { archiveJob } from './job.ts'
import { type EndedJob, type JobWithChunks, markObjectsRemoved, selectJobsWithChunks, selectObjects } from './rows.ts'

/** Jobs that are looked at in one step, and that are moved at once. */
const JOBS_PER_STEP = 100
const JOBS_AT_ONCE = 3
/** R2 removes so many objects in one call. */
const OBJECTS_PER_STEP = 1_000
const CALL_MS_MAX = 20_000

/** Moves the entries of ended jobs to R2. One that fails waits for the next minute; the database keeps its rows until then. */
export function archiveChore(bucket: R2Bucket, db: () => Db, { archiveAfterMs }: JobSettings, now: number): Chore {
  const cutoff = now - archiveAfterMs
  let after = 0
  return {
    async step() {
      const range = { after, before: firstRidAt(cutoff) }
      const [jobs] = await db().read(selectJobsWithChunks(range, cutoff, JOBS_PER_STEP))
      const due = jobs.filter(({ isDue }) => isDue === 1).slice(0, JOBS_AT_ONCE)
      after = (due.length === JOBS_AT_ONCE ? due.at(-1) : jobs.at(-1))?.no ?? after
      const moved = await Promise.all(due.flatMap(endedJob).map(job => tryToArchive(bucket, db, job, now)))
      return { done: moved.filter(Boolean).length, hasMore: jobs.length > 0 }
    },
  }
}

const endedJob = ({ no, id, total, revision, teamNo, teamId }: JobWithChunks): EndedJob[] =>
  id === null || total === null || revision === null || teamNo === null || teamId === null
    ? []
    : [{ no, id, total, revision, team: { no: teamNo, id: teamId } }]

async function tryToArchive(bucket: R2Bucket, db: () => Db, job: EndedJob, now: number): Promise<boolean> {
  try {
    await archiveJob(bucket, db, job, now)
    return true
  } catch (error) {
    console.error(JSON.stringify({ chore: 'archive jobs', job: job.id, cause: describeError(error) }))
    return false
  }
}

/** Removes the objects of jobs that have expired. Their rows wait for it, so that it is repeated until it worked. */
export const archiveRemovalChore = (bucket: R2Bucket, db: () => Db, now: number): Chore => ({
  async step() {
    const [rows] = await db().read(selectObjects(now, OBJECTS_PER_STEP))
    if (rows.length === 0) return { done: 0, hasMore: false }
    const keys = rows.flatMap(({ object }) => object ?? [])
    await withTimeout(CALL_MS_MAX, bucket.delete(keys))
    const effect = [markObjectsRemoved(rows.map(({ job }) => job))]
    await write({ db: db(), idempotency: null }, { effect, outcome: null })
    return { done: rows.length, hasMore: rows.length === OBJECTS_PER_STEP }
  },
})
