import { describe, expect, it, vi } from 'vitest'
import { TRUST_MS } from '../../src/auth/owner-cache.ts'
import { newTeam, type Team } from '../support/api.ts'
import { databaseThrough, requestWith } from '../support/broken-bindings.ts'
import {
  addPasskey,
  linkFor,
  newRegistration,
  newSignInChallenge,
  newUser,
  OWN_PAGE,
  postSignIn,
  startSession,
} from '../support/browser-session.ts'
import { resumeWithoutCredentials, suspend } from '../support/suspension.ts'

async function afterTrust<T>(act: () => Promise<T>): Promise<T> {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + TRUST_MS })
  try {
    return await act()
  } finally {
    vi.useRealTimers()
  }
}

it('a user who becomes an admin has to sign in again: a manager may have made the earlier links and keys', async () => {
  const team = await newTeam()
  const manager = await team.as('manager')
  const agent = await newUser(team, 'agent')
  const [used, unused] = [await linkFor(manager, agent), await linkFor(manager, agent)]
  expect((await postSignIn({ link: used })).status).toBe(201)
  const { browser, device } = await addPasskey(manager, agent)
  expect((await browser.call('GET', '/v1/ext/me')).status).toBe(200)
  expect((await team.call('PUT', `/v1/ext/user/${agent}/access`, { role: 'admin' })).status).toBe(200)
  expect((await postSignIn({ link: unused })).status).toBe(401)
  expect((await postSignIn({ passkey: await device.answer(await newSignInChallenge()) })).status).toBe(401)
  await afterTrust(async () => {
    expect((await browser.call('GET', '/v1/ext/me')).status).toBe(401)
  })
  const { call } = await startSession(team, agent)
  expect((await call('GET', '/v1/ext/me')).data).toMatchObject({ role: { shortId: 'admin' } })
})

it('a user whose new role every maker of links may grant stays signed in, and keeps their passkeys', async () => {
  const team = await newTeam()
  const viewer = await newUser(team, 'viewer')
  const { browser, device } = await addPasskey(team, viewer)
  expect((await team.call('PUT', `/v1/ext/user/${viewer}/access`, { role: 'manager' })).status).toBe(200)
  await afterTrust(async () => {
    expect((await browser.call('GET', '/v1/ext/me')).data).toMatchObject({ role: { shortId: 'manager' } })
  })
  expect((await postSignIn({ passkey: await device.answer(await newSignInChallenge()) })).status).toBe(201)
  const admin = await newUser(team, 'admin')
  const theirs = await startSession(team, admin)
  expect((await team.call('PUT', `/v1/ext/user/${admin}/access`, { role: 'manager' })).status).toBe(200)
  expect((await theirs.call('GET', '/v1/ext/me')).status).toBe(200)
})

it('a link is not made for a user who becomes an admin meanwhile', async () => {
  const team = await newTeam()
  const manager = await team.as('manager')
  const agent = await newUser(team, 'agent')
  expect((await manager.call('GET', '/v1/ext/me')).status).toBe(200)
  let trips = 0
  const database = databaseThrough(async call => {
    trips += 1
    if (trips === 2) await team.call('PUT', `/v1/ext/user/${agent}/access`, { role: 'admin' })
    return call()
  })
  const reply = await requestWith({ DB: database }, `/v1/ext/user/${agent}/sign-in-link`, {
    method: 'POST',
    headers: { authorization: `Bearer ${manager.token}` },
  })
  expect(trips).toBe(2)
  expect(reply).toMatchObject({ status: 409, meta: { errors: [{ code: 'conflict', path: '/path/userId' }] } })
  expect((await manager.call('POST', `/v1/ext/user/${agent}/sign-in-link`)).status).toBe(403)
})

it('a session that was ended adds no passkey, also where an isolate does not know of its end', async () => {
  const team = await newTeam()
  const agent = await newUser(team, 'agent')
  const { id, call } = await startSession(team, agent)
  const device = await newRegistration({ call })
  expect((await team.call('DELETE', `/v1/ext/session/${id}`)).status).toBe(200)
  expect((await call('GET', '/v1/ext/me')).status).toBe(200)
  const late = await call('POST', '/v1/ext/passkey', { name: 'Late', passkey: device.registration })
  expect(late).toMatchObject({ status: 401, meta: { errors: [{ code: 'unauthenticated', path: '/header/cookie' }] } })
  expect((await team.call('GET', `/v1/ext/passkey?user=${agent}`)).data).toEqual([])
})

