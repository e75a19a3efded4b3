import type { Context } from 'hono'
import { type Bookmark, openSession } from '../../db/databases.ts'
import { invalid } from '../../errors.ts'
import type { AppEnv } from '../context.ts'
import { pointer } from './faults.ts'

export const BOOKMARK_HEADER = 'x-caseworker-bookmark'
/** In place of a bookmark: the caller accepts any state of the database. */
const ANY_STATE = 'any'
const BOOKMARK = /^[0-9a-f]{1,16}(-[0-9a-f]{1,64}){1,5}$/i

const isBookmark = (text: string): text is Bookmark => BOOKMARK.test(text)

/**
 * Lets a request that only reads be served by the nearest copy of the database that is as new as its bookmark. Without one
 * the primary serves it: a caller who knows nothing of bookmarks reads all that was ever written.
 */
export function readFromBookmark(c: Context<AppEnv>): void {
  const sent = c.req.header(BOOKMARK_HEADER)
  if (sent === undefined) return
  const isAny = sent === ANY_STATE
  if (!isAny && !isBookmark(sent))
    throw invalid([
      {
        message: `send a bookmark as a response had it, or ${JSON.stringify(ANY_STATE)}`,
        path: pointer('header', BOOKMARK_HEADER),
      },
    ])
  const session = openSession(c.env, c.get('cost'), isAny ? 'first-unconstrained' : sent)
  c.set('session', session)
  c.set('db', session.db)
  c.set('scope', { ...c.get('scope'), db: session.db })
}
