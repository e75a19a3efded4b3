import type * as z from 'zod'
import type { Scope } from '../scope.ts'
import type { StoredEvent } from './stored-event.ts'

/** What an event refers to, and about how much it is where it is shown. */
export interface Referent<Shown> {
  bytes: number
  shown: Shown | 'not read'
}

type DataSchemas = Readonly<Record<string, z.ZodObject>>

/** The events of a noun. Its `events.ts` declares them, and `src/event-types.ts` lists those of all nouns. */
export interface NounEvents<Data extends DataSchemas = DataSchemas> {
  /** The schema of `data`, by type. */
  data: Data
  /**
   * Shows `data` of some of these events, by sequence number. What they are about is read for all of them together, but for
   * what is longer than `bytesMax`.
   */
  show: (
    scope: Pick<Scope, 'db' | 'team'>,
    events: readonly StoredEvent[],
    bytesMax: number,
  ) => Promise<ReadonlyMap<number, Referent<z.infer<Data[keyof Data]>>>>
}

/** The compiler compares what is shown with the schemas. */
export const declareEvents = <Data extends DataSchemas>(events: NounEvents<Data>): NounEvents<Data> => events

/** For what is never long. */
export const toWholeReferent = <Data extends object>(shown: Data): Referent<Data> => ({
  bytes: JSON.stringify(shown).length,
  shown,
})

/** The row numbers that events are about, each once. */
export const listEventKeys = (events: readonly StoredEvent[]): number[] => [
  ...new Set(events.map(({ key }) => Number(key))),
]
