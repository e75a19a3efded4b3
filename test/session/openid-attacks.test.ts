import { exportJWK, generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { newTeam, type Team } from '../support/api.ts'
import { limiter } from '../support/limiter.ts'
import type { Misbehaviour } from '../support/openid-provider.ts'
import {
  createBindings,
  createOpenIdProvider,
  loadShortId,
  newBrowser,
  newPerson,
  verified,
} from '../support/openid-sign-in.ts'

const KEPT = '__Host-caseworker-openid'
const MINUTE_S = 60

let team: Team
let name: string
let address: string
let warned: string[]
beforeEach(async () => {
  team = await newTeam()
  name = await loadShortId(team)
  address = `asha-${crypto.randomUUID()}@acme.example`
  await newPerson(team, address)
  warned = []
  vi.spyOn(console, 'warn').mockImplementation(line => void warned.push(String(line)))
})
afterEach(() => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

const now = () => Math.floor(Date.now() / 1000)

/** Returns the log's reason of the last refusal. */
const logged = (): string | undefined => warned.map(line => JSON.parse(line).openId?.refused).at(-1)

/** Somebody comes back from a provider that behaves so. */
async function comeBackFrom(otherwise: Misbehaviour) {
  const provider = await createOpenIdProvider(otherwise)
  return newBrowser(createBindings(provider)).comeBack(provider, address)
}

it.each<[string, JWTPayload, string | undefined]>([
  ['as it is', {}, undefined],
  ['of another issuer', { iss: 'https://other.example' }, 'token'],
  ['for another client', { aud: 'other' }, 'token'],
  ['for several clients, without a party', { aud: ['caseworker', 'other'] }, 'audience'],
  ['for several clients, given to this one', { aud: ['caseworker', 'other'], azp: 'caseworker' }, undefined],
  ['for several clients, given to another', { aud: ['caseworker', 'other'], azp: 'other' }, 'audience'],
  ['given to another client', { azp: 'other' }, 'audience'],
  ['with the nonce of another sign-in', { nonce: 'other' }, 'nonce'],
  ['without a nonce', { nonce: undefined as never }, 'token'],
  ['that has expired', { exp: now() - 2 * MINUTE_S }, 'token'],
  ['that never expires', { exp: undefined as never }, 'token'],
  ['that does not say when it was made', { iat: undefined as never }, 'token'],
  ['made long ago', { iat: now() - 3600 }, 'token'],
  ['made in the future', { iat: now() + 3600 }, 'token'],
  ['about nobody', { sub: undefined as never }, 'token'],
])('an ID token %s', async (_, claims, refused) => {
  const { status } = await comeBackFrom({ claims })
  expect([status, logged()]).toEqual([refused === undefined ? 200 : 401, refused])
})

it('an ID token needs a signature of the provider, by a private key', async () => {
  const stranger = await generateKeyPair('RS256')
  const signs: ((claims: JWTPayload, publicKey: object) => Promise<string> | string)[] = [
    claims => new UnsecuredJWT(claims).encode(),
    (claims, publicKey) =>
      new SignJWT(claims)
        .setProtectedHeader({ alg: 'HS256', kid: 'one' })
        .sign(new TextEncoder().encode(JSON.stringify(publicKey))),
    claims =>
      new SignJWT(claims)
        .setProtectedHeader({ alg: 'HS256' })
        .sign(new TextEncoder().encode('not told: +/ %'.repeat(3))),
    claims => new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'one' }).sign(stranger.privateKey),
    claims => new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'new' }).sign(stranger.privateKey),
    async claims =>
      new SignJWT(claims)
        .setProtectedHeader({ alg: 'RS256', jwk: await exportJWK(stranger.publicKey) })
        .sign(stranger.privateKey),
    () => 'no token',
    () => '',
  ]
  for (const [at, sign] of signs.entries()) {
    const otherwise: Misbehaviour = {}
    const provider = await createOpenIdProvider(otherwise)
    otherwise.sign = claims => sign(claims, provider.publicKey)
    const { status } = await newBrowser(createBindings(provider)).comeBack(provider, address)
    expect([at, status, logged()]).toEqual([at, 401, 'token'])
  }
})

