/** Of what the provider allows: the rest is for calls that arrive a little earlier or later than they were meant to. */
const SHARE = 0.97
/** A message is granted no longer than this before it starts. */
const HORIZON_MS = 2_000
/** A customer takes one message in this time; some may be sent at once if the time is waited for afterwards. */
const PAIR_INTERVAL_MS = 6_000
const PAIR_BURST_MAX = 5
/** For how long a burst goes on at most: a little less than the provider allows. */
const PAIR_BURST_MS = 4_000
const SECOND_MS = 1000

/** What one of our numbers has sent lately, and is about to. */
export interface PaceState {
  /** When the next message may start. */
  next: number
  /** Starts that were granted and given back. */
  unused: number[]
  /** The provider said that it is too much: nothing goes out before. */
  heldUntil: number
  /** By customer: the burst that is under way, or still to be waited for. */
  bursts: Map<string, { start: number; count: number }>
}

export const newPace = (): PaceState => ({ next: 0, unused: [], heldUntil: 0, bursts: new Map() })

export interface Granted {
  now: number
  /** For each message how long it has to wait for its customer: 0 where it may go. */
  waits: number[]
  /** For each message that may go, when it starts, by the clock of `now`. */
  starts: number[]
  /** How long the others have to wait, for which the number itself has sent too much; 0 where there are none. */
  waitMs: number
}

/**
 * Lets messages to these customers go, as far as the number's throughput and each customer's limit reach. None starts
 * within `leadMs`: they are claimed first.
 */
export function take(pace: PaceState, phones: readonly string[], perSecond: number, now: number, leadMs = 0): Granted {
  const granted: Granted = { now, waits: [], starts: [], waitMs: 0 }
  if (now < pace.heldUntil) return { ...granted, waitMs: pace.heldUntil - now }
  const interval = SECOND_MS / (perSecond * SHARE)
  const earliest = now + leadMs
  pace.next = Math.max(pace.next, earliest)
  pace.unused = pace.unused.filter(start => start >= earliest)
  for (const [phone, { start, count }] of pace.bursts)
    if (now >= start + count * PAIR_INTERVAL_MS) pace.bursts.delete(phone)
  for (const phone of phones) {
    const [unused] = pace.unused
    const start = unused ?? pace.next
    if (start > now + HORIZON_MS) return { ...granted, waitMs: Math.ceil(start - now - HORIZON_MS) }
    const burst = pace.bursts.get(phone)
    if (burst && (burst.count >= PAIR_BURST_MAX || start >= burst.start + PAIR_BURST_MS)) {
      granted.waits.push(burst.start + burst.count * PAIR_INTERVAL_MS - now)
      granted.starts.push(0)
      continue
    }
    if (unused === undefined) pace.next += interval
    else pace.unused.shift()
    pace.bursts.set(phone, burst ? { ...burst, count: burst.count + 1 } : { start, count: 1 })
    granted.waits.push(0)
    granted.starts.push(start)
  }
  return granted
}

/** A message that no job has sent: it takes the next place, too. */
export function count(pace: PaceState, perSecond: number, now: number): void {
  pace.next = Math.max(pace.next, now) + SECOND_MS / (perSecond * SHARE)
}

/** Takes back what was granted for messages to these customers, and not used. */
export function giveBack(pace: PaceState, phones: readonly string[], starts: readonly number[]): void {
  pace.unused = [...pace.unused, ...starts].sort((one, other) => one - other)
  for (const phone of phones) {
    const burst = pace.bursts.get(phone)
    if (burst && burst.count > 1) pace.bursts.set(phone, { ...burst, count: burst.count - 1 })
    else pace.bursts.delete(phone)
  }
}
