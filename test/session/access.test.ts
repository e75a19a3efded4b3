import { env } from 'cloudflare:workers'
import { expect, it, vi } from 'vitest'
import { TRUST_MS } from '../../src/auth/owner-cache.ts'
import { DAY_MS } from '../../src/time-units.ts'
import { newTeam } from '../support/api.ts'
import { linkFor, newUser, postSignIn, startSession } from '../support/browser-session.ts'
import { Harness } from '../support/harness.ts'

async function later<T>(ms: number, act: () => Promise<T>): Promise<T> {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ms })
  try {
    return await act()
  } finally {
    vi.useRealTimers()
  }
}

it('a deactivated user has no session and no working key within thirty seconds; the keys work again with the user', async () => {
  const team = await newTeam()
  const agent = await newUser(team, 'agent')
  const { call } = await startSession(team, agent)
  const link = await linkFor(team, agent)
  const { data: key } = await team.call('POST', '/v1/ext/api-key', { name: 'k', role: 'agent', user: agent })
  const callByKey = () => team.call('GET', '/v1/ext/me', undefined, { authorization: `Bearer ${key.token}` })
  expect([(await call('GET', '/v1/ext/me')).status, (await callByKey()).status]).toEqual([200, 200])
  const access = `/v1/ext/user/${agent}/access`
  const off = await team.call('PUT', access, { isActive: false })
  expect(off).toMatchObject({ status: 200, data: { id: agent, isActive: false } })
  await later(TRUST_MS, async () => {
    expect((await call('GET', '/v1/ext/me')).errors[0]).toContain('ended')
    expect((await callByKey()).errors[0]).toContain('deactivated')
    expect((await postSignIn({ link })).status).toBe(401)
  })
  expect((await team.call('PUT', access, { isActive: true })).data.isActive).toBe(true)
  await later(2 * TRUST_MS + 1_000, async () => {
    expect((await callByKey()).status).toBe(200)
    expect((await call('GET', '/v1/ext/me')).status).toBe(401)
    expect((await postSignIn({ link })).status).toBe(401)
  })
})

it("a user's new role applies to their sessions", async () => {
  const team = await newTeam()
  const user = await newUser(team, 'viewer')
  const { call } = await startSession(team, user)
  expect((await call('POST', '/v1/ext/user', { username: 'a', role: 'viewer' })).status).toBe(403)
  expect((await team.call('PUT', `/v1/ext/user/${user}/access`, { role: 'manager' })).status).toBe(200)
  await later(TRUST_MS, async () => {
    expect((await call('POST', '/v1/ext/user', { username: 'a', role: 'viewer' })).status).toBe(201)
  })
})

it('a user cannot change their own access, that of somebody who may do more, or grant what they lack', async () => {
  const team = await newTeam()
  const manager = await team.as('manager')
  const [agent, admin] = [await newUser(team, 'agent'), await newUser(team, 'admin')]
  const put = (by: typeof team, user: string, body: object) => by.call('PUT', `/v1/ext/user/${user}/access`, body)
  expect(await put(team, team.admin, { isActive: false })).toMatchObject({
    status: 409,
    meta: { errors: [{ path: '/path/userId' }] },
  })
  expect((await put(manager, admin, { isActive: false })).status).toBe(403)
  expect((await put(manager, agent, { role: 'admin' })).status).toBe(403)
  expect((await put(manager, agent, { role: 'viewer' })).status).toBe(200)
  expect((await put(team, agent, {})).status).toBe(400)
  expect((await put(team, crypto.randomUUID(), { isActive: false })).status).toBe(404)
  expect((await put(await newTeam(), agent, { isActive: false })).status).toBe(404)
})

it('a team keeps an active admin, also where two deactivate each other at the same time', async () => {
  const team = await newTeam()
  const other = await newUser(team, 'admin')
  const { call } = await startSession(team, other)
  const both = await Promise.all([
    team.call('PUT', `/v1/ext/user/${other}/access`, { isActive: false }),
    call('PUT', `/v1/ext/user/${team.admin}/access`, { role: 'viewer' }),
  ])
  expect(both.map(({ status }) => status).sort()).toEqual([200, 409])
  const row = await env.DB.prepare("SELECT count(*) AS n FROM user WHERE team = ? AND role = 'admin' AND is_active")
    .bind(team.no)
    .first<{ n: number }>()
  expect(row?.n).toBe(1)
})

it('sessions are listed and ended: by their user, and by an admin', async () => {
  const team = await newTeam()
  const agent = await newUser(team, 'agent')
  const [one, two, admins] = [
    await startSession(team, agent),
    await startSession(team, agent),
    await startSession(team),
  ]
  const own = await one.call('GET', '/v1/ext/session')
  expect(own.data.map((each: { id: string }) => each.id)).toEqual([two.id, one.id])
  expect(own.data.map((each: { isCurrent: boolean }) => each.isCurrent)).toEqual([false, true])
  expect((await one.call('GET', `/v1/ext/session?user=${team.admin}`)).status).toBe(403)
  expect((await one.call('DELETE', `/v1/ext/session/${admins.id}`)).status).toBe(404)
  expect((await one.call('DELETE', `/v1/ext/session/${two.id}`)).data.endedAt).toEqual(expect.any(Number))
  const all = await team.call('GET', '/v1/ext/session?limit=1')
  expect(all).toMatchObject({ data: [{ id: admins.id }], meta: { hasMore: true } })
  expect((await team.call('GET', `/v1/ext/session?user=${agent}`)).data).toHaveLength(1)
  for (const user of [agent.slice(1), crypto.randomUUID(), (await newTeam()).admin])
    expect(await team.call('GET', `/v1/ext/session?user=${user}`), user).toMatchObject({
      status: 400,
      meta: { errors: [{ path: '/query/user' }] },
    })
  expect((await team.call('DELETE', `/v1/ext/session/${one.id}`)).status).toBe(200)
  expect((await team.call('DELETE', `/v1/ext/session/${one.id}`)).status).toBe(200)
  await later(TRUST_MS, async () => {
    for (const { call } of [one, two]) expect((await call('GET', '/v1/ext/me')).status).toBe(401)
  })
  expect((await (await newTeam()).call('DELETE', `/v1/ext/session/${one.id}`)).status).toBe(404)
})

it('sessions and links are removed when they have expired, and not before', async () => {
  const team = await newTeam()
  await startSession(team)
  const rows = async () => {
    const counts = ['session', 'sign_in_link'].map(table =>
      env.DB.prepare(`SELECT count(*) AS n FROM ${table} WHERE team = ?`).bind(team.no).first<{ n: number }>(),
    )
    return (await Promise.all(counts)).map(row => row?.n)
  }
  const harness = new Harness()
  await harness.runCron()
  expect(await rows()).toEqual([1, 1])
  await later(29 * DAY_MS, () => harness.runCron())
  expect(await rows()).toEqual([1, 0])
  await later(31 * DAY_MS, () => harness.runCron())
  expect(await rows()).toEqual([0, 0])
})
