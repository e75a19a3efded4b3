import { SECOND_MS } from '../../time-units.ts'

/** How much of what the provider allows is used: the rest is for calls that arrive a little earlier or later than planned. */
const SHARE = 0.97
/** A message is let go no longer than this before it starts. */
const HORIZON_MS = 2_000
/** A customer takes one message in this time; some may be sent at once if the time is waited for afterwards. */
const PAIR_INTERVAL_MS = 6_000
const PAIR_BURST_MAX = 5
/** For how long a burst goes on at most: a little less than the provider allows. */
const PAIR_BURST_MS = 4_000

/** A leaky bucket for the throughput of a number, and the bursts to each customer that it writes to. */
export interface LimiterState {
  /** When the next message may start. */
  next: number
  /** Starts that were reserved and released. */
  unused: number[]
  /** The provider said that it is too much: nothing goes out before. */
  blockedUntil: number
  /** The burst of messages to each customer that is under way, or whose pause has not ended. */
  bursts: Map<string, { start: number; count: number }>
}

export const createLimiter = (): LimiterState => ({ next: 0, unused: [], blockedUntil: 0, bursts: new Map() })

export interface Reservation {
  now: number
  /** For each message how long it has to wait for its customer: 0 where it may go. */
  waits: number[]
  /** For each message that may go, when it starts, by the clock of `now`. */
  starts: number[]
  /** How long the others have to wait, for which the number itself has sent too much; 0 where there are none. */
  waitMs: number
}

/**
 * Reserves starts for messages to these customers, as far as the number's throughput and each customer's limit reach. None
 * starts within `leadMs`: they are claimed first.
 */
export function reserveStarts(
  state: LimiterState,
  phones: readonly string[],
  { perSecond, now, leadMs = 0 }: { perSecond: number; now: number; leadMs?: number },
): Reservation {
  const reserved: Reservation = { now, waits: [], starts: [], waitMs: 0 }
  if (now < state.blockedUntil) return { ...reserved, waitMs: state.blockedUntil - now }
  const interval = SECOND_MS / (perSecond * SHARE)
  const earliest = now + leadMs
  state.next = Math.max(state.next, earliest)
  state.unused = state.unused.filter(start => start >= earliest)
  for (const [phone, { start, count }] of state.bursts)
    if (now >= start + count * PAIR_INTERVAL_MS) state.bursts.delete(phone)
  for (const phone of phones) {
    const [unused] = state.unused
    const start = unused ?? state.next
    if (start > now + HORIZON_MS) return { ...reserved, waitMs: Math.ceil(start - now - HORIZON_MS) }
    const burst = state.bursts.get(phone)
    if (burst && (burst.count >= PAIR_BURST_MAX || start >= burst.start + PAIR_BURST_MS)) {
      reserved.waits.push(burst.start + burst.count * PAIR_INTERVAL_MS - now)
      reserved.starts.push(0)
      continue
    }
    if (unused === undefined) state.next += interval
    else state.unused.shift()
    state.bursts.set(phone, burst ? { ...burst, count: burst.count + 1 } : { start, count: 1 })
    reserved.waits.push(0)
    reserved.starts.push(start)
  }
  return reserved
}

/** A message that no job has sent takes the next start, too. */
export function countMessage(state: LimiterState, perSecond: number, now: number): void {
  state.next = Math.max(state.next, now) + SECOND_MS / (perSecond * SHARE)
}

/** Takes back what was reserved for messages to these customers, and not used. */
export function releaseStarts(state: LimiterState, phones: readonly string[], starts: readonly number[]): void {
  state.unused = [...state.unused, ...starts].sort((one, other) => one - other)
  for (const phone of phones) {
    const burst = state.bursts.get(phone)
    if (burst && burst.count > 1) state.bursts.set(phone, { ...burst, count: burst.count - 1 })
    else state.bursts.delete(phone)
  }
}
