import { once } from 'node:events'
import { createServer, request as forward, type IncomingMessage, type RequestOptions } from 'node:http'
import type { AddressInfo } from 'node:net'

/** One request of a sample, and its response. */
export interface Exchange {
  /** The first part of the address: who sent it. */
  sender: string
  method: string
  /** The path and query that the server was asked for. */
  address: string
  /** The media type of the body. */
  sentType: string
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
    const sent = { hostname, port, method, path: address, headers, agent: false }
    try {
      const answer = await responseTo(sent, Buffer.concat(body))
      const { status, text, headers: given } = answer
      const type = given['content-type']?.split(';')[0] ?? ''
      const request = { sender, method, address, sentType: incoming.headers['content-type'] ?? '' }
      exchanges.push({ ...request, body: Buffer.concat(body).toString(), status, type, response: text })
      const { 'transfer-encoding': _, ...kept } = given
      outgoing.writeHead(status, kept).end(answer.bytes)
    } catch (error) {
      outgoing.destroy(error as Error)
    }
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

async function responseTo(request: RequestOptions, body: Buffer) {
  const sent = forward(request).end(body)
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  const bytes = Buffer.concat(await answer.toArray())
  return { status: answer.statusCode ?? 0, headers: answer.headers, bytes, text: bytes.toString() }
}
