import { vi } from 'vitest'
import type { Platform } from './platform/platform.ts'

const realSetTimeout = globalThis.setTimeout
const aTurn = () => new Promise(resolve => realSetTimeout(resolve, 0))

/** So many turns without a call to anything real, and nothing happens any more but by time passing. */
const QUIET_TURNS = 3

let running = 0

/**
 * From now on time passes only while something is done `throughTime`, and then at once. It never goes back; what an
 * earlier test was waiting for does not happen any more.
 */
export function startVirtualTime(): void {
  if (vi.isFakeTimers()) {
    const now = Date.now()
    // Sets the clock back to where it began, too.
    vi.clearAllTimers()
    vi.setSystemTime(now)
    return
  }
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'],
  })
  scheduler.wait = ms => new Promise(resolve => setTimeout(resolve, ms))
}

/**
 * Does something, and lets time pass whenever all there is wait for it. Nothing depends on how fast this machine is: what
 * really runs takes no time at all.
 */
export async function throughTime<T>(platform: Platform, act: () => Promise<T>): Promise<T> {
  // One pump is enough for everything that runs at the same time.
  const isPump = running === 0
  running += 1
  let isDone = false
  const done = act().finally(() => {
    isDone = true
    running -= 1
  })
  if (!isPump) return done
  done.catch(() => {})
  let quiet = 0
  while (!isDone || running > 0) {
    await aTurn()
    quiet = platform.pending > 0 ? 0 : quiet + 1
    if (quiet < QUIET_TURNS) continue
    quiet = 0
    vi.advanceTimersToNextTimer()
  }
  return done
}
