import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { MINUTE_MS } from '../../src/time-units.ts'
import { newTeam, request } from '../support/api.ts'
import { type Claims, newSoftPasskey, type SoftPasskey } from '../support/authenticator.ts'
import {
  addPasskey,
  byCookie,
  getCookie,
  newUser,
  OWN_PAGE,
  postSignIn,
  startSession,
} from '../support/browser-session.ts'

async function challenge(): Promise<string> {
  const { data, status } = await request('POST', '/v1/session/challenge', { headers: OWN_PAGE })
  expect([status, data.rpId, data.userVerification]).toEqual([200, 'caseworker.test', 'preferred'])
  return data.challenge
}

const signIn = async (device: SoftPasskey, claims: Claims = {}, asked?: string) =>
  postSignIn({ passkey: await device.answer(asked ?? (await challenge()), claims) })

describe('a passkey', () => {
  it('is added in a session, and signs in without a name', async () => {
    const team = await newTeam()
    const agent = await newUser(team, 'agent')
    const { browser, device, added } = await addPasskey(team, agent)
    expect(added).toMatchObject({
      status: 201,
      data: { user: agent, name: 'Laptop', isBackedUp: false, lastUsedAt: null },
    })
    const reply = await signIn(device)
    expect(reply).toMatchObject({ status: 201, data: { user: agent, method: 'passkey' } })
    const me = await byCookie(getCookie(reply))('GET', '/v1/ext/me')
    expect(me.data).toMatchObject({ user: { id: agent }, session: { method: 'passkey' }, role: { shortId: 'agent' } })
    expect((await signIn(device)).status).toBe(201)
    const [shown] = (await browser.call('GET', '/v1/ext/passkey')).data
    expect(shown).toMatchObject({ id: added.data.id, lastUsedAt: expect.any(Number) })
    const { data } = await browser.call('POST', '/v1/ext/passkey/challenge')
    expect(data.excludeCredentials).toEqual([{ id: device.id, type: 'public-key' }])
  })

  it('is not added by an API key: it would outlive the key', async () => {
    const team = await newTeam()
    const { device } = await addPasskey(team)
    expect((await team.call('POST', '/v1/ext/passkey/challenge')).status).toBe(403)
    const body = { name: 'x', passkey: device.registration }
    const reply = await team.call('POST', '/v1/ext/passkey', body)
    expect(reply).toMatchObject({ status: 403, meta: { errors: [{ path: '/header/authorization' }] } })
  })

  it('is listed and removed by its owner, and by an admin', async () => {
    const team = await newTeam()
    const [agent, other] = [await newUser(team, 'agent'), await newUser(team, 'agent')]
    const { browser, device, added } = await addPasskey(team, agent)
    const stranger = await startSession(team, other)
    expect((await stranger.call('GET', '/v1/ext/passkey')).data).toEqual([])
    expect((await stranger.call('GET', `/v1/ext/passkey?user=${agent}`)).status).toBe(403)
    expect((await stranger.call('DELETE', `/v1/ext/passkey/${added.data.id}`)).status).toBe(404)
    expect((await team.call('GET', `/v1/ext/passkey?user=${agent}`)).data).toHaveLength(1)
    expect((await team.call('GET', `/v1/ext/passkey?user=${other}`)).data).toEqual([])
    for (const user of ['agent', crypto.randomUUID()])
      expect(await team.call('GET', `/v1/ext/passkey?user=${user}`), user).toMatchObject({
        status: 400,
        meta: { errors: [{ path: '/query/user' }] },
      })
    expect((await team.call('DELETE', `/v1/ext/passkey/${added.data.id}`)).status).toBe(200)
    expect((await browser.call('GET', '/v1/ext/passkey')).data).toEqual([])
    expect((await signIn(device)).status).toBe(401)
    expect((await browser.call('GET', '/v1/ext/me')).status).toBe(200)
  })

  it('is one of at most twenty, and is not added twice', async () => {
    const team = await newTeam()
    const { browser, device } = await addPasskey(team)
    const again = await browser.call('POST', '/v1/ext/passkey', { name: 'Again', passkey: device.registration })
    expect(again.status).toBe(409)
    const insert = env.DB.prepare(
      `INSERT INTO passkey (id, team, user, name, credential, public_key, counter, transports, backed_up, created_at, challenge)
       VALUES (?3, ?1, ?2, 'x', ?3, 'k', 0, '[]', 0, 0, ?3)`,
    )
    await env.DB.batch(Array.from({ length: 19 }, () => insert.bind(team.no, team.admin, crypto.randomUUID())))
    const { data } = await browser.call('POST', '/v1/ext/passkey/challenge')
    const one = await newSoftPasskey(data.challenge, data.user.id)
    const more = await browser.call('POST', '/v1/ext/passkey', { name: 'More', passkey: one.registration })
    expect(more).toMatchObject({ status: 409, errors: [expect.stringContaining('at most 20')] })
  })
})

