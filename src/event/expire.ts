import { sql } from 'drizzle-orm'
import { team } from '../auth/table.ts'
import type { Chore } from '../chore.ts'
import type { Db } from '../db/client.ts'
import { type Statement, select, statement } from '../db/statement.ts'
import { moveWalk, selectWalk, WALK_START } from '../db/walk.ts'
import { REMOVED_BYTES_MAX, withinBytes } from '../db/within-bytes.ts'
import { write } from '../db/write.ts'
import { lastSequence } from './append.ts'
import { event } from './table.ts'

const CHORE = 'expire events'
const TEAMS_PER_STEP = 200
const ROWS_PER_STEP = 2_000

/**
 * Removes events that are so old, a team at a time, once a day: three rows are read of a team that has none. The last row of
 * a team stays, because the next one is numbered by it.
 */
export const eventExpiryChore = (db: () => Db, retentionMs: number, now: number): Chore => ({
  async step() {
    const [[walk = WALK_START]] = await db().read(selectWalk(CHORE))
    if (walk.restUntil > now) return { done: 0, hasMore: false }
    const cutoff = now - retentionMs
    const [teams] = await db().read(selectFirstEvents(Number(walk.position)))
    const expired = teams.find(({ first }) => first !== null && first < cutoff)
    const last = teams.length < TEAMS_PER_STEP ? null : (teams.at(-1)?.no ?? null)
    // The team is looked at again: it may have more.
    const next = expired ? expired.no - 1 : last
    const effect = [
      ...(expired ? [removeFirstEvents(expired.no, cutoff)] : []),
      moveWalk(CHORE, next === null ? null : String(next), now),
    ]
    const [removed] = await write({ db: db(), idempotency: null }, { effect, outcome: null })
    return { done: expired ? (removed?.changes ?? 0) : 0, hasMore: next !== null }
  },
})

/** When the first event of each team was that may be removed. */
const selectFirstEvents = (after: number): Statement<{ no: number; first: number | null }> =>
  select(
    {
      no: team.no,
      first: sql<number | null>`(SELECT ${event.at} FROM ${event} WHERE ${event.team} = ${team.no}
        AND ${event.sequence} < ${lastSequence(sql`${team.no}`)} ORDER BY ${event.sequence} LIMIT 1)`,
    },
    sql`FROM ${team} WHERE ${team.no} > ${after} ORDER BY ${team.no} LIMIT ${TEAMS_PER_STEP}`,
  )

/** Times grow with the numbers, so these are the first rows. */
const removeFirstEvents = (no: number, cutoff: number): Statement =>
  statement(
    sql`DELETE FROM ${event} WHERE ${event.team} = ${no} AND ${event.sequence} < ${lastSequence(no)} AND ${event.sequence} <= (
      SELECT max(first.sequence) FROM (${withinBytes(
        { key: sql`sequence, at`, order: sql`sequence`, bytesMax: REMOVED_BYTES_MAX },
        sql`SELECT ${event.sequence} AS sequence, ${event.at} AS at, ${ROW_BYTES} AS bytes FROM ${event}
          WHERE ${event.team} = ${no} ORDER BY ${event.sequence} LIMIT ${ROWS_PER_STEP}`,
      )}) first WHERE first.at < ${cutoff})`,
  )

const ROW_BYTES = sql`octet_length(${event.given}) + ifnull(octet_length(${event.was}), 0)`
