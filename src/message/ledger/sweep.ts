import type { Chore } from '../../chore.ts'
import type { Db } from '../../db/client.ts'
import { write } from '../../db/write.ts'
import { firstRidAt } from '../../ids.ts'
import { PENDING_MS_MAX } from '../rules.ts'
import { markInterruptedUnknown } from './delivery.ts'

const MESSAGES_PER_STEP = 500

/** Messages of all teams whose sending was cut off between the row and the provider's response: whether they were sent is not known. */
export const interruptedMessagesChore = (db: () => Db, now: number): Chore => ({
  async step() {
    const before = firstRidAt(now - PENDING_MS_MAX)
    const effect = [markInterruptedUnknown(before, now, MESSAGES_PER_STEP)] as const
    const [{ changes }] = await write({ db: db(), idempotency: null }, { effect, outcome: null })
    return { done: changes, hasMore: changes === MESSAGES_PER_STEP }
  },
})
