import { createExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { readHome, toHome } from '../../src/home.ts'
import worker from '../../src/index.ts'
import { PERMISSIONS } from '../../src/permissions.ts'
import { ROLES } from '../../src/roles.ts'
import { toShortId } from '../../src/team/new-team.ts'
import { MINUTE_MS, SECOND_MS } from '../../src/time-units.ts'
import { createToken, hashToken, readTeam } from '../../src/token.ts'
import { newTeam, ORIGIN, request, type Team } from '../support/api.ts'
import { databaseThrough, requestWith } from '../support/broken-bindings.ts'

afterEach(() => {
  vi.useRealTimers()
})

const travel = (ms: number) => vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ms })

const USERS = '/v1/ext/users'
const KEYS = '/v1/ext/api-key'
const callByToken = (token: string) => request('GET', USERS, { headers: { authorization: `Bearer ${token}` } })
const makeKey = (team: Team, body: object = {}) => team.call('POST', KEYS, { name: 'key', role: 'admin', ...body })

describe('a token', () => {
  it('is cw_, the home of its team, 36 random characters and a checksum of 6', () => {
    const tokens = Array.from({ length: 200 }, () => createToken(62))
    for (const token of tokens) {
      expect(token).toMatch(/^cw_010_[0-9A-Za-z]{42}$/)
      expect(readTeam(token)).toBe(62)
    }
    expect(new Set(tokens).size).toBe(200)
  })

  it('uses every character about equally often', () => {
    const counts = new Map<string, number>()
    const random = Array.from({ length: 1000 }, () => createToken(1).slice(6, 42)).join('')
    for (const char of random) counts.set(char, (counts.get(char) ?? 0) + 1)
    expect(counts.size).toBe(62)
    const expected = random.length / 62
    for (const count of counts.values()) expect(Math.abs(count - expected)).toBeLessThan(expected * 0.35)
  })

  it('has the CRC32 of all before it at its end, in base62', () => {
    // CRC32 of "123456789…" by another way than ours: bit by bit from the definition.
    const random = 'cw_01_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ'
    let crc = 0xffffffffn
    for (const char of random) {
      crc ^= BigInt(char.charCodeAt(0))
      for (let bit = 0; bit < 8; bit++) crc = (crc & 1n) === 1n ? (crc >> 1n) ^ 0xedb88320n : crc >> 1n
    }
    crc ^= 0xffffffffn
    let checksum = ''
    const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
    for (let place = 0; place < 6; place++, crc /= 62n) checksum = digits[Number(crc % 62n)] + checksum
    expect(readTeam(`${random}${checksum}`)).toBe(1)
  })

  it('is recognised as mistyped after any one change', () => {
    const place = fc.nat({ max: 47 })
    const char = fc.constantFrom(...'abcXYZ019_ -')
    fc.assert(
      fc.property(place, char, (at, other) => {
        const token = createToken(1)
        const changed = token.slice(0, at) + other + token.slice(at + 1)
        return changed === token || readTeam(changed) === undefined
      }),
      { numRuns: 1000 },
    )
    const token = createToken(1)
    for (const bad of ['', 'cw_', token.slice(1), `${token}0`, token.slice(0, -1), token.toUpperCase(), `x${token}`])
      expect(readTeam(bad)).toBeUndefined()
  })

  it("names a team that its row must prove: with another team's number it is unknown", async () => {
    const [team, other] = [await newTeam(), await newTeam()]
    expect(readTeam(team.token)).toBe(team.no)
    await env.DB.batch(
      [
        "UPDATE user SET team = ?2, username = 'moved' WHERE team = ?1",
        'UPDATE api_key SET team = ?2 WHERE team = ?1',
      ].map(text => env.DB.prepare(text).bind(team.no, other.no)),
    )
    expect((await callByToken(team.token)).status).toBe(401)
  })

  it.each([1, 61, 62, 4_000_000, 62 ** 8 - 1])('carries the number %d of a team, whatever its length', no => {
    expect(readHome(toHome(no))).toBe(no)
    expect(readTeam(createToken(no, 'session'), 'session')).toBe(no)
    for (const home of ['', '0', `1${toHome(no).slice(1)}`, `00${no}`, `${toHome(no)}0000000000`, toHome(no).slice(1)])
      expect([home, readHome(home) === no]).toEqual([home, false])
  })

  it('is nowhere in the database: only its SHA-256, its prefix and its last four are', async () => {
    const team = await newTeam()
    const made = await makeKey(team, {})
    const { token } = made.data
    await callByToken(token)
    const tables = await env.DB.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all<{ name: string }>()
    for (const { name } of tables.results) {
      if (name.startsWith('_cf') || name.startsWith('sqlite')) continue
      const { results } = await env.DB.prepare(`SELECT * FROM "${name}"`).all()
      expect(JSON.stringify(results).includes(token), name).toBe(false)
      expect(JSON.stringify(results).includes(token.slice(3, -4)), name).toBe(false)
    }
    const row = await env.DB.prepare('SELECT hash, prefix, last_four FROM api_key WHERE id = ?')
      .bind(made.data.id)
      .first()
    expect(row).toEqual({
      hash: await hashToken(token),
      prefix: `cw_${toHome(team.no)}_${token.split('_')[2]?.slice(0, 4)}`,
      last_four: token.slice(-4),
    })
    expect(row?.hash).toMatch(/^[0-9a-f]{64}$/)
  })

  it('is accepted with the scheme in any case, and from the authorization header only', async () => {
    const team = await newTeam()
    const send = (authorization: string) => request('GET', USERS, { headers: { authorization } })
    for (const scheme of ['Bearer', 'bearer', 'BEARER'])
      expect((await send(`${scheme} ${team.token}`)).status).toBe(200)
    for (const sent of [
      team.token,
      `Basic ${team.token}`,
      `Bearer`,
      `Bearer ${team.token} more`,
      `Token ${team.token}`,
    ])
      expect((await send(sent)).status, sent.slice(0, 8)).toBe(401)
    const inQuery = await request('GET', `${USERS}?token=${team.token}&access_token=${team.token}`)
    expect(inQuery.status).toBe(401)
  })

  it('an unknown token of the right form costs one look-up and is a 401', async () => {
    const reply = await callByToken(createToken(1))
    expect(reply.status).toBe(401)
    expect(reply.cost).toMatchObject({ trips: 1, written: 0 })
  })

  it('a mistyped token is refused without asking the database', async () => {
    const token = createToken(1)
    const reply = await callByToken(token.slice(0, -1) + (token.endsWith('a') ? 'b' : 'a'))
    expect(reply.status).toBe(401)
    expect(reply.cost).toMatchObject({ trips: 0 })
  })

  it('costs nothing to check once the isolate knows it', async () => {
    const team = await newTeam()
    const first = await team.call('GET', USERS)
    const second = await team.call('GET', USERS)
    expect([first.cost.trips, second.cost.trips]).toEqual([2, 1])
  })
})

