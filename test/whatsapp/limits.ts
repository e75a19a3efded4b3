import type { LIMITS } from './defaults.ts'
import { type Refusal, refusal } from './errors.ts'

const SECOND_MS = 1_000
/** A burst to one user has to be over within this time. */
const BURST_MS = 6_000

export type Limits = typeof LIMITS

/**
 * The recent messages of a phone number: times of the last second, and for each user the burst that is still owed for.
 */
export interface Recent {
  times: number[]
  bursts: Map<string, { start: number; count: number }>
}

export const nothingSent = (): Recent => ({ times: [], bursts: new Map() })

/** Counts a message of `now` in, or says why it is one too many. */
export function admit(recent: Recent, to: string, now: number, limits: Limits): Refusal | null {
  recent.times = recent.times.filter(time => time > now - SECOND_MS)
  if (recent.times.length >= limits.throughputPerSecond)
    return refusal(130429, 'Message failed to send because there were too many messages sent from this phone number')

  // A burst is borrowed from the future: each message of it costs one interval, and the next burst waits for the sum.
  const burst = recent.bursts.get(to)
  const paid = !burst || now >= burst.start + burst.count * limits.pairIntervalMs
  if (burst && !paid && (now >= burst.start + BURST_MS || burst.count >= limits.pairBurst))
    return refusal(131056, 'Too many messages sent from the sender phone number to the same recipient phone number')

  recent.times.push(now)
  if (paid) recent.bursts.set(to, { start: now, count: 1 })
  else burst.count += 1
  return null
}
