import type { Db } from '../../db/client.ts'
import { write } from '../../db/write.ts'
import { firstRidAt } from '../../ids.ts'
import { PENDING_MS_MAX } from '../rules.ts'
import { markInterruptedUnknown } from './delivery.ts'

const MESSAGES_PER_STEP = 500
const STEPS_MAX = 20

/**
 * Messages whose sending was cut off between the row and the provider's response: whether they were sent is not known.
 * Of all teams, for the cron; says how many there were.
 */
export async function sweepPendingMessages(db: Db, now: number): Promise<number> {
  const before = firstRidAt(now - PENDING_MS_MAX)
  let swept = 0
  for (let count = 1; count <= STEPS_MAX; count++) {
    const effect = [markInterruptedUnknown(before, now, MESSAGES_PER_STEP)] as const
    const [{ changes }] = await write({ db, idempotency: null }, { effect, outcome: null })
    swept += changes
    if (changes < MESSAGES_PER_STEP) break
  }
  return swept
}
