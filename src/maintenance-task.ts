import type { Db } from './db/client.ts'
import type { Statement } from './db/statement.ts'
import { moveWalk, restWalk, selectWalk, WALK_START } from './db/walk.ts'
import { write } from './db/write.ts'

/** The result of one step of a maintenance task, and whether it has more to do at once. */
export interface TaskStep {
  done: number
  hasMore: boolean
}

/** The work that a maintenance task has not done yet: how much, counted up to `BACKLOG_COUNT_MAX`, and since when the oldest of it is due. */
export interface Backlog {
  left: number
  dueSince: number | null
}

/** Counting ends here, because it reads rows. */
export const BACKLOG_COUNT_MAX = 10_000

/**
 * A task that runs once a minute. A step is bounded: some thousand rows, and far fewer statements than an invocation may
 * run. `src/maintenance/cron.ts` runs steps until nothing is left, also over several invocations.
 */
export interface MaintenanceTask {
  step: () => Promise<TaskStep>
  backlog?: () => Promise<Backlog>
}

const writeStep = async (db: () => Db, ...effect: readonly Statement[]): Promise<number> => {
  const results = await write({ db: db(), idempotency: null }, { effect, outcome: null })
  return results.reduce((sum, { changes }) => sum + changes, 0)
}

/** Runs one transaction of a maintenance task. */
export const change = async (db: () => Db, ...effect: readonly Statement[]): Promise<void> => {
  await writeStep(db, ...effect)
}

/** Creates a task that repeats bounded statements in one transaction until they change nothing. The backlog is what they would change. */
export const createRepeatedWrite = (
  db: () => Db,
  effect: () => readonly Statement[],
  selectBacklog?: () => Statement<Backlog>,
): MaintenanceTask => ({
  async step() {
    const done = await writeStep(db, ...effect())
    return { done, hasMore: done > 0 }
  },
  ...(selectBacklog && {
    async backlog() {
      const [[backlog]] = await db().read(selectBacklog())
      return backlog ?? { left: 0, dueSince: null }
    },
  }),
})

/** A page of a walk: its changes, and the key after which the next one begins; null at the end. */
interface WalkPage {
  effect?: readonly Statement[]
  /** The number of things that were done besides the changes. */
  done?: number
  /** The time for which the walk rests at its end; a day if absent. */
  restMs?: number | undefined
  /** Called after the commit of the change. It never fails. */
  committed?: () => Promise<void>
  next: string | null
}

/** Creates a task that walks once a day through rows without an index by time. Its position is written together with the changes of a step. */
export const createDailyWalk = (
  { name, db, now }: { name: string; db: () => Db; now: number },
  readPage: (after: string) => Promise<WalkPage>,
): MaintenanceTask => ({
  async step() {
    const [[walk = WALK_START]] = await db().read(selectWalk(name))
    if (walk.restUntil > now) return { done: 0, hasMore: false }
    const { effect = [], done = 0, restMs, committed, next } = await readPage(walk.position)
    const isShort = next === null && restMs !== undefined
    const moved = isShort ? restWalk(name, now + restMs) : moveWalk(name, next, now)
    const changes = await writeStep(db, ...effect, moved)
    await committed?.()
    return { done: done + changes - 1, hasMore: next !== null }
  },
})
