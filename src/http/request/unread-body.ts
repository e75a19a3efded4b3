import type { MiddlewareHandler } from 'hono'
import type { AppEnv } from '../context.ts'

/** A larger body is not worth reading to keep a connection. */
const DRAINED_BYTES_MAX = 64 * 1024

/**
 * Reads a body that nothing has read: the runtime closes the connection of a request whose body is unread when the
 * response is sent, so a client over its rate limit would connect anew for every refusal.
 */
export const drainUnreadBody: MiddlewareHandler<AppEnv> = async (c, next) => {
  await next()
  const { raw } = c.req
  if (raw.bodyUsed || raw.body === null || Number(raw.headers.get('content-length') ?? 0) > DRAINED_BYTES_MAX) return
  try {
    let bytes = 0
    for await (const chunk of raw.body) {
      bytes += chunk.length
      if (bytes > DRAINED_BYTES_MAX) break
    }
  } catch {
    // The client is gone: there is no connection to keep.
  }
}
