import { vi } from 'vitest'

const RealDate = globalThis.Date
let aheadMs = 0

/** The real time and as much as a test has moved it forward. */
class MovedDate extends RealDate {
  constructor(...parts: unknown[]) {
    super(...((parts.length === 0 ? [MovedDate.now()] : parts) as [number]))
  }

  static override now(): number {
    return RealDate.now() + aheadMs
  }
}

/** Lets the time go on to a moment, or not at all if that is past. A test that fakes `Date` has its own clock moved. */
export function advanceTo(time: number): void {
  if (time <= Date.now()) return
  if (vi.isFakeTimers()) {
    vi.setSystemTime(time)
    return
  }
  aheadMs = time - RealDate.now()
  globalThis.Date = MovedDate as DateConstructor
}

/** The real time again. */
export function resetClock(): void {
  aheadMs = 0
  globalThis.Date = RealDate
}
