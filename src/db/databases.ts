import { connect, type DatabaseSize, type Db } from './client.ts'
import { type Cost, createCost } from './cost.ts'

const sizes = new WeakMap<D1Database, DatabaseSize>()

/** Returns the size, which all connections of an isolate share. */
function getSize(database: D1Database): DatabaseSize {
  const size = sizes.get(database) ?? { bytes: 0 }
  sizes.set(database, size)
  return size
}

/** Opens the database. This is the only file that names a database binding; a team's own database would be chosen here. */
export const openDatabase = (env: Pick<Env, 'DB'>, cost: Cost = createCost(), timeLimitMs?: number): Db =>
  connect(env.DB, cost, timeLimitMs, getSize(env.DB))

/** The freshness that the reads of a request need: the primary's own state, that of a bookmark, or any. */
type Freshness = 'first-primary' | 'first-unconstrained' | Bookmark
/** A state of the database, as D1 names it. Reads from there on are at least as new. */
export type Bookmark = `${string}-${string}`

/** Opens a session for one request. Reads never go back in time; changes go to the primary in any case. */
export function openSession(env: Pick<Env, 'DB'>, cost: Cost, freshness: Freshness): DatabaseSession {
  const session = env.DB.withSession(freshness)
  return { db: connect(session, cost, undefined, getSize(env.DB)), bookmark: () => session.getBookmark() }
}

export interface DatabaseSession {
  db: Db
  /** Returns the bookmark that the caller may send with a later request; null before the first round trip. */
  bookmark: () => string | null
}
