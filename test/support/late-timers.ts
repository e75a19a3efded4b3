import { AsyncLocalStorage } from 'node:async_hooks'

/** A timer of so long waits for the clock of the test, which moves on by leaps, and not for the real one. */
const LATE_MS_MIN = 10_000

/** Plans what a timer is to do; what it returns takes the plan back. */
type Plan = (ms: number, act: () => void) => () => void

const plans = new AsyncLocalStorage<Plan>()
const cancellations = new WeakMap<object, () => void>()
const { setTimeout: start, clearTimeout: clear } = globalThis

/** Whatever `act` does plans its late timers by `plan`. */
export const withLateTimers = <T>(plan: Plan, act: () => T): T => plans.run(plan, act)

const startTimer = (act: (...args: unknown[]) => void, ms = 0, ...args: unknown[]): unknown => {
  const plan = ms < LATE_MS_MIN ? undefined : plans.getStore()
  if (!plan) return start(act, ms, ...args)
  const timer = {}
  cancellations.set(
    timer,
    plan(ms, () => act(...args)),
  )
  return timer
}

const clearTimer = (timer: unknown): void => {
  const cancel = typeof timer === 'object' && timer !== null ? cancellations.get(timer) : undefined
  if (cancel) cancel()
  else clear(timer as number | null)
}

Object.assign(globalThis, { setTimeout: startTimer, clearTimeout: clearTimer })
