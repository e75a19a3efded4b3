import { type SQL, sql } from 'drizzle-orm'
import { guardChanges } from '../../db/guard.ts'
import { assignments, type RowOf, type Statement, select, statement } from '../../db/statement.ts'
import { team } from '../../team/table.ts'
import { eventObject } from './table.ts'

const fieldsIn = (teamNo: number) => ({
  team: eventObject.team,
  last: eventObject.last,
  first: eventObject.first,
  no: eventObject.no,
  lastAt: eventObject.lastAt,
  keptFrom: eventObject.keptFrom,
  teamId: sql<string>`(SELECT ${team.id} FROM ${team} WHERE ${team.no} = ${teamNo})`,
})

/** The events that an R2 object has, and the parts of its key. */
export type EventObject = RowOf<ReturnType<typeof fieldsIn>>

const BASE = 36

/** Returns the prefix of the keys of a team's R2 objects. */
export const objectsPrefix = (teamId: string): string => `log/${teamId}/`

/** Returns the prefix of all R2 objects that ever had these events. */
export const rangePrefix = ({ teamId, first, last }: Pick<EventObject, 'teamId' | 'first' | 'last'>): string =>
  `${objectsPrefix(teamId)}${first}-${last}-`

/** A key is never written twice: R2 takes one write a second of each. */
export const toObjectKey = (object: Pick<EventObject, 'teamId' | 'first' | 'last' | 'no'>): string =>
  `${rangePrefix(object)}${object.no.toString(BASE)}`

/** Parses what `toObjectKey` makes; undefined for another key. */
export function parseObjectKey(key: string): Pick<EventObject, 'teamId' | 'first' | 'last' | 'no'> | undefined {
  const [, teamId, first, last, no] = /^log\/([^/]+)\/(\d+)-(\d+)-([0-9a-z]+)$/.exec(key) ?? []
  if (!teamId || !no) return undefined
  return { teamId, first: Number(first), last: Number(last), no: Number.parseInt(no, BASE) }
}

/** Returns a random number up to 2^48, which no two R2 objects share by chance. */
export const newObjectNo = (): number => {
  const [high = 0, low = 0] = crypto.getRandomValues(new Uint32Array(2))
  return (high % 2 ** 16) * 2 ** 32 + low
}

/** A walk back through the log mostly needs the R2 objects before the last one, so several are selected. */
const OBJECTS_PER_TRIP = 20

/** Selects the R2 object that has an event, if any has it, and those before it. */
export const selectObjectsBack = (teamNo: number, sequence: number): Statement<EventObject> =>
  select(
    fieldsIn(teamNo),
    sql`FROM ${eventObject} WHERE ${eventObject.team} = ${teamNo} AND ${eventObject.last} <= (
      SELECT min(covering.last) FROM ${eventObject} covering WHERE covering.team = ${teamNo} AND covering.last >= ${sequence})
      ORDER BY ${eventObject.last} DESC LIMIT ${OBJECTS_PER_TRIP}`,
  )

/** Selects the first R2 object that has events after a number. */
export const selectObjectAfter = (teamNo: number, sequence: SQL | number): Statement<EventObject> =>
  select(
    fieldsIn(teamNo),
    sql`FROM ${eventObject} WHERE ${eventObject.team} = ${teamNo} AND ${eventObject.last} > ${sequence}
      ORDER BY ${eventObject.last} LIMIT 1`,
  )

/** Selects 1 if the first R2 object has unexpired events before a time. Times grow with the numbers, so the first is the oldest. */
export const whereObjectBefore = (teamNo: SQL, at: number): SQL<number> =>
  sql`ifnull((SELECT ${eventObject.firstAt} < ${at} AND ${eventObject.keptFrom} < ${at} FROM ${eventObject}
    WHERE ${eventObject.team} = ${teamNo} ORDER BY ${eventObject.last} LIMIT 1), 0)`

/** Selects the first R2 objects of a team. */
export const selectFirstObjects = (teamNo: number, max: number): Statement<EventObject> =>
  select(
    fieldsIn(teamNo),
    sql`FROM ${eventObject} WHERE ${eventObject.team} = ${teamNo} ORDER BY ${eventObject.last} LIMIT ${max}`,
  )

/** Matches if an event that is or was in the log is in an R2 object. */
export const whereMoved = (teamNo: SQL | number, sequence: SQL): SQL<number> =>
  sql`EXISTS (SELECT 1 FROM ${eventObject} moved WHERE moved.team = ${teamNo} AND moved.last >= ${sequence})`

/** Matches if a team has any R2 object. */
export const whereAnyMoved = (teamNo: number): SQL =>
  sql`EXISTS (SELECT 1 FROM ${eventObject} moved WHERE moved.team = ${teamNo})`

const changeObject = (
  { team: no, last, no: former }: EventObject,
  to: Partial<Record<'no' | 'bytes' | 'keptFrom', number>>,
) =>
  [
    statement(
      sql`UPDATE ${eventObject} SET ${assignments(eventObject, to)}
        WHERE ${eventObject.team} = ${no} AND ${eventObject.last} = ${last} AND ${eventObject.no} = ${former}`,
    ),
    guardChanges('another run has written the object', 1),
  ] as const

/** Makes another R2 object the one that has these events, unless somebody else was faster. */
export const switchObject = (object: EventObject, to: { no: number; bytes: number }) => changeObject(object, to)

/** Withdraws an R2 object: nobody opens it any more, and its events count as expired. Its row stays, so that those before it are found. */
export const withdrawObject = (object: EventObject) => changeObject(object, { keptFrom: object.lastAt + 1 })

export const isWithdrawn = ({ keptFrom, lastAt }: EventObject): boolean => keptFrom > lastAt
