import { type Chore, repeatedWrite } from '../../chore.ts'
import type { Db } from '../../db/client.ts'
import { removeExpired, selectExpiredBacklog } from './record.ts'

const ROWS_PER_STEP = 2_000

/** Removes the records of expired idempotency keys. */
export const recordExpiryChore = (db: () => Db, now: number): Chore =>
  repeatedWrite(
    db,
    () => [removeExpired(now, ROWS_PER_STEP)],
    () => selectExpiredBacklog(now),
  )
