import type { DetachedStep, Step } from '../../kind.ts'
import { isCancelled } from '../../rules.ts'
import { listOutstanding, listSkipped, type OutstandingEntry, type SkippedEntries } from '../../unfinished.ts'
import type { Turn } from './running-job.ts'
import type { PlannedStep } from './step-rules.ts'

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

/** Those of the outstanding entries that no step has in its hands. */
export function outstandingBehind({ job, detached }: Pick<Turn, 'job' | 'detached'>): OutstandingEntry[] {
  const taken = new Set(detached.flatMap(({ plan, count }) => plan.entries.slice(0, count).map(({ index }) => index)))
  return listOutstanding(job).filter(({ index }) => !taken.has(index))
}

/** Waits until the next step may be run, and says so; or until the first of those under way can be settled. */
export async function isTimeForNext(turn: Turn): Promise<boolean> {
  const [first] = turn.detached
  if (!first) return true
  if (turn.wait || isCancelled(turn.job) || turn.detached.length >= DETACHED_STEPS_MAX) return false
  const due = nextKeys(turn).map(key => lastStepOf(turn, key)?.due ?? Promise.resolve())
  return Promise.race([...due.map(each => each.then(() => true)), first.done.then(() => false)])
}

/** What the next step may be of: what was skipped and is due, or the rest (undefined). */
function nextKeys(turn: Turn): (string | undefined)[] {
  const { cursor, total } = turn.job
  const isDue = ({ at }: { at: number }) => at <= Date.now()
  const hasRest = cursor < total || outstandingBehind(turn).some(isDue)
  return [
    ...listSkipped(turn.job)
      .filter(isDue)
      .map(({ waitsFor }) => waitsFor),
    ...(hasRest ? [undefined] : []),
  ]
}

const lastStepOf = ({ detached }: Turn, key: string | undefined): RunningStep | undefined =>
  detached.findLast(({ plan }) => plan.key === key)

/** Entries that were skipped, may be tried again, and of which no step is under way that is to be waited for. */
export function nextSkipped(turn: Turn): SkippedEntries | undefined {
  const now = Date.now()
  return listSkipped(turn.job).find(
    ({ waitsFor, at }) => at <= now && (lastStepOf(turn, waitsFor)?.dueAt ?? 0) <= now,
  )
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
