import { describe, expect, it } from 'vitest'
import {
  areOthersWaiting,
  type ContentionByTeam,
  getNextLeastTripMs,
  getQueuedMs,
  isContended,
  noteContention,
  subtractTimes,
} from '../../src/db/contention/contention-rules.ts'

const trip = (ms: number, ownMs: number, trips = 1) => ({ trips, ms, ownMs })

describe('the wait for the database', () => {
  it('is the time of a trip beyond the way and its statements', () => {
    expect(getQueuedMs(trip(95, 75), 20)).toBe(0)
    expect(getQueuedMs(trip(195, 75), 20)).toBe(100)
    expect(getQueuedMs(trip(290, 150, 2), 20)).toBe(50)
    expect(getQueuedMs(trip(5, 0), 20)).toBe(0)
    expect(getQueuedMs(trip(0, 0, 0), 20)).toBe(0)
  })

  it('counts from ten milliseconds on, and from half of the way where that is long', () => {
    expect([isContended(9.9, 5), isContended(10, 5), isContended(49, 100), isContended(50, 100)]).toEqual([
      false,
      true,
      false,
      true,
    ])
  })

  it('is measured against the shortest trip, which is forgotten slowly', () => {
    expect(getNextLeastTripMs(Number.POSITIVE_INFINITY, trip(95, 75))).toBe(20)
    expect(getNextLeastTripMs(20, trip(500, 75))).toBeCloseTo(20.04)
    expect(getNextLeastTripMs(20, trip(10, 2))).toBe(8)
    expect(getNextLeastTripMs(20, trip(1, 2))).toBe(0)
    expect(getNextLeastTripMs(20, trip(0, 0, 0))).toBe(20)
  })

  it('is reported for five seconds, to everybody but the team itself', () => {
    const contention: ContentionByTeam = new Map()
    noteContention(contention, 7, 1_000)
    expect([
      areOthersWaiting(contention, 7, 1_000),
      areOthersWaiting(contention, 8, 1_000),
      areOthersWaiting(contention, null, 1_000),
    ]).toEqual([false, true, true])
    expect([areOthersWaiting(contention, 8, 5_999), areOthersWaiting(contention, 8, 6_000)]).toEqual([true, false])
    noteContention(contention, 8, 6_000)
    expect([...contention.keys()]).toEqual([8])
  })

  it('counts a step of a job by itself', () => {
    expect(subtractTimes(trip(100, 30, 2), trip(160, 50, 3))).toEqual(trip(60, 20, 1))
  })
})
