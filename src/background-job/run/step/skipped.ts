import type { Entry } from '../../entry.ts'
import { type Decision, type Deferral, type EntryKinds, kindOf } from '../../kind.ts'
import type { JobRow } from '../../rules.ts'
import { listSkipped, type SkippedEntries } from '../../unfinished.ts'
import type { PlannedStep } from './step-rules.ts'

/** So many things the skipped entries of a job may wait for: they stand in its row. */
const SKIPPED_KEYS_MAX = 100

/** What an entry waits for, together with others of its job. */
export const keyOf = (kinds: EntryKinds, { apiType, apiData }: Entry): string | undefined =>
  kindOf(kinds, apiType)?.waitsFor?.(apiData)

export const isOfAll = (outcome: Decision['outcomes'][number]): outcome is Deferral =>
  outcome?.status === 'DEFERRED' && outcome.ofAll === true

/** Where a job goes on after a step. */
interface LeftBehind {
  cursor: number
  skipped: SkippedEntries[]
  /** The entries of the step that were not skipped. */
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
  const first = plan.source === 'skipped' ? outcomes.findIndex(isOfAll) : -1
  const count = first < 0 ? outcomes.length : first
  const kept = new Set(plan.entries.slice(0, count).map(({ index }) => index))
  const goesOn = plan.source === 'skipped' && (outcomes.length > 0 || plan.entries.length === 0)
  const skipped = goesOn ? advance(listSkipped(job), plan, count, outcomes[first]) : listSkipped(job)
  return { cursor: job.cursor, skipped, kept }
}

/** So many of the entries that were skipped have been run; those behind them may have to wait again. */
function advance(
  skipped: SkippedEntries[],
  { key, entries, next }: PlannedStep,
  count: number,
  deferral: Decision['outcomes'][number],
): SkippedEntries[] {
  const from = entries[count]?.index ?? next
  return skipped
    .map(({ isStopped, ...each }) => {
      if (each.waitsFor !== key) return { ...each, ...(isStopped ? { isStopped } : {}) }
      return { ...each, from, ...(deferral && isOfAll(deferral) ? timeOf(deferral) : {}) }
    })
    .filter(each => each.from < each.to)
}

const timeOf = ({ at, isStopped }: Deferral) => ({ at, ...(isStopped ? { isStopped } : {}) })

/**
 * An entry that waits for what others were skipped for is skipped, too: so none behind `from` is run out of its order, and
 * none twice.
 */
function leaveAtCursor(kinds: EntryKinds, job: JobRow, plan: PlannedStep, outcomes: Decision['outcomes']): LeftBehind {
  const { chunk, entries } = plan
  const cursor = entries[outcomes.length]?.index ?? plan.next
  const skipped = new Map(listSkipped(job).map(each => [each.waitsFor, each]))
  const kept = new Set<number>()
  for (const [place, outcome] of outcomes.entries()) {
    const entry = entries[place]
    if (!entry) throw new Error('each entry of a step has one outcome at most')
    const key = keyOf(kinds, entry)
    if (key !== undefined && skipped.has(key)) continue
    if (key === undefined || !isOfAll(outcome) || skipped.size >= SKIPPED_KEYS_MAX)
      kept.add(entry.index)
    else
      skipped.set(key, { mode: 'skipped', waitsFor: key, from: entry.index, to: entry.index + 1, ...timeOf(outcome) })
  }
  if (skipped.size === 0) return { cursor, skipped: [], kept }
  for (let index = job.cursor; index < cursor; index++) {
    const entry = chunk.entries[index - chunk.first]
    const waiting = entry && !entry.invalid ? skipped.get(keyOf(kinds, entry) ?? '') : undefined
    if (waiting && index >= waiting.from) waiting.to = index + 1
  }
  return { cursor, skipped: [...skipped.values()], kept }
}
