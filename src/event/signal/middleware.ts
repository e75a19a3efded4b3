import type { MiddlewareHandler } from 'hono'
import type { AppEnv } from '../../http/context.ts'
import { signalCommit } from './signal.ts'

const BAD_REQUEST = 400
const SERVER_ERROR = 500

/** Signals after the response of a request that may have changed something. A failed one may have, a refused one seldom. */
export const signalCommits: MiddlewareHandler<AppEnv> = async (c, next) => {
  await next()
  const scope = c.get('scope')
  const isRefused = c.res.status >= BAD_REQUEST && c.res.status < SERVER_ERROR
  const wasRefused = isRefused && c.get('cost').rowsWritten === 0
  if (scope && c.get('mayHaveChanged') && !wasRefused) c.executionCtx.waitUntil(signalCommit(c.env, scope.team))
}
