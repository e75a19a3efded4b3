import { type SQL, sql } from 'drizzle-orm'
import {
  type RecordAfter,
  type RecordBefore,
  readRecordBefore,
  type StoredRecordBefore,
} from '../../customer-record/append-events.ts'
import { record } from '../../customer-record/table.ts'
import { isDamaged } from '../../damaged-object.ts'
import { select } from '../../db/statement.ts'
import { StorageError } from '../../db/storage-error.ts'
import { AppError, invalid } from '../../errors.ts'
import { type ChainEnd, type ChainRow, prepareChain } from '../../event/chain.ts'
import { isEnd, readMovedChain } from '../../event/object/chain.ts'
import { type MovedLog, openMovedLog } from '../../event/object/open.ts'
import { toRowNo } from '../../ids.ts'
import { guardDefinition } from '../../procedure/definition-guard.ts'
import type { Procedure } from '../../procedure/model.ts'
import type { Scope } from '../../scope.ts'
import { type AttachedRecord, type ProcessRow, processRow, readProcessRow, recordRow } from '../row.ts'
import {
  type ProcessAfter,
  type ProcessBefore,
  readProcessBefore,
  type StoredProcessBefore,
} from '../rows/append-events.ts'
import { type Target, whereTarget } from '../rows/target.ts'
import { process, processTrash } from '../table.ts'
import { type ProcessEvent, type ProcessSnapshot, parseChainRow, type RecordEvent } from './snapshot.ts'

/** The scope of a reader of history: older parts of the log are in R2 objects. */
export interface HistoryScope extends Scope {
  moved: MovedLog
}

export const withMoved = ({ ARCHIVE }: Pick<Env, 'ARCHIVE'>, scope: Scope): HistoryScope => ({
  ...scope,
  moved: openMovedLog(ARCHIVE, scope),
})

const parseProcessEvent = (row: ChainRow): ProcessEvent =>
  parseChainRow<ProcessAfter, StoredProcessBefore, ProcessBefore>(row, readProcessBefore) as ProcessEvent
const parseRecordEvent = (row: ChainRow): RecordEvent =>
  parseChainRow<RecordAfter, StoredRecordBefore, RecordBefore>(row, readRecordBefore)

/** The events that each further trip reads: some ten milliseconds of the database. */
const EVENTS_PER_TRIP = 2_000
/** The trips of one request: a million small changes, or 500 MB of large ones. An invocation may run 1,000 statements. */
const TRIPS_MAX = 500
/** The R2 objects after which a request begins no further chain, each of which opens ten: some ten seconds. */
const OBJECTS_MAX = 200

const TOO_LONG = 'the process has changed too often, or too much, since then: ask for a later moment'

/** Decides whether the requested moment lies further back than one request may go. */
export const isTooLong = (error: unknown): boolean => error instanceof AppError && error.message === TOO_LONG

export const hasOpenedEnough = ({ moved }: HistoryScope): boolean => moved.opened >= OBJECTS_MAX

const selectLast = (last: SQL) =>
  sql`SELECT ${process.rid} AS rid, coalesce(${last}, ${process.lastEvent}) AS last FROM ${process}`
const whereInTrash = ({ rid, id, proc }: Record<'rid' | 'id' | 'proc', SQL | string | number>): SQL =>
  sql`FROM ${processTrash} WHERE ${processTrash.rid} = ${rid} AND ${processTrash.id} = ${id} AND +${processTrash.proc} = ${proc}`

/** `last`: where to go on; null: from its last event. */
const chainById = prepareChain<{ rid: number; id: string; proc: number; last: number | null }>(
  ['rid', 'id', 'proc', 'last'],
  ({ last, ...at }) => sql`${selectLast(last)} WHERE ${whereTarget(at)}
    UNION ALL SELECT ${processTrash.rid}, coalesce(${last}, ${processTrash.row} ->> '$.lastEvent') ${whereInTrash(at)}`,
)
const chainByKey = prepareChain<{ primaryKey: string; proc: number; last: number | null }>(
  ['primaryKey', 'proc', 'last'],
  ({ last, ...at }) => sql`${selectLast(last)} WHERE ${whereTarget(at)}`,
)
const chainOfRecord = prepareChain<{ record: number; last: number | null }>(
  ['record', 'last'],
  ({ record: rid, team, last }) =>
    sql`SELECT ${record.rid} AS rid, coalesce(${last}, ${record.lastEvent}) AS last FROM ${record} WHERE ${record.rid} = ${rid} AND +${record.team} = ${team}`,
)
/** Selects the chain that goes on from a row of the log. */
const chainFrom = prepareChain<{ rid: string; last: number }>(
  ['rid', 'last'],
  ({ rid, last }) => sql`SELECT ${rid} AS rid, ${last} AS last`,
)

/** A process as it is, or was deleted, and its newest events. */
export interface CurrentProcess {
  process: ProcessSnapshot
  /** Undefined: it is deleted. */
  live: ProcessRow | undefined
  deletedAt: number | null
  events: ProcessEvent[]
}

interface EventPageOptions extends ChainEnd {
  rowsMax: number
  sequences?: boolean
  /** The row of the log to begin at; else at its last event. */
  last?: number
}

