import { afterEach, describe, expect, it, vi } from 'vitest'
import { TRUST_MS } from '../../src/auth/owner-cache.ts'
import { newTeam, request } from '../support/api.ts'
import { byCookie, linkFor, newUser, OWN_PAGE, startSession } from '../support/browser-session.ts'

const ME = '/v1/ext/me'
const KEYS = '/v1/ext/api-key'
const later = () => vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + TRUST_MS + 1_000 })

afterEach(() => void vi.useRealTimers())

describe('a key', () => {
  it('may do what its own role and the role of its user may: an admin who is made a viewer keeps no key of an admin', async () => {
    const team = await newTeam()
    const user = await newUser(team, 'admin')
    const own = await team.as('admin', user)
    expect((await own.call('GET', KEYS)).status).toBe(200)
    expect((await team.call('PUT', `/v1/ext/user/${user}/access`, { role: 'viewer' })).status).toBe(200)
    later()
    const refused = await own.call('POST', KEYS, { name: 'way back', role: 'admin' })
    expect(refused.status).toBe(403)
    expect(refused.errors[0]).toContain('the role viewer of its user')
    const me = await own.call('GET', ME)
    expect(me.data.role.shortId).toBe('admin')
    expect(me.data.permissions).toEqual(['process:read', 'job:read', 'message:read', 'user:read', 'config:read'])
  })

  it('a key with a lesser role than its user keeps that role', async () => {
    const viewer = await (await newTeam()).as('viewer')
    expect((await viewer.call('POST', KEYS, { name: 'more', role: 'viewer' })).errors[0]).toContain(
      'the role viewer lacks the permission key:write',
    )
  })
})

describe('a token keeps the kind that it was made as, whatever an isolate remembers', () => {
  it('a session does not work as an API key', async () => {
    const { cookie, call } = await startSession(await newTeam())
    expect((await call('GET', ME)).status).toBe(200)
    const token = cookie.split('=')[1]
    expect((await request('GET', ME, { headers: { authorization: `Bearer ${token}` } })).status).toBe(401)
  })

  it('an API key does not work as a session', async () => {
    const team = await newTeam()
    expect((await team.call('GET', ME)).status).toBe(200)
    expect((await byCookie(`__Host-caseworker=${team.token}`)('GET', ME)).status).toBe(401)
  })
})

describe('a sign-in link', () => {
  const lookAt = (link: string, headers: Record<string, string> = OWN_PAGE) =>
    request('POST', '/v1/session/link', {
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ link }),
    })

  it('shows whom and which team it is for, and is not used up by that', async () => {
    const team = await newTeam()
    const user = await newUser(team, 'agent')
    const link = await linkFor(team, user)
    const { data: whom } = await team.call('GET', `/v1/ext/user/${user}`)
    const { shortId, name } = (await team.call('GET', ME)).data.team
    for (let times = 0; times < 2; times++) {
      const { status, data } = await lookAt(link)
      expect(status).toBe(200)
      expect(data).toMatchObject({ user: whom.displayName, team: { shortId, name }, expiresAt: expect.any(Number) })
    }
    const used = await request('POST', '/v1/session', {
      headers: { 'content-type': 'application/json', ...OWN_PAGE },
      body: JSON.stringify({ link }),
    })
    expect(used.status).toBe(201)
    expect((await lookAt(link)).errors[0]).toContain('used before')
  })

  it('shows nothing to a page of another origin, nor where nobody has made it', async () => {
    const link = await linkFor(await newTeam())
    expect((await lookAt(link, { origin: 'https://evil.example' })).status).toBe(403)
    const unknown = await lookAt(`${link.slice(0, -1)}${link.endsWith('a') ? 'b' : 'a'}`)
    expect([unknown.status, unknown.errors[0]]).toEqual([401, expect.stringContaining('no such link')])
  })
})
