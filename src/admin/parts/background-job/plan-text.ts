import type { PlannedAction } from 'caseworker'
import { ACTION_WORDS } from 'caseworker/action-words'
import { howMany } from '../text/number-text.ts'
import type { CountedPlan } from './use-plan.ts'

type PlanCounts = Pick<CountedPlan, 'summary'> & {
  plan: { job: Pick<CountedPlan['plan']['job'], 'total'>; counts: CountedPlan['plan']['counts'] }
}

/** Whether what has its values already was told apart: otherwise the entries that would change something are at most so many. */
export const isCounted = (plans: readonly Pick<CountedPlan, 'summary'>[]): boolean =>
  plans.every(({ summary }) => summary !== undefined)

/** Counts the entries that would change something. */
export const countChanging = (plans: readonly PlanCounts[]): number =>
  plans.reduce((all, { plan, summary }) => all + plan.counts.SUCCESS - (summary ? summary.same + summary.none : 0), 0)

/** "Of 125 entries 120 would be changed, 3 given the values that they have; 2 would fail." */
export function formatPlanCounts(plans: readonly PlanCounts[]): string {
  const sum = (count: (plan: PlanCounts) => number): number => plans.reduce((all, each) => all + count(each), 0)
  const failing = sum(({ plan: { counts } }) => counts.ERROR + counts.INVALID + counts.CANCELLED)
  const counts: [count: number, words: string][] = isCounted(plans)
    ? Object.entries(ACTION_WORDS).map(([action, words]) => [
        sum(each => each.summary?.[action as PlannedAction] ?? 0),
        words,
      ])
    : [[sum(({ plan }) => plan.counts.SUCCESS), 'applied']]
  const atMost = isCounted(plans) ? '' : 'at most '
  const done = counts
    .filter(([count]) => count > 0)
    .map(([count, words], at) => `${atMost}${count.toLocaleString()} ${at === 0 ? 'would be ' : ''}${words}`)
  const parts = [done.join(', '), failing === 0 ? '' : `${failing.toLocaleString()} would fail`].filter(Boolean)
  const total = sum(({ plan }) => plan.job.total)
  return `Of ${howMany(total, 'entry', 'entries')} ${parts.length === 0 ? 'none would change anything' : parts.join('; ')}.`
}

/** "120 processes", or "at most 20,000 processes" where those that have their values already were not told apart. */
export const formatChanging = (plans: readonly PlanCounts[], one: string, many: string): string =>
  `${isCounted(plans) ? '' : 'at most '}${howMany(countChanging(plans), one, many)}`