describe('whoever is out lets nobody in and has nothing sent elsewhere, also where an isolate does not know of the end:', () => {
  type Caller = Pick<Team, 'call'>
  const KEYS = '/v1/ext/api-key'
  const [WEBHOOKS, PLUGINS] = ['/v1/ext/webhook', '/v1/ext/plugin']

  /** All by which somebody could come back, or somebody else come in. */
  async function tryAll(team: Team, caller: Caller): Promise<unknown[]> {
    const [user, admin] = [await newUser(team, 'agent'), await newUser(team, 'admin')]
    const { data: old } = await team.call('POST', KEYS, { name: 'old', role: 'admin', user: admin })
    const read = async () => [
      (await team.call('GET', KEYS)).data.length,
      (await team.call('GET', '/v1/ext/users')).data,
    ]
    const before = await read()
    const replies = [
      await caller.call('POST', KEYS, { name: 'late', role: 'admin' }),
      await caller.call('POST', KEYS, { name: 'late', role: 'admin', user: admin }),
      await caller.call('POST', `${KEYS}/${old.id}/rotate`, { overlapSeconds: 60 }),
      await caller.call('POST', '/v1/ext/user', { username: `late-${crypto.randomUUID()}`, role: 'admin' }),
      await caller.call('PUT', `/v1/ext/user/${user}/access`, { role: 'admin' }),
      await caller.call('POST', `/v1/ext/user/${admin}/sign-in-link`),
    ]
    expect(await read()).toEqual(before)
    return replies.map(({ status, meta }) => [status, meta.errors?.[0]?.code])
  }

  /** All by which data of the team would go on to somewhere else, or an address that trusts the team could be written to. */
  async function tryAllThatSends(team: Team, caller: Caller): Promise<unknown[]> {
    const url = 'https://late.example.com/webhooks'
    const webhook = async (enabled: boolean) =>
      `${WEBHOOKS}/${(await team.call('POST', WEBHOOKS, { url: 'https://www.example.com/webhooks', enabled })).data.id}`
    const [enabled, disabled] = [await webhook(true), await webhook(false)]
    const account = {
      name: 'Support',
      businessAccountId: '102290129340398',
      ...{ accessToken: 'ours', appSecret: 'ours', verifyToken: 'ours' },
      phoneNumbers: [{ id: '106540352242922', displayNumber: '15550783881' }],
    }
    const { status: made, data: plugin } = await team.call('POST', `${PLUGINS}/whatsapp`, account)
    expect(made).toBe(201)
    const read = async () => [(await team.call('GET', WEBHOOKS)).data, (await team.call('GET', PLUGINS)).data]
    const before = await read()
    const replies = [
      await caller.call('POST', WEBHOOKS, { url }),
      await caller.call('PUT', enabled, { url }),
      await caller.call('PUT', disabled, { enabled: true }),
      await caller.call('POST', `${enabled}/rotate-secret`, { overlapSeconds: 0 }),
      await caller.call('POST', `${PLUGINS}/whatsapp`, { ...account, name: 'Late' }),
      await caller.call('PUT', `${PLUGINS}/whatsapp/${plugin.id}`, { accessToken: 'theirs' }),
    ]
    expect(await read()).toEqual(before)
    return replies.map(({ status, meta }) => [status, meta.errors?.[0]?.code])
  }
  const allOf = (status: number, code: string) => Array.from({ length: 6 }, () => [status, code])

  async function isTrusted({ call }: Caller): Promise<void> {
    expect((await call('GET', '/v1/ext/me')).status).toBe(200)
  }

  it('a key that was revoked', async () => {
    const team = await newTeam()
    const leaked = await team.as('admin')
    const { key } = (await leaked.call('GET', '/v1/ext/me')).data
    expect((await team.call('DELETE', `${KEYS}/${key.id}`)).status).toBe(200)
    await isTrusted(leaked)
    expect(await tryAll(team, leaked)).toEqual(allOf(401, 'unauthenticated'))
    expect(await tryAllThatSends(team, leaked)).toEqual(allOf(401, 'unauthenticated'))
  })

  it('a key whose user was deactivated', async () => {
    const team = await newTeam()
    const admin = await newUser(team, 'admin')
    const theirs = await team.as('admin', admin)
    await isTrusted(theirs)
    expect((await team.call('PUT', `/v1/ext/user/${admin}/access`, { isActive: false })).status).toBe(200)
    await isTrusted(theirs)
    expect(await tryAll(team, theirs)).toEqual(allOf(401, 'unauthenticated'))
    expect(await tryAllThatSends(team, theirs)).toEqual(allOf(401, 'unauthenticated'))
  })

  it('an admin who became a manager, by a key or in a session', async () => {
    const team = await newTeam()
    const ways = [(user: string) => team.as('admin', user), (user: string) => startSession(team, user)]
    for (const start of ways) {
      const demoted = await newUser(team, 'admin')
      const theirs = await start(demoted)
      await isTrusted(theirs)
      expect((await team.call('PUT', `/v1/ext/user/${demoted}/access`, { role: 'manager' })).status).toBe(200)
      expect((await theirs.call('GET', KEYS)).status, 'relied on').toBe(200)
      expect(await tryAll(team, theirs)).toEqual(allOf(403, 'permission_denied'))
      expect(await tryAllThatSends(team, theirs)).toEqual(allOf(403, 'permission_denied'))
    }
  })

  it('a session that was ended', async () => {
    const team = await newTeam()
    const browser = await startSession(team)
    await isTrusted(browser)
    expect((await team.call('DELETE', `/v1/ext/session/${browser.id}`)).status).toBe(200)
    await isTrusted(browser)
    expect(await tryAll(team, browser)).toEqual(allOf(401, 'unauthenticated'))
    expect(await tryAllThatSends(team, browser)).toEqual(allOf(401, 'unauthenticated'))
  })

  it('each key of a team that was suspended, and of one that was resumed without its keys', async () => {
    const team = await newTeam()
    const leaked = await team.as('admin')
    const [user, key] = [await newUser(team, 'admin'), { name: 'late', role: 'admin' }]
    const tryKey = async () => (await leaked.call('POST', KEYS, key)).meta.errors?.[0]?.code
    await isTrusted(leaked)
    await suspend(team)
    await isTrusted(leaked)
    expect(await tryKey()).toBe('team_suspended')
    await resumeWithoutCredentials(team)
    await isTrusted(leaked)
    expect(await tryKey()).toBe('unauthenticated')
    expect((await leaked.call('POST', `/v1/ext/user/${user}/sign-in-link`)).status).toBe(401)
  })
})

