import { env } from 'cloudflare:workers'
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { fetchWorker, newTeam, type Team } from '../support/api.ts'
import { byCookie, OWN_PAGE } from '../support/browser-session.ts'

const MINUTE_S = 60
const AUDIENCE = 'a'.repeat(64)

/** A Zero Trust team of its own for each test: an isolate remembers the keys of one. */
async function provider() {
  const domain = `team-${crypto.randomUUID()}.cloudflareaccess.com`
  const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true })
  const keys = { keys: [{ ...(await exportJWK(publicKey)), kid: 'one', alg: 'RS256', use: 'sig' }] }
  const network = { answer: () => Response.json(keys) }
  const asked: string[] = []
  vi.stubGlobal('fetch', async (input: RequestInfo | URL) => {
    asked.push(input instanceof Request ? input.url : String(input))
    return network.answer()
  })
  const issuer = `https://${domain}`
  const assert = (
    email: string,
    claims: { issuer?: string; audience?: string; expires?: number; key?: CryptoKey } = {},
  ) =>
    new SignJWT({ email })
      .setProtectedHeader({ alg: 'RS256', kid: 'one' })
      .setIssuer(claims.issuer ?? issuer)
      .setAudience(claims.audience ?? AUDIENCE)
      .setIssuedAt()
      .setExpirationTime(Math.floor(Date.now() / 1000) + (claims.expires ?? MINUTE_S))
      .sign(claims.key ?? privateKey)
  return { domain, issuer, assert, asked, network, publicKey }
}

const person = async (team: Team, email: string) =>
  (await team.call('POST', '/v1/ext/user', { username: `user-${crypto.randomUUID()}`, role: 'agent', email })).data
    .id as string

async function enter(team: string, assertion: string | undefined, domain: string | undefined) {
  const bindings = domain === undefined ? env : { ...env, ACCESS_TEAM_DOMAIN: domain, ACCESS_AUDIENCE: AUDIENCE }
  const headers = {
    ...OWN_PAGE,
    'content-type': 'application/json',
    ...(assertion === undefined ? {} : { 'cf-access-jwt-assertion': assertion }),
  }
  const init = { method: 'POST', headers, body: JSON.stringify({ access: { team } }) }
  const response = await fetchWorker('/v1/session', init, bindings as Env)
  const { _data: data, _errors: errors } = (await response.json()) as {
    _data: Record<string, unknown>
    _errors: string[]
  }
  return { status: response.status, data, errors, cookie: response.headers.get('set-cookie')?.split(';')[0] ?? '' }
}

const loadShortId = async (team: Team): Promise<string> => (await team.call('GET', '/v1/ext/me')).data.team.shortId

let team: Team
let name: string
beforeEach(async () => {
  team = await newTeam()
  name = await loadShortId(team)
})
afterEach(() => void vi.unstubAllGlobals())

it('somebody whom Cloudflare Access has authenticated signs in as the user with that address, in the named team', async () => {
  const { domain, issuer, assert, asked } = await provider()
  const [user, other] = [await person(team, 'Asha@acme.example'), await newTeam()]
  const elsewhere = await person(other, 'asha@acme.example')
  const assertion = await assert('asha@ACME.example')
  const reply = await enter(name, assertion, domain)
  expect(reply).toMatchObject({ status: 201, data: { user, method: 'openid' } })
  expect((await byCookie(reply.cookie)('GET', '/v1/ext/me')).data.user.id).toBe(user)
  expect((await enter(await loadShortId(other), assertion, domain)).data.user).toBe(elsewhere)
  expect(asked).toEqual([`${issuer}/cdn-cgi/access/certs`])
})

it('a token that Access has not signed for this installation, now, and for a person, is refused', async () => {
  const { domain, assert, publicKey } = await provider()
  await person(team, 'asha@acme.example')
  const stranger = await generateKeyPair('RS256')
  const now = Math.floor(Date.now() / 1000)
  const secret = new TextEncoder().encode(JSON.stringify(await exportJWK(publicKey)))
  const claims = new SignJWT({ email: 'asha@acme.example' }).setIssuer(`https://${domain}`).setAudience(AUDIENCE)
  const forged = [
    await assert('asha@acme.example', { audience: 'b'.repeat(64) }),
    await assert('asha@acme.example', { issuer: 'https://other.cloudflareaccess.com' }),
    await assert('asha@acme.example', { expires: -1 }),
    await assert('asha@acme.example', { key: stranger.privateKey }),
    await claims
      .setProtectedHeader({ alg: 'HS256', kid: 'one' })
      .setExpirationTime(now + MINUTE_S)
      .sign(secret),
    new UnsecuredJWT({ email: 'asha@acme.example' }).setIssuer(`https://${domain}`).setExpirationTime('1m').encode(),
    await assert('nobody@acme.example'),
    'not.a.token',
  ]
  for (const assertion of forged) {
    const reply = await enter(name, assertion, domain)
    expect([reply.status, reply.errors[0], reply.cookie]).toEqual([
      401,
      'no active user of this team has this address',
      '',
    ])
  }
  expect((await enter(name, undefined, domain)).status).toBe(401)
  expect((await enter('nobody', await assert('asha@acme.example'), domain)).status).toBe(401)
  expect((await enter(name, await assert('asha@acme.example'), domain)).status).toBe(201)
})

it('a deactivated user cannot sign in by Access', async () => {
  const { domain, assert } = await provider()
  const user = await person(team, 'asha@acme.example')
  await team.call('PUT', `/v1/ext/user/${user}/access`, { isActive: false })
  expect((await enter(name, await assert('asha@acme.example'), domain)).status).toBe(401)
})

it('Cloudflare Access is not offered where it is not set up, and an error says so where its keys cannot be loaded', async () => {
  const { domain, assert, network } = await provider()
  await person(team, 'asha@acme.example')
  const assertion = await assert('asha@acme.example')
  expect((await enter(name, assertion, undefined)).status).toBe(501)
  network.answer = () => new Response('down', { status: 503 })
  expect((await enter(name, assertion, domain)).status).toBe(502)
})

it('wrong settings of Cloudflare Access are named', async () => {
  const reply = await enter(name, 'x', 'acme.example.com')
  expect([reply.status, reply.errors]).toEqual([500, [expect.stringContaining('ACCESS_TEAM_DOMAIN')]])
})
