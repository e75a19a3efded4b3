import type { Db } from './db/client.ts'
import type { Statement } from './db/statement.ts'
import { moveWalk, restWalk, selectWalk, WALK_START } from './db/walk.ts'
import { write } from './db/write.ts'

/** What one step of a maintenance task has done, and whether there is more to do at once. */
export interface TaskStep {
  done: number
  hasMore: boolean
}

/** What a maintenance task has not come to yet: how much, counted up to `BACKLOG_COUNT_MAX`, and since when the oldest of it is due. */
export interface Backlog {
  left: number
  dueSince: number | null
}

/** Counting reads rows, so it ends here. */
export const BACKLOG_COUNT_MAX = 10_000

/**
 * Something that is looked after once a minute. A step is bounded: some thousand rows, and far fewer statements than an
 * invocation may run. `src/maintenance/cron.ts` runs steps until nothing is left, also over several invocations.
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

/** Repeats bounded statements in one transaction until they change nothing. The backlog is what they would change. */
export const repeatedWrite = (
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

/** A page of a walk: what it changes, and where the next one begins; null at the end. */
interface Page {
  effect?: readonly Statement[]
  /** What was done besides. */
  done?: number
  /** How long the walk rests at its end, if not for a day. */
  restMs?: number | undefined
  /** Called when the change is through. It never fails. */
  committed?: () => Promise<void>
  next: string | null
}

/** Walks through things for which there is no index by time, once a day. Where it is stands with what the step changed. */
export const dailyWalk = (
  { name, db, now }: { name: string; db: () => Db; now: number },
  readPage: (after: string) => Promise<Page>,
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
