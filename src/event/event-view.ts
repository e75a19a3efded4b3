import type { Scope } from '../scope.ts'
import type { StoredEvent } from './stored-event.ts'
import type { EventType } from './types.ts'

/** What events refer to, and about how much it is where it is shown. */
export interface Referent<Shown> {
  bytes: number
  shown: Shown | 'not read'
}

/** How the events of a feature are shown. Each is declared in the folder of its feature, and listed in `feed/event-views.ts`. */
export interface EventView<Data extends object = object> {
  types: readonly EventType[]
  /**
   * What `data` of each of these events is, by its sequence: what they are about is read for all of them together, but for
   * what is longer than `bytesMax`.
   */
  show: (
    scope: Pick<Scope, 'db' | 'team'>,
    events: readonly StoredEvent[],
    bytesMax: number,
  ) => Promise<ReadonlyMap<number, Referent<Data>>>
}

/** What is never long. */
export const toWholeReferent = <Data extends object>(shown: Data): Referent<Data> => ({
  bytes: JSON.stringify(shown).length,
  shown,
})

/** The row numbers that events are about, each once. */
export const listEventKeys = (events: readonly StoredEvent[]): number[] => [
  ...new Set(events.map(({ key }) => Number(key))),
]
