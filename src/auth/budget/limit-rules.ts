import type { BudgetAnswer, BudgetLimits } from './budget-rules.ts'

/** A running call, and the database time that it is expected to take. */
export interface RunningCall {
  at: number
  route: string
  expectedMs: number
  reservedMs: number
}

interface QueuedCall {
  askedAt: number
}

/** The load of a team on one isolate: its concurrency limit, the calls that run, and those that queue. */
export interface TeamLoad {
  /** The database time since the last report, and the reserved part of it. */
  ms: number
  reservedMs: number
  reporting: boolean
  /** The time until which the team is over its budget, as far as this isolate knows. */
  overUntil: number
  /** The time until which calls reserve their time before they start. */
  strictUntil: number
  running: RunningCall[]
  /** The calls that queue, in the order of their arrival. */
  waiting: QueuedCall[]
  /** The time at which contention of the team was last reported. */
  reportedContentionAt: number
  /** The concurrency limit: the expected database time of all running calls together. */
  limitMs: number
  /** Whether its calls have waited in the queue of the database. From then on its limit grows slowly. */
  wasContended: boolean
  expectedMs: Map<string, number>
}

/**
 * The limit begins low, as a share of the burst, and grows while the database has time for more. The minimum is left to a
 * team whose calls wait for the database all the time.
 */
const LIMIT_FIRST_SHARE = 0.03
const LIMIT_SHARE_MIN = 0.02
/** The minimum is higher if no other team calls: so much keeps the database busy, and more would wait for it. */
const LIMIT_ALONE_SHARE_MIN = 0.1
const LIMIT_SHARE_MAX = 5
const LIMIT_GROWTH_MS = 0.2
/** The expected time of a call that this team has not made yet: one that reads, and one that changes or searches. */
const GET_MS_EXPECTED = 2
const CALL_MS_EXPECTED = 6
/** The weight of the last call in the expectation of the next one, if it took less than expected. */
const LAST_CALL_WEIGHT = 0.2
const ROUTES_MAX = 200

export const createLoad = ({ burstMs }: BudgetLimits): TeamLoad => ({
  ms: 0,
  reservedMs: 0,
  reporting: false,
  overUntil: 0,
  strictUntil: 0,
  running: [],
  waiting: [],
  reportedContentionAt: 0,
  limitMs: LIMIT_FIRST_SHARE * burstMs,
  wasContended: false,
  expectedMs: new Map(),
})

export const getExpectedMs = ({ expectedMs }: TeamLoad, route: string): number =>
  expectedMs.get(route) ?? (route.startsWith('GET ') ? GET_MS_EXPECTED : CALL_MS_EXPECTED)

/** A call whose client has gone never ends, so it does not count after this time. */
const CALL_MS_MAX = 20_000

/**
 * Light calls reserve nothing, and wait for none that takes more than this. While the team is over its budget (`overUntil`),
 * they are refused as all others: nothing else bounds many of them over all isolates.
 */
const LIGHT_CALL_MS_MAX = 2

const isLight = (expectedMs: number): boolean => expectedMs <= LIGHT_CALL_MS_MAX

/** Starts a call if the team stays within its limit with it. One call may always run. */
export function acquire(load: TeamLoad, route: string, now: number): RunningCall | undefined {
  const expectedMs = getExpectedMs(load, route)
  load.running = load.running.filter(({ at }) => at > now - CALL_MS_MAX)
  const beside = load.running.filter(each => isLight(each.expectedMs) === isLight(expectedMs))
  const takenMs = beside.reduce((sum, each) => sum + each.expectedMs, 0)
  if (beside.length > 0 && takenMs + expectedMs > load.limitMs) return undefined
  const call = { at: now, route, expectedMs, reservedMs: 0 }
  load.running.push(call)
  return call
}

/** A queued call that has not polled for this long is gone. */
const ASKS_WITHIN_MS = 1_000

/** The first calls in the queue may start in any order: each polls now and then, and none is to hold up the others. */
export const FIRST_IN_LINE = 10

interface CallRequest {
  route: string
  waiting?: QueuedCall
}

/** Tells whether a call may start: it is one of the first in the queue, or light. */
export function isFirstInLine(load: TeamLoad, { route, waiting }: CallRequest, now: number): boolean {
  load.waiting = load.waiting.filter(({ askedAt }) => askedAt > now - ASKS_WITHIN_MS)
  if (load.waiting.length === 0 || isLight(getExpectedMs(load, route))) return true
  return waiting !== undefined && load.waiting.slice(0, FIRST_IN_LINE).includes(waiting)
}

/** Removes a call that was refused after all. */
export function abandonCall(load: TeamLoad, call: RunningCall): void {
  load.running = load.running.filter(each => each !== call)
}

export interface CallResult {
  ms: number
  /** Whether the call had to wait in the queue of the database. */
  isContended: boolean
  /** Whether no other team has called this isolate recently. */
  isOnlyCaller: boolean
}

/**
 * Ends a call and adapts the limit, as TCP adapts its window: it grows while calls do not wait in the queue of the
 * database, and is halved as soon as they do. So a team can use all that others leave, and its calls queue here instead of
 * before theirs.
 */
export function releaseCall(
  load: TeamLoad,
  call: RunningCall,
  { ms, isContended, isOnlyCaller }: CallResult,
  { burstMs }: BudgetLimits,
): void {
  abandonCall(load, call)
  load.ms += ms
  load.reservedMs += call.reservedMs
  if (load.expectedMs.size >= ROUTES_MAX) load.expectedMs.clear()
  const known = load.expectedMs.get(call.route) ?? ms
  load.expectedMs.set(call.route, Math.max(ms, known + LAST_CALL_WEIGHT * (ms - known)))
  if (isContended) {
    load.wasContended = true
    load.limitMs = Math.max((isOnlyCaller ? LIMIT_ALONE_SHARE_MIN : LIMIT_SHARE_MIN) * burstMs, load.limitMs / 2)
  } else if (load.waiting.length > 0)
    load.limitMs = Math.min(
      LIMIT_SHARE_MAX * burstMs,
      load.limitMs + (isOnlyCaller && !load.wasContended ? ms : LIMIT_GROWTH_MS),
    )
}

/** A team that uses less than this in an isolate costs no call of its Durable Object. */
const REPORTED_MS_MIN = 50
/** Isolates ask again after this time: by then others may have stopped using the database. */
const REMEMBERED_MS_MAX = 2_000

export const mustReport = ({ ms, strictUntil, reporting }: TeamLoad, now: number): boolean =>
  !reporting && ms > 0 && (now < strictUntil || ms >= REPORTED_MS_MIN)

export function applyAnswer(load: TeamLoad, { overMs, strictMs }: BudgetAnswer, now: number): void {
  load.overUntil = now + Math.min(overMs, REMEMBERED_MS_MAX)
  load.strictUntil = now + strictMs
}

export const mustReserve = (load: TeamLoad, { expectedMs }: RunningCall, now: number): boolean =>
  now < load.strictUntil && !isLight(expectedMs)
