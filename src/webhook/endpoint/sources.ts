import type { DeliveryState } from '../delivery-rules.ts'
import { bySequence } from '../delivery-rules.ts'

/** A range of the log whose events are sent: new events, or a replay. */
export interface EventRange {
  /** The id of the replay; null: the source is new events. */
  replay: string | null
  /** The numbers that a replay named; null: all that the endpoint wants. */
  only: ReadonlySet<number> | null
  last: number
  /** The position of the range in the database. */
  position: number
  /** The number up to which the range was read. */
  readTo: number
  /** The events that were read and whose first attempt is not over. */
  unsettled: Set<number>
}

export const newSource = (
  { replay, only }: { replay: string | null; only: readonly number[] | null },
  position: number,
  last: number,
): EventRange => ({
  replay,
  only: only && new Set(only),
  last,
  position,
  readTo: position,
  unsettled: new Set(),
})

export const findNewEvents = (sources: readonly EventRange[]): EventRange | undefined =>
  sources.find(({ replay }) => replay === null)

/** Returns the number up to which each event was attempted. `unsettled` is in the order of the log, so its first one is the lowest. */
export function settledTo({ readTo, unsettled }: EventRange): number {
  const [lowest] = unsettled
  return lowest === undefined ? readTo : lowest - 1
}

export const isAllSettled = (source: EventRange): boolean => settledTo(source) >= source.last

/** Makes events due at once that somebody named, whether they wait already or not. */
export function makeDue(state: DeliveryState, sequences: readonly number[], now: number): DeliveryState {
  const known = new Map(state.waiting.map(each => [each.sequence, each]))
  for (const sequence of sequences) {
    const { attempts, firstAt } = known.get(sequence) ?? { attempts: 0, firstAt: now }
    known.set(sequence, { sequence, attempts, firstAt, nextAt: now })
  }
  return { ...state, waiting: bySequence([...known.values()]) }
}
