import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../time-units.ts'

type Order = 'any' | 'strict'

const LATER_MS = [5 * MINUTE_MS, 30 * MINUTE_MS, ...[2, 5, 10, 14, 20, 24].map(hours => hours * HOUR_MS)]
/**
 * How long after a failed attempt the next one is made: after the first, the second, … In strict order everything else
 * waits meanwhile, so the first ones follow each other soon.
 */
const RETRY_AFTER_MS: Record<Order, readonly number[]> = {
  any: [5 * SECOND_MS, ...LATER_MS],
  strict: [1 * SECOND_MS, 5 * SECOND_MS, 15 * SECOND_MS, MINUTE_MS, ...LATER_MS],
}
/** The attempts of an event in order `any`. */
const ATTEMPTS_MAX = RETRY_AFTER_MS.any.length + 1
/** A wait is longer by up to this share, so that events that failed together do not come back together. */
const JITTER_SHARE_MAX = 0.1
/** An event is not given up before this time, however often it was tried. */
const EVENT_AGE_MS_MIN = 75 * HOUR_MS
/** A receiver's `Retry-After` beyond this is a mistake of something in between. */
const HOLD_MS_MAX = HOUR_MS
/** An endpoint is disabled after this time without a single success. */
export const FAILING_MS_MAX = 5 * 24 * HOUR_MS
/** An endpoint is disabled after this many attempts at least: the first ones after a quiet time are not enough. */
const ATTEMPTS_BEFORE_DISABLING_MIN = 3
/** If a receiver answers again after this time, all that waits for it is sent at once. */
const OUTAGE_MS_MIN = MINUTE_MS
/** The events that may wait beside the position. Beyond that, later ones wait in the log. */
export const WAITING_EVENTS_MAX = 1_000

/** The requests at a time. An invocation has six connections; one of them is for the database. */
export const CONNECTIONS_MAX = 5

/**
 * Returns the number of requests at a time after one more result. A receiver that fails more often than not comes down to one,
 * which is as much as it takes; one that fails now and then keeps almost all.
 */
export const countConnections = (connections: number, isDelivered: boolean): number =>
  Math.min(CONNECTIONS_MAX, Math.max(1, connections + (isDelivered ? 1 : -1)))

/** An event that failed and is tried again, in the order of `sequence`: how often it was tried, since when, and when next. */
export interface WaitingEvent {
  sequence: number
  attempts: number
  firstAt: number
  nextAt: number
}

/** The same as it is stored, of up to a thousand events in one column. */
type StoredWaitingEvent = [sequence: number, attempts: number, firstAt: number, nextAt: number]

export const readWaiting = (text: string): WaitingEvent[] =>
  (JSON.parse(text) as StoredWaitingEvent[]).map(([sequence, attempts, firstAt, nextAt]) => ({
    sequence,
    attempts,
    firstAt,
    nextAt,
  }))

export const writeWaiting = (waiting: readonly WaitingEvent[]): string =>
  JSON.stringify(
    waiting.map(({ sequence, attempts, firstAt, nextAt }): StoredWaitingEvent => [sequence, attempts, firstAt, nextAt]),
  )

/** One attempt to deliver an event, as it is kept and shown. */
export interface DeliveryAttempt {
  /** The event's id. */
  event: string
  sequence: number
  type: string
  /** The number of the attempt, from 1. */
  attempt: number
  at: number
  ms: number
  /** The status; null if there was no response, and `error` says why. */
  status: number | null
  error?: string
  /** The start of the response's body. */
  response?: string
  /** The time of the next attempt; absent if this one succeeded, or the event was given up. */
  nextAt?: number
}

/** The state of deliveries, by which the next attempts are chosen. */
export interface DeliveryState {
  waiting: readonly WaitingEvent[]
  heldUntil: number | null
  failingSince: number | null
}

export interface AttemptResult extends Pick<DeliveryAttempt, 'sequence' | 'at' | 'status'> {
  /** The pause that the receiver asked for. */
  retryAfterMs: number | null
}

export type DisabledReason = 'gone' | 'failing'

interface AfterAttempt {
  state: DeliveryState
  attempt: number
  nextAt: number | null
  disabled: DisabledReason | null
}

export const isDelivered = (status: number | null): boolean => status !== null && status >= 200 && status < 300

const GONE = 410

