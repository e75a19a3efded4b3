import type { BudgetAnswer, BudgetLimits } from './budget-rules.ts'

/** A call that is being answered, and what it may be expected to take of the database's time. */
export interface BegunCall {
  at: number
  route: string
  expectedMs: number
  reservedMs: number
}

export interface WaitingCall {
  askedAt: number
}

/** What one isolate knows of a team. */
export interface TeamUse {
  /** Used since the last report, and what of it was reserved. */
  ms: number
  reservedMs: number
  reporting: boolean
  /** Until when the team is over its budget, as far as is known here. */
  overUntil: number
  /** Until when calls ask before they start. */
  strictUntil: number
  begun: BegunCall[]
  /** Calls that wait for room, in the order of their arrival. */
  waiting: WaitingCall[]
  /** When it was last told that its calls waited for the database. */
  notedAt: number
  /** How much the calls that are being answered may be expected to take of the database. */
  roomMs: number
  /** Whether its calls have waited in the queue of the database: from then on its room grows slowly. */
  hasWaited: boolean
  expectedMs: Map<string, number>
}

/**
 * What the calls of a team in one isolate may take at once, as long as it is not known that the database has time for
 * more: parts of a burst. The least is what remains where its calls wait for the database all the time.
 */
const ROOM_FIRST_SHARE = 0.03
const ROOM_SHARE_MIN = 0.02
/** The same where no other team calls: so much keeps the database busy, and more would wait for it. */
const ROOM_ALONE_SHARE_MIN = 0.1
const ROOM_SHARE_MAX = 5
const ROOM_GROWTH_MS = 0.2
/** Of a call that this team has not made yet: one that reads, and one that changes or searches. */
const GET_MS_EXPECTED = 2
const CALL_MS_EXPECTED = 6
/** How much the last call says about the next one, if it took less than expected. */
const LAST_CALL_WEIGHT = 0.2
const ROUTES_MAX = 200

export const newUse = ({ burstMs }: BudgetLimits): TeamUse => ({
  ...{ ms: 0, reservedMs: 0, reporting: false, overUntil: 0, strictUntil: 0 },
  ...{
    begun: [],
    waiting: [],
    notedAt: 0,
    roomMs: ROOM_FIRST_SHARE * burstMs,
    hasWaited: false,
    expectedMs: new Map(),
  },
})

export const expectedMsOf = ({ expectedMs }: TeamUse, route: string): number =>
  expectedMs.get(route) ?? (route.startsWith('GET ') ? GET_MS_EXPECTED : CALL_MS_EXPECTED)

/** A call whose client has gone never ends: after this time it does not count. */
const CALL_MS_MAX = 20_000

/** Calls that take less need not ask before they start, whatever the team has used before, and wait for none that takes more. */
const LIGHT_CALL_MS_MAX = 2

const isLight = (expectedMs: number): boolean => expectedMs <= LIGHT_CALL_MS_MAX

/** Begins one more call beside those that are, if there is room. For one there always is. */
export function takeRoom(use: TeamUse, route: string, now: number): BegunCall | undefined {
  const expectedMs = expectedMsOf(use, route)
  use.begun = use.begun.filter(({ at }) => at > now - CALL_MS_MAX)
  const beside = use.begun.filter(each => isLight(each.expectedMs) === isLight(expectedMs))
  const takenMs = beside.reduce((sum, each) => sum + each.expectedMs, 0)
  if (beside.length > 0 && takenMs + expectedMs > use.roomMs) return undefined
  const call = { at: now, route, expectedMs, reservedMs: 0 }
  use.begun.push(call)
  return call
}

/** A call that waits has gone if it has not asked for so long. */
const ASKS_WITHIN_MS = 1_000

/** So many may begin before those that came before them: each asks now and then, and room is not to wait for one of them. */
export const NEXT_CALLS = 10

interface Asking {
  route: string
  waiting?: WaitingCall
}

/** Whether it is the turn of a call: it is one of the first that wait, or light. */
export function isNext(use: TeamUse, { route, waiting }: Asking, now: number): boolean {
  use.waiting = use.waiting.filter(({ askedAt }) => askedAt > now - ASKS_WITHIN_MS)
  if (use.waiting.length === 0 || isLight(expectedMsOf(use, route))) return true
  return waiting !== undefined && use.waiting.slice(0, NEXT_CALLS).includes(waiting)
}

/** Of a call that was refused. */
export function leaveRoom(use: TeamUse, call: BegunCall): void {
  use.begun = use.begun.filter(each => each !== call)
}

export interface EndedCall {
  ms: number
  /** It had to wait in the queue of the database. */
  isWait: boolean
  /** No other team has called this isolate of late. */
  isAlone: boolean
}

/**
 * A call has used so much. While calls do not wait in the queue of the database there may be more of them at once, and
 * fewer as soon as they do: so a team can use all that others leave, and its calls wait here and not before theirs.
 */
export function endCall(
  use: TeamUse,
  call: BegunCall,
  { ms, isWait, isAlone }: EndedCall,
  { burstMs }: BudgetLimits,
): void {
  leaveRoom(use, call)
  use.ms += ms
  use.reservedMs += call.reservedMs
  if (use.expectedMs.size >= ROUTES_MAX) use.expectedMs.clear()
  const known = use.expectedMs.get(call.route) ?? ms
  use.expectedMs.set(call.route, Math.max(ms, known + LAST_CALL_WEIGHT * (ms - known)))
  if (isWait) {
    use.hasWaited = true
    use.roomMs = Math.max((isAlone ? ROOM_ALONE_SHARE_MIN : ROOM_SHARE_MIN) * burstMs, use.roomMs / 2)
  } else if (use.waiting.length > 0)
    use.roomMs = Math.min(ROOM_SHARE_MAX * burstMs, use.roomMs + (isAlone && !use.hasWaited ? ms : ROOM_GROWTH_MS))
}

/** A team that uses less than this in an isolate costs no call of its object. */
const REPORTED_MS_MIN = 50
/** Isolates ask again after so long: by then others may have stopped using the database. */
const REMEMBERED_MS_MAX = 2_000

export const mustReport = ({ ms, strictUntil, reporting }: TeamUse, now: number): boolean =>
  !reporting && ms > 0 && (now < strictUntil || ms >= REPORTED_MS_MIN)

export function takeAnswer(use: TeamUse, { overMs, strictMs }: BudgetAnswer, now: number): void {
  use.overUntil = now + Math.min(overMs, REMEMBERED_MS_MAX)
  use.strictUntil = now + strictMs
}

export const mustReserve = (use: TeamUse, { expectedMs }: BegunCall, now: number): boolean =>
  now < use.strictUntil && !isLight(expectedMs)