describe('an API key', () => {
  it('is shown with its token once, and listed by prefix and last four', async () => {
    const team = await newTeam()
    const made = await makeKey(team, { name: 'CRM', description: 'the nightly sync', role: 'agent' })
    expect(made.status).toBe(201)
    expect(made.headers.get('location')).toBe(`${KEYS}/${made.data.id}`)
    const { token, ...rest } = made.data
    expect(rest).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: 'CRM',
      description: 'the nightly sync',
      role: 'agent',
      roleId: ROLES.find(role => role.shortId === 'agent')?.id,
      user: team.admin,
      prefix: token.slice(0, token.lastIndexOf('_') + 5),
      lastFour: token.slice(-4),
      createdAt: expect.any(Number),
      createdBy: team.admin,
      expiresAt: null,
      revokedAt: null,
      lastUsedAt: null,
    })
    const list = await team.call('GET', KEYS)
    expect(list.data.map((each: { name: string }) => each.name)).toEqual(['CRM', 'First key'])
    expect(list.data[0]).toEqual(rest)
    expect(JSON.stringify(list.data)).not.toMatch(/"token"|"hash"/)
  })

  it('acts as the user it names, by id, username or e-mail address', async () => {
    const team = await newTeam()
    const user = (
      await team.call('POST', '/v1/ext/user', { username: 'ravi', email: 'Ravi@Example.com', role: 'agent' })
    ).data
    await team.call('PUT', '/v1/ext/procedure/lead', {
      name: 'L',
      states: [{ shortId: 'S' }],
      startState: 'S',
      completedState: 'S',
    })
    for (const reference of [user.id, user.id.toUpperCase(), 'ravi', 'ravi@example.com']) {
      const made = await makeKey(team, { user: reference })
      expect(made.data.user, reference).toBe(user.id)
      const created = await request('POST', '/v1/ext/procedure/lead/process', {
        headers: { authorization: `Bearer ${made.data.token}`, 'content-type': 'application/json' },
        body: '{}',
      })
      expect(created.data.createdBy).toBe(user.id)
    }
    const stranger = await newTeam()
    for (const reference of ['nobody', stranger.admin]) {
      const refused = await makeKey(team, { user: reference })
      expect(refused.status, reference).toBe(400)
      expect(refused.meta.errors[0].path).toBe('/body/user')
    }
  })

  it('stops at its expiry to the millisecond, and cannot be made already expired', async () => {
    const team = await newTeam()
    const expiresAt = Date.now() + 5 * SECOND_MS
    const { token } = (await makeKey(team, { expiresAt })).data
    expect((await callByToken(token)).status).toBe(200)
    vi.useFakeTimers({ toFake: ['Date'], now: expiresAt - 1 })
    expect((await callByToken(token)).status).toBe(200)
    vi.setSystemTime(expiresAt)
    const expired = await callByToken(token)
    expect(expired.status).toBe(401)
    expect(expired.errors[0]).toContain('expired')
    const refused = await makeKey(team, { expiresAt: Date.now() - 1 })
    expect(refused.meta.errors[0].path).toBe('/body/expiresAt')
  })

  it('stops working within 30 seconds of its revocation, also where it was just in use', async () => {
    const team = await newTeam()
    const made = await makeKey(team)
    expect((await callByToken(made.data.token)).status).toBe(200)
    const revoked = await team.call('DELETE', `${KEYS}/${made.data.id}`)
    expect(revoked.status).toBe(200)
    expect(revoked.data.revokedAt).toEqual(expect.any(Number))
    travel(29 * SECOND_MS)
    const refused = await callByToken(made.data.token)
    expect(refused.status).toBe(401)
    expect(refused.errors[0]).toContain('revoked')
  })

  it('stops working within 30 seconds even in an isolate that is asked without pause', async () => {
    const team = await newTeam()
    const made = await makeKey(team)
    await callByToken(made.data.token)
    const start = Date.now()
    await team.call('DELETE', `${KEYS}/${made.data.id}`)
    vi.useFakeTimers({ toFake: ['Date'], now: start })
    let last = 0
    for (let second = 0; second <= 30; second++) {
      vi.setSystemTime(start + second * SECOND_MS)
      if ((await callByToken(made.data.token)).status === 200) last = second
    }
    expect(last).toBeLessThan(30)
  })

  it('a key in constant use is looked up again after a response, and never delays one', async () => {
    const team = await newTeam()
    const { token } = (await makeKey(team)).data
    await callByToken(token)
    const start = Date.now()
    vi.useFakeTimers({ toFake: ['Date'], now: start })
    const trips: number[] = []
    for (let second = 1; second <= 60; second += 5) {
      vi.setSystemTime(start + second * SECOND_MS)
      trips.push((await callByToken(token)).cost.trips)
    }
    expect(new Set(trips)).toEqual(new Set([1]))
  })

  it('stays revoked when it is revoked again, and is listed as such', async () => {
    const team = await newTeam()
    const made = await makeKey(team)
    const first = await team.call('DELETE', `${KEYS}/${made.data.id}`)
    const second = await team.call('DELETE', `${KEYS}/${made.data.id}`)
    expect(second.status).toBe(200)
    expect(second.data).toEqual(first.data)
    const [listed] = (await team.call('GET', KEYS)).data
    expect(listed.revokedAt).toBe(first.data.revokedAt)
  })

  it('has two tokens that work during the overlap of a rotation, and then only the new one', async () => {
    const team = await newTeam()
    const old = (await makeKey(team, { name: 'CRM', role: 'agent', description: 'd' })).data
    await callByToken(old.token)
    const rotated = await team.call('POST', `${KEYS}/${old.id}/rotate`, { overlapSeconds: 3600 })
    expect(rotated.status).toBe(201)
    expect(rotated.data).toMatchObject({
      name: 'CRM',
      role: 'agent',
      description: 'd',
      user: old.user,
      expiresAt: null,
    })
    expect(rotated.data.id).not.toBe(old.id)
    expect(rotated.data.token).not.toBe(old.token)
    travel(3590 * SECOND_MS)
    expect((await callByToken(old.token)).status).toBe(200)
    expect((await callByToken(rotated.data.token)).status).toBe(200)
    travel(20 * SECOND_MS)
    expect((await callByToken(old.token)).status).toBe(401)
    expect((await callByToken(rotated.data.token)).status).toBe(200)
  })

  it('that rotates itself with an overlap, whose response is lost, rotates the key that it made', async () => {
    const self = await (await newTeam()).as('admin')
    const { key } = (await self.call('GET', '/v1/ext/me')).data
    const rotate = (id: string, headers = {}) =>
      self.call('POST', `${KEYS}/${id}/rotate`, { overlapSeconds: 60 }, headers)
    const lost = await rotate(key.id, { 'idempotency-key': key.id })
    const repeated = await rotate(key.id, { 'idempotency-key': key.id })
    expect(repeated.data).toMatchObject({ id: lost.data.id, token: null })
    const { status, data } = await rotate(repeated.data.id)
    expect(status).toBe(201)
    expect((await callByToken(data.token)).status).toBe(200)
  })

  it('loses its old token at once in a rotation without an overlap', async () => {
    const team = await newTeam()
    const old = (await makeKey(team)).data
    const rotated = await team.call('POST', `${KEYS}/${old.id}/rotate`, {})
    travel(29 * SECOND_MS)
    expect((await callByToken(old.token)).status).toBe(401)
    expect((await callByToken(rotated.data.token)).status).toBe(200)
    expect((await team.call('POST', `${KEYS}/${old.id}/rotate`, {})).status).toBe(409)
  })

  it('is rotated once: not after its revocation, not after its expiry, not in its overlap', async () => {
    const team = await newTeam()
    const [revoked, expired, rotated] = [
      (await makeKey(team)).data,
      (await makeKey(team)).data,
      (await makeKey(team)).data,
    ]
    await team.call('DELETE', `${KEYS}/${revoked.id}`)
    await env.DB.prepare('UPDATE api_key SET expires_at = 1 WHERE id = ?').bind(expired.id).run()
    await team.call('POST', `${KEYS}/${rotated.id}/rotate`, { overlapSeconds: 3600 })
    for (const { id } of [revoked, expired, rotated]) {
      const again = await team.call('POST', `${KEYS}/${id}/rotate`, { overlapSeconds: 3600 })
      expect(again.status).toBe(409)
      expect(again.meta.errors[0].code).toBe('conflict')
    }
    expect((await team.call('GET', KEYS)).data).toHaveLength(1 + 3 + 1)
  })

  it('a key that is rotated ten times at once has one successor', async () => {
    const team = await newTeam()
    const { id } = (await makeKey(team)).data
    const replies = await Promise.all(
      Array.from({ length: 10 }, () => team.call('POST', `${KEYS}/${id}/rotate`, { overlapSeconds: 60 })),
    )
    expect(replies.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(409)])
  })

  it.each([1, 2, 3])('stays revoked where a rotation is under way: revoked before its round trip %i', async trip => {
    const team = await newTeam()
    const { id } = (await makeKey(team)).data
    let nth = 0
    const through = databaseThrough(async call => {
      if (++nth === trip) await team.call('DELETE', `${KEYS}/${id}`)
      return call()
    })
    const headers = { authorization: `Bearer ${team.token}`, 'content-type': 'application/json' }
    const rotated = await requestWith({ DB: through }, `${KEYS}/${id}/rotate`, {
      method: 'POST',
      headers,
      body: '{}',
    })
    const inForce = (await team.call('GET', KEYS)).data.filter(
      (key: { revokedAt: number | null }) => key.revokedAt === null,
    )
    expect(inForce).toHaveLength(rotated.status === 201 ? 2 : 1)
    expect(rotated.status).toBe(nth >= trip ? 409 : 201)
  })

  it('never lives longer for being rotated', async () => {
    const team = await newTeam()
    const expiresAt = Date.now() + 10 * MINUTE_MS
    const old = (await makeKey(team, { expiresAt })).data
    const rotated = await team.call('POST', `${KEYS}/${old.id}/rotate`, { overlapSeconds: 3600 })
    expect(rotated.data.expiresAt).toBe(expiresAt)
    const listed = (await team.call('GET', KEYS)).data.find((each: { id: string }) => each.id === old.id)
    expect(listed.expiresAt).toBe(expiresAt)
  })

  it('keeps when it was last used, within ten minutes, without a write for every request', async () => {
    const team = await newTeam()
    const made = (await makeKey(team)).data
    const lastUsed = async () =>
      (await team.call('GET', KEYS)).data.find((each: { id: string }) => each.id === made.id).lastUsedAt as
        | number
        | null
    expect(await lastUsed()).toBeNull()
    const first = await callByToken(made.token)
    expect(first.cost.written).toBe(0)
    const noted = await lastUsed()
    expect(Math.abs((noted ?? 0) - Date.now())).toBeLessThan(MINUTE_MS)
    travel(5 * MINUTE_MS)
    await callByToken(made.token)
    expect(await lastUsed()).toBe(noted)
    travel(6 * MINUTE_MS)
    await callByToken(made.token)
    expect(await lastUsed()).toBeGreaterThan((noted ?? 0) + 10 * MINUTE_MS)
  })

  it('is answered before its use is stored', async () => {
    const team = await newTeam()
    const { token } = (await makeKey(team)).data
    const context = createExecutionContext()
    const late: Promise<unknown>[] = []
    const watching = {
      waitUntil: (promise: Promise<unknown>) => late.push(promise),
      passThroughOnException() {},
      props: {},
    }
    const headers = { authorization: `Bearer ${token}` }
    const response = await worker.fetch(
      new Request(ORIGIN + USERS, { headers }),
      env,
      watching as unknown as typeof context,
    )
    expect(response.status).toBe(200)
    expect(late.length).toBeGreaterThan(0)
    await Promise.all(late)
  })

  it('belongs to its team: another one can neither see, revoke nor rotate it', async () => {
    const [ours, theirs] = [await newTeam(), await newTeam()]
    const { id, token } = (await makeKey(theirs)).data
    expect((await ours.call('DELETE', `${KEYS}/${id}`)).status).toBe(404)
    expect((await ours.call('POST', `${KEYS}/${id}/rotate`, {})).status).toBe(404)
    expect(JSON.stringify((await ours.call('GET', KEYS)).data)).not.toContain(id)
    travel(31 * SECOND_MS)
    expect((await callByToken(token)).status).toBe(200)
  })
})

