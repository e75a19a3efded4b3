import { describe, expect, it } from 'vitest'
import { nextStepEntries } from '../../src/background-job/run/step-size-rules.ts'
import { yieldMs } from '../../src/background-job/run/yield-rules.ts'

const trip = (ms: number, ownMs: number, trips = 1) => ({ trips, ms, ownMs })

describe('a runner', () => {
  it('continues at once while nobody waits for the database', () => {
    expect(yieldMs(trip(95, 75), 9, false)).toBe(0)
  })

  it('waits twice as long as its step took and as its trips waited, and at most a second', () => {
    expect(yieldMs(trip(95, 75), 0, true)).toBe(150)
    expect(yieldMs(trip(290, 150, 2), 50, true)).toBe(500)
    expect(yieldMs(trip(9_000, 75), 9_000, true)).toBe(1_000)
  })

  it('takes shorter steps while others use the database', () => {
    const [none, shared] = [Number.POSITIVE_INFINITY, { entries: 250, isShared: true }]
    expect(nextStepEntries(none, { ...shared, ownMs: 100 })).toBe(25)
    expect(nextStepEntries(none, { ...shared, ownMs: 5_000 })).toBe(10)
    expect(nextStepEntries(50, { ...shared, entries: 50, ownMs: 10 })).toBe(50)
  })

  it('takes longer steps again when they stop, but none that holds up the database for long', () => {
    const alone = { entries: 50, ownMs: 10, isShared: false }
    expect(nextStepEntries(100, alone)).toBe(125)
    expect(nextStepEntries(650, alone)).toBe(Number.POSITIVE_INFINITY)
    expect(nextStepEntries(100, { ...alone, entries: 100, ownMs: 45 })).toBe(111)
    expect(nextStepEntries(Number.POSITIVE_INFINITY, { ...alone, entries: 250, ownMs: 100 })).toBe(125)
  })
})
