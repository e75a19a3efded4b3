import type { Outcome } from '../../background-job/entry.ts'
import { type PlannedChanges, toPreview } from '../../background-job/planned-changes.ts'
import { toData, toStoredName } from '../../db/document/json.ts'
import { type FieldChange, isChange } from '../../event/changes.ts'
import { toStatus } from '../fields.ts'
import type { Change } from '../rules.ts'
import type { ProjectedProcess, ProjectedRecord } from './store.ts'

/** Changes a process as its entry would, and returns the changes by the names and values of its history. */
export function changeProjected(
  process: ProjectedProcess,
  { set, unset, status, state, nextActionAt, assignedTo, primaryKey }: Change,
  record: { record: ProjectedRecord; rid: number | null } | undefined,
): FieldChange[] {
  const changes: FieldChange[] = []
  const note = (field: string, from: unknown, to: unknown) =>
    changes.push({ field, from: from ?? null, to: to ?? null })
  if (status !== undefined) {
    note('status', toStatus(process.status), toStatus(status))
    process.status = status
  }
  if (state !== undefined) {
    note('state', process.state, state)
    process.state = state
  }
  if (nextActionAt !== undefined) {
    note('nextActionAt', process.nextActionAt, nextActionAt)
    process.nextActionAt = nextActionAt
  }
  if (assignedTo !== undefined) {
    note('assignedTo', process.assignedTo, assignedTo)
    process.assignedTo = assignedTo
  }
  if (record) {
    note('record', process.record, record.record)
    process.record = record.record
    process.recordRid = record.rid
  }
  const data = { ...process.data }
  for (const [name, value] of Object.entries(set)) {
    note(`data.${name}`, data[toStoredName(name)], value)
    data[toStoredName(name)] = value
  }
  for (const name of unset) {
    note(`data.${name}`, data[toStoredName(name)], null)
    delete data[toStoredName(name)]
  }
  process.data = data
  if (primaryKey !== undefined) process.primaryKey = primaryKey
  process.version += 1
  process.isOwn = true
  return changes.filter(isChange)
}

/** Lists all values with which a process would be created. */
export const listNewValues = (process: ProjectedProcess): FieldChange[] =>
  [
    ['status', toStatus(process.status)],
    ['state', process.state],
    ['nextActionAt', process.nextActionAt],
    ['assignedTo', process.assignedTo],
    ['record', process.record],
    ...Object.entries(toData(process.data)).map(([name, value]) => [`data.${name}`, value]),
  ]
    .filter(([, to]) => to !== null)
    .map(([field, to]) => ({ field: field as string, from: null, to }))

export const DELETED: FieldChange = { field: 'isDeleted', from: false, to: true }
export const RESTORED: FieldChange = { field: 'isDeleted', from: true, to: false }

export const toPlannedChanges = ({ version, isOwn }: Pick<ProjectedProcess, 'version' | 'isOwn'>): PlannedChanges => ({
  version,
  ...(isOwn ? { isOwn } : {}),
})

export const withChanges = (outcome: Outcome, planned: PlannedChanges, changes: readonly FieldChange[]): Outcome =>
  outcome.status === 'SUCCESS'
    ? { status: 'SUCCESS', result: { ...outcome.result, ...toPreview(planned, changes) } }
    : outcome

/** Removes from an outcome the ids of processes that the job would create: no process has them. */
export function withoutNewIds(outcome: Outcome, ids: ReadonlySet<string>): Outcome {
  if (ids.size === 0) return outcome
  const { id, ...rest } = outcome.result
  const result = typeof id === 'string' && ids.has(id) ? rest : outcome.result
  if (!('errors' in result) || !Array.isArray(result.errors)) return { ...outcome, result } as Outcome
  const errors = (result.errors as Record<string, unknown>[]).map(({ processId, ...error }) =>
    typeof processId === 'string' && !ids.has(processId) ? { ...error, processId } : error,
  )
  return { ...outcome, result: { ...result, errors } } as Outcome
}
