import type { MiddlewareHandler } from 'hono'
import type { AppEnv } from '../context.ts'

/** A larger body is not worth reading to keep a connection, unless its route would have read it anyway. */
const DRAINED_BYTES_MAX = 64 * 1024

/**
 * Reads what is left of a body: the runtime closes the connection of a request whose body is unread when the response is sent, so a client
 * over its rate limit would connect anew for every refusal, and one that uses the connection again would lose its next request.
 */
export const drainUnreadBody: MiddlewareHandler<AppEnv> = async (c, next) => {
  await next()
  const { raw } = c.req
  const length = raw.headers.get('content-length')
  const streamed = c.get('bodyReader')
  // `streamBody` has refused a length beyond the limit of its route.
  const bytesMax = streamed && length !== null ? Number.POSITIVE_INFINITY : DRAINED_BYTES_MAX
  if (Number(length ?? 0) > bytesMax) return
  try {
    const reader = streamed ?? (raw.bodyUsed ? undefined : raw.body?.getReader())
    for (let bytes = 0; reader && bytes <= bytesMax; ) {
      const { done, value } = await reader.read()
      if (done) return
      bytes += value.length
    }
  } catch {
    // The client is gone: there is no connection to keep.
  }
}
