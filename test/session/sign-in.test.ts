import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { HOUR_MS } from '../../src/time-units.ts'
import { newTeam, request } from '../support/api.ts'
import {
  byCookie,
  getCookie,
  linkFor,
  newUser,
  OWN_PAGE,
  postSignIn,
  startSession,
} from '../support/browser-session.ts'

const store = (text: string, ...values: unknown[]) =>
  env.DB.prepare(text)
    .bind(...values)
    .run()

describe('an unauthenticated request to sign in', () => {
  it('is read only if it comes from a page of the installation, and is short', async () => {
    const elsewhere = await postSignIn({ nonsense: true }, { ...OWN_PAGE, origin: 'https://evil.example' })
    expect(elsewhere.status).toBe(403)
    for (const path of ['/v1/session', '/v1/session/link', '/v1/session/openid', '/v1/session/openid/answer']) {
      const body = JSON.stringify({ link: 'x'.repeat(40_000) })
      const headers = { ...OWN_PAGE, 'content-type': 'application/json', 'content-length': String(body.length) }
      const long = await request('POST', path, { headers, body })
      expect([path, long.status]).toEqual([path, 413])
      expect(long.errors.join()).toContain('32768 bytes')
    }
  })
})

describe('a sign-in link', () => {
  const lookAt = (link: string, headers: Record<string, string> = OWN_PAGE) =>
    request('POST', '/v1/session/link', {
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ link }),
    })

  it('says whom it signs in, and to which team, before it is used, and still works then', async () => {
    const team = await newTeam()
    const agent = await newUser(team, 'agent')
    const { data: user } = await team.call('GET', `/v1/ext/user/${agent}`)
    const { data: me } = await team.call('GET', '/v1/ext/me')
    const link = await linkFor(team, agent)
    for (let looks = 0; looks < 2; looks += 1) {
      const seen = await lookAt(link)
      expect([seen.status, seen.data.user]).toEqual([200, user.displayName])
      expect(seen.data.team).toEqual({ shortId: me.team.shortId, name: me.team.name })
      expect(seen.headers.get('set-cookie')).toBeNull()
    }
    // Somebody else's session is no obstacle, and does not end by a look.
    const own = await startSession(team)
    expect((await lookAt(link, { ...OWN_PAGE, cookie: own.cookie })).data.user).toBe(user.displayName)
    expect((await own.call('GET', '/v1/ext/me')).data.user.id).toBe(team.admin)
    expect((await postSignIn({ link })).status).toBe(201)
  })

  it('says nothing if it was used, is unknown, or another page asks', async () => {
    const team = await newTeam()
    const link = await linkFor(team)
    const elsewhere = await lookAt(link, { ...OWN_PAGE, origin: 'https://evil.example' })
    expect([elsewhere.status, elsewhere.data]).toEqual([403, {}])
    await postSignIn({ link })
    for (const nothing of [link, `${link.slice(0, -4)}AAAA`, 'cwl_']) {
      const { status, data } = await lookAt(nothing)
      expect([nothing, status, data]).toEqual([nothing, 401, {}])
    }
  })

  it('makes a session, whose cookie makes the calls of its user', async () => {
    const team = await newTeam()
    const agent = await newUser(team, 'agent')
    const reply = await postSignIn(
      { link: await linkFor(team, agent) },
      { ...OWN_PAGE, 'user-agent': `Browser ${'x'.repeat(300)}` },
    )
    expect(reply.status).toBe(201)
    expect(reply.data).toMatchObject({ user: agent, method: 'link', isCurrent: true, endedAt: null })
    expect(reply.data.agent).toHaveLength(200)
    expect(reply.data.expiresAt - reply.data.createdAt).toBe(30 * 24 * HOUR_MS)
    expect(reply.headers.get('set-cookie')).toMatch(
      /^__Host-caseworker=cws_[0-9A-Za-z]+_[0-9A-Za-z]{42}; Max-Age=2592000; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
    )
    expect(reply.headers.get('cache-control')).toBe('no-store')
    const call = byCookie(getCookie(reply))
    const me = await call('GET', '/v1/ext/me')
    expect(me.data).toMatchObject({
      user: { id: agent },
      key: null,
      session: { id: reply.data.id, method: 'link' },
      role: { shortId: 'agent' },
      limits: { callsPerMinute: 12_000 },
    })
    expect(me.headers.get('ratelimit-policy')).toContain('agent')
    expect((await call('POST', '/v1/ext/api-key', { name: 'x', role: 'viewer' })).status).toBe(403)
  })

  it('works once, also where it is posted twice at the same time', async () => {
    const team = await newTeam()
    const link = await linkFor(team)
    const both = await Promise.all([postSignIn({ link }), postSignIn({ link }), postSignIn({ link })])
    expect(both.map(({ status }) => status).sort()).toEqual([201, 401, 401])
    const later = await postSignIn({ link })
    expect(later.status).toBe(401)
    expect(later.errors[0]).toContain('used before')
    expect(later.headers.get('set-cookie')).toBeNull()
    const { results } = await env.DB.prepare('SELECT id FROM session WHERE team = ?').bind(team.no).all()
    expect(results).toHaveLength(1)
  })

  it('works for an hour', async () => {
    const team = await newTeam()
    const link = await linkFor(team)
    await store('UPDATE sign_in_link SET expires_at = ? WHERE team = ?', Date.now(), team.no)
    const reply = await postSignIn({ link })
    expect(reply).toMatchObject({ status: 401, meta: { errors: [{ code: 'unauthenticated', path: '/body/link' }] } })
    expect(reply.errors[0]).toContain('expired')
  })

  it('is refused, and leaves no row, if it is unknown or mistyped', async () => {
    const team = await newTeam()
    const link = await linkFor(team)
    const wrong = [link.slice(0, -1), `${link.slice(0, -1)}${link.endsWith('a') ? 'b' : 'a'}`, team.token, 'x']
    const before = await env.DB.prepare('SELECT count(*) AS n FROM session').first<{ n: number }>()
    for (const each of wrong) {
      const reply = await postSignIn({ link: each })
      expect(reply).toMatchObject({ status: 401, errors: [expect.stringContaining('no such link')] })
      expect(reply.cost.written).toBe(0)
    }
    expect(await env.DB.prepare('SELECT count(*) AS n FROM session').first<{ n: number }>()).toEqual(before)
    expect((await postSignIn({ link })).status).toBe(201)
  })

  it('does not work for a user who was deactivated, before or after it was made', async () => {
    const team = await newTeam()
    const agent = await newUser(team, 'agent')
    const link = await linkFor(team, agent)
    await store('UPDATE user SET is_active = 0 WHERE id = ?', agent)
    expect((await postSignIn({ link })).errors[0]).toContain('deactivated')
    expect((await team.call('POST', `/v1/ext/user/${agent}/sign-in-link`)).status).toBe(409)
  })

  it('is only made for users whose role one may grant', async () => {
    const team = await newTeam()
    const manager = await team.as('manager')
    const agent = await newUser(team, 'agent')
    expect((await manager.call('POST', `/v1/ext/user/${agent}/sign-in-link`)).status).toBe(201)
    const refused = await manager.call('POST', `/v1/ext/user/${team.admin}/sign-in-link`)
    expect(refused).toMatchObject({ status: 403, meta: { errors: [{ path: '/path/userId' }] } })
  })

  it('has its address only in the first response, and its token nowhere in the database', async () => {
    const team = await newTeam()
    const ask = () =>
      team.call('POST', `/v1/ext/user/${team.admin}/sign-in-link`, undefined, { 'idempotency-key': 'k' })
    const [first, again] = [await ask(), await ask()]
    expect(first.data.url).toMatch(/\/admin\/sign-in#cwl_[0-9A-Za-z]+_[0-9A-Za-z]{42}$/)
    expect(again.headers.get('idempotency-replayed')).toBe('true')
    expect(again.data).toEqual({ ...first.data, url: null })
    const token = first.data.url.split('#')[1]
    const { cookie } = { cookie: getCookie(await postSignIn({ link: token })) }
    for (const table of ['sign_in_link', 'session', 'idempotency']) {
      const { results } = await env.DB.prepare(`SELECT * FROM ${table} WHERE team = ?`).bind(team.no).all()
      expect(results.length).toBeGreaterThan(0)
      for (const secret of [token, cookie.split('=')[1] ?? '-'])
        expect(JSON.stringify(results).includes(secret)).toBe(false)
    }
  })
})

