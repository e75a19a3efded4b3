import { type SQL, sql } from 'drizzle-orm'
import * as z from 'zod'
import { fromSurvivors, NAMED_ID } from '../customer-record/survivor.ts'
import { record } from '../customer-record/table.ts'
import { ridList } from '../db/document/values-by-row.ts'
import { select } from '../db/statement.ts'
import { FieldChange } from '../event/changes.ts'
import { declareEvents, listEventKeys, type Referent } from '../event/noun-events.ts'
import type { StoredEvent } from '../event/stored-event.ts'
import { Time } from '../http/shapes.ts'
import { toRowNo } from '../ids.ts'
import { procedure } from '../procedure/table.ts'
import type { Scope } from '../scope.ts'
import {
  type AttachedRecord,
  joinedBytes,
  joinedRow,
  type ProcessRow,
  recordRow,
  type TrashedProcess,
  WITH_RECORD,
} from './row.ts'
import {
  type ProcessAfter,
  type ProcessBefore,
  readProcessBefore,
  type StoredProcessBefore,
} from './rows/append-events.ts'
import { getVersionAfter, listFieldChanges, listRecordNos, type RecordIds } from './rows/changes.ts'
import type { ProcessOwner } from './rows/members.ts'
import { Process } from './schema.ts'
import { process, processTrash } from './table.ts'
import { viewProcess } from './view.ts'

const ProcessEventData = z
  .object({
    process: Process.nullable().describe(
      'The process as it is when the event is read, which may be later than the event; null if it is gone for good.',
    ),
    version: z.int().describe('The version of the process after the event.'),
    changes: z.array(FieldChange).describe('What the event changed. What kept its value is left out.'),
    forced: z
      .literal(true)
      .exactOptional()
      .describe('The change went against the allowed moves, by a revert with `force`. Absent otherwise.'),
  })
  .meta({ id: 'ProcessEventData', description: 'The process, and what changed.' })

const DueEventData = z
  .object({
    ...ProcessEventData.shape,
    nextActionAt: Time.describe(
      'The time that has come, in epoch milliseconds. The process may have another one by now.',
    ),
  })
  .describe('The process, and the time that has come. `changes` is empty.')

const PROCESS_EVENT_DATA = {
  'process.created': ProcessEventData,
  'process.updated': ProcessEventData,
  'process.deleted': ProcessEventData,
  'process.restored': ProcessEventData,
  'process.next_action_due': DueEventData,
}
export type ProcessEventType = keyof typeof PROCESS_EVENT_DATA

interface FeedProcessEvent extends StoredEvent {
  type: ProcessEventType
  after: ProcessAfter
  before: ProcessBefore | undefined
}

const readProcessEvent = (event: StoredEvent): FeedProcessEvent => ({
  ...event,
  type: event.type as ProcessEventType,
  after: event.after as ProcessAfter,
  before: event.before === undefined ? undefined : readProcessBefore(event.before as StoredProcessBefore),
})

/** The process as it is when the event is read, also if it was deleted meanwhile, and what the event changed (appended by `rows/append-events.ts`). */
export const processEvents = declareEvents({
  data: PROCESS_EVENT_DATA,
  async show(scope, stored, bytesMax) {
    const events = stored.map(readProcessEvent)
    const { processes, records } = await readReferred(scope, events, bytesMax)
    return new Map(
      events.map(event => {
        const { bytes, shown } = processes.get(Number(event.key)) ?? { bytes: 0, shown: null }
        return [event.sequence, { bytes, shown: shown === 'not read' ? shown : viewEventData(event, shown, records) }]
      }),
    )
  },
})

function viewEventData(event: FeedProcessEvent, process: Process | null, records: RecordIds) {
  const { after, before } = event
  const data = {
    process,
    version: getVersionAfter(event),
    changes: before ? listFieldChanges(after, before, records) : [],
    ...(after.forced ? { forced: true as const } : {}),
  }
  return event.type === 'process.next_action_due' ? { ...data, nextActionAt: after.nextActionAt } : data
}

type Reader = Pick<Scope, 'db' | 'team'>

interface ProcessResult {
  rid: number
  proc: number
  bytes: number
  /** Null: it is too long. */
  row: string | null
  isDeleted: number
}

interface AttachedRecordResult {
  bytes: number
  row: AttachedRecord | null
}

/**
 * Reads the processes of events as they are now, but for those longer than `bytesMax`: of these it says how long they are. In
 * one round trip, and two more where processes were deleted. The customers that changes name are read by their ids.
 */
