import { connect, type DatabaseSize, type Db } from './client.ts'
import { type Cost, noCost } from './cost.ts'

const sizes = new WeakMap<D1Database, DatabaseSize>()

/** One for all connections of an isolate. */
function getSize(database: D1Database): DatabaseSize {
  const size = sizes.get(database) ?? { bytes: 0 }
  sizes.set(database, size)
  return size
}

/** The only file that names a database binding. There is one database; a team's own would be chosen here. */
export const openDatabase = (env: Pick<Env, 'DB'>, cost: Cost = noCost(), timeLimitMs?: number): Db =>
  connect(env.DB, cost, timeLimitMs, getSize(env.DB))

/** How fresh what a request reads must be: the primary's own state, what a bookmark stands for, or anything. */
type Freshness = 'first-primary' | 'first-unconstrained' | Bookmark
/** A state of the database, as D1 tells it: whatever is read from there on is at least as new. */
export type Bookmark = `${string}-${string}`

/** For one request. What was read once is not older later; changes go to the primary in any case. */
export function openSession(env: Pick<Env, 'DB'>, cost: Cost, freshness: Freshness): DatabaseSession {
  const session = env.DB.withSession(freshness)
  return { db: connect(session, cost, undefined, getSize(env.DB)), bookmark: () => session.getBookmark() }
}

export interface DatabaseSession {
  db: Db
  /** What the caller may send with a later request; null before the first round trip. */
  bookmark: () => string | null
}