describe('signing in by a passkey is refused', () => {
  const attacks: [string, Claims][] = [
    ['from a page of another origin', { origin: 'https://caseworker.test.evil.example' }],
    ['from another port', { origin: 'https://caseworker.test:8443' }],
    ['for another relying party', { rpId: 'evil.example' }],
    ['with the answer of a registration', { type: 'webauthn.create' }],
    ['by an authenticator that nobody touched', { flags: 4 }],
    ['with a counter that went back', { counter: 3 }],
    ['with a counter that stands still', { counter: 7 }],
    ['as another user', { userHandle: 'bm9ib2R5' }],
  ]

  it.each(attacks)('%s', async (_, claims) => {
    const team = await newTeam()
    const { device } = await addPasskey(team)
    expect((await signIn(device, { counter: 7 })).status).toBe(201)
    const reply = await signIn(device, { counter: 8, ...claims })
    expect(reply).toMatchObject({ status: 401, meta: { errors: [{ code: 'unauthenticated', path: '/body/passkey' }] } })
    expect(reply.headers.get('set-cookie')).toBeNull()
    expect((await signIn(device, { counter: 9 })).status).toBe(201)
  })

  it('with the signature of another key, or of other data', async () => {
    const team = await newTeam()
    const [one, other] = [await addPasskey(team), await addPasskey(team)]
    expect((await signIn(one.device, { signer: other.device.key })).status).toBe(401)
    const answer = JSON.parse(JSON.stringify(await one.device.answer(await challenge())))
    const late = JSON.parse(JSON.stringify(await one.device.answer(await challenge())))
    answer.response.clientDataJSON = late.response.clientDataJSON
    expect((await postSignIn({ passkey: answer })).status).toBe(401)
  })

  it('with a challenge that was answered before, also at the same time', async () => {
    const team = await newTeam()
    const { device } = await addPasskey(team)
    const asked = await challenge()
    const [one, other] = [await device.answer(asked), await device.answer(asked)]
    const replies = await Promise.all([postSignIn({ passkey: one }), postSignIn({ passkey: other })])
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 401])
    const third = await signIn(device, {}, asked)
    expect(third).toMatchObject({ status: 401, errors: [expect.stringContaining('answered before')] })
    expect((await postSignIn({ passkey: one })).status).toBe(401)
  })

  it('with a challenge that has expired, is unknown, or was for something else', async () => {
    const team = await newTeam()
    const { device, browser } = await addPasskey(team)
    const old = await challenge()
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 5 * MINUTE_MS })
    try {
      expect((await signIn(device, {}, old)).errors[0]).toContain('expired')
    } finally {
      vi.useRealTimers()
    }
    const { data } = await browser.call('POST', '/v1/ext/passkey/challenge')
    const forged = btoa(`${Date.now() + MINUTE_MS}.abc.def`).replace(/=+$/, '')
    for (const foreign of [data.challenge, forged, 'AAAA', `${old}A`])
      expect((await signIn(device, {}, foreign)).errors[0]).toContain('not ours')
  })

  it('to a user who was deactivated', async () => {
    const team = await newTeam()
    const agent = await newUser(team, 'agent')
    const { device } = await addPasskey(team, agent)
    await team.call('PUT', `/v1/ext/user/${agent}/access`, { isActive: false })
    expect((await signIn(device)).errors[0]).toContain('deactivated')
  })

  it('by an unknown credential, without a row written', async () => {
    const unknown = await newSoftPasskey('x', 'x')
    const reply = await signIn(unknown)
    expect(reply).toMatchObject({ status: 401, errors: [expect.stringContaining('no such passkey')] })
    expect(reply.cost.written).toBe(0)
  })

  it('with neither link nor passkey, or both', async () => {
    const unknown = await newSoftPasskey('x', 'x')
    for (const body of [{}, { link: 'x', passkey: await unknown.answer('x') }, { passkey: { id: '!' } }])
      expect((await postSignIn(body)).status).toBe(400)
  })
})

describe('adding a passkey is refused', () => {
  const attacks: [string, Claims][] = [
    ['from a page of another origin', { origin: 'https://evil.example' }],
    ['for another relying party', { rpId: 'evil.example' }],
    ['with the answer of a sign-in', { type: 'webauthn.get' }],
    ['by an authenticator that nobody touched', { flags: 64 }],
  ]

  it.each(attacks)('%s', async (_, claims) => {
    const team = await newTeam()
    const { call } = await startSession(team)
    const { data } = await call('POST', '/v1/ext/passkey/challenge')
    const device = await newSoftPasskey(data.challenge, data.user.id, claims)
    const reply = await call('POST', '/v1/ext/passkey', { name: 'x', passkey: device.registration })
    expect(reply).toMatchObject({ status: 400, meta: { errors: [{ path: '/body/passkey' }] } })
    expect((await call('GET', '/v1/ext/passkey')).data).toEqual([])
  })

  it("with another user's challenge, of the same team or of another", async () => {
    const [team, strangers] = [await newTeam(), await newTeam()]
    const { call } = await startSession(team)
    for (const other of [await startSession(team, await newUser(team, 'agent')), await startSession(strangers)]) {
      const { data } = await other.call('POST', '/v1/ext/passkey/challenge')
      const device = await newSoftPasskey(data.challenge, data.user.id)
      const reply = await call('POST', '/v1/ext/passkey', { name: 'x', passkey: device.registration })
      expect(reply).toMatchObject({ status: 400, errors: [expect.stringContaining('not ours')] })
    }
  })
})
