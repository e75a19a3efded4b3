import { sql } from 'drizzle-orm'
import { type Statement, select } from '../db/statement.ts'
import { AppError } from '../errors.ts'
import { event } from '../event/table.ts'
import type { Scope } from '../scope.ts'

/** The range of a log that the feed shows. Events up to `expired` are gone, or too old. */
interface RetainedRange {
  expired: number
  latest: number
}

/**
 * Finds the first event at or after a time. Times grow with the numbers, so each step halves what is left: two rows read
 * for each, twenty times for a million. Where nothing has expired it is found at once.
 */
export const selectRetainedRange = (team: number, since: number): Statement<RetainedRange> => {
  const ofTeam = sql`FROM ${event} WHERE ${event.team} = ${team}`
  const first = sql`${event.sequence} - ${event.count}`
  const isKept = sql`${event.at} >= ${since}`
  return select(
    { expired: sql<number>`ifnull(max(found.expired), 0)`, latest: sql<number>`ifnull(max(found.latest), 0)` },
    sql`FROM (
      WITH RECURSIVE search(expired, kept, latest) AS (
        SELECT ${first}, iif(${isKept}, ${first}, (SELECT max(${event.sequence}) ${ofTeam})), (SELECT max(${event.sequence}) ${ofTeam})
          ${ofTeam} AND ${event.sequence} = (SELECT min(${event.sequence}) ${ofTeam})
        UNION ALL
        SELECT iif(${isKept}, search.expired, ${event.sequence}), iif(${isKept}, ${first}, search.kept), search.latest
          FROM search CROSS JOIN ${event} ON ${event.team} = ${team} AND ${event.sequence} =
            (SELECT min(${event.sequence}) ${ofTeam} AND ${event.sequence} > (search.expired + search.kept) / 2)
          WHERE search.expired < search.kept)
      SELECT search.expired, search.latest FROM search WHERE search.expired >= search.kept) found`,
  )
}

export async function findRetainedRange(
  { db, team }: Pick<Scope, 'db' | 'team'>,
  keptSince: number,
): Promise<RetainedRange> {
  const [[kept]] = await db.read(selectRetainedRange(team.no, keptSince))
  return kept ?? { expired: 0, latest: 0 }
}

interface EventRequest {
  /** The requested events, with a verb, as the message names them. */
  wanted: string
  path: string
  /** Returns the hint: a request for events that are kept. */
  hint: (kept: RetainedRange & { oldest: number }) => string
}

/** Makes the error for events that are not kept any more. It names the oldest one that is. */
export async function sequenceExpiredError(
  scope: Pick<Scope, 'db' | 'team'>,
  keptSince: number,
  { wanted, path, hint }: EventRequest,
): Promise<AppError> {
  const kept = await findRetainedRange(scope, keptSince)
  const oldest = kept.expired + 1
  const left = oldest > kept.latest ? 'none is kept' : `the oldest one that is kept is ${oldest}`
  return new AppError('sequence_expired', [
    {
      message: `${wanted} not kept any more; ${left}`,
      path,
      hint: hint({ ...kept, oldest }),
      detail: { oldest, latest: kept.latest },
    },
  ])
}