describe('a role', () => {
  it('has a short id, an id and permissions from one closed list; the admin has them all', () => {
    expect(ROLES.map(role => role.shortId)).toEqual(['admin', 'manager', 'agent', 'viewer'])
    expect(new Set(ROLES.map(role => role.id)).size).toBe(4)
    expect([...ROLES[0].permissions].sort()).toEqual([...PERMISSIONS].sort())
    for (const role of ROLES) for (const permission of role.permissions) expect(PERMISSIONS).toContain(permission)
  })

  it('has fewer permissions the further down it stands, and a viewer only reads', () => {
    const sets = ROLES.map(role => new Set<string>(role.permissions))
    for (const [index, set] of sets.entries())
      for (const permission of set) expect(index === 0 || sets[index - 1]?.has(permission)).toBe(true)
    for (const permission of ROLES[3].permissions) expect(permission).toMatch(/:read$/)
  })

  it('a role that does not exist is refused, with the ones that do', async () => {
    const team = await newTeam()
    const reply = await makeKey(team, { role: 'king' })
    expect(reply.status).toBe(400)
    expect(reply.errors[0]).toContain('admin, manager, agent, viewer')
  })
})

describe('a team', () => {
  it.each([
    ['Acme & Sons', 'acme_sons'],
    ['  Über Straße 7 ', 'uber_stra_e_7'],
    ['日本', 'team'],
  ])('called %j gets the short id %j', (name, shortId) => {
    expect(toShortId(name)).toBe(shortId)
  })
})

