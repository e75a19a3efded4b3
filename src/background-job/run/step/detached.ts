import { type DetachedStep, StaleJobError, type Step } from '../../kind.ts'
import { type DeferredEntry, deferredOf, isCancelled, type JobRow, type PassedEntries, passedOf } from '../../rules.ts'
import type { Turn } from './running-job.ts'
import { isAtCursor, type PlannedStep } from './step-rules.ts'

/** So many steps of a job are under way at the same time: each may keep a connection. */
const DETACHED_STEPS_MAX = 4

/** A step whose effects are under way. */
export interface RunningStep extends Pick<DetachedStep, 'count' | 'done' | 'abandon'> {
  plan: PlannedStep
  /** When the next one may be run of what these entries wait for. */
  due: Promise<unknown>
  dueAt: number
  settle: () => Promise<void>
}

export function detachStep(turn: Turn, plan: PlannedStep, rest: DetachedStep, commit: Step['commit']): void {
  const due = new Promise<void>(resolve => {
    if (Number.isFinite(rest.nextInMs)) setTimeout(resolve, Math.max(0, rest.nextInMs))
  })
  const dueAt = Date.now() + Math.max(0, rest.nextInMs)
  turn.detached.push({ ...rest, plan, due, dueAt, settle: () => rest.settle(commit) })
}

/** The job as it will be behind the steps that are under way: what comes next is planned by it. */
export function jobBehind({ job, detached }: Pick<Turn, 'job' | 'detached'>): JobRow {
  const atCursor = detached.filter(({ plan }) => isAtCursor(plan))
  const last = atCursor.at(-1)
  if (!last) return job
  const count = countOf(atCursor)
  const cursor = last.plan.entries[last.count]?.index ?? last.plan.next
  return { ...job, cursor, dispatched: Math.max(0, job.dispatched - count) }
}

/** How many entries from the cursor on are in the hands of steps that are under way. */
export const dispatchedBefore = ({ detached }: Turn): number => countOf(detached.filter(({ plan }) => isAtCursor(plan)))

const countOf = (steps: readonly RunningStep[]): number => steps.reduce((sum, { count }) => sum + count, 0)

/** Those of the deferred entries that no step has in its hands. */
export function deferredBehind({ job, detached }: Pick<Turn, 'job' | 'detached'>): DeferredEntry[] {
  const taken = new Set(detached.flatMap(({ plan, count }) => plan.entries.slice(0, count).map(({ index }) => index)))
  return deferredOf(job).filter(({ index }) => !taken.has(index))
}

/** Waits until the next step may be run, and says so; or until the first of those under way can be settled. */
export async function isTimeForNext(turn: Turn): Promise<boolean> {
  const [first] = turn.detached
  if (!first) return true
  if (turn.wait || isCancelled(turn.job) || turn.detached.length >= DETACHED_STEPS_MAX) return false
  const due = nextKeys(turn).map(key => lastStepOf(turn, key)?.due ?? Promise.resolve())
  return Promise.race([...due.map(each => each.then(() => true)), first.done.then(() => false)])
}

/** What the next step may be of: what was passed and is due, or the rest (undefined). */
function nextKeys(turn: Turn): (string | undefined)[] {
  const { cursor, total, passed } = jobBehind(turn)
  const isDue = ({ at }: { at: number }) => at <= Date.now()
  const hasRest = cursor < total || deferredBehind(turn).some(isDue)
  return [
    ...passedOf({ passed })
      .filter(isDue)
      .map(({ key }) => key),
    ...(hasRest ? [undefined] : []),
  ]
}

const lastStepOf = ({ detached }: Turn, key: string | undefined): RunningStep | undefined =>
  detached.findLast(({ plan }) => plan.key === key)

/** Entries that were passed, may be tried again, and of which no step is under way that is to be waited for. */
export function nextPassed(turn: Turn): PassedEntries | undefined {
  const now = Date.now()
  return passedOf(turn.job).find(({ key, at }) => at <= now && (lastStepOf(turn, key)?.dueAt ?? 0) <= now)
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
