import type { Request as NodeRequest } from 'miniflare'
import { Response } from 'miniflare'

/** A webhook as it arrived. */
export interface Arrival {
  signature: string | null
  text: string
}

const arrivals = new Map<string, Arrival[]>()

/**
 * Stands where the API stands. It refuses the first `?refuse=n` webhooks of a path, agrees to a handshake with
 * `?token=…`, and tells at `/arrived/<path>` what came to `/<path>`.
 */
export async function receive(request: NodeRequest): Promise<Response> {
  const { pathname, searchParams } = new URL(request.url)
  if (pathname.startsWith('/arrived')) return Response.json(arrivals.get(pathname.replace('/arrived', '')) ?? [])
  if (request.method === 'GET') {
    const agreed = searchParams.get('hub.verify_token') === searchParams.get('token')
    return new Response(agreed ? searchParams.get('hub.challenge') : 'No', { status: agreed ? 200 : 403 })
  }
  const list = arrivals.get(pathname) ?? []
  arrivals.set(pathname, list)
  list.push({ signature: request.headers.get('x-hub-signature-256'), text: await request.text() })
  return new Response('', { status: list.length <= Number(searchParams.get('refuse')) ? 500 : 200 })
}
