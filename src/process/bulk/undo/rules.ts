import type { Entry } from '../../../background-job/entry.ts'
import type { SucceededEntry } from '../../../background-job/kind.ts'
import { AppError, type Fault } from '../../../errors.ts'
import type { Procedure } from '../../../procedure/model.ts'
import { checkStored } from '../../../procedure/values.ts'
import { findLostStateFaults } from '../../restore.ts'
import { CHANGED_FIELDS, type ProcessAfter, type ProcessBefore } from '../../rows/append-events.ts'
import { type Change, planChange } from '../../rules.ts'
import { formatChange, toChangeDetail } from '../last-change.ts'
import type { ChangeSearch, LoggedChange } from './change-search.ts'

/** An entry of an undo: which change of which process it takes back. */
export interface UndoPlan {
  /** Its place in the job. */
  entry: number
  rid: number
  id: string
  /** The job that is undone, and the entry of it. */
  job: string
  index: number
}

/** What taking a change back comes to. */
export type PlannedUndo = { what: 'delete' } | { what: 'restore' } | { what: 'update'; change: Change; faults: Fault[] }

export function planUndo(procedure: Procedure, change: LoggedChange): PlannedUndo {
  if (change.type === 'process.created' || change.type === 'process.restored') return { what: 'delete' }
  if (change.type === 'process.deleted') return { what: 'restore' }
  return { what: 'update', ...planValuesBefore(procedure, change) }
}

/** The names whose former values are kept, in their order. */
const namesIn = ({ set, unset }: Pick<ProcessAfter, 'set' | 'unset'>): string[] => [
  ...Object.keys(set ?? {}),
  ...(unset ?? []),
]

const NOTHING_BEFORE: Pick<ProcessBefore, 'completedAt' | 'fields' | 'values'> = {
  completedAt: 0,
  fields: {},
  values: [],
}

/**
 * The change that gives a process the values of before. Values have to fit the definition as it is by now; that one was
 * absent stands against nothing, since the process was there without it.
 */
function planValuesBefore(procedure: Procedure, { after, before }: LoggedChange): { change: Change; faults: Fault[] } {
  const { completedAt, fields, values } = before ?? NOTHING_BEFORE
  const [data, unset]: [Record<string, unknown>, string[]] = [{}, []]
  for (const [nth, name] of namesIn(after).entries()) {
    if (values[nth] === null || values[nth] === undefined) unset.push(name)
    else data[name] = values[nth]
  }
  const { change, faults } = planChange(procedure, { data }, checkStored)
  const stored = Object.fromEntries(
    CHANGED_FIELDS.filter(name => name !== 'primaryKey' && Object.hasOwn(fields, name)).map(name => [
      name,
      fields[name],
    ]),
  ) as Partial<Change>
  const keyless = procedure.primaryKey !== null && unset.includes(procedure.primaryKey) ? { primaryKey: null } : {}
  const lost = stored.state === undefined ? [] : findLostStateFaults(procedure, stored.state)
  return {
    change: { ...change, unset, ...stored, ...keyless, ...(stored.status === undefined ? {} : { completedAt }) },
    faults: [...lost, ...faults.map(({ message }) => ({ message }))],
  }
}

/** Whether a change is the one that the entry has made. */
export const isOfEntry = ({ by, after }: LoggedChange, { job, index }: UndoPlan): boolean =>
  by.job === job && after.entry === index

/**
 * Whether the change of the entry was taken back already, and not since made again: then the search has passed it, or one
 * of an earlier entry of its job, or has come to an earlier one.
 */
export const isUndoneAlready = ({ job, index }: UndoPlan, { passed, newest }: ChangeSearch): boolean => {
  const isBy = ({ by, after }: LoggedChange, isBefore: (entry: number) => boolean): boolean =>
    by.job === job && after.entry !== undefined && isBefore(after.entry)
  return (
    passed.some(each => isBy(each, entry => entry <= index)) ||
    (typeof newest === 'object' && isBy(newest, entry => entry < index))
  )
}

/** The error of an entry whose process is not as it left it. */
export function toChangedSince({ job }: UndoPlan, change: LoggedChange, hint: string | undefined): AppError {
  const { by, after } = change
  const ofJob = by.job === job ? 'the same job, which is not taken back' : `the background job ${by.job}`
  const message = `since then ${formatChange('the process', change, `entry ${after.entry ?? null} of ${ofJob}`)}`
  const detail = { ...toChangeDetail(change, after.entry) }
  return new AppError('changed_since', [{ message, hint, detail }])
}

/** An outcome that an erasure has emptied does not say any more which process it was. */
export function toUndo({ entry, result: { id }, job, index }: SucceededEntry): Entry {
  const { procedureId } = entry.apiData
  const apiData = {
    ...(procedureId === undefined ? {} : { procedureId }),
    ...(typeof id === 'string' ? { processId: id, undo: { backgroundJob: job, index } } : { isErased: true }),
  }
  return { apiType: 'PROCESS_UNDO', apiData }
}
