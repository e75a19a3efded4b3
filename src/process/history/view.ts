import { listRecordChanges } from '../../customer-record/append-events.ts'
import { toData } from '../../db/document/json.ts'
import { viewAuthor } from '../../event/author.ts'
import type { FieldChange } from '../../event/changes.ts'
import { toStatus } from '../fields.ts'
import { listFieldChanges, type RecordIds } from '../rows/changes.ts'
import type { HistoryStep } from './history-steps.ts'
import { HISTORY_TYPES, type ProcessHistoryEntry } from './schema.ts'
import type { ProcessSnapshot, RecordEvent } from './snapshot.ts'

/** `created`: the process as it was created, where the step is its creation. */
export function viewStep(
  step: HistoryStep,
  created: ProcessSnapshot | undefined,
  records: RecordIds,
): ProcessHistoryEntry {
  const { at, by, after, sequence } = step.event
  return {
    version: step.version,
    type: toType(step),
    at,
    by: viewAuthor(by, after.entry),
    changes: changesIn(step, created, records),
    ...(step.of !== 'record' && step.event.after.forced && { forced: true }),
    sequence: sequence ?? 0,
  }
}

const toType = (step: HistoryStep): ProcessHistoryEntry['type'] =>
  step.of === 'record' ? 'record.updated' : (HISTORY_TYPES.find(type => type === step.event.type) ?? 'process.updated')

function changesIn(step: HistoryStep, created: ProcessSnapshot | undefined, records: RecordIds): FieldChange[] {
  if (step.of === 'record') return listRecordEventChanges(step.event)
  const { type, after, before } = step.event
  if (type === 'process.created') return created ? listValues(created, records) : []
  // The primary key follows from an attribute, which is listed.
  return before ? listFieldChanges(after, before, records).filter(({ field }) => field !== 'primaryKey') : []
}

/** Lists the changes of a customer, which are shown beside those of the process. */
export const listRecordEventChanges = ({ after, before }: RecordEvent): FieldChange[] =>
  before === undefined
    ? []
    : listRecordChanges(after, before).map(({ field, ...values }) => ({
        field: field.replace('data.', 'record.'),
        ...values,
      }))

/** Lists the values that a process was created with. */
function listValues({ row, record, data }: ProcessSnapshot, records: RecordIds): FieldChange[] {
  const values: Record<string, unknown> = {
    status: toStatus(row.status),
    state: row.state,
    nextActionAt: row.nextActionAt,
    assignedTo: row.assignedTo,
    record: record === null ? null : (records.get(record) ?? null),
  }
  const ofData = Object.entries(toData(Object.fromEntries(data))).map(
    ([name, value]) => [`data.${name}`, value] as const,
  )
  return [...Object.entries(values), ...ofData]
    .filter(([, to]) => to !== null)
    .map(([field, to]) => ({ field, from: null, to }))
}
