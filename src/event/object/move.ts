import { type SQL, sql } from 'drizzle-orm'
import { callBucket } from '../../bucket-call.ts'
import type { Db } from '../../db/client.ts'
import { guard, guardChanges, isGuardFailure } from '../../db/guard.ts'
import { insertInto, type RowOf, type Statement, select, statement } from '../../db/statement.ts'
import { selectWithinBytes } from '../../db/within-bytes.ts'
import { change, createDailyWalk, type MaintenanceTask } from '../../maintenance-task.ts'
import { team } from '../../team/table.ts'
import { IS_NOT_BEING_ERASED, whereTeamPresent } from '../../team-status/present-team.ts'
import { HOUR_MS, toDay } from '../../time-units.ts'
import { lastSequence } from '../append.ts'
import { event } from '../table.ts'
import { encodeObject, type ObjectRow } from './format.ts'
import { guardMoveLock, isMoveLockLost, lockRows, revokeMoveLock } from './move-lock.ts'
import { newObjectNo, toObjectKey } from './statements.ts'
import { eventObject } from './table.ts'

const TEAMS_PER_STEP = 200
/** The rows of an R2 object and their bytes, but for the last row. Compressed it is a fourth of that, or less. */
const ROWS_PER_OBJECT = 5_000
const BYTES_PER_OBJECT = 4_000_000
/** The teams that a step measures, with a statement each, of the thousand that an invocation may run. */
const MEASURED_PER_STEP = 10

interface MoveContext {
  bucket: Pick<R2Bucket, 'put'>
  db: () => Db
  now: number
  /** The age from which events move. */
  recentMs: number
}

/** The pause before a walk that passed over a team begins again. Its position says so. */
const AGAIN_MS = HOUR_MS
const AGAIN = '+'

/**
 * Moves what is old of the logs to R2, a team at a time, once a day: by months, or as much as an object has. First the object is
 * written; then, in one transaction, its row is inserted and exactly the rows are removed that are in it. Broken off
 * in between, there is an object that nothing refers to, and `createLostObjectTask` removes it. The last row of a team stays.
 * A team of which an erasure changes rows in just that moment is passed over, and stops no other.
 */
export const createMoveTask = (context: MoveContext): MaintenanceTask =>
  createDailyWalk({ ...context, name: 'move history' }, async position => {
    const { db, now, recentMs } = context
    const cutoff = now - recentMs
    const again = position.endsWith(AGAIN) ? AGAIN : ''
    const [teams] = await db().read(selectFirstRows(Number.parseInt(position, 10) || 0))
    let measured = 0
    for (const each of teams) {
      if (each.first === null || each.first >= cutoff) continue
      const monthEnd = getMonthEnd(each.first)
      const stretch = { team: each.no, before: Math.min(cutoff, monthEnd) }
      if (monthEnd <= cutoff || (await hasFullObject(db(), stretch))) {
        // The team is next again, because it may have more.
        if (await moveRows(context, each, stretch)) return { done: 1, next: `${each.no - 1}${again}` }
        return { next: `${each.no}${AGAIN}` }
      }
      measured += 1
      if (measured === MEASURED_PER_STEP) return { next: `${each.no}${again}` }
    }
    const last = teams.length < TEAMS_PER_STEP ? undefined : teams.at(-1)
    return { next: last ? `${last.no}${again}` : null, restMs: again ? AGAIN_MS : undefined }
  })

const getMonthEnd = (at: number): number => {
  const date = new Date(at)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1)
}

const FIRST_FIELDS = {
  no: team.no,
  id: team.id,
  lastErasureAt: team.lastErasureAt,
}
type MovedTeam = RowOf<typeof FIRST_FIELDS>

/** Selects the time of the first event of each team that may be moved. */
const selectFirstRows = (after: number) =>
  select(
    {
      ...FIRST_FIELDS,
      first: sql<number | null>`(SELECT ${event.at} FROM ${event} WHERE ${event.team} = ${team.no}
        AND ${event.sequence} < ${lastSequence(sql`${team.no}`)} ORDER BY ${event.sequence} LIMIT 1)`,
    },
    sql`FROM ${team} WHERE ${team.no} > ${after} AND ${IS_NOT_BEING_ERASED}
      ORDER BY ${team.no} LIMIT ${TEAMS_PER_STEP}`,
  )

interface Stretch {
  team: number
  before: number
}

const ROW_BYTES = sql`octet_length(${event.after}) + ifnull(octet_length(${event.before}), 0)`

