import { type SQL, sql } from 'drizzle-orm'
import { countFitting } from '../../bytes.ts'
import type { Db } from '../../db/client.ts'
import { guard, isGuardFailure } from '../../db/guard.ts'
import { assignments, type Statement, select, statement } from '../../db/statement.ts'
import { erasedProcess } from '../../erasure-sweep/table.ts'
import { type ErasureBucket, eraseInObject, type ObjectErasure } from '../../event/object/erase.ts'
import { revokeMoveLock } from '../../event/object/move-lock.ts'
import { whereMoved } from '../../event/object/statements.ts'
import { event } from '../../event/table.ts'
import type { Procedure } from '../../procedure/model.ts'
import { listPersonalNames, loadProcedures } from '../../procedure/personal.ts'
import { type ProcessAfter, readProcessBefore, type StoredProcessBefore } from '../rows/append-events.ts'

// Erases values of emptied processes from the log. Each process points to its last event that has values, and each event to
// the one before. A step takes the latest of these events, so a row that many processes share is written once for all.

/** The bounds of a step: rows of the log, their bytes, and pointers of processes to events. */
const ROWS_PER_STEP = 200
const BYTES_PER_STEP = 4_000_000
const POINTERS_PER_STEP = 1_000

/** A row of the log to which listed processes point. */
interface LatestRow {
  sequence: number
  processes: number
  /** The number of its events. Null: the row was moved to R2, or has expired. */
  count: number | null
  bytes: number | null
  /** 1 if the row was moved to R2. */
  isMoved: number
}

/** An event of a listed process. */
interface LinkedEvent {
  rid: string
  sequence: number
  /** The event before. */
  previous: number | null
  proc: number
}

interface ErasureKey {
  team: number
  erasure: number
}

const MOVED_SINCE = 'rows of the log have moved since they were read'
export const isMovedSince = (error: unknown): boolean => isGuardFailure(error, MOVED_SINCE)

/** Returns the next step; undefined if history has no values of the processes any more. */
export async function stepHistory(
  { db, bucket }: { db: () => Db; bucket: ErasureBucket },
  listed: ErasureKey,
): Promise<Pick<ObjectErasure, 'effect' | 'removeFormer'> | undefined> {
  const [latest] = await db().read(selectLatest(listed))
  const [first] = latest
  if (!first) return undefined
  if (first.count === null && first.isMoved) return eraseMoved({ db, bucket }, listed, first.sequence)
  const effect =
    first.count === null ? [skipExpired(listed, first.sequence)] : await eraseLatest(db, listed, latest, first)
  return { effect, removeFormer: () => Promise.resolve() }
}

/** Erases values of all processes that point to events in one object of R2. */
async function eraseMoved(
  { db, bucket }: { db: () => Db; bucket: ErasureBucket },
  listed: ErasureKey,
  sequence: number,
): Promise<Pick<ObjectErasure, 'effect' | 'removeFormer'>> {
  const [pointers] = await db().read(selectPointers(listed))
  const procedures = await loadProcedures(db(), listed.team, [...new Set(pointers.map(({ proc }) => proc))])
  const erased = await eraseInObject(bucket, db, { team: listed.team, sequence, pointers }, (row, after, before) => {
    const procedure = row.proc === null ? undefined : procedures.get(row.proc)
    if (procedure && row.type === 'process.updated') erasePersonal(procedure, after as Partial<ProcessAfter>, before)
  })
  return { ...erased, effect: [...erased.effect, setPointers(listed, erased.next)] }
}

/** Erases the personal values of an event in an object of R2. `eraseValues` does the same in the database. */
function erasePersonal(procedure: Procedure, after: Partial<ProcessAfter>, before: unknown[] | undefined): void {
  const personal = new Set(listPersonalNames(procedure))
  const names = [...Object.keys(after.set ?? {}), ...(after.unset ?? [])]
  for (const name of Object.keys(after.set ?? {})) if (personal.has(name) && after.set) after.set[name] = null
  const isKeyPersonal = procedure.primaryKey !== null && personal.has(procedure.primaryKey)
  if (isKeyPersonal && 'primaryKey' in after) after.primaryKey = null
  if (!before) return
  const { fields, values } = readProcessBefore(before as StoredProcessBefore)
  if (isKeyPersonal && 'primaryKey' in fields) fields.primaryKey = null
  before[5] = [values.map((value, nth) => (personal.has(names[nth] ?? '') ? null : value))]
}

