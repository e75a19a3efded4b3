import type { Db } from './db/client.ts'
import type { Writer } from './db/write.ts'

export interface Team {
  no: number
  id: string
  shortId: string
  name: string
  /** The time since when the event feed is on; null if it is off. */
  eventFeedSince: number | null
}

/** The origin of a change: a key or a session, in a request; or a job. Stored with every change. */
export type ChangeOrigin = { apiKey: string; request: string } | { session: string; request: string } | { job: string }

/**
 * The team, the user and the time of a request or a step of a job, the first parameter of all that these do. Code that
 * works for all teams takes the database alone. A scope also carries the idempotency key of the request, for its one
 * `write`; further writes take a scope without it.
 */
export interface Scope extends Writer {
  team: Team
  user: { id: string }
  origin: ChangeOrigin
  now: number
}

/** Makes a scope. Called only where a team was proved: by a token, by a row of the team's own job, or by the note of its erasure. */
export const createTeamScope = (db: Db, by: Pick<Scope, 'team' | 'user' | 'origin'>, now: number): Scope => ({
  db,
  idempotency: null,
  ...by,
  now,
})
