import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'

const CLOSE_S = 60
/** The keys of all providers of a file, as making a pair takes a tenth of a second. */
let keys: ReturnType<typeof generateKeyPair> | undefined

/** A client that is registered at a provider. */
export interface RegisteredClient {
  id: string
  /** The secret; undefined for a public client. */
  secret?: string
  redirects: readonly string[]
}

interface Grant {
  challenge: string
  nonce: string
  redirect: string
  claims: Record<string, unknown>
}

/** Misbehaviour of a provider, chosen by a test. */
export interface Misbehaviour {
  /** Members of the description; undefined takes one away. */
  metadata?: Record<string, unknown>
  /** Claims of the ID token, likewise. */
  claims?: JWTPayload
  /** Signs the ID token. */
  sign?: (claims: JWTPayload) => Promise<string> | string
  /** The person at `/userinfo`, if not in the ID token. */
  userInfo?: Record<string, unknown>
  /** Answers in place of the provider, by its path; undefined: the provider itself does. */
  answer?: (path: string, request: Request) => Promise<Response | undefined> | Response | undefined
}

/** A small OpenID provider (OpenID Connect Core 1.0, code flow with PKCE), which looks at all that a client sends. */
export async function newOpenIdProvider(issuer: string, client: RegisteredClient, otherwise: Misbehaviour = {}) {
  keys ??= generateKeyPair('RS256', { extractable: true })
  const { publicKey, privateKey } = await keys
  const jwk = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'RS256', use: 'sig' }
  const grants = new Map<string, Grant>()
  const asked: string[] = []
  const base = issuer.replace(/\/$/, '')

  const metadata = () => ({
    issuer,
    authorization_endpoint: `${base}/authorize`,
    token_endpoint: `${base}/token`,
    jwks_uri: `${base}/keys`,
    userinfo_endpoint: `${base}/userinfo`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: client.secret === undefined ? ['none'] : ['client_secret_basic'],
    authorization_response_iss_parameter_supported: true,
    ...otherwise.metadata,
  })

  /** The person agrees: the address that the browser is sent back to. */
  function allow(authorization: string, claims: Record<string, unknown>): string {
    const sent = new URL(authorization).searchParams
    const get = (name: string): string => sent.get(name) ?? ''
    const redirect = get('redirect_uri')
    if (get('client_id') !== client.id || !client.redirects.includes(redirect))
      throw new Error(`the provider does not know ${get('client_id')} at ${redirect}`)
    if (get('response_type') !== 'code' || !get('scope').split(' ').includes('openid'))
      throw new Error(`the provider cannot answer ${authorization}`)
    if (get('code_challenge_method') !== 'S256' || !/^[\w-]{43}$/.test(get('code_challenge')))
      throw new Error(`no PKCE in ${authorization}`)
    const code = crypto.randomUUID()
    grants.set(code, { challenge: get('code_challenge'), nonce: get('nonce'), redirect, claims })
    const back = new URL(redirect)
    for (const [name, value] of Object.entries({ code, state: get('state'), iss: issuer }))
      back.searchParams.set(name, value)
    return back.href
  }

  const sign = (claims: JWTPayload, key: CryptoKey = privateKey): Promise<string> =>
    new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'one' }).sign(key)

  async function token(request: Request): Promise<Response> {
    const form = new URLSearchParams(new TextDecoder().decode(await request.arrayBuffer()))
    if (!isClient(client, request.headers.get('authorization'), form))
      return Response.json({ error: 'invalid_client' }, { status: 401 })
    const code = form.get('code') ?? ''
    const grant = grants.get(code)
    // A code is worth something once.
    grants.delete(code)
    const isRight =
      grant !== undefined &&
      form.get('grant_type') === 'authorization_code' &&
      form.get('redirect_uri') === grant.redirect &&
      (await s256(form.get('code_verifier') ?? '')) === grant.challenge
    if (!isRight) return Response.json({ error: 'invalid_grant' }, { status: 400 })
    const now = Math.floor(Date.now() / 1000)
    const personal = otherwise.userInfo === undefined ? grant.claims : { sub: grant.claims.sub }
    const claims = clean({
      iss: issuer,
      aud: client.id,
      nonce: grant.nonce,
      iat: now,
      exp: now + CLOSE_S,
      ...personal,
      ...otherwise.claims,
    })
    const idToken = await (otherwise.sign ?? sign)(claims)
    return Response.json({ access_token: 'for-userinfo', token_type: 'Bearer', expires_in: CLOSE_S, id_token: idToken })
  }

  async function answer(request: Request): Promise<Response> {
    const path = new URL(request.url).pathname.slice(new URL(base).pathname.replace(/\/$/, '').length)
    asked.push(path)
    const other = await otherwise.answer?.(path, request)
    if (other) return other
    if (path === '/.well-known/openid-configuration') return Response.json(clean(metadata()))
    if (path === '/keys') return Response.json({ keys: [jwk] })
    if (path === '/token') return token(request)
    if (path === '/userinfo' && request.headers.get('authorization') === 'Bearer for-userinfo')
      return Response.json(otherwise.userInfo ?? {})
    return new Response('there is no such page', { status: 404 })
  }

  return { issuer, client, otherwise, asked, answer, allow, sign, publicKey: jwk }
}
export type OpenIdProvider = Awaited<ReturnType<typeof newOpenIdProvider>>

const clean = (members: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))

function isClient({ id, secret }: RegisteredClient, authorization: string | null, form: URLSearchParams): boolean {
  if (secret === undefined) return form.get('client_id') === id && authorization === null
  const encoded = (text: string) => new URLSearchParams({ '': text }).toString().slice(1)
  const isBasic = authorization === `Basic ${btoa(`${encoded(id)}:${encoded(secret)}`)}`
  return isBasic || (form.get('client_id') === id && form.get('client_secret') === secret)
}

async function s256(verifier: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))
  return btoa(String.fromCharCode(...new Uint8Array(hash)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '')
}