it('a team has at most 1,000 keys in force, and the list has these, and the newest 1,000 of the others', async () => {
  const team = await newTeam()
  const oldest = await makeKey(team)
  const { data: user } = await team.call('GET', '/v1/ext/me')
  const insert = (count: number, revokedAt: number | null, expiresAt: number | null) =>
    env.DB.prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
       INSERT INTO api_key (id, team, name, description, role, user, hash, prefix, last_four, created_at, revoked_at, expires_at)
       SELECT 'ffffffff-ffff-7fff-bfff-' || lower(hex(randomblob(6))), ?2, 'key', '', 'viewer', ?3, hex(randomblob(16)), '', '', ?4, ?5, ?6 FROM n`,
    )
      .bind(count, team.no, user.user.id, Date.now() + 1_000, revokedAt, expiresAt)
      .run()
  await insert(600, Date.now(), null)
  await insert(600, null, Date.now() - 1)
  await insert(997, null, Date.now() + MINUTE_MS)
  expect((await makeKey(team)).status).toBe(201)
  const list = (await team.call('GET', KEYS)).data as { id: string; createdAt: number }[]
  expect(list).toHaveLength(2_000)
  expect(
    list.some(({ id }) => id === oldest.data.id),
    'the oldest key that works',
  ).toBe(true)
  const times = list.map(({ createdAt }) => createdAt)
  expect(times).toEqual(times.toSorted((one, other) => other - one))
  expect(await makeKey(team)).toMatchObject({
    status: 409,
    meta: { errors: [{ code: 'conflict', message: expect.stringContaining('1,000') }] },
  })
  const rotate = (overlapSeconds: number) => team.call('POST', `${KEYS}/${oldest.data.id}/rotate`, { overlapSeconds })
  expect((await rotate(60)).status).toBe(409)
  expect((await rotate(0)).status).toBe(201)
})