async function eraseLatest(
  db: () => Db,
  listed: ErasureKey,
  latest: readonly LatestRow[],
  first: LatestRow,
): Promise<Statement[]> {
  const isShared = ({ count }: LatestRow) => (count ?? 0) > 1
  const rows = latest.filter(row => row.count !== null && isShared(row) === isShared(first))
  const bytes = rows.map(row => row.bytes ?? 0)
  const some = rows.slice(0, countFitting(bytes, BYTES_PER_STEP))
  const [events] = await db().read(isShared(first) ? selectShared(listed, some) : selectChains(listed, some))
  const procedures = await loadProcedures(db(), listed.team, [...new Set(events.map(({ proc }) => proc))])
  const byProcedure = Map.groupBy(events, ({ proc }) => proc)
  const oldest = Math.min(...events.map(({ sequence }) => sequence))
  return [
    // A row that has moved to R2 since it was read is erased there: the next step finds it.
    ...(events.length > 0 ? [guard(MOVED_SINCE, sql`NOT ${whereMoved(listed.team, sql`${oldest}`)}`)] : []),
    revokeMoveLock(listed.team),
    ...[...byProcedure].flatMap(([proc, found]) => {
      const procedure = procedures.get(proc)
      return procedure ? eraseValues(listed.team, procedure, found) : []
    }),
    movePointers(listed, events),
  ]
}

const HAS_EVENT = sql`${erasedProcess.event} IS NOT NULL`
const selectBytes = (row: SQL): SQL<number> => sql`length(${row}after) + ifnull(length(${row}before), 0)`

const selectLatest = ({ team, erasure }: ErasureKey): Statement<LatestRow> =>
  select(
    {
      sequence: sql<number>`pointer.event`,
      processes: sql<number>`count(*)`,
      count: sql<number | null>`max(${event.count})`,
      bytes: sql<number | null>`max(${selectBytes(sql`event.`)})`,
      isMoved: sql<number>`${event.sequence} IS NULL AND ${whereMoved(team, sql`pointer.event`)}`,
    },
    sql`FROM (SELECT ${erasedProcess.event} AS event FROM ${erasedProcess} INDEXED BY erased_process_event
        WHERE ${erasedProcess.team} = ${team} AND ${erasedProcess.erasure} = ${erasure} AND ${HAS_EVENT}
        ORDER BY ${erasedProcess.event} DESC LIMIT ${POINTERS_PER_STEP}) pointer
      LEFT JOIN ${event} ON ${event.team} = ${team} AND ${event.sequence} = pointer.event
      GROUP BY pointer.event ORDER BY pointer.event DESC LIMIT ${ROWS_PER_STEP}`,
  )

/** Selects the processes that point to the latest events. */
const selectPointers = ({ team, erasure }: ErasureKey): Statement<{ rid: number; from: number; proc: number }> =>
  select(
    { rid: erasedProcess.process, from: sql<number>`${erasedProcess.event}`, proc: erasedProcess.proc },
    sql`FROM ${erasedProcess} INDEXED BY erased_process_event
      WHERE ${erasedProcess.team} = ${team} AND ${erasedProcess.erasure} = ${erasure} AND ${HAS_EVENT}
      ORDER BY ${erasedProcess.event} DESC LIMIT ${POINTERS_PER_STEP}`,
  )

/** Ends the pointers to a row that has expired: nothing before it is kept either. */
const skipExpired = ({ team, erasure }: ErasureKey, sequence: number): Statement =>
  statement(sql`UPDATE ${erasedProcess} SET ${assignments(erasedProcess, { event: null })}
    WHERE ${erasedProcess.team} = ${team} AND ${erasedProcess.erasure} = ${erasure} AND ${erasedProcess.process} IN (
      SELECT ${erasedProcess.process} FROM ${erasedProcess} INDEXED BY erased_process_event
      WHERE ${erasedProcess.team} = ${team} AND ${erasedProcess.erasure} = ${erasure} AND ${HAS_EVENT} AND ${erasedProcess.event} <= ${sequence} LIMIT ${POINTERS_PER_STEP})`)

