import type { MiddlewareHandler } from 'hono'
import { routePath } from 'hono/route'
import { createCost } from '../db/cost.ts'
import { openSession } from '../db/databases.ts'
import { describeError } from '../describe-error.ts'
import { newId } from '../ids.ts'
import type { AppEnv } from './context.ts'
import { BOOKMARK_HEADER } from './request/bookmark.ts'

const HTTP_ERROR = 400

/** Chooses which successful requests are logged, because each line is billed. Errors are all logged. */
const isLogged = ({ LOG_SUCCESS_PERCENT }: LogVars): boolean => Math.random() * 100 < Number(LOG_SUCCESS_PERCENT)

interface LogVars {
  LOG_SUCCESS_PERCENT: string
}

export function checkLogging({ LOG_SUCCESS_PERCENT }: LogVars): void {
  const percent = Number(LOG_SUCCESS_PERCENT || Number.NaN)
  if (!(percent >= 0 && percent <= 100))
    throw new Error('the setting LOG_SUCCESS_PERCENT must be a number from 0 to 100')
}

/** Gives each request its id, its metered database, and a log line with its cost. */
export const requestLog: MiddlewareHandler<AppEnv> = async (c, next) => {
  const startedAt = performance.now()
  const cost = createCost()
  // The id has the time in it, so that the line of a request is found without an index.
  const requestId = newId(Date.now())
  c.set('requestId', requestId)
  c.set('cost', cost)
  const primary = openSession(c.env, cost, 'first-primary')
  c.set('session', primary)
  c.set('db', primary.db)
  await next()
  const { trips, rowsRead, rowsWritten, ms, ownMs } = cost
  const { headers, status } = c.res
  headers.set('x-request-id', requestId)
  const bookmark = c.get('session').bookmark()
  if (bookmark !== null) headers.set(BOOKMARK_HEADER, bookmark)
  const db = `db;dur=${ms.toFixed(1)};desc="trips=${trips} read=${rowsRead} written=${rowsWritten}"`
  headers.set('server-timing', `${db}, sql;dur=${ownMs.toFixed(1)}`)
  if (status < HTTP_ERROR && !isLogged(c.env)) return
  const cause = c.get('cause')
  const line = {
    requestId,
    team: c.get('scope')?.team.id,
    method: c.req.method,
    route: routePath(c),
    status,
    code: c.get('errorCode'),
    ms: Math.round(performance.now() - startedAt),
    cost: { trips, rowsRead, rowsWritten, ms: Math.round(ms) },
    cause: cause === undefined ? undefined : describeError(cause),
  }
  if (cause === undefined) console.info(JSON.stringify(line))
  else console.error(JSON.stringify(line))
}