describe('a session', () => {
  it('is named in the history of its changes', async () => {
    const team = await newTeam()
    const { id, call } = await startSession(team)
    await call('PUT', '/v1/ext/procedure/thing', {
      name: 'Thing',
      states: [{ shortId: 'NEW' }, { shortId: 'DONE' }],
      startState: 'NEW',
      completedState: 'DONE',
    })
    const { data } = await call('POST', '/v1/ext/procedure/thing/process', { data: { a: 1 } })
    const { data: history } = await call('GET', `/v1/ext/procedure/thing/process/${data.id}/history`)
    expect(history[0].by).toEqual({
      user: team.admin,
      apiKey: null,
      session: id,
      request: expect.any(String),
      job: null,
      entry: null,
    })
  })

  it('has idempotency keys of its own', async () => {
    const team = await newTeam()
    const [one, other] = [await startSession(team), await startSession(team)]
    const user = { username: 'asha', role: 'agent' }
    const key = { 'idempotency-key': 'same' }
    expect((await one.call('POST', '/v1/ext/user', user, key)).status).toBe(201)
    const again = await one.call('POST', '/v1/ext/user', user, key)
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([201, 'true'])
    expect((await other.call('POST', '/v1/ext/user', user, key)).status).toBe(409)
  })

  it('ends when its user signs out, wherever its cookie is kept', async () => {
    const team = await newTeam()
    const { cookie, call } = await startSession(team)
    expect((await call('GET', '/v1/ext/me')).status).toBe(200)
    const out = await call('DELETE', '/v1/session')
    expect(out).toMatchObject({ status: 200, data: { signedOut: true } })
    expect(out.headers.get('set-cookie')).toBe(
      '__Host-caseworker=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Strict',
    )
    const stolen = await byCookie(cookie)('GET', '/v1/ext/me')
    expect(stolen).toMatchObject({ status: 401, meta: { errors: [{ path: '/header/cookie' }] } })
    expect(stolen.errors[0]).toContain('ended')
    expect((await call('DELETE', '/v1/session')).status).toBe(200)
  })

  it('is replaced by a new sign-in: the earlier cookie does not work any more', async () => {
    const team = await newTeam()
    const { cookie } = await startSession(team)
    const again = await postSignIn({ link: await linkFor(team) }, { ...OWN_PAGE, cookie })
    expect(getCookie(again)).not.toBe(cookie)
    expect((await byCookie(cookie)('GET', '/v1/ext/me')).status).toBe(401)
    expect((await byCookie(getCookie(again))('GET', '/v1/ext/me')).status).toBe(200)
    const planted = `__Host-caseworker=cws_${'a'.repeat(42)}`
    const fixed = await postSignIn({ link: await linkFor(team) }, { ...OWN_PAGE, cookie: planted })
    expect(getCookie(fixed)).not.toBe(planted)
    expect((await byCookie(planted)('GET', '/v1/ext/me')).status).toBe(401)
  })

  it('ends after twelve hours without a request, and does not come back', async () => {
    const team = await newTeam()
    const { id, call } = await startSession(team)
    await store('UPDATE session SET last_used_at = ? WHERE id = ?', Date.now() - 12 * HOUR_MS + 60_000, id)
    expect((await call('GET', '/v1/ext/me')).status).toBe(200)
    const row = await env.DB.prepare('SELECT last_used_at AS at FROM session WHERE id = ?')
      .bind(id)
      .first<{ at: number }>()
    expect(row?.at).toBeGreaterThan(Date.now() - HOUR_MS)
    const other = await startSession(team)
    await store('UPDATE session SET last_used_at = ? WHERE id = ?', Date.now() - 12 * HOUR_MS, other.id)
    for (let nth = 0; nth < 2; nth++) {
      const late = await other.call('GET', '/v1/ext/me')
      expect(late).toMatchObject({ status: 401, errors: [expect.stringContaining('expired')] })
    }
  })

  it('ends after thirty days at the latest', async () => {
    const team = await newTeam()
    const { id, call } = await startSession(team)
    await store('UPDATE session SET expires_at = ? WHERE id = ?', Date.now() - 1, id)
    expect((await call('GET', '/v1/ext/me')).status).toBe(401)
  })

  it('gives way to a token in the authorization header', async () => {
    const team = await newTeam()
    const { call } = await startSession(team)
    const viewer = await team.as('viewer')
    const both = await call('GET', '/v1/ext/me', undefined, { authorization: `Bearer ${viewer.token}` })
    expect(both.data).toMatchObject({ role: { shortId: 'viewer' }, session: null })
    const wrong = await call('GET', '/v1/ext/me', undefined, { authorization: 'Bearer x' })
    expect(wrong).toMatchObject({ status: 401, meta: { errors: [{ path: '/header/authorization' }] } })
  })
})