/** Selects the events of listed processes in rows that they share with others. */
const selectShared = ({ team, erasure }: ErasureKey, rows: readonly LatestRow[]): Statement<LinkedEvent> =>
  select(
    {
      rid: sql<string>`member.key`,
      sequence: event.sequence,
      previous: sql<number | null>`iif(${event.before} IS NULL, member.value ->> '$.last', member.value ->> '$[1]')`,
      proc: sql<number>`${event.proc}`,
    },
    sql`FROM ${event} CROSS JOIN json_each(coalesce(${event.before}, ${event.after})) member
      CROSS JOIN ${erasedProcess} ON ${erasedProcess.team} = ${team} AND ${erasedProcess.erasure} = ${erasure}
        AND ${erasedProcess.process} = CAST(member.key AS INTEGER) AND ${erasedProcess.event} = ${event.sequence}
      WHERE ${event.team} = ${team} AND ${event.sequence} IN (${selectSequences(rows)})`,
  )

const selectSequences = (rows: readonly { sequence: number }[]): SQL =>
  sql`SELECT value FROM json_each(${JSON.stringify(rows.map(({ sequence }) => sequence))})`

/** Selects events in rows of their own, and the events before them of the same process, while these are alone in their rows, too. */
const selectChains = ({ team, erasure }: ErasureKey, rows: readonly LatestRow[]): Statement<LinkedEvent> => {
  const [depth, bytes] = [Math.ceil(ROWS_PER_STEP / rows.length), Math.ceil(BYTES_PER_STEP / rows.length)]
  const member = (rid: SQL): SQL => sql`('$."' || ${rid} || '"')`
  const selectPrevious = (rid: SQL): SQL =>
    sql`coalesce(${event.before} ->> (${member(rid)} || '[1]'), ${event.after} ->> (${member(rid)} || '.last'))`
  return select(
    {
      rid: sql<string>`CAST(chain.rid AS TEXT)`,
      sequence: sql<number>`chain.sequence`,
      previous: sql<number | null>`chain.previous`,
      proc: sql<number>`chain.proc`,
    },
    sql`FROM (WITH RECURSIVE chain(rid, sequence, previous, proc, nth, bytes) AS (
        SELECT ${erasedProcess.process}, ${event.sequence}, ${selectPrevious(sql`${erasedProcess.process}`)}, ${event.proc}, 1, 0
          FROM ${erasedProcess} INDEXED BY erased_process_event CROSS JOIN ${event} ON ${event.team} = ${team}
            AND ${event.sequence} = ${erasedProcess.event}
          WHERE ${erasedProcess.team} = ${team} AND ${erasedProcess.erasure} = ${erasure} AND ${HAS_EVENT} AND ${erasedProcess.event} IN (${selectSequences(rows)})
        UNION ALL
        SELECT chain.rid, ${event.sequence}, ${selectPrevious(sql`chain.rid`)}, ${event.proc}, chain.nth + 1,
            chain.bytes + ${selectBytes(sql`event.`)}
          FROM chain CROSS JOIN ${event} ON ${event.team} = ${team} AND ${event.sequence} = chain.previous
          WHERE ${event.count} = 1 AND chain.nth < ${depth} AND chain.bytes + ${selectBytes(sql`event.`)} <= ${bytes}
        ) SELECT * FROM chain) chain`,
  )
}

/** Lets each process point to the event before its earliest one among these. */
const movePointers = ({ team, erasure }: ErasureKey, events: readonly LinkedEvent[]): Statement => {
  const earliest = new Map<string, LinkedEvent>()
  for (const each of events)
    if ((earliest.get(each.rid)?.sequence ?? Infinity) > each.sequence) earliest.set(each.rid, each)
  return setPointers(
    { team, erasure },
    [...earliest.values()].map(({ rid, previous }) => ({ rid: Number(rid), event: previous })),
  )
}

