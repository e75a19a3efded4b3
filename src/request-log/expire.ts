import { sql } from 'drizzle-orm'
import type { Db } from '../db/client.ts'
import { type Statement, select, statement } from '../db/statement.ts'
import { REMOVED_BYTES_MAX, selectWithinBytes } from '../db/within-bytes.ts'
import { createDailyWalk, type MaintenanceTask } from '../maintenance-task.ts'
import { team } from '../team/table.ts'
import { requestBatch } from './table.ts'

const TEAMS_PER_STEP = 200
const ROWS_PER_STEP = 1_000

/** Removes batches that are older than the retention, once a day, a team at a time. */
export const createRequestExpiryTask = (db: () => Db, retentionMs: number, now: number): MaintenanceTask =>
  createDailyWalk({ name: 'expire requests', db, now }, async after => {
    const cutoff = now - retentionMs
    const [teams] = await db().read(selectFirstBatches(Number(after)))
    const expired = teams.find(({ first }) => first !== null && first < cutoff)
    // The team is looked at again, because it may have more.
    if (expired) return { effect: [removeBatches(expired.no, cutoff)], next: String(expired.no - 1) }
    return { next: teams.length < TEAMS_PER_STEP ? null : (teams.at(-1)?.no.toString() ?? null) }
  })

/** Selects the time of the first batch of each team. */
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
    sql`DELETE FROM ${requestBatch} WHERE ${requestBatch.team} = ${no} AND (${requestBatch.at}, ${requestBatch.batch}) IN (${selectWithinBytes(
      { key: sql`at, batch`, bytesMax: REMOVED_BYTES_MAX },
      sql`SELECT ${requestBatch.at} AS at, ${requestBatch.batch} AS batch, octet_length(${requestBatch.lines}) AS bytes FROM ${requestBatch}
        WHERE ${requestBatch.team} = ${no} AND ${requestBatch.at} < ${cutoff}
        ORDER BY ${requestBatch.at}, ${requestBatch.batch} LIMIT ${ROWS_PER_STEP}`,
    )})`,
  )
