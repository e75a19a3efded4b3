import { subtractTimes, type TripTimes } from '../../db/contention/contention-rules.ts'
import { measureContention } from '../../db/contention/measure.ts'
import { sleep } from '../../timeout.ts'
import { adaptStepEntries } from './step-size.ts'
import { yieldMs } from './yield-rules.ts'

/** How often it is asked whether people wait. */
const ASK_EVERY_MS = 500

/** Whether people wait, for all jobs in this isolate. */
let people = { wait: false, askedAt: Number.NEGATIVE_INFINITY }

/** Whether statements had to wait for others, or people wait: then a step that could go on ends. */
export const wasContended = (before: TripTimes, after: TripTimes): boolean =>
  measureContention(subtractTimes(before, after)).isContended || people.wait

/** Between two steps: lets others go first if calls of people wait for the database, or the statements of the step had to. */
export async function yieldToOthers(
  [before, after]: readonly [TripTimes, TripTimes],
  entries: number,
  arePeopleWaiting: () => Promise<boolean>,
): Promise<void> {
  const step = subtractTimes(before, after)
  const { queuedMs, isContended } = measureContention(step)
  const now = Date.now()
  if (now >= people.askedAt + ASK_EVERY_MS) {
    people = { ...people, askedAt: now }
    people = { wait: await arePeopleWaiting(), askedAt: now }
  }
  const isShared = isContended || people.wait
  adaptStepEntries({ entries, ownMs: step.ownMs, isShared })
  const ms = yieldMs(step, queuedMs, isShared)
  if (ms > 0) await sleep(ms)
}
