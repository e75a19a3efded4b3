/** What may go out at once where nothing has for a while: what the calls in flight may add to it stays small. */
const BURST_SECONDS = 0.2
/** A customer takes one message in this time; some may be sent at once if the time is waited for afterwards. */
const PAIR_INTERVAL_MS = 6_000
const PAIR_BURST_MAX = 5
/** For how long a burst goes on at most: a little less than the provider allows. */
const PAIR_BURST_MS = 4_000
const SECOND_MS = 1000

/** What one of our numbers has sent lately. */
export interface PaceState {
  tokens: number
  /** As many tokens as there may be at once. */
  capacity: number
  at: number
  /** The provider said that it is too much: nothing goes out before. */
  heldUntil: number
  /** By customer: the burst that is under way, or still to be waited for. */
  bursts: Map<string, { start: number; count: number }>
}

export const newPace = (): PaceState => ({
  tokens: Number.POSITIVE_INFINITY,
  capacity: 1,
  at: 0,
  heldUntil: 0,
  bursts: new Map(),
})

export interface Granted {
  /** For each message how long it has to wait for its customer: 0 where it may go now. */
  waits: number[]
  /** How long the others have to wait, for which the number itself has sent too much; 0 where there are none. */
  waitMs: number
}

/** Lets messages to these customers go, as far as the number's throughput and each customer's limit reach. */
export function take(pace: PaceState, phones: readonly string[], perSecond: number, now: number): Granted {
  if (now < pace.heldUntil) return { waits: [], waitMs: pace.heldUntil - now }
  pace.capacity = Math.max(1, perSecond * BURST_SECONDS)
  pace.tokens = Math.min(pace.capacity, pace.tokens + ((now - pace.at) / SECOND_MS) * perSecond)
  pace.at = now
  for (const [phone, { start, count }] of pace.bursts)
    if (now >= start + count * PAIR_INTERVAL_MS) pace.bursts.delete(phone)
  const waits: number[] = []
  for (const phone of phones) {
    if (pace.tokens < 1) return { waits, waitMs: Math.ceil(((1 - pace.tokens) / perSecond) * SECOND_MS) }
    const burst = pace.bursts.get(phone)
    if (burst && (burst.count >= PAIR_BURST_MAX || now >= burst.start + PAIR_BURST_MS))
      waits.push(burst.start + burst.count * PAIR_INTERVAL_MS - now)
    else {
      pace.tokens -= 1
      pace.bursts.set(phone, burst ? { ...burst, count: burst.count + 1 } : { start: now, count: 1 })
      waits.push(0)
    }
  }
  return { waits, waitMs: 0 }
}

/** Takes back what was granted for messages to these customers, and not used. */
export function giveBack(pace: PaceState, phones: readonly string[]): void {
  pace.tokens = Math.min(pace.capacity, pace.tokens + phones.length)
  for (const phone of phones) {
    const burst = pace.bursts.get(phone)
    if (burst && burst.count > 1) pace.bursts.set(phone, { ...burst, count: burst.count - 1 })
    else pace.bursts.delete(phone)
  }
}