it('an API key that may only read gets no passkey and no session of the user for whom it acts', async () => {
  const team = await newTeam()
  const { browser, id, device } = await addPasskey(team)
  const session = (await browser.call('GET', '/v1/ext/me')).data.session.id
  for (const role of ['viewer', 'agent', 'manager']) {
    const key = await team.as(role)
    for (const path of [`/v1/ext/passkey/${id}`, `/v1/ext/session/${session}`])
      expect(await key.call('DELETE', path), `${role} ${path}`).toMatchObject({
        status: 403,
        meta: { errors: [{ code: 'permission_denied', permission: 'key:write' }] },
      })
  }
  expect((await browser.call('GET', '/v1/ext/me')).status).toBe(200)
  expect((await postSignIn({ passkey: await device.answer(await newSignInChallenge()) })).status).toBe(201)
  expect((await team.call('DELETE', `/v1/ext/passkey/${id}`)).status).toBe(200)
})

it('neither a key nor a session of another team can use users, sessions or passkeys', async () => {
  const [team, strangers] = [await newTeam(), await newTeam()]
  const { browser, id } = await addPasskey(team)
  const session = (await browser.call('GET', '/v1/ext/me')).data.session.id
  const { call } = await startSession(strangers)
  for (const by of [strangers.call, call]) {
    for (const path of [`/v1/ext/passkey/${id}`, `/v1/ext/session/${session}`])
      expect((await by('DELETE', path)).status, path).toBe(404)
    expect((await by('POST', `/v1/ext/user/${team.admin}/sign-in-link`)).status).toBe(404)
    expect((await by('PUT', `/v1/ext/user/${team.admin}/access`, { isActive: false })).status).toBe(404)
    for (const path of ['passkey', 'session'])
      expect(await by('GET', `/v1/ext/${path}?user=${team.admin}`), path).toMatchObject({
        status: 400,
        errors: [`no user "${team.admin}"`],
      })
  }
  expect((await browser.call('GET', '/v1/ext/me')).status).toBe(200)
})

it('a passkey of one user signs in nobody else, whoever is signed in already', async () => {
  const [team, strangers] = [await newTeam(), await newTeam()]
  const { device } = await addPasskey(team, await newUser(team, 'agent'))
  const other = await startSession(strangers)
  const passkey = await device.answer(await newSignInChallenge())
  const reply = await postSignIn({ passkey }, { ...OWN_PAGE, cookie: other.cookie })
  expect(reply).toMatchObject({ status: 201, data: { method: 'passkey' } })
  expect((await other.call('GET', '/v1/ext/me')).status).toBe(401)
})
