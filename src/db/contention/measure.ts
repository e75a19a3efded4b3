import { getNextLeastTripMs, getQueuedMs, isContended, type TripTimes } from './contention-rules.ts'

/** The time of the fastest trip that this isolate has made. */
let leastTripMs = Number.POSITIVE_INFINITY

interface MeasuredContention {
  /** The time of an average trip in the queue of the database. */
  queuedMs: number
  isContended: boolean
}

/** Measures how long these trips queued: the time that is neither the way there and back, nor the statements. */
export function measureContention(times: TripTimes, sentBytes = 0): MeasuredContention {
  leastTripMs = getNextLeastTripMs(leastTripMs, times)
  const queuedMs = getQueuedMs(times, leastTripMs, sentBytes)
  return { queuedMs, isContended: isContended(queuedMs, leastTripMs) }
}