it('a new key of the provider is loaded when a token names it', async () => {
  const rotated = await generateKeyPair('RS256', { extractable: true })
  const otherwise: Misbehaviour = {}
  const provider = await createOpenIdProvider(otherwise)
  otherwise.answer = async path =>
    path === '/keys'
      ? Response.json({ keys: [{ ...(await exportJWK(rotated.publicKey)), kid: 'two', alg: 'RS256' }] })
      : undefined
  otherwise.sign = claims =>
    new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'two' }).sign(rotated.privateKey)
  expect((await newBrowser(createBindings(provider)).comeBack(provider, address)).status).toBe(200)
})

it('a sign-in that another browser has begun, or none, is refused: by its state and by its code', async () => {
  const provider = await createOpenIdProvider()
  const bindings = createBindings(provider)
  const [victim, attacker] = [newBrowser(bindings), newBrowser(bindings)]
  const ofAttacker = provider.allow((await attacker.begin()).data.url, verified(address))
  // The victim is led to the address that the attacker was sent back to.
  expect((await victim.bringBack(ofAttacker)).status).toBe(401)
  const ofVictim = provider.allow((await victim.begin()).data.url, verified(address))
  expect((await victim.bringBack(ofAttacker)).status).toBe(401)
  // A stolen code, with the state of whoever has stolen it: the provider finds that PKCE does not fit.
  const injected = new URL(ofAttacker)
  injected.searchParams.set('code', new URL(ofVictim).searchParams.get('code') ?? '')
  const reply = await attacker.bringBack(injected.href)
  expect([reply.status, logged()]).toEqual([401, 'code'])
  // The right code with the wrong state: it is not even brought to the provider.
  const before = provider.asked.length
  for (const state of ['x', `${new URL(ofAttacker).searchParams.get('state')}x`]) {
    const address = new URL(ofAttacker)
    address.searchParams.set('state', state)
    const { status, errors } = await attacker.bringBack(address.href)
    expect([status, errors[0]]).toEqual([401, expect.stringContaining('was begun elsewhere')])
  }
  expect(provider.asked.length).toBe(before)
})

it('an injected code is refused by its nonce even where the provider does not check PKCE', async () => {
  const otherwise: Misbehaviour = {}
  const provider = await createOpenIdProvider(otherwise)
  const [victim, attacker] = [newBrowser(createBindings(provider)), newBrowser(createBindings(provider))]
  const nonce = new URL((await victim.begin()).data.url).searchParams.get('nonce') ?? ''
  const back = provider.allow((await attacker.begin()).data.url, verified(address))
  otherwise.claims = { nonce }
  expect([(await attacker.bringBack(back)).status, logged()]).toEqual([401, 'nonce'])
})

it('a pending sign-in expires after five minutes, and cannot be changed', async () => {
  const provider = await createOpenIdProvider()
  const browser = newBrowser(createBindings(provider))
  const back = provider.allow((await browser.begin()).data.url, verified(address))
  const kept = browser.cookies.get(KEPT) ?? ''
  const [until = '', text = '', signature = ''] = kept.split('.')
  for (const forged of [
    `${Number(until) + 1}.${text}.${signature}`,
    `${until}.${text.slice(0, -1)}.${signature}`,
    `${until}.${text}.${signature.slice(0, -1)}`,
    `${until}.${text}.`,
    'x',
  ])
    expect((await newBrowser(createBindings(provider), new Map([[KEPT, forged]])).bringBack(back)).status).toBe(401)
  // A value that is sealed for one step is not accepted at the other.
  expect((await browser.enter(name)).status).toBe(401)
  vi.useFakeTimers({ now: Date.now() + 5 * MINUTE_S * 1000, toFake: ['Date'] })
  try {
    expect((await browser.bringBack(back)).errors[0]).toContain('more than five minutes ago')
  } finally {
    vi.useRealTimers()
  }
  const answered = await browser.bringBack(back)
  expect(answered.status).toBe(200)
  expect((await browser.bringBack(back)).status).toBe(401)
})

