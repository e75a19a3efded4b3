import { sql } from 'drizzle-orm'
import { team } from '../auth/table.ts'
import type { Chore } from '../chore.ts'
import type { Db } from '../db/client.ts'
import { type Statement, select, statement } from '../db/statement.ts'
import { moveWalk, selectWalk, WALK_START } from '../db/walk.ts'
import { REMOVED_BYTES_MAX, withinBytes } from '../db/within-bytes.ts'
import { write } from '../db/write.ts'
import { requestBatch } from './table.ts'

const CHORE = 'expire requests'
const TEAMS_PER_STEP = 200
const ROWS_PER_STEP = 1_000

/** Removes batches that are so old, a team at a time, once a day. */
export const requestExpiryChore = (db: () => Db, retentionMs: number, now: number): Chore => ({
  async step() {
    const [[walk = WALK_START]] = await db().read(selectWalk(CHORE))
    if (walk.restUntil > now) return { done: 0, hasMore: false }
    const cutoff = now - retentionMs
    const [teams] = await db().read(selectFirstBatches(Number(walk.position)))
    const expired = teams.find(({ first }) => first !== null && first < cutoff)
    const last = teams.length < TEAMS_PER_STEP ? null : (teams.at(-1)?.no ?? null)
    // The team is looked at again: it may have more.
    const next = expired ? expired.no - 1 : last
    const effect = [
      ...(expired ? [removeBatches(expired.no, cutoff)] : []),
      moveWalk(CHORE, next === null ? null : String(next), now),
    ]
    const [removed] = await write({ db: db(), idempotency: null }, { effect, outcome: null })
    return { done: expired ? (removed?.changes ?? 0) : 0, hasMore: next !== null }
  },
})

/** When the first batch of each team was written. */
const selectFirstBatches = (after: number): Statement<{ no: number; first: number | null }> =>
  select(
    {
      no: team.no,
      first: sql<number | null>`(SELECT ${requestBatch.at} FROM ${requestBatch} WHERE ${requestBatch.team} = ${team.no}
        ORDER BY ${requestBatch.at} LIMIT 1)`,
    },
    sql`FROM ${team} WHERE ${team.no} > ${after} ORDER BY ${team.no} LIMIT ${TEAMS_PER_STEP}`,
  )

const removeBatches = (no: number, cutoff: number): Statement =>
  statement(
    sql`DELETE FROM ${requestBatch} WHERE ${requestBatch.team} = ${no} AND (${requestBatch.at}, ${requestBatch.batch}) IN (${withinBytes(
      { key: sql`at, batch`, bytesMax: REMOVED_BYTES_MAX },
      sql`SELECT ${requestBatch.at} AS at, ${requestBatch.batch} AS batch, octet_length(${requestBatch.lines}) AS bytes FROM ${requestBatch}
        WHERE ${requestBatch.team} = ${no} AND ${requestBatch.at} < ${cutoff}
        ORDER BY ${requestBatch.at}, ${requestBatch.batch} LIMIT ${ROWS_PER_STEP}`,
    )})`,
  )
