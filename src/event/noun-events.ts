import type * as z from 'zod'
import type { Scope } from '../scope.ts'
import type { StoredEvent } from './stored-event.ts'

/** A noun that an event refers to, and about how many bytes it takes in a response. */
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
   * Shows `data` of some of these events, by sequence number. Their nouns are read together, but for
   * what is longer than `bytesMax`.
   */
  show: (
    scope: Pick<Scope, 'db' | 'team'>,
    events: readonly StoredEvent[],
    bytesMax: number,
  ) => Promise<ReadonlyMap<number, Referent<z.infer<Data[keyof Data]>>>>
}

/** Declares the events of a noun. The compiler compares `show` with the schemas. */
export const declareEvents = <Data extends DataSchemas>(events: NounEvents<Data>): NounEvents<Data> => events

/** Returns a referent that is never too long to be read. */
export const toWholeReferent = <Data extends object>(shown: Data): Referent<Data> => ({
  bytes: JSON.stringify(shown).length,
  shown,
})

/** Lists the row numbers of what events are about, each once. */
export const listEventKeys = (events: readonly StoredEvent[]): number[] => [
  ...new Set(events.map(({ key }) => Number(key))),
]
