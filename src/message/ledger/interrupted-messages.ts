import type { Db } from '../../db/client.ts'
import { write } from '../../db/write.ts'
import { signalCommit } from '../../event/signal/signal.ts'
import type { TeamEventsEnv } from '../../event/signal/team-object.ts'
import { getFirstRid } from '../../ids.ts'
import type { MaintenanceTask } from '../../maintenance-task.ts'
import { PENDING_MS_MAX } from '../rules.ts'
import { markInterruptedUnknown } from './advance-status.ts'

const MESSAGES_PER_STEP = 500

/** Messages of all teams whose sending was cut off between the row and the provider's response: whether they were sent is not known. */
export const createInterruptedMessagesTask = (env: TeamEventsEnv, db: () => Db, now: number): MaintenanceTask => ({
  async step() {
    const before = getFirstRid(now - PENDING_MS_MAX)
    const effect = markInterruptedUnknown(before, now, MESSAGES_PER_STEP)
    const [teams, , { changes }] = await write({ db: db(), idempotency: null }, { effect, outcome: null })
    await Promise.all(teams.rows.map(team => signalCommit(env, team)))
    return { done: changes, hasMore: changes === MESSAGES_PER_STEP }
  },
})
