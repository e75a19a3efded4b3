import { sql } from 'drizzle-orm'
import { record } from '../../customer-record/table.ts'
import { ridList } from '../../db/document/values-by-row.ts'
import { select } from '../../db/statement.ts'
import { notFound } from '../../errors.ts'
import type { Procedure } from '../../procedure/model.ts'
import { listRecordNos, type RecordIds } from '../rows/changes.ts'
import type { Target } from '../rows/target.ts'
import { type HistoryPosition, readPosition, writePosition } from './cursor.ts'
import { type HistoryStep, nextStep, positionBefore, type StepSource, type StepSources } from './history-steps.ts'
import {
  type CurrentProcess,
  type HistoryScope,
  hasOpenedEnough,
  isTooLong,
  loadCurrent,
  loadCurrentRecord,
  walkLog,
} from './read-log.ts'
import type { HistoryQuery, ProcessHistoryEntry } from './schema.ts'
import { type ProcessEvent, type ProcessSnapshot, type RecordEvent, undoChange } from './snapshot.ts'
import { listRecordEventChanges, viewStep } from './view.ts'

interface HistoryPage {
  entries: ProcessHistoryEntry[]
  next: string | null
  isComplete: boolean
}

/** Lists the changes of a process and of its customer, newest first. */
export async function listHistory(
  scope: HistoryScope,
  procedure: Procedure,
  target: Target,
  { cursor, limit }: HistoryQuery,
): Promise<HistoryPage> {
  const from = cursor === undefined ? undefined : readPosition(cursor)
  const rowsMax = limit + 1
  // If the process has no further event, its customer may have some: no event has row 0.
  const page = { rowsMax, sequences: true, ...(from && { last: from.next ?? 0 }) }
  const present = await loadCurrent(scope, procedure, target, page)
  if (!present) throw notFound(`process ${'rid' in target ? target.id : target.primaryKey}`)
  let position: HistoryPosition = from ?? toPosition(present)
  const recordEvents = await loadRecordEvents(scope, position, rowsMax)
  position.recordNext ??= recordEvents[0]?.row ?? 0
  const sources: StepSources = {
    changes: toSource(present.events, rowsMax),
    recordChanges: toSource(recordEvents, rowsMax),
  }
  const steps: HistoryStep[] = []
  let step = nextStep(sources, position)
  while (steps.length < limit && step !== undefined && step !== 'not read') {
    // An event of the customer may have changed nothing.
    if (step.of === 'process' || listRecordEventChanges(step.event).length > 0) steps.push(step)
    const before = positionBefore(position, step)
    const isOtherRecord = before.record !== position.record
    position = before
    if (isOtherRecord && before.record !== null && hasOpenedEnough(scope)) {
      // The next page begins with the events of this customer.
      step = 'not read'
      break
    }
    if (isOtherRecord) sources.recordChanges = toSource(await loadRecordEvents(scope, before, rowsMax), rowsMax)
    step = nextStep(sources, position)
  }
  const isCreated = steps.some(each => each.of === 'process' && each.event.type === 'process.created')
  const whole = from && isCreated ? await loadCurrent(scope, procedure, target, { rowsMax }) : present
  const created = isCreated && whole ? await walkToCreation(scope, whole) : undefined
  const records = await readRecordIds(scope, steps, created)
  return {
    entries: steps.map(each => viewStep(each, created, records)),
    next: step === undefined ? null : writePosition(position),
    isComplete: step !== undefined || position.version === 0,
  }
}

const toPosition = ({ process: { row, record }, events }: CurrentProcess): HistoryPosition => ({
  next: events[0]?.row ?? null,
  version: row.version,
  since: row.updatedAt,
  record,
  recordNext: null,
})

const toSource = <Event extends ProcessEvent | RecordEvent>(
  events: readonly Event[],
  rowsMax: number,
): StepSource<Event> => ({
  rest: [...events],
  isMore: events.length >= rowsMax || events.at(-1)?.isFull === true,
})

/** Reads the customer's events from the end of the last page on, from the change of customer, or from the present. */
async function loadRecordEvents(
  scope: HistoryScope,
  { record: rid, recordNext }: HistoryPosition,
  rowsMax: number,
): Promise<RecordEvent[]> {
  if (rid === null || recordNext === 0) return []
  const page = { rowsMax, sequences: true, ...(recordNext === null ? {} : { last: recordNext }) }
  return (await loadCurrentRecord(scope, rid, page))?.events ?? []
}

/**
 * Only the values are kept that a change has replaced: those of the creation are what is left when all are put back. After
 * more changes than one request may go back the creation is shown without its values.
 */
async function walkToCreation(scope: HistoryScope, present: CurrentProcess): Promise<ProcessSnapshot | undefined> {
  try {
    for await (const event of walkLog(scope, present)) {
      if (event.type === 'process.created') break
      undoChange(present.process, event)
    }
    return present.process
  } catch (error) {
    if (isTooLong(error)) return undefined
    throw error
  }
}

async function readRecordIds(
  scope: HistoryScope,
  steps: readonly HistoryStep[],
  created: ProcessSnapshot | undefined,
): Promise<RecordIds> {
  const named = steps.flatMap(({ of, event }) => (of === 'process' ? listRecordNos(event.after, event.before) : []))
  const rids = [...new Set([...named, ...(created?.record ? [created.record] : [])])]
  if (rids.length === 0) return new Map()
  const [rows] = await scope.db.read(
    select(
      { rid: record.rid, id: record.id },
      sql`FROM ${record} WHERE ${record.rid} IN ${ridList(rids)} AND +${record.team} = ${scope.team.no}`,
    ),
  )
  return new Map(rows.map(({ rid, id }) => [rid, id]))
}
