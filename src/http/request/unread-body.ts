import type { Context, MiddlewareHandler } from 'hono'
import type { AppEnv } from '../context.ts'

/**
 * The bytes that are drained for a caller who is refused before authentication. It is the largest body of JSON, takes a few
 * milliseconds, and is never held in memory. After a larger body the connection is closed.
 */
const UNAUTHENTICATED_BYTES_MAX = 1024 * 1024

/**
 * Reads the rest of a body. The runtime closes the connection of a request whose body is unread when the response is sent: a client
 * over its rate limit would connect anew for every refusal, and one that reuses the connection would lose its next request.
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
    // The client is gone, so there is no connection to keep.
  }
}

/** Returns the bytes that are drained. An authenticated caller could have sent as much in a call that is not refused. */
function getDrainedBytesMax(c: Context<AppEnv>): number {
  const isKnown = c.get('caller') !== undefined || c.get('isOperator') === true
  return isKnown ? Math.max(UNAUTHENTICATED_BYTES_MAX, c.get('bodyBytesMax') ?? 0) : UNAUTHENTICATED_BYTES_MAX
}
