import type { Chore } from '../../chore.ts'
import type { Db } from '../../db/client.ts'
import { moveWalk, selectWalk, WALK_START } from '../../db/walk.ts'
import { write } from '../../db/write.ts'
import { withTimeout } from '../../timeout.ts'

const CHORE = 'expire media'
/** R2 lists, and removes, so many in one call. */
const FILES_PER_STEP = 1_000
const CALL_MS_MAX = 20_000

/**
 * Removes files that were uploaded so long ago, also those that nothing refers to. The bucket is walked through once a
 * day, which costs one listing for a thousand files.
 */
export const mediaExpiryChore = (bucket: R2Bucket, db: () => Db, retentionMs: number, now: number): Chore => ({
  async step() {
    const [[walk = WALK_START]] = await db().read(selectWalk(CHORE))
    if (walk.restUntil > now) return { done: 0, hasMore: false }
    const after = walk.position === '' ? {} : { startAfter: walk.position }
    const listed = await withTimeout(CALL_MS_MAX, bucket.list({ limit: FILES_PER_STEP, ...after }))
    const old = listed.objects.filter(({ uploaded }) => uploaded.getTime() < now - retentionMs).map(({ key }) => key)
    if (old.length > 0) await withTimeout(CALL_MS_MAX, bucket.delete(old))
    const last = listed.truncated ? (listed.objects.at(-1)?.key ?? null) : null
    await write({ db: db(), idempotency: null }, { effect: [moveWalk(CHORE, last, now)], outcome: null })
    return { done: old.length, hasMore: last !== null }
  },
})
