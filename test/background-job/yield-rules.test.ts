import { describe, expect, it } from 'vitest'
import { nextLeastTripMs, nextStepEntries, timesBetween, yieldMs } from '../../src/background-job/run/yield-rules.ts'

const trip = (ms: number, ownMs: number, trips = 1) => ({ trips, ms, ownMs })

describe('a runner', () => {
  it('goes on at once while nobody is in its way', () => {
    expect(yieldMs(trip(95, 75), 20)).toBe(0)
    expect(yieldMs(trip(190, 150, 2), 20)).toBe(0)
    expect(yieldMs(trip(39, 0), 20)).toBe(0)
  })

  it('waits twice as long as its statements waited for others, and at most a second', () => {
    expect(yieldMs(trip(195, 75), 20)).toBe(200)
    expect(yieldMs(trip(290, 150, 2), 20)).toBe(200)
    expect(yieldMs(trip(9_000, 75), 20)).toBe(1_000)
  })

  it('learns how far away the database is from the shortest trips, and unlearns it slowly', () => {
    expect(nextLeastTripMs(Number.POSITIVE_INFINITY, trip(95, 75))).toBe(20)
    expect(nextLeastTripMs(20, trip(500, 75))).toBeCloseTo(20.4)
    expect(nextLeastTripMs(20, trip(10, 2))).toBe(8)
    expect(nextLeastTripMs(20, trip(1, 2))).toBe(0)
    expect(nextLeastTripMs(20, trip(0, 0, 0))).toBe(20)
  })

  it('has not waited before its first trip told it the distance', () => {
    const first = trip(500, 75)
    expect(yieldMs(first, nextLeastTripMs(Number.POSITIVE_INFINITY, first))).toBe(0)
  })

  it('takes shorter steps while others want the database, too', () => {
    const [none, shared] = [Number.POSITIVE_INFINITY, { entries: 250, isShared: true }]
    expect(nextStepEntries(none, { ...shared, ownMs: 100 })).toBe(50)
    expect(nextStepEntries(none, { ...shared, ownMs: 5_000 })).toBe(10)
    expect(nextStepEntries(50, { ...shared, entries: 50, ownMs: 20 })).toBe(50)
  })

  it('takes longer ones again when they do not, but none that holds up the database for long', () => {
    const alone = { entries: 50, ownMs: 10, isShared: false }
    expect(nextStepEntries(100, alone)).toBe(125)
    expect(nextStepEntries(650, alone)).toBe(Number.POSITIVE_INFINITY)
    expect(nextStepEntries(100, { ...alone, entries: 100, ownMs: 45 })).toBe(111)
    expect(nextStepEntries(Number.POSITIVE_INFINITY, { ...alone, entries: 250, ownMs: 100 })).toBe(125)
  })

  it('counts a step by itself', () => {
    expect(timesBetween(trip(100, 30, 2), trip(160, 50, 3))).toEqual(trip(60, 20, 1))
  })
})
