import type { Platform } from './platform/platform.ts'

const RealDate = globalThis.Date
// The runtime's own: that of the test pool takes a stack trace at each call.
const wait = scheduler.wait.bind(scheduler)

/** After so many turns without a call to anything real, nothing more happens until time passes. */
const QUIET_TURNS = 3

interface Timer {
  id: number
  dueAt: number
  /** Every so often, for an interval. */
  everyMs: number | undefined
  act: () => void
}

const isBefore = (one: Timer, other: Timer) =>
  one.dueAt < other.dueAt || (one.dueAt === other.dueAt && one.id < other.id)

/** The timers that wait, the next one first: a binary heap, as thousands of calls wait at the same time. */
class TimerQueue {
  readonly #timers: Timer[] = []
  /** A cancelled timer stays in the heap until its time. */
  readonly #waiting = new Set<number>()

  add(timer: Timer): void {
    this.#waiting.add(timer.id)
    let at = this.#timers.push(timer) - 1
    while (at > 0) {
      const parentAt = (at - 1) >> 1
      const parent = this.#timers[parentAt]
      if (parent === undefined || isBefore(parent, timer)) break
      this.#timers[at] = parent
      at = parentAt
    }
    this.#timers[at] = timer
  }

  cancel(id: number): void {
    this.#waiting.delete(id)
  }

  /** The next timer, which then waits no more. */
  take(): Timer | undefined {
    for (;;) {
      const first = this.#timers[0]
      const last = this.#timers.pop()
      if (first === undefined || last === undefined) return undefined
      if (this.#timers.length > 0) this.#sink(last)
      if (this.#waiting.delete(first.id)) return first
    }
  }

  clear(): void {
    this.#timers.length = 0
    this.#waiting.clear()
  }

  #sink(timer: Timer): void {
    let at = 0
    for (;;) {
      const [leftAt, rightAt] = [2 * at + 1, 2 * at + 2]
      const [left, right] = [this.#timers[leftAt], this.#timers[rightAt]]
      if (left === undefined) break
      const [childAt, child] = right !== undefined && isBefore(right, left) ? [rightAt, right] : [leftAt, left]
      if (isBefore(timer, child)) break
      this.#timers[at] = child
      at = childAt
    }
    this.#timers[at] = timer
  }
}

const timers = new TimerQueue()
let now: number | undefined
let lastId = 0
let running = 0

class VirtualDate extends RealDate {
  constructor(...parts: unknown[]) {
    super(...((parts.length === 0 ? [VirtualDate.now()] : parts) as [number]))
  }

  static override now(): number {
    return now ?? RealDate.now()
  }
}

function plan(
  everyMs: number | undefined,
  act: (...values: unknown[]) => void,
  ms: unknown,
  values: unknown[],
): number {
  lastId += 1
  timers.add({
    id: lastId,
    dueAt: Date.now() + Math.max(0, Math.trunc(Number(ms) || 0)),
    everyMs,
    act: () => act(...values),
  })
  return lastId
}

/**
 * From now on time passes only while something is done `throughTime`, and then at once. It never goes back; timers of
 * an earlier test never fire.
 */
export function startVirtualTime(): void {
  timers.clear()
  if (now !== undefined) return
  const startedAt = RealDate.now()
  now = startedAt
  const cancel = (id: unknown) => timers.cancel(Number(id))
  Object.assign(globalThis, {
    Date: VirtualDate,
    setTimeout: (act: () => void, ms?: number, ...values: unknown[]) => plan(undefined, act, ms, values),
    setInterval: (act: () => void, ms?: number, ...values: unknown[]) => plan(Math.max(1, ms ?? 0), act, ms, values),
    clearTimeout: cancel,
    clearInterval: cancel,
  })
  performance.now = () => Date.now() - startedAt
  scheduler.wait = ms => new Promise(resolve => setTimeout(resolve, ms))
}

/** Time goes on to the next timer, and no further. */
function runNextTimer(): void {
  const timer = timers.take()
  if (timer === undefined) return
  now = Math.max(Date.now(), timer.dueAt)
  if (timer.everyMs !== undefined) timers.add({ ...timer, dueAt: timer.dueAt + timer.everyMs })
  timer.act()
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
    await wait(0)
    quiet = platform.pending > 0 ? 0 : quiet + 1
    if (quiet < QUIET_TURNS) continue
    quiet = 0
    runNextTimer()
  }
  return done
}