/** Loads a process and its newest events in one trip. A deleted one is found by its id only. */
export async function loadCurrent(
  scope: HistoryScope,
  procedure: Procedure,
  target: Target,
  page: EventPageOptions,
): Promise<CurrentProcess | undefined> {
  const proc = procedure.no
  const which = whereTarget({ proc, ...target })
  const live = select(
    { row: processRow, deletedAt: sql<null>`NULL`, last: process.lastEvent },
    sql`FROM ${process} WHERE ${which}`,
  )
  const all = { team: scope.team.no, proc, last: null, ...page }
  if (!('rid' in target)) {
    // The definition names the attribute of the key.
    const [, rows, events] = await scope.db.read(guardDefinition(procedure), live, chainByKey({ ...all, ...target }))
    return toCurrent(scope, page, rows, events)
  }
  const [rows, trashed, events] = await scope.db.read(
    live,
    select(
      {
        row: sql<string>`json(${processTrash.row})`,
        deletedAt: processTrash.deletedAt,
        last: sql<number | null>`${processTrash.row} ->> '$.lastEvent'`,
      },
      whereInTrash({ proc, ...target }),
    ),
    chainById({ ...all, ...target }),
  )
  return toCurrent(scope, page, [...rows, ...trashed], events)
}

interface CurrentProcessRow {
  row: string
  deletedAt: number | null
  last: number | null
}

async function toCurrent(
  scope: HistoryScope,
  page: EventPageOptions,
  [found]: readonly CurrentProcessRow[],
  recent: readonly ChainRow[],
): Promise<CurrentProcess | undefined> {
  if (found === undefined) return undefined
  const read = readProcessRow(found.row)
  const { data, record: ofRecord, ...row } = read
  const events = await readOlder(scope, { rid: row.rid, last: found.last, ...page }, recent.map(parseProcessEvent))
  return {
    live: found.deletedAt === null ? read : undefined,
    process: {
      row,
      data: new Map(Object.entries(data)),
      record: ofRecord && toRowNo(ofRecord.id),
      isThere: found.deletedAt === null,
    },
    deletedAt: found.deletedAt,
    events: [...events.recent, ...events.older.map(parseProcessEvent)],
  }
}

/** Reads the events that fit the page from R2, if those of the database do not reach back to the first one. */
async function readOlder<Event extends ProcessEvent | RecordEvent>(
  { moved }: HistoryScope,
  { rid, last, rowsMax, sequences, ...end }: Omit<EventPageOptions, 'last'> & { rid: number; last: number | null },
  recent: Event[],
): Promise<{ recent: Event[]; older: ChainRow[] }> {
  const oldest = recent.at(-1)
  const from = oldest ? oldest.previousRow : last
  const isAtEnd = oldest && (oldest.isFull || isEnd(oldest, end))
  if (from === null || isAtEnd || recent.length >= rowsMax) return { recent, older: [] }
  const page = { rid, from, rowsMax: rowsMax - recent.length, sequences, ...end }
  try {
    return { recent, older: await readMovedChain(moved, page) }
  } catch (error) {
    // Returns the recent events, and says that more follow.
    if (!oldest || !(error instanceof StorageError || isDamaged(error))) throw error
    oldest.isFull = true
    return { recent, older: [] }
  }
}

interface LogWalk<Event> {
  rid: number
  events: readonly Event[]
}

/** Yields events, and then those before them, trip by trip. It ends with the first one that the log still has. */
async function* walk<Event extends ProcessEvent | RecordEvent>(
  scope: HistoryScope,
  { rid, events, read }: LogWalk<Event> & { read: (row: ChainRow) => Event },
): AsyncGenerator<Event, void> {
  let page = events
  for (let trips = 0; ; trips++) {
    yield* page
    const last = page.at(-1)?.previousRow ?? null
    if (last === null) return
    if (trips === TRIPS_MAX || hasOpenedEnough(scope)) throw invalid([{ message: TOO_LONG, path: '/query/asOf' }])
    const next = { rid: String(rid), last, team: scope.team.no, rowsMax: EVENTS_PER_TRIP }
    const [rows] = scope.moved.isKnown(last) ? [[]] : await scope.db.reconnect().read(chainFrom(next))
    const { recent, older } = await readOlder(scope, { ...next, rid }, rows.map(read))
    page = [...recent, ...older.map(read)]
  }
}

export const walkLog = (scope: HistoryScope, { process, events }: Pick<CurrentProcess, 'process' | 'events'>) =>
  walk(scope, { rid: process.row.rid, events, read: parseProcessEvent })

export const walkRecordLog = (scope: HistoryScope, walked: LogWalk<RecordEvent>) =>
  walk(scope, { ...walked, read: parseRecordEvent })

/** Loads a customer and its newest events; undefined if there is none any more. */
export async function loadCurrentRecord(
  scope: HistoryScope,
  rid: number,
  page: EventPageOptions,
): Promise<{ row: AttachedRecord; events: RecordEvent[] } | undefined> {
  const [[found], rows] = await scope.db.read(
    select(
      { row: sql<string>`json(${recordRow})`, last: record.lastEvent },
      sql`FROM ${record} WHERE ${record.rid} = ${rid} AND +${record.team} = ${scope.team.no}`,
    ),
    chainOfRecord({ record: rid, team: scope.team.no, last: null, ...page }),
  )
  if (!found) return undefined
  const { recent, older } = await readOlder(scope, { rid, last: found.last, ...page }, rows.map(parseRecordEvent))
  return { row: JSON.parse(found.row) as AttachedRecord, events: [...recent, ...older.map(parseRecordEvent)] }
}