describe('a request by cookie', () => {
  const elsewhere = 'https://elsewhere.example'
  const refusals: [string, string, Record<string, string>][] = [
    ['of another origin', 'POST', { origin: elsewhere }],
    ['of another site that hides its origin', 'POST', { origin: 'null' }],
    ['that reads, of another origin', 'GET', { origin: elsewhere }],
    ['of another site', 'POST', { 'sec-fetch-site': 'cross-site' }],
    ['of another host of the same site', 'POST', { 'sec-fetch-site': 'same-site' }],
    ['that reads, of another site', 'GET', { 'sec-fetch-site': 'cross-site' }],
    ['of the same host at another port', 'POST', { origin: `${OWN_PAGE.origin}:8443` }],
  ]

  it.each(refusals)('%s is refused, and changes nothing', async (_, method, headers) => {
    const team = await newTeam()
    const { call } = await startSession(team)
    const body = method === 'POST' ? { username: 'asha', role: 'agent' } : undefined
    const reply = await call(method, method === 'POST' ? '/v1/ext/user' : '/v1/ext/users', body, headers)
    expect(reply).toMatchObject({ status: 403, meta: { errors: [{ code: 'permission_denied' }] } })
    expect(reply.cost.trips).toBe(0)
    expect((await team.call('GET', '/v1/ext/users')).data).toHaveLength(1)
  })

  it('needs an origin if it changes something, and none if it reads', async () => {
    const team = await newTeam()
    const { cookie } = await startSession(team)
    expect((await request('GET', '/v1/ext/me', { headers: { cookie } })).status).toBe(200)
    expect((await request('HEAD', '/v1/ext/me', { headers: { cookie } })).status).toBe(200)
    const made = await request('DELETE', `/v1/ext/api-key/${crypto.randomUUID()}`, { headers: { cookie } })
    expect(made).toMatchObject({ status: 403, meta: { errors: [{ path: '/header/origin' }] } })
    expect((await request('DELETE', '/v1/session', { headers: { cookie } })).status).toBe(403)
    expect((await byCookie(cookie)('GET', '/v1/ext/me')).status).toBe(200)
  })

  it('may not be a form that another page posts', async () => {
    const team = await newTeam()
    const { call } = await startSession(team)
    for (const type of ['application/x-www-form-urlencoded', 'text/plain', 'multipart/form-data']) {
      const body = JSON.stringify({ username: 'asha', role: 'agent' })
      expect((await call('POST', '/v1/ext/user', body, { 'content-type': type })).status).toBe(415)
      expect((await call('POST', '/v1/ext/user', body, { 'content-type': type, origin: elsewhere })).status).toBe(403)
    }
  })

  it('has no permission from another origin: CORS never allows credentials', async () => {
    const team = await newTeam()
    const { call } = await startSession(team)
    const preflight = await call('OPTIONS', '/v1/session', undefined, {
      origin: elsewhere,
      'access-control-request-method': 'POST',
    })
    for (const { headers } of [preflight, await call('GET', '/v1/ext/me'), await call('DELETE', '/v1/session')]) {
      expect(headers.get('access-control-allow-credentials')).toBeNull()
      expect(headers.get('access-control-allow-origin')).toBe('*')
    }
  })

  it('signs in and out only from a page of the installation', async () => {
    const team = await newTeam()
    const link = await linkFor(team)
    for (const headers of [{}, { origin: elsewhere }, { ...OWN_PAGE, 'sec-fetch-site': 'cross-site' }])
      expect((await postSignIn({ link }, headers)).status).toBe(403)
    expect((await postSignIn({ link })).status).toBe(201)
  })
})