async function readReferred(
  scope: Reader,
  events: readonly FeedProcessEvent[],
  bytesMax: number,
): Promise<{ processes: ReadonlyMap<number, Referent<Process>>; records: RecordIds }> {
  const processes = listEventKeys(events)
  const records = [...new Set(events.flatMap(({ after, before }) => listRecordNos(after, before)))]
  const procedures = [...new Set(events.flatMap(({ proc }) => proc ?? []))]
  const [owners, found, named] = await scope.db.read(
    selectOwners(scope, procedures),
    selectLive(scope, processes, bytesMax),
    select({ rid: record.rid, id: record.id }, sql`FROM ${record} WHERE ${whereAmongEvents(scope, record, records)}`),
  )
  const others = await readMissing(scope, { wanted: processes, found, bytesMax })
  const ownerByNo = new Map(owners.map(({ no, ...of }) => [no, { team: scope.team, procedure: of }]))
  const recordsOfTrashed = await readRecordsOfTrashed(scope, others, bytesMax)
  const shown = [...found, ...others].flatMap(row => {
    const owner = ownerByNo.get(row.proc)
    return owner ? [[row.rid, viewFound(owner, row, recordsOfTrashed)] as const] : []
  })
  return { processes: new Map(shown), records: new Map(named.map(({ rid, id }) => [rid, id])) }
}

const selectLive = (scope: Reader, rids: readonly number[], bytesMax: number) =>
  select(
    {
      rid: process.rid,
      proc: process.proc,
      bytes: joinedBytes,
      row: sql<string | null>`iif(${joinedBytes} <= ${bytesMax}, ${joinedRow}, NULL)`,
      isDeleted: sql<number>`0`,
    },
    sql`FROM ${process} ${WITH_RECORD} WHERE ${whereAmongEvents(scope, process, rids)}`,
  )

interface MissingRows {
  wanted: readonly number[]
  found: readonly ProcessResult[]
  bytesMax: number
}

/** Looking into the trash for all of them would read as many rows again. One may have been restored since it was missed. */
async function readMissing(scope: Reader, { wanted, found, bytesMax }: MissingRows): Promise<ProcessResult[]> {
  const known = new Set(found.map(({ rid }) => rid))
  const missing = wanted.filter(rid => !known.has(rid))
  if (missing.length === 0) return []
  const bytes = sql<number>`length(${processTrash.row})`
  const row = sql<string | null>`iif(${bytes} <= ${bytesMax}, json(${processTrash.row}), NULL)`
  const [live, trashed] = await scope.db.read(
    selectLive(scope, missing, bytesMax),
    select(
      { rid: processTrash.rid, proc: processTrash.proc, bytes, row, isDeleted: sql<number>`1` },
      sql`FROM ${processTrash} WHERE ${whereAmongEvents(scope, processTrash, missing)}`,
    ),
  )
  return [...live, ...trashed]
}

const whereAmongEvents = (
  { team }: Reader,
  table: typeof process | typeof processTrash | typeof record,
  rids: readonly number[],
): SQL => sql`${table.rid} IN ${ridList(rids)} AND +${table.team} = ${team.no}`

const selectOwners = ({ team }: Reader, procedures: readonly number[]) =>
  select(
    { no: procedure.no, id: procedure.id, shortId: procedure.shortId },
    sql`FROM ${procedure} WHERE ${procedure.no} IN ${ridList(procedures)} AND +${procedure.team} = ${team.no}`,
  )

/** The trash keeps only the id of a record, which may have been erased meanwhile, or merged into another. */
async function readRecordsOfTrashed(
  scope: Reader,
  trashed: readonly ProcessResult[],
  bytesMax: number,
): Promise<Map<string, AttachedRecordResult>> {
  const rids = trashed.flatMap(({ row, isDeleted }) => {
    if (isDeleted === 0 || row === null) return []
    const { record: kept } = JSON.parse(row) as TrashedProcess
    return kept ? [toRowNo(kept.id)] : []
  })
  if (rids.length === 0) return new Map()
  const bytes = sql<number>`length(${record.data})`
  const row = sql<string | null>`iif(${bytes} <= ${bytesMax}, json(${recordRow}), NULL)`
  const [rows] = await scope.db.read(select({ id: NAMED_ID, bytes, row }, fromSurvivors(scope, ridList(rids))))
  return new Map(
    rows.map(({ id, ...found }) => [
      id,
      found.row === null
        ? { bytes: found.bytes, row: null }
        : { bytes: found.row.length, row: JSON.parse(found.row) as AttachedRecord },
    ]),
  )
}

function viewFound(
  owner: ProcessOwner,
  { row, bytes, isDeleted }: ProcessResult,
  records: ReadonlyMap<string, AttachedRecordResult>,
): Referent<Process> {
  if (row === null) return { bytes, shown: 'not read' }
  // A text that is there says how long it is; its bytes in the database are fewer as a rule.
  if (isDeleted === 0) return { bytes: row.length, shown: viewProcess(owner, JSON.parse(row) as ProcessRow) }
  const trashed = JSON.parse(row) as TrashedProcess
  const kept = trashed.record && records.get(trashed.record.id)
  const both = row.length + (kept?.bytes ?? 0)
  if (kept?.row === null) return { bytes: both, shown: 'not read' }
  return { bytes: both, shown: viewProcess(owner, { ...trashed, record: kept?.row ?? null }, true) }
}
