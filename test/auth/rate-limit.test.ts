import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import wrangler from '../../wrangler.toml?raw'
import { fetchWorker, newTeam } from '../support/api.ts'
import { newUser, OWN_PAGE, startSession } from '../support/browser-session.ts'
import { limiter } from '../support/limiter.ts'

async function get(token: string, path: string, bindings: Partial<Env>) {
  const response = await fetchWorker(path, { headers: { authorization: `Bearer ${token}` } }, { ...env, ...bindings })
  // biome-ignore lint/suspicious/noExplicitAny: the test says what it expects of it
  return { status: response.status, headers: response.headers, body: (await response.json()) as any }
}

it('the rate limit refuses a key over its limit, and says when to come back', async () => {
  const viewer = await (await newTeam()).as('viewer')
  const bindings = { RATE_VIEWER: limiter(2) }
  for (let call = 1; call <= 2; call++) expect((await get(viewer.token, '/v1/ext/users', bindings)).status).toBe(200)
  const { status, headers, body } = await get(viewer.token, '/v1/ext/users', bindings)
  expect(status).toBe(429)
  expect(body._meta.errors[0].code).toBe('rate_limited')
  expect(body._errors[0]).toContain('with this key')
  const seconds = Number(headers.get('retry-after'))
  expect(seconds).toBeGreaterThan(0)
  expect(seconds).toBeLessThanOrEqual(60)
  expect(headers.get('ratelimit')).toBe(`"viewer";r=0;t=${seconds}`)
})

it('the rate limit counts each key by itself: not with one of its team, of another team or of another role', async () => {
  const [team, other] = [await newTeam(), await newTeam()]
  const [viewer, second, foreign] = [await team.as('viewer'), await team.as('viewer'), await other.as('viewer')]
  const bindings = { RATE_VIEWER: limiter(1) }
  await get(viewer.token, '/v1/ext/users', bindings)
  expect((await get(viewer.token, '/v1/ext/users', bindings)).status).toBe(429)
  for (const { token } of [second, foreign, team])
    expect((await get(token, '/v1/ext/users', bindings)).status).toBe(200)
})

it('the rate limit counts a user once in all sessions, and no user with another', async () => {
  const team = await newTeam()
  const user = await newUser(team, 'viewer')
  const [session, again] = [await startSession(team, user), await startSession(team, user)]
  const other = await startSession(team, await newUser(team, 'viewer'))
  const bindings = { RATE_VIEWER: limiter(2) }
  const me = async ({ cookie }: { cookie: string }) => {
    const response = await fetchWorker('/v1/ext/users', { headers: { cookie, ...OWN_PAGE } }, { ...env, ...bindings })
    // biome-ignore lint/suspicious/noExplicitAny: the test says what it expects of it
    return { status: response.status, left: response.headers.get('ratelimit'), body: (await response.json()) as any }
  }
  expect((await me(session)).status).toBe(200)
  expect((await me(again)).status).toBe(200)
  for (const one of [session, again]) {
    const { status, left, body } = await me(one)
    expect([status, left?.split(';')[1]]).toEqual([429, 'r=0'])
    expect(body._errors[0]).toContain('in all sessions of this user together')
  }
  expect((await me(other)).status).toBe(200)
  expect(new Set(bindings.RATE_VIEWER.asked).size).toBe(2)
})

it('the rate limit counts requests that lack a permission, and none without a valid token', async () => {
  const viewer = await (await newTeam()).as('viewer')
  const bindings = { RATE_VIEWER: limiter(9), RATE_ADMIN: limiter(9) }
  expect((await get(viewer.token, '/v1/ext/api-key', bindings)).status).toBe(403)
  expect((await get('cw_nothing', '/v1/ext/users', bindings)).status).toBe(401)
  expect(bindings.RATE_VIEWER.asked).toHaveLength(1)
  expect(bindings.RATE_ADMIN.asked).toHaveLength(0)
})

it('the rate limit lets calls through where the limiter itself fails', async () => {
  const { token } = await newTeam()
  const broken = { RATE_ADMIN: { limit: () => Promise.reject(new Error('away')) } }
  expect((await get(token, '/v1/ext/users', broken)).status).toBe(200)
})

it('the rate limit tells every caller the policy and what is left of it', async () => {
  const team = await newTeam()
  const [first, second] = [await team.call('GET', '/v1/ext/users'), await team.call('GET', '/v1/ext/users')]
  expect(first.headers.get('ratelimit-policy')).toBe('"admin";q=120000;w=60')
  const left = (reply: typeof first) =>
    Number(/^"admin";r=(\d+);t=\d+$/.exec(reply.headers.get('ratelimit') ?? '')?.[1])
  // A new span may begin between the two.
  expect(left(second) === left(first) - 1 || left(second) === 119_999).toBe(true)
})

it('the rate limit allows the demo key at least 100,000 calls a minute, and enforces what it announces', () => {
  expect(env.CALLS_PER_MINUTE.admin).toBeGreaterThanOrEqual(100_000)
  for (const [role, limit] of Object.entries(env.CALLS_PER_MINUTE))
    expect(wrangler).toMatch(
      new RegExp(`name = "RATE_${role.toUpperCase()}"\\n.*\\nsimple = \\{ limit = ${limit}, period = 60 \\}`),
    )
})
