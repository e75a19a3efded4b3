import type { Db } from '../../db/client.ts'
import { isGuardFailure } from '../../db/guard.ts'
import { write } from '../../db/write.ts'
import { MINUTE_MS } from '../../time-units.ts'
import type { Slot } from '../model.ts'
import {
  BUILD_STEP_LOST,
  type Build,
  fillSlots,
  findBuild,
  findUnfinishedNumbers,
  findUnfitValues,
  readWords,
  removeLeftElements,
  replaceSlots,
} from './statements.ts'

/** The steps that a request runs itself. The cron runs the rest. */
const STEPS_PER_CALL_MAX = 10

/**
 * Fills the slots of newly indexed attributes for existing processes, and empties slots that nothing needs any more, newest
 * first, in steps. Queries use a slot only once it is filled for all of them. Returns whether nothing is left to do.
 */
export async function buildIndexes(db: Db, no: number, steps = STEPS_PER_CALL_MAX): Promise<boolean> {
  for (let step = 0; step < steps; step++) if (await buildStep(db, no)) return true
  return false
}

/** The builds that a maintenance task continues at the same time. */
const BUILDS_AT_ONCE_MAX = 10

/** Finds some procedures of all teams with an unfinished build. In the next minute it returns the next ones. */
export async function findUnfinishedBuilds(db: Db, now: number): Promise<number[]> {
  const numbers = await findUnfinishedNumbers(db)
  const first = (Math.floor(now / MINUTE_MS) * BUILDS_AT_ONCE_MAX) % Math.max(1, numbers.length)
  return [...numbers.slice(first), ...numbers.slice(0, first)].slice(0, BUILDS_AT_ONCE_MAX)
}

/**
 * Decides by the stored state: the slots with values of another type are written in the transaction that moves on, so that
 * another builder, or one after a failure, knows of them.
 */
async function buildStep(db: Db, no: number): Promise<boolean> {
  const build = await findBuild(db, no)
  if (build === undefined) return true
  const isDone = build.unfitSlots === 0 && build.lowest === null && !build.hasLeftElements
  const step = isDone ? markReady(build) : await planNextStep(db, build)
  try {
    await write({ db, idempotency: null }, { ...step, outcome: null })
    return isDone
  } catch (error) {
    if (isGuardFailure(error, BUILD_STEP_LOST)) return false
    throw error
  }
}

async function planNextStep(db: Db, build: Build) {
  if (build.unfitSlots !== 0) return releaseSlotsOfOtherTypes(db, build)
  if (build.lowest === null) return removeLeftElements(build)
  return fillSlots(build, build.lowest, await readWords(db, build, build.lowest))
}

function markReady(build: Build) {
  const slots = Object.entries(build.slots).map(([shortId, slot]): [string, Slot] => [
    shortId,
    { ...slot, ready: true },
  ])
  const words = build.wordsReady === undefined ? {} : { wordsReady: true }
  return replaceSlots(build, { slots: Object.fromEntries(slots), clearing: [], ...words }, null)
}

/**
 * Releases the columns of attributes that have values of another type. They stay declared, and filters scan, as for any that is
 * not indexed. A process with such a value is kept: while it has it, a definition that is sent again begins no build.
 */
async function releaseSlotsOfOtherTypes(db: Db, build: Build) {
  const isOfAnotherType = ({ column, ready }: Slot) => !ready && (build.unfitSlots & (1 << column)) !== 0
  const slots = Object.entries(build.slots).filter(([, slot]) => !isOfAnotherType(slot))
  const released = Object.entries(build.slots).filter(([, slot]) => isOfAnotherType(slot))
  const unfit = await findUnfitValues(
    db,
    build,
    released.map(([shortId]) => shortId),
  )
  const left = {
    slots: Object.fromEntries(slots),
    clearing: [...build.clearing, ...released.map(([, { column }]) => column)],
    unfitProcesses: { ...build.unfitProcesses, ...unfit },
  }
  return replaceSlots(build, left, Number.MAX_SAFE_INTEGER)
}
