import { sql } from 'drizzle-orm'
import type { Db } from '../../db/client.ts'
import { assignments, type Statement, statement } from '../../db/statement.ts'
import { removeUnnamed } from './remove.ts'
import { selectFirstObjects, toObjectKey } from './statements.ts'
import { eventObject } from './table.ts'

const OBJECTS_PER_STEP = 100

/**
 * Removes the objects of a team whose events are all older than that: first their rows, so that none names an object that is
 * not there. Of the one in which the time lies, what is older is not read any more; it goes with the rest of it, no more than
 * a month later.
 */
export async function expireObjects(
  bucket: Pick<R2Bucket, 'delete'>,
  db: () => Db,
  teamNo: number,
  cutoff: number,
): Promise<{ effect: readonly Statement[]; committed?: () => Promise<void> }> {
  const [objects] = await db().read(selectFirstObjects(teamNo, OBJECTS_PER_STEP))
  const expired = objects.filter(({ lastAt }) => lastAt < cutoff)
  const ofTeam = sql`${eventObject.team} = ${teamNo}`
  const hide = statement(
    sql`UPDATE ${eventObject} SET ${assignments(eventObject, { keptFrom: sql`max(${eventObject.keptFrom}, ${cutoff})` })} WHERE ${ofTeam} AND ${eventObject.last} = (
      SELECT min(following.last) FROM ${eventObject} following WHERE following.team = ${teamNo} AND following.last_at >= ${cutoff})`,
  )
  const last = expired.at(-1)
  if (!last) return { effect: [hide] }
  const effect = [
    statement(sql`DELETE FROM ${eventObject} WHERE ${ofTeam} AND ${eventObject.last} <= ${last.last}`),
    ...(expired.length < OBJECTS_PER_STEP ? [hide] : []),
  ]
  return { effect, committed: () => removeUnnamed(bucket, expired.map(toObjectKey)) }
}
