import type { JobRow } from './rules.ts'

/**
 * Entries before the cursor of a job that have not ended. Only jobs that send have some; each is in one of three modes:
 *
 *                    ┌──────────── claimed ────────────┐
 *     at the cursor ─┤                                 ▼
 *                    │   its customer            ┌─ IN FLIGHT ── the provider has answered ──► ended
 *                    ├── has to wait ─┐          │     ▲
 *                    │                ▼          │     │
 *                    │             DELAYED ◄─────┘     │   the provider has put it off
 *                    │                │  ▲             │
 *                    │                └──┼── claimed ──┤   when its time has come
 *                    │   its number      │             │
 *                    └── has to wait ─► SKIPPED ───────┘   when its number's time has come
 *
 * An entry ends from any mode without being sent if it is refused. A runner that finds entries in flight that it has not
 * claimed itself looks at them first: their messages tell what became of them. When a job is cancelled, those that are
 * skipped are cancelled; those in flight or delayed are waited for, because a message may have been sent for them.
 */
export type UnfinishedEntries = OutstandingEntries | SkippedEntries

/** These consecutive entries have begun. */
interface OutstandingEntries extends Entries {
  mode: 'inFlight' | 'delayed'
}

/** However many entries wait for the same number, they take one place: those from `from` to before `to` that wait for it. */
export interface SkippedEntries extends Entries {
  mode: 'skipped'
  waitsFor: string
}

interface Entries {
  from: number
  to: number
  /** When they are looked at again. */
  at: number
  /** There is no hope for them before somebody fixes what they wait for. */
  isStopped?: true
}

/** An entry that is in flight or delayed. */
export type OutstandingEntry = Omit<OutstandingEntries, 'from' | 'to'> & { index: number }

/** Those that are looked at first come first. It is parsed anew at each call: what looks at many entries asks once. */
export const parseUnfinished = ({ unfinished }: Pick<JobRow, 'unfinished'>): UnfinishedEntries[] =>
  JSON.parse(unfinished) as UnfinishedEntries[]

export const listOutstanding = (job: Pick<JobRow, 'unfinished'>): OutstandingEntry[] =>
  parseUnfinished(job).flatMap(each => {
    if (each.mode === 'skipped') return []
    const { from, to, ...rest } = each
    return Array.from({ length: to - from }, (_, nth) => ({ ...rest, index: from + nth }))
  })

export const listSkipped = (job: Pick<JobRow, 'unfinished'>): SkippedEntries[] =>
  parseUnfinished(job).filter(each => each.mode === 'skipped')

/** The two columns that hold them. */
export function encodeUnfinished(
  outstanding: readonly OutstandingEntry[],
  skipped: readonly SkippedEntries[],
): Pick<JobRow, 'unfinished' | 'outstanding'> {
  const all: UnfinishedEntries[] = [...skipped]
  for (const { index, ...rest } of outstanding.toSorted((one, other) => one.at - other.at || one.index - other.index)) {
    const last = all.at(-1)
    const goesOn =
      last?.to === index && last.mode === rest.mode && last.at === rest.at && last.isStopped === rest.isStopped
    if (goesOn) last.to += 1
    else all.push({ ...rest, from: index, to: index + 1 })
  }
  return {
    unfinished: JSON.stringify(all.sort((one, other) => one.at - other.at)),
    outstanding: outstanding.length,
  }
}

/** When the first of these entries is to be looked at again. */
export const nextTryAt = (entries: readonly { at: number }[]): number | undefined =>
  entries.length === 0 ? undefined : Math.min(...entries.map(({ at }) => at))
