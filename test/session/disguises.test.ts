import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { routes } from '../../src/app.ts'
import { HOUR_MS, SECOND_MS } from '../../src/time-units.ts'
import { newTeam, ORIGIN, request } from '../support/api.ts'
import { byCookie, linkFor, OWN_PAGE, postSignIn, startSession } from '../support/browser-session.ts'

describe('a session cookie', () => {
  it('is prolonged by a request in the last seconds of its idle time, also in an isolate that has just read its end', async () => {
    const team = await newTeam()
    const { id, call } = await startSession(team)
    await env.DB.prepare('UPDATE session SET last_used_at = ? WHERE id = ?')
      .bind(Date.now() - 12 * HOUR_MS + 5 * SECOND_MS, id)
      .run()
    expect((await call('GET', '/v1/ext/me')).status).toBe(200)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 6 * SECOND_MS })
    try {
      expect((await call('GET', '/v1/ext/me')).status).toBe(200)
    } finally {
      vi.useRealTimers()
    }
  })

  it('has its name exactly: another host can set one with a space before it that is none of HTTP', async () => {
    const { cookie } = await startSession(await newTeam())
    for (const disguised of [
      `\u00a0${cookie}`,
      cookie.replace('=', '\u00a0='),
      `__host-${cookie.slice(7)}`,
      `=${cookie}`,
    ])
      expect((await byCookie(disguised)('GET', '/v1/ext/me')).status, JSON.stringify(disguised.slice(0, 24))).toBe(401)
    for (const usual of [`theme=dark; ${cookie}`, ` ${cookie} ;a=b`, `\t${cookie}`])
      expect((await byCookie(usual)('GET', '/v1/ext/me')).status, usual.slice(0, 24)).toBe(200)
  })

  it('is the first of two with its name, for signing out as for every other call', async () => {
    const team = await newTeam()
    const [one, other] = [await startSession(team), await startSession(team)]
    const both = byCookie(`${one.cookie}; ${other.cookie}`)
    expect((await both('GET', '/v1/ext/me')).data.session.id).toBe(one.id)
    expect((await both('DELETE', '/v1/session')).status).toBe(200)
    expect((await both('GET', '/v1/ext/me')).status).toBe(401)
    expect((await other.call('GET', '/v1/ext/me')).status).toBe(200)
  })
})

const host = new URL(ORIGIN).host
const elsewhere = [
  ['no page', 'null'],
  ['another scheme', `http://${host}`],
  ['another port', `https://${host}:444`],
  ['a host below', `https://app.${host}`],
  ['a host whose name begins alike', `${ORIGIN}.evil.example`],
  ['a host with the name as its user', `https://${host}@evil.example`],
  ['a path', `${ORIGIN}/`],
  ['two origins', `${ORIGIN} https://evil.example`],
  ['nothing', ''],
] as const
const sites = ['cross-site', 'same-site', 'Same-Origin', 'same-origin, cross-site', ''] as const

const changing = routes.filter(
  ({ method, path }) => method !== 'get' && /^\/v1\/(session|ext\/(session|passkey|user|api-key))(\/|$)/.test(path),
)
/** Fills the path with random ids, for routes that are refused by their caller and origin alone. */
const toAddress = (path: string) => path.replace(/:\w+/g, () => crypto.randomUUID())