/** Selects the first rows of a team, up to the size of an R2 object. Times grow with the numbers. */
const selectTaken = ({ team: no, before }: Stretch): SQL =>
  selectWithinBytes(
    { key: sql`sequence, bytes`, order: sql`sequence`, bytesMax: BYTES_PER_OBJECT },
    sql`SELECT ${event.sequence} AS sequence, ${ROW_BYTES} AS bytes FROM ${event}
      WHERE ${event.team} = ${no} AND ${event.sequence} < ${lastSequence(no)} AND ${event.at} < ${before}
      ORDER BY ${event.sequence} LIMIT ${ROWS_PER_OBJECT}`,
  )

/** Decides whether a part of a month fills an R2 object. */
async function hasFullObject(db: Db, stretch: Stretch): Promise<boolean> {
  const [[extent]] = await db.read(
    select(
      { count: sql<number>`count(*)`, bytes: sql<number>`ifnull(sum(taken.bytes), 0)` },
      sql`FROM (${selectTaken(stretch)}) taken`,
    ),
  )
  return extent !== undefined && (extent.count >= ROWS_PER_OBJECT || extent.bytes >= BYTES_PER_OBJECT)
}

const selectRows = (stretch: Stretch): Statement<ObjectRow & { octets: number }> =>
  select(
    {
      sequence: event.sequence,
      count: event.count,
      at: event.at,
      type: event.type,
      proc: event.proc,
      by: sql<string>`json(${event.by})`,
      after: sql<string>`json(${event.after})`,
      before: sql<string | null>`json(${event.before})`,
      octets: sql<number>`taken.bytes`,
    },
    sql`FROM (${selectTaken(stretch)}) taken CROSS JOIN ${event} ON ${event.team} = ${stretch.team}
      AND ${event.sequence} = taken.sequence ORDER BY ${event.sequence}`,
  )

const CHANGED = 'the log was changed while it was read'
const NOT_READ = 'other rows of the log were read'

/** Returns false if an erasure or another run has changed the rows meanwhile. Then nothing is moved. */
async function moveRows(
  { bucket, db }: MoveContext,
  { no: teamNo, id: teamId, lastErasureAt }: MovedTeam,
  stretch: Stretch,
): Promise<boolean> {
  const lock = crypto.randomUUID()
  await change(db, lockRows(teamNo, lock))
  const [rows] = await db().read(selectRows(stretch))
  const [oldest, newest] = [rows[0], rows.at(-1)]
  if (!oldest || !newest) return false
  const [first, last] = [oldest.sequence - oldest.count + 1, newest.sequence]
  const object = { teamId, first, last, no: newObjectNo() }
  const bytes = await encodeObject(rows)
  await callBucket(() => bucket.put(toObjectKey(object), bytes))
  const octets = rows.reduce((sum, row) => sum + row.octets, 0)
  const inRange = sql`${event.team} = ${teamNo} AND ${event.sequence} <= ${last}`
  const effect = [
    // Since the rows were read, no erasure has begun and none has changed any, so they are as they were read.
    guardMoveLock(lock),
    guard(
      CHANGED,
      sql`(SELECT ${team.lastErasureAt} FROM ${team} WHERE ${team.no} = ${teamNo}) IS ${lastErasureAt}
        AND ${whereTeamPresent(teamNo)} AND (SELECT sum(${ROW_BYTES}) FROM ${event} WHERE ${inRange}) = ${octets}`,
    ),
    // The bytes that are freed are there for the row of the R2 object.
    statement(sql`DELETE FROM ${event} WHERE ${inRange}`),
    guardChanges(NOT_READ, rows.length),
    statement(
      insertInto(eventObject, {
        team: teamNo,
        last,
        first,
        no: object.no,
        bytes: bytes.byteLength,
        firstAt: oldest.at,
        lastAt: newest.at,
        days: JSON.stringify(listDays(rows, first)),
      }),
    ),
  ]
  try {
    await change(db, ...effect, revokeMoveLock(teamNo))
    return true
  } catch (error) {
    if (isMoveLockLost(error) || isGuardFailure(error, CHANGED) || isGuardFailure(error, NOT_READ)) return false
    throw error
  }
}

/** Lists each day that begins between two rows, with the number of the last event before it. Days count from 1970. */
function listDays(rows: readonly Pick<ObjectRow, 'sequence' | 'count' | 'at'>[], first: number): [number, number][] {
  const days: [number, number][] = []
  let [day, before] = [toDay(rows[0]?.at ?? 0), first - 1]
  for (const { at, sequence } of rows) {
    for (; day < toDay(at); day++) days.push([day + 1, before])
    before = sequence
  }
  return days
}
