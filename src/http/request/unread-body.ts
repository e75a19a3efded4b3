import type { Context, MiddlewareHandler } from 'hono'
import type { AppEnv } from '../context.ts'

/**
 * Whoever is refused before they are known may cost what a small call costs, not what their body would: 1 MiB is as much as the largest
 * body of JSON, is read in a few milliseconds, and is never held. A larger body costs a stranger the connection.
 */
const UNAUTHENTICATED_BYTES_MAX = 1024 * 1024

/**
 * Reads what is left of a body: the runtime closes the connection of a request whose body is unread when the response is sent, so a client
 * over its rate limit would connect anew for every refusal, and one that uses the connection again would lose its next request.
 */
export const drainUnreadBody: MiddlewareHandler<AppEnv> = async (c, next) => {
  await next()
  const { raw } = c.req
  const bytesMax = getDrainedBytesMax(c)
  if (Number(raw.headers.get('content-length') ?? 0) > bytesMax) return
  try {
    const reader = c.get('bodyReader') ?? (raw.bodyUsed ? undefined : raw.body?.getReader())
    for (let bytes = 0; reader && bytes <= bytesMax; ) {
      const { done, value } = await reader.read()
      if (done) return
      bytes += value.length
    }
  } catch {
    // The client is gone: there is no connection to keep.
  }
}

/** A caller who is known could have sent as much in a call that is not refused. */
function getDrainedBytesMax(c: Context<AppEnv>): number {
  const isKnown = c.get('caller') !== undefined || c.get('isOperator') === true
  return isKnown ? Math.max(UNAUTHENTICATED_BYTES_MAX, c.get('bodyBytesMax') ?? 0) : UNAUTHENTICATED_BYTES_MAX
}
