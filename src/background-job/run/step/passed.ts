import type { Entry } from '../../entry.ts'
import { type Decision, type Deferral, type EntryKinds, kindOf } from '../../kind.ts'
import { type JobRow, type PassedEntries, passedOf } from '../../rules.ts'
import type { PlannedStep } from './step-rules.ts'

/** So many things the passed entries of a job may wait for: they stand in its row. */
const PASSED_KEYS_MAX = 100

/** What an entry waits for, together with others of its job. */
export const keyOf = (kinds: EntryKinds, { apiType, apiData }: Entry): string | undefined =>
  kindOf(kinds, apiType)?.waitsFor?.(apiData)

export const isOfAll = (outcome: Decision['outcomes'][number]): outcome is Deferral =>
  outcome?.status === 'DEFERRED' && outcome.ofAll === true

/** Where a job goes on after a step. */
interface LeftBehind {
  cursor: number
  passed: PassedEntries[]
  /** The entries of the step that were not passed. */
  kept: ReadonlySet<number>
}

/** What the outcomes of a step say of the entries behind those that can't be run now. */
export function leaveBehind(
  kinds: EntryKinds,
  job: JobRow,
  plan: PlannedStep,
  outcomes: Decision['outcomes'],
): LeftBehind {
  if (plan.source === 'cursor') return leaveAtCursor(kinds, job, plan, outcomes)
  const first = plan.source === 'passed' ? outcomes.findIndex(isOfAll) : -1
  const count = first < 0 ? outcomes.length : first
  const kept = new Set(plan.entries.slice(0, count).map(({ index }) => index))
  const goesOn = plan.source === 'passed' && (outcomes.length > 0 || plan.entries.length === 0)
  const passed = goesOn ? advance(passedOf(job), plan, count, outcomes[first]) : passedOf(job)
  return { cursor: job.cursor, passed, kept }
}

/** So many of the entries that were passed have been run; those behind them may have to wait again. */
function advance(
  passed: PassedEntries[],
  { key, entries, next }: PlannedStep,
  count: number,
  deferral: Decision['outcomes'][number],
): PassedEntries[] {
  const from = entries[count]?.index ?? next
  return passed
    .map(({ isStopped, ...each }) => {
      if (each.key !== key) return { ...each, ...(isStopped ? { isStopped } : {}) }
      return { ...each, from, ...(deferral && isOfAll(deferral) ? timeOf(deferral) : {}) }
    })
    .filter(each => each.from < each.to)
    .sort((one, other) => one.at - other.at)
}

const timeOf = ({ at, isStopped }: Deferral) => ({ at, ...(isStopped ? { isStopped } : {}) })

/**
 * An entry that waits for what others were passed for is passed, too: so none behind `from` is run out of its order, and
 * none twice. What was dispatched before is never passed: it may have been sent.
 */
function leaveAtCursor(kinds: EntryKinds, job: JobRow, plan: PlannedStep, outcomes: Decision['outcomes']): LeftBehind {
  const { chunk, entries } = plan
  const cursor = entries[outcomes.length]?.index ?? plan.next
  const passed = new Map(passedOf(job).map(each => [each.key, each]))
  const kept = new Set<number>()
  for (const [place, outcome] of outcomes.entries()) {
    const entry = entries[place]
    if (!entry) throw new Error('each entry of a step has one outcome at most')
    const key = keyOf(kinds, entry)
    if (key !== undefined && passed.has(key)) continue
    if (key === undefined || !isOfAll(outcome) || place < job.dispatched || passed.size >= PASSED_KEYS_MAX)
      kept.add(entry.index)
    else passed.set(key, { key, from: entry.index, to: entry.index + 1, ...timeOf(outcome) })
  }
  if (passed.size === 0) return { cursor, passed: [], kept }
  for (let index = job.cursor; index < cursor; index++) {
    const entry = chunk.entries[index - chunk.first]
    const waiting = entry && !entry.invalid ? passed.get(keyOf(kinds, entry) ?? '') : undefined
    if (waiting && index >= waiting.from) waiting.to = index + 1
  }
  return { cursor, passed: [...passed.values()].sort((one, other) => one.at - other.at), kept }
}
