import { createServer, request as forward } from 'node:http'
import type { AddressInfo } from 'node:net'

/** One request of a sample, and its response. */
export interface Exchange {
  /** The first part of the address: who sent it. */
  sender: string
  method: string
  /** The path and query that the server was asked for. */
  address: string
  body: string
  status: number
  type: string
  response: string
}

/** Stands between samples and the server, and keeps what passes. A sample's origin is `<url>/<sender>`. */
export async function recordingProxy(target: string) {
  const exchanges: Exchange[] = []
  const { hostname, port } = new URL(target)
  const server = createServer(async (incoming, outgoing) => {
    const [, sender = '', address = ''] = /^\/([^/]+)(\/.*)$/.exec(incoming.url ?? '') ?? []
    const body: Buffer[] = []
    for await (const part of incoming) body.push(part as Buffer)
    const { method = 'GET' } = incoming
    // A compressed response could not be compared.
    const headers = { ...incoming.headers, host: `${hostname}:${port}`, 'accept-encoding': 'identity' }
    // A connection of its own: one that is kept may be closed by the server at any moment.
    const sent = forward({ hostname, port, method, path: address, headers, agent: false }, answer => {
      const { statusCode: status = 0 } = answer
      const exchange = { sender, method, address, body: Buffer.concat(body).toString(), status }
      const { 'transfer-encoding': _, ...kept } = answer.headers
      outgoing.writeHead(status, kept)
      const parts: Buffer[] = []
      answer.on('data', part => {
        parts.push(part)
        outgoing.write(part)
      })
      answer.on('end', () => {
        const type = answer.headers['content-type']?.split(';')[0] ?? ''
        exchanges.push({ ...exchange, type, response: Buffer.concat(parts).toString() })
        outgoing.end()
      })
    })
    sent.on('error', error => outgoing.destroy(error))
    sent.end(Buffer.concat(body))
  })
  server.keepAliveTimeout = 0
  await new Promise<void>(resolve => server.listen(0, resolve))
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    exchanges,
    stop: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
