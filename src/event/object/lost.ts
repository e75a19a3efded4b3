import { sql } from 'drizzle-orm'
import { callBucket } from '../../bucket-call.ts'
import type { Db } from '../../db/client.ts'
import { assignments, type Statement, select, statement } from '../../db/statement.ts'
import { restWalk } from '../../db/walk.ts'
import { createDailyWalk, type MaintenanceTask } from '../../maintenance-task.ts'
import { team } from '../../team/table.ts'
import { DAY_MS, TIME_TRAVEL_MS } from '../../time-units.ts'
import { type EventObject, parseObjectKey, rangePrefix, toObjectKey } from './statements.ts'
import { eventObject } from './table.ts'

/** The R2 objects that one call lists. */
const OBJECTS_PER_STEP = 1_000
/** For at most this many R2 objects without a row, one call each asks whether the object of their row is there. */
const UNNAMED_PER_STEP = 100
/** A younger R2 object may be under way: a move or an import has yet to insert its row. */
const AGE_MS_MIN = DAY_MS
const TASK = 'remove lost history'

/** For a month after a restore nothing is removed: it may be taken back, and then R2 objects written since are named again. */
export const keepLostObjects = (now: number): Statement => restWalk(TASK, now + TIME_TRAVEL_MS)

/**
 * Removes objects that nothing refers to: whoever wrote one died before its row was inserted, or it was written anew and could
 * not be removed at once. Where it is the other way round, because the database was restored, the row gets the newest object
 * that is there: from it most was erased. The bucket is walked through once a day.
 */
export const createLostObjectTask = (
  bucket: Pick<R2Bucket, 'list' | 'delete' | 'head'>,
  db: () => Db,
  now: number,
): MaintenanceTask =>
  createDailyWalk({ name: TASK, db, now }, async after => {
    const from = after === '' ? {} : { startAfter: after }
    const listed = await callBucket(() => bucket.list({ prefix: 'log/', limit: OBJECTS_PER_STEP, ...from }))
    const old = listed.objects.filter(({ uploaded }) => uploaded.getTime() < now - AGE_MS_MIN)
    const found = old.flatMap(({ key }) => parseObjectKey(key) ?? [])
    const known = found.length === 0 ? [] : (await db().read(selectRows(found)))[0]
    const newest = new Map<string, Pick<EventObject, 'no'>>()
    for (const { key } of listed.objects.toSorted((one, other) => one.uploaded.getTime() - other.uploaded.getTime())) {
      const object = parseObjectKey(key)
      if (object) newest.set(rangePrefix(object), object)
    }
    const unnamed = known.flatMap(each => {
      const own = parseObjectKey(each.key)
      return own && own.no !== each.no ? [{ ...each, own }] : []
    })
    const some = unnamed.slice(0, UNNAMED_PER_STEP)
    const lost: string[] = []
    const effect: Statement[] = []
    for (const { key, team: teamNo, last, first, teamId, no, own } of some) {
      const isThere =
        teamNo === null || (await callBucket(() => bucket.head(toObjectKey({ teamId, first, last, no: no ?? 0 }))))
      if (isThere) lost.push(key)
      else effect.push(nameObject({ team: teamNo, last, no: no ?? 0 }, newest.get(rangePrefix(own))?.no ?? own.no))
    }
    if (lost.length > 0) await callBucket(() => bucket.delete(lost))
    const end = listed.truncated ? (listed.objects.at(-1)?.key ?? null) : null
    return { effect, done: lost.length, next: some.length < unnamed.length ? (some.at(-1)?.key ?? null) : end }
  })

/** Selects for each key the row of its team with these events, if there is one. */
const selectRows = (objects: readonly Pick<EventObject, 'teamId' | 'first' | 'last' | 'no'>[]) =>
  select(
    {
      key: sql<string>`found.value ->> '$.key'`,
      teamId: sql<string>`found.value ->> '$.teamId'`,
      first: sql<number>`found.value ->> '$.first'`,
      last: sql<number>`found.value ->> '$.last'`,
      team: sql<number | null>`${eventObject.team}`,
      no: sql<number | null>`${eventObject.no}`,
    },
    sql`FROM json_each(${JSON.stringify(objects.map(each => ({ ...each, key: toObjectKey(each) })))}) found
      LEFT JOIN ${team} ON ${team.id} = found.value ->> '$.teamId'
      LEFT JOIN ${eventObject} ON ${eventObject.team} = ${team.no} AND ${eventObject.last} = found.value ->> '$.last'
        AND ${eventObject.first} = found.value ->> '$.first'
      ORDER BY found.key`,
  )

/** Guards against an erasure that has written the R2 object anew since the row was read. */
const nameObject = (
  { team: teamNo, last, no: former }: Pick<EventObject, 'team' | 'last' | 'no'>,
  no: number,
): Statement =>
  statement(
    sql`UPDATE ${eventObject} SET ${assignments(eventObject, { no })}
      WHERE ${eventObject.team} = ${teamNo} AND ${eventObject.last} = ${last} AND ${eventObject.no} = ${former}`,
  )