/** Applies the result of one attempt. `random` is from 0 to 1. */
export function applyAttempt(state: DeliveryState, result: AttemptResult, order: Order, random: number): AfterAttempt {
  const { sequence, at, status } = result
  const { attempts, firstAt } = state.waiting.find(each => each.sequence === sequence) ?? { attempts: 0, firstAt: at }
  const others = state.waiting.filter(each => each.sequence !== sequence)
  const attempt = attempts + 1
  if (isDelivered(status)) return { state: afterSuccess(state, others, at), attempt, nextAt: null, disabled: null }
  const failingSince = state.failingSince ?? at
  const holdMs = getHoldMs(result)
  const heldUntil = holdMs === null ? state.heldUntil : Math.max(state.heldUntil ?? 0, at + holdMs)
  const isGivenUp = order === 'any' && attempt >= ATTEMPTS_MAX && at - firstAt >= EVENT_AGE_MS_MIN
  const nextAt = isGivenUp ? null : at + Math.max(retryMs(order, attempt, random), holdMs ?? 0)
  const waiting = nextAt === null ? others : bySequence([...others, { sequence, attempts: attempt, firstAt, nextAt }])
  return {
    state: { waiting, heldUntil, failingSince },
    attempt,
    nextAt,
    disabled: getDisabledReason(status, attempt, at - failingSince),
  }
}

/** Keeps the later pause: of requests at the same time, one that succeeds does not end a pause that another response asked for. */
function afterSuccess(state: DeliveryState, others: WaitingEvent[], at: number): DeliveryState {
  const { failingSince, heldUntil } = state
  const wasOut = failingSince !== null && at - failingSince >= OUTAGE_MS_MIN
  const waiting = wasOut ? others.map(each => ({ ...each, nextAt: Math.min(each.nextAt, at) })) : others
  return { waiting, heldUntil: heldUntil !== null && heldUntil > at ? heldUntil : null, failingSince: null }
}

const retryMs = (order: Order, attempt: number, random: number): number =>
  Math.round(
    (RETRY_AFTER_MS[order][attempt - 1] ?? RETRY_AFTER_MS[order].at(-1) ?? 0) * (1 + JITTER_SHARE_MAX * random),
  )

/** Returns the end of a pause. Only a receiver that asks for one delays other events than the failed one. */
const getHoldMs = ({ retryAfterMs }: AttemptResult): number | null =>
  retryAfterMs === null ? null : Math.min(retryAfterMs, HOLD_MS_MAX)

function getDisabledReason(status: number | null, attempt: number, failingMs: number): DisabledReason | null {
  if (status === GONE) return 'gone'
  return attempt >= ATTEMPTS_BEFORE_DISABLING_MIN && failingMs >= FAILING_MS_MAX ? 'failing' : null
}

export const bySequence = (waiting: readonly WaitingEvent[]): WaitingEvent[] =>
  waiting.toSorted((a, b) => a.sequence - b.sequence)

/** Parses the header Retry-After: seconds, or a date. Null if it can't be followed. */
export function readRetryAfter(header: string | null, now: number): number | null {
  const text = header?.trim() ?? ''
  if (/^\d+$/.test(text)) return Number(text) * SECOND_MS
  const date = /[a-z]/i.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(date) ? null : Math.max(0, date - now)
}

/** Decides whether a replay named the event, and it was not tried since. All else that waits has failed at least once. */
export const isUntried = ({ attempts }: WaitingEvent): boolean => attempts === 0

/** Lists the waiting events that may be sent now. In strict order that is the first one, or none. */
export function dueEvents({ waiting }: DeliveryState, order: Order, now: number): WaitingEvent[] {
  const candidates = order === 'strict' ? waiting.slice(0, 1) : waiting
  return candidates.filter(({ nextAt }) => nextAt <= now)
}

/** Counts the events that may be sent for the first time: each of them might have to wait. */
export const countFree = ({ waiting }: DeliveryState, order: Order): number =>
  order === 'strict' && waiting.length > 0 ? 0 : Math.max(0, WAITING_EVENTS_MAX - waiting.length)

/** Returns the time at which there is something to do without a new event; null if there is none. */
export function nextDueAt({ waiting, heldUntil }: DeliveryState, order: Order, now: number): number | null {
  const times = (order === 'strict' ? waiting.slice(0, 1) : waiting).map(({ nextAt }) => nextAt)
  const held = heldUntil !== null && heldUntil > now ? heldUntil : null
  if (times.length === 0) return held
  return Math.max(Math.min(...times), held ?? 0)
}
