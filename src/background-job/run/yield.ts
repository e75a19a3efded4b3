import { subtractTimes, type TripTimes } from '../../db/contention/contention-rules.ts'
import { measureContention } from '../../db/contention/measure.ts'
import { sleep } from '../../timeout.ts'
import { FIRST_STEP_ENTRIES, nextStepEntries, yieldMs } from './yield-rules.ts'

/** How often it is asked whether people wait. */
const ASK_EVERY_MS = 500

/** All jobs in this isolate share these. */
let stepEntries = FIRST_STEP_ENTRIES
let people = { wait: false, askedAt: Number.NEGATIVE_INFINITY }

/** How many entries a step takes at most: fewer while others want the database, so that nobody waits long for one step. */
export const getStepEntries = (): number => stepEntries

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
  // A step that ran no entry at the cursor says nothing about their speed.
  if (entries > 0) stepEntries = nextStepEntries(stepEntries, { entries, ownMs: step.ownMs, isShared })
  const ms = yieldMs(step, queuedMs, isShared)
  if (ms > 0) await sleep(ms)
}
