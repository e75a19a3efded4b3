import type { Db } from './db/client.ts'
import type { Writer } from './db/write.ts'

export interface Team {
  no: number
  id: string
  shortId: string
  name: string
  /** Since when the event feed is switched on; null: it is off. */
  eventFeedSince: number | null
}

/** By what a user acts: a key or a session, in a request; or a job. Kept with every change. */
export type ChangeOrigin = { apiKey: string; request: string } | { session: string; request: string } | { job: string }

/**
 * Whose data, on whose behalf, and what time it is. The first parameter of what a request or a step of a job does; what
 * works for all teams takes the database alone. It also carries the idempotency key of the request, for its one `write`;
 * what is written besides is written by a scope without it.
 */
export interface Scope extends Writer {
  team: Team
  user: { id: string }
  origin: ChangeOrigin
  now: number
}

/** Called only where a team was proven: by a token, by a row of the team's own job, or by the note of its erasure. */
export const teamScope = (db: Db, by: Pick<Scope, 'team' | 'user' | 'origin'>, now: number): Scope => ({
  db,
  idempotency: null,
  ...by,
  now,
})