describe('each call that changes sessions, passkeys, users or keys', () => {
  it('is one of those that are tried here', () => {
    expect(changing.length).toBeGreaterThan(12)
  })

  it.each(elsewhere)('is refused with a cookie from %s', async (_, origin) => {
    const { cookie, call } = await startSession(await newTeam())
    for (const { method, path } of changing) {
      const reply = await byCookie(cookie)(method.toUpperCase(), toAddress(path), {}, { origin })
      expect([400, 403], `${method} ${path}: ${reply.status} ${reply.errors}`).toContain(reply.status)
      if (reply.status === 400) expect(reply.errors.join(), path).toMatch(/body|required|must/)
      expect(reply.headers.get('set-cookie'), path).toBeNull()
    }
    expect((await call('GET', '/v1/ext/me')).status).toBe(200)
  })

  it.each(sites)('is refused with a cookie where the browser says "%s"', async site => {
    const { cookie, call } = await startSession(await newTeam())
    for (const { method, path } of changing) {
      const headers = { 'sec-fetch-site': site }
      const reply = await byCookie(cookie)(method.toUpperCase(), toAddress(path), {}, headers)
      expect([400, 403], `${method} ${path}: ${reply.status} ${reply.errors}`).toContain(reply.status)
      expect(reply.headers.get('set-cookie'), path).toBeNull()
    }
    expect((await call('GET', '/v1/ext/me')).status).toBe(200)
  })

  it('is refused, and no server error, where a key is used from anywhere and a page sends it', async () => {
    const team = await newTeam()
    for (const { method, path } of changing)
      for (const origin of ['null', 'x', 'https://', 'file://', '//evil.example']) {
        const reply = await team.call(method.toUpperCase(), toAddress(path), {}, { origin })
        expect(reply.status, `${method} ${path} from ${origin}: ${reply.errors}`).toBeLessThan(500)
      }
  })

  it('is what its method says: no header and no parameter overrides it', async () => {
    const team = await newTeam()
    const { call } = await startSession(team)
    for (const name of ['x-http-method-override', 'x-method-override', 'x-http-method']) {
      expect((await call('GET', '/v1/ext/session', undefined, { [name]: 'DELETE' })).status).toBe(200)
      expect((await call('POST', `/v1/ext/session/${crypto.randomUUID()}`, {}, { [name]: 'DELETE' })).status).toBe(405)
    }
    expect((await call('POST', '/v1/session?_method=DELETE', {})).status).toBe(400)
    expect((await call('GET', '/v1/ext/me')).status).toBe(200)
  })
})

describe('a response about sessions', () => {
  it('may not be cached or framed', async () => {
    const team = await newTeam()
    const { call } = await startSession(team)
    const replies = [
      await postSignIn({ link: await linkFor(team) }),
      await postSignIn({ link: 'x' }),
      await request('POST', '/v1/session/challenge', { headers: OWN_PAGE }),
      await call('GET', '/v1/ext/session'),
      await call('GET', '/v1/ext/passkey'),
      await call('POST', '/v1/ext/passkey/challenge'),
      await call('POST', `/v1/ext/user/${team.admin}/sign-in-link`),
      await call('DELETE', '/v1/session'),
      await call('GET', '/v1/ext/me'),
    ]
    for (const { headers } of replies) {
      expect(headers.get('cache-control')).toBe('no-store')
      expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
      expect(headers.get('x-content-type-options')).toBe('nosniff')
    }
  })

  it('leaves no token in the lines of the log', async () => {
    const lines: string[] = []
    const spies = (['info', 'warn', 'error', 'log'] as const).map(level =>
      vi.spyOn(console, level).mockImplementation((...said) => void lines.push(said.map(String).join(' '))),
    )
    try {
      const team = await newTeam()
      const link = await linkFor(team)
      const { cookie, call } = await startSession(team)
      await postSignIn({ link })
      await postSignIn({ link })
      await postSignIn({ link: `${link}x` })
      await call('POST', '/v1/ext/api-key', { name: 'k', role: 'viewer', token: link })
      await call('GET', `/v1/ext/session/${link}`)
      await call('DELETE', `/v1/ext/session/${link}`)
      await call('DELETE', '/v1/session')
      await call('GET', '/v1/ext/me')
      expect(lines.length).toBeGreaterThan(4)
      for (const secret of [link, cookie.split('=')[1] ?? '-', team.token])
        expect(lines.filter(line => line.includes(secret))).toEqual([])
    } finally {
      for (const spy of spies) spy.mockRestore()
    }
  })
})
