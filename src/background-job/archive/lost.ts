import { sql } from 'drizzle-orm'
import type { Chore } from '../../chore.ts'
import type { Db } from '../../db/client.ts'
import { type Statement, statement } from '../../db/statement.ts'
import { moveWalk, selectWalk, WALK_START } from '../../db/walk.ts'
import { write } from '../../db/write.ts'
import { ridOf, UUID } from '../../ids.ts'
import { withTimeout } from '../../timeout.ts'
import { chunkRemoval, backgroundJob as job } from '../table.ts'

const CHORE = 'remove lost archives'
/** R2 lists, and removes, so many in one call. */
const OBJECTS_PER_STEP = 1_000
const CALL_MS_MAX = 20_000
/** What is younger may be under way: its job is marked, or an import has yet to insert it. */
const AGE_MS_MIN = 24 * 60 * 60_000

/**
 * Removes archives of jobs that are not there: whoever wrote one died before it could see that the job, or its team, was
 * erased meanwhile. A job that is gone is never archived again. The bucket is walked through once a day.
 */
export const lostArchiveChore = (bucket: R2Bucket, db: () => Db, now: number): Chore => ({
  async step() {
    const [[walk = WALK_START]] = await db().read(selectWalk(CHORE))
    if (walk.restUntil > now) return { done: 0, hasMore: false }
    const after = walk.position === '' ? {} : { startAfter: walk.position }
    const listed = await withTimeout(CALL_MS_MAX, bucket.list({ prefix: 'jobs/', limit: OBJECTS_PER_STEP, ...after }))
    const old = listed.objects.filter(({ uploaded }) => uploaded.getTime() < now - AGE_MS_MIN).flatMap(toArchive)
    const lost = old.length === 0 ? [] : (await db().read(selectLost(old)))[0].map(({ key }) => key)
    if (lost.length > 0) await withTimeout(CALL_MS_MAX, bucket.delete(lost))
    const last = listed.truncated ? (listed.objects.at(-1)?.key ?? null) : null
    await write({ db: db(), idempotency: null }, { effect: [moveWalk(CHORE, last, now)], outcome: null })
    return { done: lost.length, hasMore: last !== null }
  },
})

/** The other way round of `archiveKey`. */
function toArchive({ key }: R2Object): { key: string; no: number; id: string }[] {
  const [, , file = ''] = key.split('/')
  const id = file.replace(/\.ndjson$/, '')
  return UUID.test(id) ? [{ key, id, no: ridOf(id) }] : []
}

/** The objects of jobs that are to be removed are known still. */
const selectLost = (archives: readonly { key: string; no: number; id: string }[]): Statement<{ key: string }> =>
  statement(
    sql`SELECT value ->> '$.key' AS key FROM json_each(${JSON.stringify(archives)})
      WHERE NOT EXISTS (SELECT 1 FROM ${job} WHERE ${job.no} = value ->> '$.no' AND ${job.id} = value ->> '$.id')
        AND NOT EXISTS (SELECT 1 FROM ${chunkRemoval} WHERE ${chunkRemoval.object} = value ->> '$.key'
          AND ${chunkRemoval.job} = value ->> '$.no')`,
  )
