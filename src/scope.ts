import type { Db } from './db/client.ts'

export interface Team {
  no: number
  id: string
  shortId: string
  name: string
}

/** Whose data, on whose behalf, and what time it is. The first parameter of everything that touches data. */
export interface Scope {
  db: Db
  team: Team
  user: { id: string }
  now: number
}

/** Called only where a team was proven: by a token, or by a row of the team's own job. */
export const teamScope = (db: Db, team: Team, user: { id: string }, now: number): Scope => ({ db, team, user, now })