it('one sign-in makes one session, whatever is sent twice', async () => {
  const provider = await createOpenIdProvider()
  const bindings = createBindings(provider)
  const browser = newBrowser(bindings)
  const begun = (await browser.begin()).data.url
  const beginning = new Map(browser.cookies)
  const back = provider.allow(begun, verified(address))
  expect((await browser.bringBack(back)).status).toBe(200)
  const person = new Map(browser.cookies)
  const replayed = await newBrowser(bindings, new Map(beginning)).bringBack(back)
  expect([replayed.status, logged()]).toEqual([401, 'code'])
  const entered = await Promise.all([browser.enter(name), newBrowser(bindings, person).enter(name)])
  expect(entered.map(({ status }) => status).sort()).toEqual([201, 401])
  // A provider that takes a code twice, or gives another one for the same sign-in, makes no second session either.
  const again = newBrowser(bindings, new Map(beginning))
  expect((await again.bringBack(provider.allow(begun, verified(address)))).status).toBe(200)
  const { status, errors } = await again.enter(name)
  expect([status, errors[0]]).toEqual([401, expect.stringContaining('has made a session before')])
})

it('the issuer in the response must be the one that was asked: RFC 9207', async () => {
  for (const [metadata, iss, status] of [
    [{}, undefined, 401],
    [{}, 'https://other.example', 401],
    [{ authorization_response_iss_parameter_supported: undefined }, undefined, 200],
    [{ authorization_response_iss_parameter_supported: undefined }, 'https://other.example', 401],
  ] as const) {
    const provider = await createOpenIdProvider({ metadata })
    const browser = newBrowser(createBindings(provider))
    const back = new URL(provider.allow((await browser.begin()).data.url, verified(address)))
    back.searchParams.delete('iss')
    if (iss !== undefined) back.searchParams.set('iss', iss)
    const before = provider.asked.length
    expect([iss, (await browser.bringBack(back.href)).status]).toEqual([iss, status])
    // The code, and the secret, are not sent to anybody before.
    if (status === 401) expect(provider.asked.length).toBe(before)
  }
})

it.each([
  'https://evil.example/admin/',
  '//evil.example/admin/',
  '/admin//evil.example',
  '/admin/\\evil.example',
  '/administrator',
  '/v1/ext/me',
  '/admin/\nuser',
  'javascript:alert(1)',
  '',
])('a sign-in never redirects to %j', async from => {
  const provider = await createOpenIdProvider()
  const { status, meta } = await newBrowser(createBindings(provider)).begin(from)
  expect([status, meta.errors[0].path]).toEqual([400, '/body/from'])
})

it('only a page of the installation begins, continues and ends a sign-in', async () => {
  const provider = await createOpenIdProvider()
  const browser = newBrowser(createBindings(provider))
  const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
  for (const [path, body] of [
    ['/v1/session/openid', {}],
    ['/v1/session/openid/answer', { code: 'a', state: 'b' }],
    ['/v1/session', { openid: { team: name } }],
  ] as const)
    expect([path, (await browser.call('POST', path, body, foreign)).status]).toEqual([path, 403])
  expect(provider.asked).toEqual([])
})

it('unauthenticated callers with junk are refused by their address before the provider is asked', async () => {
  const provider = await createOpenIdProvider()
  const browser = newBrowser(createBindings(provider, { RATE_STRANGER: limiter(3) }))
  const from = { 'cf-connecting-ip': '198.51.100.77' }
  const state = new URL((await browser.begin()).data.url).searchParams.get('state')
  const junk = () =>
    browser.call('POST', '/v1/session/openid/answer', { code: 'junk', state, iss: provider.issuer }, from)
  const statuses = []
  for (let time = 0; time < 5; time++) statuses.push((await junk()).status)
  expect(statuses).toEqual([401, 401, 401, 401, 429])
  expect(provider.asked.filter(path => path === '/token').length).toBe(4)
})
