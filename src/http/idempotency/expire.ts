import type { Db } from '../../db/client.ts'
import { createRepeatedWrite, type MaintenanceTask } from '../../maintenance-task.ts'
import { removeExpired, selectExpiredBacklog } from './record.ts'

const ROWS_PER_STEP = 2_000

/** Removes the records of expired idempotency keys. */
export const createIdempotencyExpiryTask = (db: () => Db, now: number): MaintenanceTask =>
  createRepeatedWrite(
    db,
    () => [removeExpired(now, ROWS_PER_STEP)],
    () => selectExpiredBacklog(now),
  )
