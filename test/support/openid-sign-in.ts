import { env } from 'cloudflare:workers'
import { vi } from 'vitest'
import { ORIGIN, type Reply, request, type Team } from './api.ts'
import { OWN_PAGE } from './browser-session.ts'
import { type Misbehaviour, newOpenIdProvider, type OpenIdProvider, type RegisteredClient } from './openid-provider.ts'

export const CALLBACK = `${ORIGIN}/admin/sign-in/openid`
const CLIENT: RegisteredClient = { id: 'caseworker', secret: 'not told: +/ %', redirects: [CALLBACK] }

/** Returns the claims of a person whose address the provider has verified. */
export const verified = (email: string) => ({ sub: `person-${email}`, email, email_verified: true })

const networks = new Map<string, OpenIdProvider['answer']>()

/** A provider in the network that the Worker sees, at an address of its own: an isolate remembers what one has told. */
export async function createOpenIdProvider(
  otherwise: Misbehaviour = {},
  { client = CLIENT, path = '' }: { client?: RegisteredClient; path?: string } = {},
) {
  const origin = `https://${crypto.randomUUID()}.id.example`
  const provider = await newOpenIdProvider(origin + path, client, otherwise)
  networks.set(origin, provider.answer)
  vi.stubGlobal('fetch', async (input: RequestInfo | URL, init?: RequestInit) => {
    const asked = new Request(input, init)
    const answer = networks.get(new URL(asked.url).origin)
    if (!answer) throw new TypeError(`nobody is at ${asked.url}`)
    return answer(asked)
  })
  return provider
}

/** The Worker with that provider set up. */
export function createBindings(
  { issuer, client }: OpenIdProvider,
  more: Partial<Record<keyof Env, unknown>> = {},
): Env {
  const settings = {
    OPENID_ISSUER: issuer,
    OPENID_CLIENT_ID: client.id,
    OPENID_NAME: 'Example ID',
    OPENID_CLIENT_SECRET: client.secret,
  }
  return { ...env, ...settings, ...more } as Env
}

/** A browser at a page of the installation: it keeps cookies. */
export function newBrowser(bindings: Env, cookies = new Map<string, string>()) {
  async function call(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Reply> {
    const init = {
      headers: {
        ...OWN_PAGE,
        cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }
    const reply = await request(method, path, init, bindings)
    const [, name, value] = /^([^=]+)=([^;]*)/.exec(reply.headers.get('set-cookie') ?? '') ?? []
    if (name !== undefined && value !== undefined) cookies.set(name, value)
    return reply
  }

  const begin = (from?: string) => call('POST', '/v1/session/openid', from === undefined ? {} : { from })
  /** Sends what the page sends when the provider has redirected to its address. */
  const bringBack = (address: string) =>
    call('POST', '/v1/session/openid/answer', Object.fromEntries(new URL(address).searchParams))
  const enter = (team: string) => call('POST', '/v1/session', { openid: { team } })

  return {
    cookies,
    call,
    begin,
    bringBack,
    enter,
    /** Goes to the provider, where somebody signs in, and back. */
    comeBack: async (provider: OpenIdProvider, email: string) =>
      bringBack(provider.allow((await begin()).data.url, verified(email))),
  }
}

export const loadShortId = async (team: Team): Promise<string> =>
  (await team.call('GET', '/v1/ext/me')).data.team.shortId

/** A user of the team with that address: their id. */
export const newPerson = async (team: Team, email: string, role = 'agent'): Promise<string> =>
  (await team.call('POST', '/v1/ext/user', { username: `user-${crypto.randomUUID()}`, role, email })).data.id
