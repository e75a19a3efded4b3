import type { ErrorCode } from '../errors.ts'
import { splitRefused } from '../refusal-text.ts'
import type { Failure } from './entry.ts'
import type { EntryStatus } from './schema.ts'

/** The statuses of entries that failed. */
export const FAILED_STATUSES = ['ERROR', 'INVALID'] as const satisfies readonly EntryStatus[]
export type FailedStatus = (typeof FAILED_STATUSES)[number]

/** The statuses of entries that a retry takes: of those that failed, and of those that a cancelled job has not run. */
export const RETRIED_STATUSES = [...FAILED_STATUSES, 'CANCELLED'] as const satisfies readonly EntryStatus[]
export type RetriedStatus = (typeof RETRIED_STATUSES)[number]

/** The entries that a retry asks for. */
export interface RetryFilter {
  group?: string | undefined
  statuses?: readonly RetriedStatus[] | undefined
}

/** The statuses that they have: of a group, all that failed. */
export const listAskedStatuses = ({ group, statuses }: RetryFilter): readonly RetriedStatus[] =>
  statuses ?? (group === undefined ? ['ERROR'] : FAILED_STATUSES)

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

/** What is said of some failed entries. */
interface FailureSaying {
  /** What all of them say of their first fault: words in which they differ are left out. */
  message: string
  hint: string | null
  count: number
  entries: FailureSample[]
}

/** Entries that failed at the same place, with the same code. */
export interface FailureGroup extends FailureReason, FailureSaying {
  group: string
  /** How many of them have which status. */
  statuses: Record<FailedStatus, number>
  /** The different things that are wrong there, the most frequent first. */
  reasons: FailureSaying[]
}

/** Each group holds some messages. A job where every entry names another attribute has as many groups as entries. */
const GROUPS_MAX = 500
const SAMPLES_MAX = 5
/** So many reasons of a group are told apart, and of all groups together so many beside the first of each. */
const REASONS_PER_GROUP_MAX = 10
const FURTHER_REASONS_MAX = 500
const REASON_SAMPLES_MAX = 3

/** Groups failures, in bounded memory however many there are, and however they differ. */
export function groupFailures() {
  const groups = new Map<string, GroupOfFailures>()
  let [grouped, further] = [0, 0]
  let isComplete = true
  /** The reason of a group that a fault counts to; beyond the bounds it is the last one. */
  function findReason({ reasons }: GroupOfFailures, fault: FirstFault): Reason {
    const sentence = getSentence(fault.message)
    const known = reasons.find(each => each.sentence === sentence && (sentence !== null || saysSame(each, fault)))
    if (known) return known
    const last = reasons.at(-1)
    if (last && (reasons.length >= REASONS_PER_GROUP_MAX || further >= FURTHER_REASONS_MAX)) return last
    if (last) further += 1
    const reason = { ...beginSaying(fault), sentence }
    reasons.push(reason)
    return reason
  }
  return {
    add(status: FailedStatus, failure: Failure, toSample: () => FailureSample): void {
      const name = nameGroup(failure)
      const group = groups.get(name) ?? newGroup(failure)
      if (group.all.count === 0 && groups.size === GROUPS_MAX) {
        isComplete = false
        return
      }
      groups.set(name, group)
      const fault = getFirstFault(failure)
      addSaid(group.all, fault, SAMPLES_MAX, toSample)
      addSaid(findReason(group, fault), fault, REASON_SAMPLES_MAX, toSample)
      grouped += 1
      group.statuses[status] += 1
    },
    /** The largest first; of groups of one size, the one that began first. */
    list: (): FailureGroup[] =>
      [...groups]
        .map(([group, { reason, statuses, all, reasons }]) => ({
          group,
          ...reason,
          ...describeSaying(all),
          statuses,
          reasons: reasons.map(({ sentence: _, ...reason }) => describeSaying(reason)).sort(bySize),
        }))
        .sort(bySize),
    /** How many failures are in a group, and whether all that were added are. */
    result: () => ({ grouped, isComplete }),
  }
}

const bySize = (one: FailureSaying, other: FailureSaying): number => other.count - one.count

interface FirstFault {
  message: string
  hint: string | null
}

const getFirstFault = ({ message, errors: [first] }: Failure): FirstFault => ({
  message: first?.message ?? message,
  hint: first?.hint ?? null,
})

/** Two sentences about what is refused are two reasons. Messages about something else are one as long as they say something in common. */
const getSentence = (message: string): string | null => splitRefused(message)?.sentence ?? null

const saysSame = ({ said, common }: Saying, { message }: FirstFault): boolean =>
  message === said || saysSomething(said, keepCommon(common, splitWords(message)))

/** What was said so far: the first message, and the words that all of them have. */
interface Saying extends Omit<FailureSaying, 'message'> {
  said: string
  common: string[]
}

interface GroupOfFailures extends Pick<FailureGroup, 'statuses'> {
  reason: FailureReason
  all: Saying
  reasons: Reason[]
}

/** With the sentence of its messages, where they are about what is refused. */
type Reason = Saying & { sentence: string | null }

const newGroup = (failure: Failure): GroupOfFailures => ({
  reason: getReason(failure),
  all: beginSaying(getFirstFault(failure)),
  statuses: { ERROR: 0, INVALID: 0 },
  reasons: [],
})

const beginSaying = ({ message, hint }: FirstFault): Saying => ({
  said: message,
  common: splitWords(message),
  hint,
  count: 0,
  entries: [],
})

function addSaid(
  saying: Saying,
  { message, hint }: FirstFault,
  samplesMax: number,
  toSample: () => FailureSample,
): void {
  if (message !== saying.said) saying.common = keepCommon(saying.common, splitWords(message))
  if (hint !== saying.hint) saying.hint = null
  saying.count += 1
  if (saying.entries.length < samplesMax) saying.entries.push(toSample())
}

const describeSaying = ({ said, common, hint, ...saying }: Saying): FailureSaying => ({
  message: describeGroup(said, common, hint),
  hint,
  ...saying,
})

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

const saysSomething = (said: string, common: readonly string[]): boolean =>
  COMMON_PARTS * common.filter(word => word !== LEFT_OUT).length >= splitWords(said).length

/** Where messages have little in common, what the first says is an example. */
function describeGroup(said: string, common: readonly string[], hint: string | null): string {
  if (!saysSomething(said, common)) return `for example: ${said}`
  const words = common.filter((word, nth) => word !== LEFT_OUT || common[nth - 1] !== LEFT_OUT).join(' ')
  return hint === null ? words : `${words} (${hint})`
}
