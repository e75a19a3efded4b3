import type { Chore } from '../../chore.ts'
import type { Db } from '../../db/client.ts'
import { write } from '../../db/write.ts'
import { removeExpired, selectExpiredBacklog } from './record.ts'

const ROWS_PER_STEP = 2_000

/** Removes the records of expired idempotency keys. */
export const recordExpiryChore = (db: () => Db, now: number): Chore => ({
  async step() {
    const [{ changes }] = await write(
      { db: db(), idempotency: null },
      { effect: [removeExpired(now, ROWS_PER_STEP)], outcome: null },
    )
    return { done: changes, hasMore: changes > 0 }
  },
  async backlog() {
    const [[backlog]] = await db().read(selectExpiredBacklog(now))
    return backlog ?? { left: 0, dueSince: null }
  },
})
