import { countUtf8Bytes } from '../bytes.ts'
import { AppError } from '../errors.ts'
import type { FieldChange } from '../event/changes.ts'
import type { Entry, Failure } from './entry.ts'

/**
 * What a successful entry of a dry run relied on. The job that applies it compares: an entry that finds something else is
 * not run.
 */
export interface PlannedChanges {
  /** The version of the process; null: it was not there. */
  version: number | null
  /** The id of the process, if it was there before the job: another one may have its primary key by then. */
  process?: string
  /** An earlier entry of the same job has changed the process last. */
  isOwn?: true
  /** A digest of recipient and text. */
  message?: string
}

/** Whether it can be the process that the dry run saw: an entry may name one by a primary key. */
export const isPlannedOne = (id: string, { process = id }: PlannedChanges): boolean => id === process

/** What an entry of a dry run would change, as its result tells it. */
export interface PreviewResult {
  /** The process, if it is there already. */
  id?: string
  planned: PlannedChanges
  changes: FieldChange[]
  /** The number of further changes, which do not fit the result. */
  more?: number
}

/** The plan of an entry, where its job applies a dry run: what it relied on, or how it failed. */
type PlannedEntry = PlannedChanges | { failed: Failure }

const getPlan = ({ planned }: Entry['apiData']): PlannedEntry | undefined => planned as PlannedEntry | undefined

export function getPlanned(apiData: Entry['apiData']): PlannedChanges | undefined {
  const plan = getPlan(apiData)
  return plan && !('failed' in plan) ? plan : undefined
}

export function getPlannedFailure(apiData: Entry['apiData']): Failure | undefined {
  const plan = getPlan(apiData)
  return plan && 'failed' in plan ? plan.failed : undefined
}

export const withPlan = (apiData: Entry['apiData'], planned: PlannedEntry): Entry['apiData'] => ({
  ...apiData,
  planned,
})

/** A retry runs what had failed in the dry run; what the others relied on still holds for them. */
export function withoutPlannedFailure(apiData: Entry['apiData']): Entry['apiData'] {
  if (!getPlannedFailure(apiData)) return apiData
  const { planned: _, ...rest } = apiData
  return rest
}

/** `said` is what has happened, and `change` the same for programs, where the last change is known. */
export const changedSinceError = (said: string, change?: object): AppError =>
  new AppError('changed_since', [
    {
      message: `since the dry run ${said}`,
      hint: 'make another dry run, and look at what it would change now',
      ...(change ? { detail: { ...change } } : {}),
    },
  ])

/** The changes of one entry as they are stored: a job may have a million. */
const CHANGES_BYTES_MAX = 4_000

/** What there is room for; a change that is too large is left out, and those after it are not. */
export function fitChanges(
  changes: readonly FieldChange[],
  bytesMax: number,
): { listed: FieldChange[]; more: number; left: number } {
  let left = bytesMax
  const listed = changes.filter(change => {
    const bytes = countUtf8Bytes(JSON.stringify(change))
    if (bytes > left) return false
    left -= bytes
    return true
  })
  return { listed, more: changes.length - listed.length, left }
}

export function toPreview(planned: PlannedChanges, changes: readonly FieldChange[]): PreviewResult {
  const { listed, more } = fitChanges(changes, CHANGES_BYTES_MAX)
  return { planned, changes: listed, ...(more > 0 ? { more } : {}) }
}
