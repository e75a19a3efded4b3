import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { newTeam, ORIGIN, type Team } from '../support/api.ts'
import {
  CALLBACK,
  createBindings,
  createOpenIdProvider,
  loadShortId,
  newBrowser,
  newPerson,
  verified,
} from '../support/openid-sign-in.ts'

const SESSION = '__Host-caseworker'
const KEPT = '__Host-caseworker-openid'

let team: Team
let name: string
const email = () => `asha-${crypto.randomUUID()}@acme.example`
beforeEach(async () => {
  team = await newTeam()
  name = await loadShortId(team)
  vi.spyOn(console, 'warn').mockImplementation(() => {})
})
afterEach(() => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

it('a person whom the provider authenticates signs in as the user with that address, and is redirected to the requested page', async () => {
  const provider = await createOpenIdProvider()
  const address = email()
  const user = await newPerson(team, address.toUpperCase())
  const browser = newBrowser(createBindings(provider))
  const begun = await browser.begin('/admin/user?role=agent')
  expect(begun.status).toBe(200)
  expect(begun.headers.get('set-cookie')).toMatch(
    /^__Host-caseworker-openid=[\w.-]+; Max-Age=300; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
  )
  const answer = await browser.bringBack(provider.allow(begun.data.url, verified(address)))
  expect(answer).toMatchObject({
    status: 200,
    data: { teams: [{ shortId: name, name: expect.any(String) }], from: '/admin/user?role=agent' },
  })
  expect(browser.cookies.has(SESSION)).toBe(false)
  const entered = await browser.enter(name)
  expect(entered).toMatchObject({ status: 201, data: { user, method: 'openid', isCurrent: true } })
  expect(entered.headers.get('set-cookie')).toContain('SameSite=Strict')
  expect((await browser.call('GET', '/v1/ext/me')).data.user.id).toBe(user)
  expect(provider.asked).toEqual(['/.well-known/openid-configuration', '/token', '/keys'])
})

it('the metadata of a provider is loaded once by an isolate', async () => {
  const provider = await createOpenIdProvider()
  const address = email()
  await newPerson(team, address)
  for (let time = 0; time < 3; time++) {
    const browser = newBrowser(createBindings(provider))
    await browser.comeBack(provider, address)
    expect((await browser.enter(name)).status).toBe(201)
  }
  expect(provider.asked.filter(path => path !== '/token')).toEqual(['/.well-known/openid-configuration', '/keys'])
})

it('a public client signs in without a secret, by PKCE', async () => {
  const provider = await createOpenIdProvider({}, { client: { id: 'public', redirects: [CALLBACK] } })
  const address = email()
  await newPerson(team, address)
  const browser = newBrowser(createBindings(provider))
  await browser.comeBack(provider, address)
  expect((await browser.enter(name)).status).toBe(201)
})

it('a client whose provider takes the secret in the form only sends it there', async () => {
  const provider = await createOpenIdProvider({
    metadata: { token_endpoint_auth_methods_supported: ['client_secret_post'] },
  })
  const address = email()
  await newPerson(team, address)
  expect((await newBrowser(createBindings(provider)).comeBack(provider, address)).status).toBe(200)
})

it('an issuer with a path or a slash at its end is one, and is compared as it is written', async () => {
  const address = email()
  await newPerson(team, address)
  for (const path of ['/', '/realms/acme']) {
    const provider = await createOpenIdProvider({}, { path })
    expect((await newBrowser(createBindings(provider)).comeBack(provider, address)).status).toBe(200)
    const other = path === '/' ? provider.issuer.slice(0, -1) : `${provider.issuer}/`
    const { status, errors } = await newBrowser(createBindings(provider, { OPENID_ISSUER: other })).begin()
    expect([status, errors[0]]).toEqual([502, expect.stringContaining(provider.issuer)])
  }
})

it('a person in several teams chooses one of them, and no other', async () => {
  const provider = await createOpenIdProvider()
  const address = email()
  const [second, third] = [await newTeam(), await newTeam()]
  const users = {
    [name]: await newPerson(team, address),
    [await loadShortId(second)]: await newPerson(second, address),
  }
  const left = await newPerson(third, address)
  await third.call('PUT', `/v1/ext/user/${left}/access`, { isActive: false })
  const browser = newBrowser(createBindings(provider))
  const { data } = await browser.comeBack(provider, address)
  expect(data.teams.map(({ shortId }: { shortId: string }) => shortId).sort()).toEqual(Object.keys(users).sort())
  expect((await browser.enter(await loadShortId(third))).status).toBe(401)
  expect((await browser.enter(await loadShortId(await newTeam()))).status).toBe(401)
  const chosen = await loadShortId(second)
  expect((await browser.enter(chosen)).data.user).toBe(users[chosen])
})

it('an earlier session of the browser ends with the sign-in', async () => {
  const provider = await createOpenIdProvider()
  const address = email()
  await newPerson(team, address)
  const browser = newBrowser(createBindings(provider))
  await browser.comeBack(provider, address)
  await browser.enter(name)
  const before = new Map(browser.cookies)
  await browser.comeBack(provider, address)
  expect((await browser.enter(name)).status).toBe(201)
  expect((await newBrowser(createBindings(provider), before).call('GET', '/v1/ext/me')).status).toBe(401)
  expect((await browser.call('GET', '/v1/ext/me')).status).toBe(200)
})

it('the address is read from each place that the provider documents, for the same person', async () => {
  const address = email()
  await newPerson(team, address)
  const sub = verified(address).sub
  for (const [userInfo, status] of [
    [verified(address), 200],
    [{ ...verified(address), email_verified: 'true' }, 200],
    [{ ...verified(address), sub: 'somebody else' }, 401],
    [{ ...verified(address), email_verified: false }, 401],
    [{ sub }, 401],
  ] as const) {
    const provider = await createOpenIdProvider({ userInfo })
    expect(
      (await newBrowser(createBindings(provider)).comeBack(provider, address)).status,
      JSON.stringify(userInfo),
    ).toBe(status)
  }
})

it('an address that belongs to no active user, is not verified, or only looks alike signs in nobody and creates nobody', async () => {
  const provider = await createOpenIdProvider()
  const address = email().replace('asha', 'kiran')
  const user = await newPerson(team, address)
  const count = async () => (await team.call('GET', '/v1/ext/users')).data.length
  const before = await count()
  const refused = [
    verified(`nobody-${address}`),
    { ...verified(address), email_verified: false },
    { ...verified(address), email_verified: undefined },
    { ...verified(address), email: undefined },
    // The small form of the Kelvin sign is the letter k.
    verified(address.replace('kiran', '\u212airan')),
    verified(address.replace('iran', '\u0130ran')),
    { ...verified(address), email: [address] },
  ]
  const answers = []
  for (const claims of refused) {
    const browser = newBrowser(createBindings(provider))
    const answer = await browser.bringBack(provider.allow((await browser.begin()).data.url, claims))
    answers.push([answer.status, answer.errors, answer.headers.get('set-cookie')])
    expect((await browser.enter(name)).status).toBe(401)
  }
  await team.call('PUT', `/v1/ext/user/${user}/access`, { isActive: false })
  const inactive = await newBrowser(createBindings(provider)).comeBack(provider, address)
  answers.push([inactive.status, inactive.errors, inactive.headers.get('set-cookie')])
  expect(new Set(answers.map(each => JSON.stringify(each))).size).toBe(1)
  expect(answers[0]).toEqual([401, [expect.stringContaining('Example ID names nobody who may sign in here')], null])
  expect(await count()).toBe(before)
})

it('a user who was deactivated between the provider and the choice of the team cannot sign in', async () => {
  const provider = await createOpenIdProvider()
  const address = email()
  const user = await newPerson(team, address)
  const browser = newBrowser(createBindings(provider))
  await browser.comeBack(provider, address)
  await team.call('PUT', `/v1/ext/user/${user}/access`, { isActive: false })
  expect((await browser.enter(name)).status).toBe(401)
})

it('the available sign-in methods are shown to anybody, and nothing else', async () => {
  const provider = await createOpenIdProvider()
  const none = await newBrowser(env).call('GET', '/v1/session/ways')
  expect([none.status, none.data]).toEqual([200, { link: true, passkey: true, access: false, openid: null }])
  expect(none.headers.get('cache-control')).toBe('public, max-age=60')
  const more = { ACCESS_TEAM_DOMAIN: 'acme.cloudflareaccess.com', ACCESS_AUDIENCE: 'a'.repeat(64), OPENID_NAME: '' }
  const all = await newBrowser(createBindings(provider, more)).call('GET', '/v1/session/ways')
  const openid = { name: new URL(provider.issuer).hostname }
  expect(all.data).toEqual({ link: true, passkey: true, access: true, openid })
  expect(provider.asked).toEqual([])
})

it('OpenID is not offered where it is not set up', async () => {
  const browser = newBrowser(env)
  expect((await browser.begin()).status).toBe(501)
  expect((await browser.bringBack(`${ORIGIN}/?code=a&state=b`)).status).toBe(501)
  expect((await browser.enter(name)).status).toBe(501)
  expect(browser.cookies.has(KEPT)).toBe(false)
})

it.each([
  ['OPENID_ISSUER', { OPENID_ISSUER: '' }],
  ['OPENID_ISSUER', { OPENID_ISSUER: 'http://id.example.com' }],
  ['OPENID_ISSUER', { OPENID_ISSUER: 'https://id.example.com?tenant=1' }],
  ['OPENID_ISSUER', { OPENID_ISSUER: 'https://user@id.example.com' }],
  ['OPENID_ISSUER', { OPENID_ISSUER: 'id.example.com' }],
  ['OPENID_CLIENT_ID', { OPENID_CLIENT_ID: '' }],
  ['OPENID_NAME', { OPENID_NAME: 'x'.repeat(41) }],
])('a wrong setting %s is named', async (setting, wrong) => {
  vi.spyOn(console, 'error').mockImplementation(() => {})
  const provider = await createOpenIdProvider()
  const { status, errors } = await newBrowser(createBindings(provider, wrong)).call('GET', '/v1/session/ways')
  expect([status, errors]).toEqual([500, [expect.stringContaining(setting)]])
})
