import http from 'node:http'

/**
 * Before Miniflare is made. The server that its own Workers log to, and call, closes what was idle for five seconds. A queue whose log
 * line met that moment never sent a batch again, and its jobs stood still: a connection stays open until the Workers close it.
 */
export function keepConnectionsOpen(): void {
  const { createServer } = http
  http.createServer = ((...options: Parameters<typeof createServer>) =>
    Object.assign(createServer(...options), { keepAliveTimeout: 0 })) as typeof createServer
}
