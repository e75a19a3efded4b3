import type { Db } from '../db/client.ts'
import { textStatement } from '../db/text-statement.ts'
import { firstRidAt } from '../ids.ts'
import { deliveryNumber, PENDING_MS_MAX } from './rules.ts'

const MESSAGES_PER_STEP = 500
const STEPS_MAX = 20

/**
 * Messages whose sending was cut off between the row and the provider's answer: whether they went out is not known.
 * Of all teams, for the cron; says how many there were.
 */
export async function sweepPendingMessages(db: Db, now: number): Promise<number> {
  const entry = { status: 'UNKNOWN', at: now, timestamp: null, source: 'SWEEP', reason: 'INTERRUPTED' }
  const step = textStatement(
    `UPDATE message SET delivery = ${deliveryNumber('UNKNOWN')}, history = jsonb_insert(history, '$[#]', json(?1)), updated_at = ?2
      WHERE rid IN (SELECT rid FROM message INDEXED BY message_pending WHERE delivery = 0 AND rid < ?3 LIMIT ${MESSAGES_PER_STEP})
        AND delivery = 0`,
    JSON.stringify(entry),
    now,
    firstRidAt(now - PENDING_MS_MAX),
  )
  let swept = 0
  for (let count = 1; count <= STEPS_MAX; count++) {
    const [result] = await db.batch([step])
    swept += result?.changes ?? 0
    if ((result?.changes ?? 0) < MESSAGES_PER_STEP) break
  }
  return swept
}
