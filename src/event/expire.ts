import { sql } from 'drizzle-orm'
import type { Db } from '../db/client.ts'
import { type Statement, select, statement } from '../db/statement.ts'
import { restWalk } from '../db/walk.ts'
import { REMOVED_BYTES_MAX, selectWithinBytes } from '../db/within-bytes.ts'
import { createDailyWalk, type MaintenanceTask } from '../maintenance-task.ts'
import { team } from '../team/table.ts'
import { lastSequence } from './append.ts'
import { expireObjects } from './object/expire.ts'
import { whereObjectBefore } from './object/statements.ts'
import { event } from './table.ts'

const TEAMS_PER_STEP = 200
const ROWS_PER_STEP = 2_000
const TASK = 'expire events'

/** Begins the next walk at once. After a restore, rows name R2 objects that have expired since, and it removes them. */
export const expireAgain = (): Statement => restWalk(TASK, 0)

interface ExpiryContext {
  bucket: Pick<R2Bucket, 'delete'>
  db: () => Db
  now: number
}

/**
 * Removes events that are so old, a team at a time, once a day: four rows are read of a team that has none. The last row of
 * a team stays, because the next one is numbered by it.
 */
export const createEventExpiryTask = ({ bucket, db, now }: ExpiryContext, retentionMs: number): MaintenanceTask =>
  createDailyWalk({ name: TASK, db, now }, async after => {
    const cutoff = now - retentionMs
    const [teams] = await db().read(selectFirstEvents(Number(after), cutoff))
    const expired = teams.find(({ first, hasObject }) => hasObject === 1 || (first !== null && first < cutoff))
    // The team is next again, because it may have more.
    if (expired) {
      const next = String(expired.no - 1)
      if (expired.hasObject === 1) return { ...(await expireObjects(bucket, db, expired.no, cutoff)), next }
      return { effect: [removeFirstEvents(expired.no, cutoff)], next }
    }
    return { next: teams.length < TEAMS_PER_STEP ? null : (teams.at(-1)?.no.toString() ?? null) }
  })

/** Selects the time of the first event of each team that may be removed, and whether an R2 object has some. */
const selectFirstEvents = (
  after: number,
  cutoff: number,
): Statement<{ no: number; first: number | null; hasObject: number }> =>
  select(
    {
      no: team.no,
      first: sql<number | null>`(SELECT ${event.at} FROM ${event} WHERE ${event.team} = ${team.no}
        AND ${event.sequence} < ${lastSequence(sql`${team.no}`)} ORDER BY ${event.sequence} LIMIT 1)`,
      hasObject: whereObjectBefore(sql`${team.no}`, cutoff),
    },
    sql`FROM ${team} WHERE ${team.no} > ${after} ORDER BY ${team.no} LIMIT ${TEAMS_PER_STEP}`,
  )

/** Removes rows older than a time. Times grow with the numbers, so these are the first ones. */
const removeFirstEvents = (no: number, cutoff: number): Statement =>
  statement(
    sql`DELETE FROM ${event} WHERE ${event.team} = ${no} AND ${event.sequence} < ${lastSequence(no)} AND ${event.sequence} <= (
      SELECT max(first.sequence) FROM (${selectWithinBytes(
        { key: sql`sequence, at`, order: sql`sequence`, bytesMax: REMOVED_BYTES_MAX },
        sql`SELECT ${event.sequence} AS sequence, ${event.at} AS at, ${ROW_BYTES} AS bytes FROM ${event}
          WHERE ${event.team} = ${no} ORDER BY ${event.sequence} LIMIT ${ROWS_PER_STEP}`,
      )}) first WHERE first.at < ${cutoff})`,
  )

const ROW_BYTES = sql`octet_length(${event.after}) + ifnull(octet_length(${event.before}), 0)`
