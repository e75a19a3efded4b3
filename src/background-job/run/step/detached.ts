import { type DetachedStep, StaleJobError, type Step } from '../../kind.ts'
import { type DeferredEntry, deferredOf, isCancelled, type JobRow } from '../../rules.ts'
import type { Turn } from './running-job.ts'
import type { PlannedStep } from './step-rules.ts'

/** So many steps of a job are under way at the same time: each may keep a connection. */
const DETACHED_STEPS_MAX = 4

/** A step whose effects are under way. */
export interface RunningStep extends Pick<DetachedStep, 'count' | 'done' | 'abandon'> {
  plan: PlannedStep
  due: Promise<unknown>
  settle: () => Promise<void>
}

export function detachStep(turn: Turn, plan: PlannedStep, rest: DetachedStep, commit: Step['commit']): void {
  const due = new Promise<void>(resolve => {
    if (Number.isFinite(rest.nextInMs)) setTimeout(resolve, Math.max(0, rest.nextInMs))
  })
  turn.detached.push({ ...rest, plan, due, settle: () => rest.settle(commit) })
}

/** The job as it will be behind the steps that are under way: what comes next is planned by it. */
export function jobBehind({ job, detached }: Pick<Turn, 'job' | 'detached'>): JobRow {
  const atCursor = detached.filter(({ plan }) => !plan.isDeferred)
  const last = atCursor.at(-1)
  if (!last) return job
  const count = countOf(atCursor)
  const cursor = last.plan.entries[last.count]?.index ?? last.plan.cursor
  return { ...job, cursor, dispatched: Math.max(0, job.dispatched - count) }
}

/** How many entries from the cursor on are in the hands of steps that are under way. */
export const dispatchedBefore = ({ detached }: Turn): number => countOf(detached.filter(({ plan }) => !plan.isDeferred))

const countOf = (steps: readonly RunningStep[]): number => steps.reduce((sum, { count }) => sum + count, 0)

/** Those of the deferred entries that no step has in its hands. */
export function deferredBehind({ job, detached }: Pick<Turn, 'job' | 'detached'>): DeferredEntry[] {
  const taken = new Set(detached.flatMap(({ plan, count }) => plan.entries.slice(0, count).map(({ index }) => index)))
  return deferredOf(job).filter(({ index }) => !taken.has(index))
}

/** Waits until the next step may be run, and says so; or until the first of those under way can be settled. */
export async function isTimeForNext(turn: Turn): Promise<boolean> {
  const [first] = turn.detached
  const last = turn.detached.at(-1)
  if (!first || !last) return true
  if (turn.wait || isCancelled(turn.job) || turn.detached.length >= DETACHED_STEPS_MAX || !hasNext(turn)) return false
  return Promise.race([last.due.then(() => true), first.done.then(() => false)])
}

function hasNext(turn: Turn): boolean {
  const { cursor, total } = jobBehind(turn)
  return cursor < total || deferredBehind(turn).some(({ at }) => at <= Date.now())
}

/** Settles the steps that are under way, in their order. If one can't be committed, those behind it must not be. */
export async function settleDetached(turn: Turn, count = turn.detached.length): Promise<void> {
  for (const step of turn.detached.slice(0, count)) {
    try {
      await step.settle()
      turn.detached = turn.detached.filter(each => each !== step)
    } catch (error) {
      const behind = turn.detached.filter(each => each !== step)
      turn.detached = []
      await Promise.all(behind.map(each => each.abandon()))
      throw error
    }
  }
}

/** After an error of a step that was run beside others. If those can be settled and it was no lasting one, it is run again, alone. */
export async function settleBeside(turn: Turn, error: unknown, isLasting: boolean): Promise<void> {
  await settleDetached(turn)
  if (!isLasting && !(error instanceof StaleJobError)) throw error
}
