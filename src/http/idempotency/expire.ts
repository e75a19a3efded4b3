import type { Db } from '../../db/client.ts'
import { write } from '../../db/write.ts'
import { removeExpired } from './record.ts'

const ROWS_PER_STEP = 2_000
const STEPS_MAX = 20

/** Removes the records of expired idempotency keys, in bounded steps. Resolves to how many there were. */
export async function expireIdempotencyRecords(db: Db, now: number): Promise<number> {
  let removed = 0
  for (let step = 1; step <= STEPS_MAX; step++) {
    const [{ changes }] = await write(
      { db, idempotency: null },
      { effect: [removeExpired(now, ROWS_PER_STEP)], outcome: null },
    )
    removed += changes
    if (changes < ROWS_PER_STEP) break
  }
  return removed
}
