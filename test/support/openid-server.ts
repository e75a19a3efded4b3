import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Misbehaviour, newOpenIdProvider, type OpenIdProvider } from './openid-provider.ts'

export interface OpenIdServer {
  issuer: string
  /** The misbehaviour from now on. */
  otherwise: Misbehaviour
  stop: () => Promise<void>
}

/**
 * A provider that a browser can visit, on a port of this machine: it asks who signs in, and everybody is believed. At
 * 127.0.0.1, which is another site than `localhost`, as a provider is.
 */
export async function startOpenIdServer(origins: readonly string[]): Promise<OpenIdServer> {
  const otherwise: Misbehaviour = {}
  let provider: OpenIdProvider | undefined
  const server = createServer(async (request, reply) => {
    const body: Buffer[] = []
    for await (const piece of request) body.push(piece as Buffer)
    const { method = 'GET', url = '/', headers } = request
    const sent = new Request(`http://${headers.host}${url}`, {
      method,
      headers: { authorization: headers.authorization ?? '', 'content-type': headers['content-type'] ?? '' },
      ...(method === 'GET' ? {} : { body: Buffer.concat(body) }),
    })
    const answer = provider && ((await visited(provider, sent)) ?? (await provider.answer(withoutEmpty(sent))))
    reply.writeHead(answer?.status ?? 503, Object.fromEntries(answer?.headers ?? []))
    reply.end(Buffer.from((await answer?.arrayBuffer()) ?? new ArrayBuffer(0)))
  })
  // The Worker ends a connection that was idle; where both may, one of them does so under a request.
  server.keepAliveTimeout = 0
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const redirects = origins.map(origin => `${origin}/admin/sign-in/openid`)
  provider = await newOpenIdProvider(issuer, { id: 'caseworker', redirects }, otherwise)
  return {
    issuer,
    otherwise,
    stop: () => {
      server.closeAllConnections()
      return new Promise(resolve => server.close(() => resolve()))
    },
  }
}

/** A header that was not sent is none. */
function withoutEmpty(request: Request): Request {
  if (request.headers.get('authorization') === '') request.headers.delete('authorization')
  return request
}

/** The pages that people see: who are you, and the way back. */
function visited(provider: OpenIdProvider, request: Request): Response | undefined {
  const address = new URL(request.url)
  if (address.pathname === '/authorize') {
    const page = `<!doctype html><html lang="en"><title>Example ID</title><form action="/agree">
      <input type="hidden" name="asked" value="${request.url.replaceAll('&', '&amp;')}">
      <label>E-mail <input name="email"></label><button>Continue</button><button name="denied" value="yes">Cancel</button>`
    return new Response(page, { headers: { 'content-type': 'text/html' } })
  }
  if (address.pathname !== '/agree') return undefined
  const { asked = '', email = '', denied } = Object.fromEntries(address.searchParams)
  const back = new URL(provider.allow(asked, { sub: email, email, email_verified: true }))
  if (denied !== undefined) {
    back.searchParams.delete('code')
    back.searchParams.set('error', 'access_denied')
  }
  return new Response(null, { status: 303, headers: { location: back.href } })
}
