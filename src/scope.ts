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
