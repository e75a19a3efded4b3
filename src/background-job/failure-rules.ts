import type { ErrorCode } from '../errors.ts'
import type { Failure } from './entry.ts'
import type { EntryStatus } from './schema.ts'

/** The statuses of entries that failed. */
export const FAILED_STATUSES = ['ERROR', 'INVALID'] as const satisfies readonly EntryStatus[]
export type FailedStatus = (typeof FAILED_STATUSES)[number]

/** Why entries failed, whatever their values: the code and the place of the first fault. */
interface FailureReason {
  code: ErrorCode
  /** Where the fault is in the body of an item; null where it is about the whole. */
  path: string | null
  /** The provider's own code, where it refused a message. */
  providerCode: number | null
}

/** Positions in lists are no places of their own; a name below `data` may be a number, and is one. */
const withoutPositions = (path: string): string =>
  path
    .split('/')
    .map((part, nth, parts) => (/^\d+$/.test(part) && parts[nth - 1] !== 'data' ? '*' : part))
    .join('/')

export function getReason({ code, errors: [first] }: Failure): FailureReason {
  const providerCode: unknown = first && Reflect.get(first, 'providerCode')
  return {
    code,
    path: first?.path === undefined ? null : withoutPositions(first.path),
    providerCode: typeof providerCode === 'number' ? providerCode : null,
  }
}

/** The name of a group of failures: a retry is asked for by it. */
export function nameGroup(failure: Failure): string {
  const { code, path, providerCode } = getReason(failure)
  return [code, providerCode, path].filter(part => part !== null).join(':')
}

/** A failed entry, as a group shows some. */
interface FailureSample {
  index: number
  id: string
  primaryKey: string | null
  message: string
}

/** Entries that failed for the same reason. */
export interface FailureGroup extends FailureReason {
  group: string
  /** What the first of them says. */
  message: string
  hint: string | null
  count: number
  /** How many of them have which status. */
  statuses: Record<FailedStatus, number>
  entries: FailureSample[]
}

/** Each group holds some messages. A job where every entry names another attribute has as many groups as entries. */
const GROUPS_MAX = 500
const SAMPLES_MAX = 5

/** Groups failures, in bounded memory however many there are, and however they differ. */
export function groupFailures() {
  const groups = new Map<string, FailureGroup>()
  let grouped = 0
  let isComplete = true
  return {
    add(status: FailedStatus, failure: Failure, toSample: () => FailureSample): void {
      const name = nameGroup(failure)
      const group = groups.get(name) ?? newGroup(name, failure)
      if (group.count === 0 && groups.size === GROUPS_MAX) {
        isComplete = false
        return
      }
      groups.set(name, group)
      grouped += 1
      group.count += 1
      group.statuses[status] += 1
      if (group.entries.length < SAMPLES_MAX) group.entries.push(toSample())
    },
    /** The largest first; of groups of one size, the one that began first. */
    list: () => [...groups.values()].sort((one, other) => other.count - one.count),
    /** How many failures are in a group, and whether all that were added are. */
    result: () => ({ grouped, isComplete }),
  }
}

const newGroup = (group: string, failure: Failure): FailureGroup => ({
  group,
  ...getReason(failure),
  message: failure.message,
  hint: failure.errors[0]?.hint ?? null,
  count: 0,
  statuses: { ERROR: 0, INVALID: 0 },
  entries: [],
})
