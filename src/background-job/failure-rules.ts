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

/** The name of a group of failures: a retry is asked for by it. What became of a process meanwhile is told apart. */
export function nameGroup(failure: Failure): string {
  const { code, path, providerCode } = getReason(failure)
  const event: unknown = failure.errors[0] && Reflect.get(failure.errors[0], 'event')
  return [code, providerCode, path, typeof event === 'string' ? event : null].filter(part => part !== null).join(':')
}

/** A failed entry, as a group shows some. */
interface FailureSample {
  index: number
  id: string
  primaryKey: string | null
  /** Its line, where it came in a table or in lines of JSON. */
  line: number | null
  message: string
}

/** Entries that failed for the same reason. */
export interface FailureGroup extends FailureReason {
  group: string
  /** What all of them say of their first fault: words in which they differ are left out. */
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
  const groups = new Map<string, Omit<FailureGroup, 'message'> & { said: string; common: string[] }>()
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
      const { message, hint } = getFirstFault(failure)
      if (message !== group.said) group.common = keepCommon(group.common, splitWords(message))
      if (hint !== group.hint) group.hint = null
      grouped += 1
      group.count += 1
      group.statuses[status] += 1
      if (group.entries.length < SAMPLES_MAX) group.entries.push(toSample())
    },
    /** The largest first; of groups of one size, the one that began first. */
    list: (): FailureGroup[] =>
      [...groups.values()]
        .sort((one, other) => other.count - one.count)
        .map(({ said, common, ...group }) => ({ ...group, message: describeGroup(said, common, group.hint) })),
    /** How many failures are in a group, and whether all that were added are. */
    result: () => ({ grouped, isComplete }),
  }
}

const getFirstFault = ({ message, errors: [first] }: Failure): { message: string; hint: string | null } => ({
  message: first?.message ?? message,
  hint: first?.hint ?? null,
})

function newGroup(group: string, failure: Failure) {
  const { message, hint } = getFirstFault(failure)
  return {
    group,
    ...getReason(failure),
    said: message,
    common: splitWords(message),
    hint,
    count: 0,
    statuses: { ERROR: 0, INVALID: 0 },
    entries: [],
  }
}

/** A quoted value is one word, whatever is in it: half of it says nothing. */
const WORD = /(?:"(?:[^"\\]|\\.)*"|\S)+/g
const splitWords = (message: string): string[] => message.match(WORD) ?? []

const LEFT_OUT = '…'
/** A message says something of all entries where they have at least one in so many of its words in common. */
const COMMON_PARTS = 3

/** The words of both: place by place, or, where one has more of them, those at the beginning and at the end. */
function keepCommon(one: readonly string[], other: readonly string[]): string[] {
  if (one.length === other.length) return one.map((word, nth) => (word === other[nth] ? word : LEFT_OUT))
  const shorter = Math.min(one.length, other.length)
  let [begin, end] = [0, 0]
  while (begin < shorter && one[begin] === other[begin]) begin++
  while (end < shorter - begin && one.at(-1 - end) === other.at(-1 - end)) end++
  return [...one.slice(0, begin), LEFT_OUT, ...one.slice(one.length - end)]
}

/** Where messages have little in common, what the first says is an example. */
function describeGroup(said: string, common: readonly string[], hint: string | null): string {
  const kept = common.filter(word => word !== LEFT_OUT).length
  if (COMMON_PARTS * kept < splitWords(said).length) return `for example: ${said}`
  const words = common.filter((word, nth) => word !== LEFT_OUT || common[nth - 1] !== LEFT_OUT).join(' ')
  return hint === null ? words : `${words} (${hint})`
}