const setPointers = (
  { team, erasure }: ErasureKey,
  pointers: readonly { rid: number; event: number | null }[],
): Statement => {
  const moves = pointers.map(({ rid, event }) => [rid, event])
  return statement(sql`UPDATE ${erasedProcess} SET ${assignments(erasedProcess, { event: sql`move.value ->> '$[1]'` })}
    FROM json_each(${JSON.stringify(moves)}) move
    WHERE ${erasedProcess.team} = ${team} AND ${erasedProcess.erasure} = ${erasure} AND ${erasedProcess.process} = move.value ->> '$[0]'`)
}

/** The pairs of path and value in one call: a function of D1 takes 32 arguments. */
const PATHS_PER_CALL = 15

/** Sets some paths of a JSON to null if they are there. */
const replaceByNulls = (json: SQL, paths: readonly string[]): SQL => {
  let changed = json
  for (let at = 0; at < paths.length; at += PATHS_PER_CALL) {
    const pairs = paths.slice(at, at + PATHS_PER_CALL).map(path => sql`${path}, NULL`)
    changed = sql`jsonb_replace(${changed}, ${sql.join(pairs, sql`, `)})`
  }
  return changed
}

/**
 * Sets personal values in events of a procedure to null, before the change and after it. The names stay, so that the values
 * of other attributes stay in their places: a change from null to null is not shown.
 */
function eraseValues(team: number, procedure: Procedure, events: readonly LinkedEvent[]): Statement[] {
  const names = listPersonalNames(procedure)
  if (names.length === 0) return []
  const { primaryKey } = procedure
  const isKeyPersonal = primaryKey !== null && names.includes(primaryKey)
  const members: Record<string, Record<string, 1>> = {}
  for (const { sequence, rid } of events) members[sequence] = { ...members[sequence], [rid]: 1 }
  const listed = JSON.stringify(members)
  const isListed = sql`${listed} ->> ('$."' || ${event.sequence} || '"."' || member.key || '"') = 1`
  const after = replaceByNulls(sql`jsonb(member.value)`, [
    ...names.map(name => `$.set."${name}"`),
    ...(isKeyPersonal ? ['$.primaryKey'] : []),
  ])
  const before = sql`jsonb_replace(${replaceByNulls(sql`jsonb(member.value)`, isKeyPersonal ? ['$[4].primaryKey'] : [])},
    '$[5]', ${selectValuesWithout(JSON.stringify(names))})`
  const changed = (document: SQL, value: SQL): SQL =>
    sql`(SELECT jsonb_group_object(member.key, iif(${isListed}, ${value}, jsonb(member.value))) FROM json_each(${document}) member)`
  return [
    statement(
      sql`UPDATE ${event} SET ${assignments(event, {
        after: changed(sql`${event.after}`, after),
        before: sql`iif(${event.before} IS NULL, NULL, ${changed(sql`${event.before}`, before)})`,
      })} WHERE ${event.team} = ${team} AND ${event.proc} = ${procedure.no} AND ${event.type} = 'process.updated'
        AND ${event.sequence} IN (${selectSequences(events)})`,
    ),
  ]
}

/** Selects the values before a change without those of some attributes, in the order in which the change names them. */
const selectValuesWithout = (names: string): SQL => {
  const before = sql`(${event.before} -> ('$."' || member.key || '"'))`
  const after = sql`(${event.after} -> ('$."' || member.key || '"'))`
  const named = sql`SELECT row_number() OVER (ORDER BY part, place) AS nth, name FROM (
    SELECT 0 AS part, attribute.id AS place, attribute.key AS name FROM json_each(${after}, '$.set') attribute
    UNION ALL SELECT 1, attribute.id, attribute.value FROM json_each(${after}, '$.unset') attribute)`
  const values = sql`SELECT row_number() OVER (ORDER BY list.key, each.key) AS nth, ${before} -> each.fullkey AS value
    FROM json_each(${before}, '$[5]') list CROSS JOIN json_each(${before}, list.fullkey) each`
  return sql`(SELECT jsonb_array(json_group_array(
      json(iif(named.name IN (SELECT value FROM json_each(${names})), 'null', kept.value)) ORDER BY kept.nth))
    FROM (${values}) kept LEFT JOIN (${named}) named ON named.nth = kept.nth)`
}
