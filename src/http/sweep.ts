import type { Db } from '../db/client.ts'
import { statement } from '../db/statement.ts'

/** Keys are spread evenly over this range, so a share of it is a share of them. */
const LOOKUP_RANGE = 16 ** 13
const SHARES = 60

/** Forgets what was kept for expired idempotency keys: each minute of the hour looks at its share of them. */
export async function sweepIdempotency(db: Db, now: number): Promise<void> {
  const share = Math.floor(now / 60_000) % SHARES
  await db.batch([
    statement(
      'DELETE FROM idempotency WHERE no >= ?1 AND no < ?2 AND expires_at <= ?3',
      Math.floor((share * LOOKUP_RANGE) / SHARES),
      Math.floor(((share + 1) * LOOKUP_RANGE) / SHARES),
      now,
    ),
  ])
}
