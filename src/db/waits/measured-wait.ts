import { isWait, nextLeastTripMs, queuedMsOf, type TripTimes } from './wait-rules.ts'

/** Of all trips that this isolate has made. */
let leastTripMs = Number.POSITIVE_INFINITY

export interface MeasuredWait {
  /** Of each trip, on average. */
  queuedMs: number
  isWait: boolean
}

/** How long these trips waited for others: what is left besides the way there and back, and the statements. */
export function measureWait(times: TripTimes, sentBytes = 0): MeasuredWait {
  leastTripMs = nextLeastTripMs(leastTripMs, times)
  const queuedMs = queuedMsOf(times, leastTripMs, sentBytes)
  return { queuedMs, isWait: isWait(queuedMs, leastTripMs) }
}
