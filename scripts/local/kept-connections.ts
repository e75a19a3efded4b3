import http from 'node:http'

/**
 * Runs before Miniflare is made. The server that its own Workers log to, and call, closes connections that were idle
 * for five seconds. A queue whose log line came at that moment never sent a batch again, and its jobs stopped: a
 * connection stays open until the Workers close it.
 */
export function keepConnectionsOpen(): void {
  const { createServer } = http
  http.createServer = ((...options: Parameters<typeof createServer>) =>
    Object.assign(createServer(...options), { keepAliveTimeout: 0 })) as typeof createServer
}
