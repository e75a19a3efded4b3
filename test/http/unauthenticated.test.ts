import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { routes } from '../../src/app.ts'
import { DOCUMENTS } from '../../src/http/documentation.ts'
import { toAddressKey } from '../../src/http/request/address.ts'
import { createToken } from '../../src/token.ts'
import { fetchWorker, newTeam } from '../support/api.ts'
import { databaseThrough } from '../support/broken-bindings.ts'
import { limiter } from '../support/limiter.ts'
import { connectPlugin, newConnectedTeam, signBody } from '../support/provider.ts'

let addresses = 0
const newAddress = () => `198.51.${Math.floor(++addresses / 250)}.${addresses % 250}`

/** The Worker with a limiter of its own for strangers, and every round trip to the database counted. */
function counted(limit = 3) {
  const trips = { count: 0 }
  const around = <T>(call: () => Promise<T>): Promise<T> => {
    trips.count += 1
    return call()
  }
  const files = { count: 0 }
  const get = (...args: Parameters<R2Bucket['get']>) => {
    files.count += 1
    return env.MEDIA.get(...args)
  }
  const stranger = limiter(limit)
  const bindings = {
    ...env,
    DB: databaseThrough(around),
    MEDIA: { get, head: env.MEDIA.head.bind(env.MEDIA) } as unknown as R2Bucket,
    RATE_STRANGER: stranger,
  }
  const call = async (path: string, address: string, init: RequestInit = {}) => {
    const before = trips.count
    const headers = { ...(init.headers as Record<string, string>), 'cf-connecting-ip': address }
    const response = await fetchWorker(path, { ...init, headers }, bindings)
    const isJson = response.headers.get('content-type')?.startsWith('application/json')
    // biome-ignore lint/suspicious/noExplicitAny: the test says what it expects of it
    const body = (isJson ? await response.json() : await response.arrayBuffer()) as any
    return { status: response.status, headers: response.headers, body, trips: trips.count - before }
  }
  const users = (token: string, address: string) =>
    call('/v1/ext/users', address, { headers: { authorization: `Bearer ${token}` } })
  return { call, users, stranger, files }
}

describe('unknown tokens', () => {
  it('are refused by address, before the database is asked', async () => {
    const { users } = counted()
    const address = newAddress()
    for (let miss = 1; miss <= 4; miss++)
      expect(await users(createToken(1), address)).toMatchObject({ status: 401, trips: 1 })
    const { status, headers, body, trips } = await users(createToken(1), address)
    expect({ status, trips }).toEqual({ status: 429, trips: 0 })
    const [{ code, retryAfterSeconds }] = body._meta.errors
    expect(code).toBe('rate_limited')
    expect(Number(headers.get('retry-after'))).toBe(retryAfterSeconds)
    expect(retryAfterSeconds).toBeGreaterThan(0)
    expect(retryAfterSeconds).toBeLessThanOrEqual(10)
    expect(await users(createToken(1), newAddress())).toMatchObject({ status: 401 })
  })

  it('do not affect a token in use from the same address', async () => {
    const { users } = counted()
    const address = newAddress()
    const team = await newTeam()
    expect((await users(team.token, address)).status).toBe(200)
    for (let miss = 1; miss <= 6; miss++) await users(createToken(1), address)
    expect((await users(createToken(1), address)).status).toBe(429)
    expect((await users(team.token, address)).status).toBe(200)
  })

  it('do not affect a token that was in use and has to be read again', async () => {
    const { users } = counted()
    const address = newAddress()
    const team = await newTeam()
    await users(team.token, address)
    for (let miss = 1; miss <= 6; miss++) await users(createToken(1), address)
    vi.useFakeTimers({ now: Date.now() + 60_000, toFake: ['Date'] })
    try {
      for (let miss = 1; miss <= 6; miss++) await users(createToken(1), address)
      expect((await users(createToken(1), address)).status).toBe(429)
      expect(await users(team.token, address)).toMatchObject({ status: 200, trips: expect.any(Number) })
    } finally {
      vi.useRealTimers()
    }
  })

  it('are not counted if they are valid: many customers may share an address', async () => {
    const { users, stranger } = counted()
    const address = newAddress()
    const teams = await Promise.all(Array.from({ length: 8 }, () => newTeam()))
    const replies = await Promise.all(teams.map(({ token }) => users(token, address)))
    expect(replies.map(({ status }) => status)).toEqual(teams.map(() => 200))
    expect(stranger.asked).toEqual([])
  })

  it('cost one look-up, however often one is sent', async () => {
    const { users } = counted()
    const token = createToken(1)
    const replies = []
    for (let call = 1; call <= 5; call++) replies.push(await users(token, newAddress()))
    expect(replies.map(({ status, trips }) => [status, trips])).toEqual([[401, 1], ...Array(4).fill([401, 0])])
  })

  it('cost some look-ups, not all of them, in a burst of one address', async () => {
    const { users } = counted(1_000)
    const address = newAddress()
    const replies = await Promise.all(Array.from({ length: 200 }, () => users(createToken(1), address)))
    expect(replies.filter(({ status }) => status === 401)).toHaveLength(50)
    expect(replies.filter(({ status }) => status === 429)).toHaveLength(150)
  })

  it('are looked up where the rate limiter itself fails', async () => {
    const response = await fetchWorker(
      '/v1/ext/users',
      { headers: { authorization: `Bearer ${createToken(1)}`, 'cf-connecting-ip': newAddress() } },
      { ...env, RATE_STRANGER: { limit: () => Promise.reject(new Error('away')) } },
    )
    expect(response.status).toBe(401)
  })
})

describe('unverified provider reports', () => {
  const webhook = (id: string) => `/webhooks/whatsapp/01/${id}`
  const forged = { method: 'POST', body: '{}', headers: { 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` } }

  it('are looked up once if they are for no plugin, and refused by address', async () => {
    const { call } = counted()
    const [id, address] = [crypto.randomUUID(), newAddress()]
    const replies = []
    for (let nth = 1; nth <= 3; nth++) replies.push(await call(webhook(id), address, forged))
    expect(replies.map(({ status, trips }) => [status, trips])).toEqual([
      [404, 1],
      [404, 0],
      [404, 0],
    ])
    for (let nth = 1; nth <= 3; nth++) await call(webhook(crypto.randomUUID()), address, forged)
    expect(await call(webhook(crypto.randomUUID()), address, forged)).toMatchObject({ status: 429, trips: 0 })
  })

  it('cost no look-up after the first if their signature is forged, and are refused before their body is read', async () => {
    const whatsapp = await connectPlugin(await newTeam())
    const { call } = counted()
    const address = newAddress()
    const replies = []
    for (let nth = 1; nth <= 4; nth++) replies.push(await call(whatsapp.webhookPath, address, forged))
    expect(replies.map(({ status }) => status)).toEqual([401, 401, 401, 401])
    expect(replies.reduce((sum, { trips }) => sum + trips, 0)).toBeLessThanOrEqual(1)
    expect(await call(whatsapp.webhookPath, address, forged)).toMatchObject({ status: 429, trips: 0 })
    const body = '{"object": "whatsapp_business_account", "entry": []}'
    const headers = { 'x-hub-signature-256': await signBody(whatsapp.secrets.appSecret, body) }
    expect(await call(whatsapp.webhookPath, newAddress(), { method: 'POST', body, headers })).toMatchObject({
      status: 200,
      trips: 0,
    })
  })

  it('leave genuine ones of a plugin accepted, also from the address of forged ones', async () => {
    const whatsapp = await connectPlugin(await newTeam())
    const { call } = counted()
    const address = newAddress()
    const body = '{"object": "whatsapp_business_account", "entry": []}'
    const headers = { 'x-hub-signature-256': await signBody(whatsapp.secrets.appSecret, body) }
    const genuine = () => call(whatsapp.webhookPath, address, { method: 'POST', body, headers })
    expect((await genuine()).status).toBe(200)
    for (let nth = 1; nth <= 6; nth++) await call(whatsapp.webhookPath, address, forged)
    expect((await genuine()).status).toBe(200)
  })

  it('are genuine at once after their secret was replaced', async () => {
    const { team, whatsapp } = await newConnectedTeam()
    const { call } = counted()
    const body = '{"object": "whatsapp_business_account", "entry": []}'
    const post = async (secret: string) =>
      call(whatsapp.webhookPath, newAddress(), {
        method: 'POST',
        body,
        headers: { 'x-hub-signature-256': await signBody(secret, body) },
      })
    expect((await post(whatsapp.secrets.appSecret)).status).toBe(200)
    await team.call('PUT', `/v1/ext/plugin/whatsapp/${whatsapp.id}`, { appSecret: 'another secret of mine' })
    expect((await post('another secret of mine')).status).toBe(200)
    expect((await post(whatsapp.secrets.appSecret)).status).toBe(401)
  })
})

describe('requests for unknown media', () => {
  const path = () => `/media/${crypto.randomUUID()}/2026-11-21/${crypto.randomUUID()}.pdf`

  it('are refused by address, before the bucket is asked', async () => {
    const { call, files } = counted()
    const address = newAddress()
    for (let nth = 1; nth <= 4; nth++) expect((await call(path(), address)).status).toBe(404)
    expect((await call(path(), address)).status).toBe(429)
    expect(files.count).toBe(4)
  })

  it('are counted for each address', async () => {
    const media = limiter(1)
    const get = (address: string) =>
      fetchWorker(path(), { headers: { 'cf-connecting-ip': address } }, { ...env, RATE_MEDIA: media })
    const address = newAddress()
    expect((await get(address)).status).toBe(404)
    const refused = await get(address)
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await get(newAddress())).status).toBe(404)
  })
})

it('the limit of unauthenticated callers counts IPv6 by its network', () => {
  expect(toAddressKey('203.0.113.7')).toBe('203.0.113.7')
  expect(toAddressKey('2001:db8:1:2:3:4:5:6')).toBe('2001:db8:1:2::/64')
  expect(toAddressKey('2001:0DB8:0001:0002::9')).toBe('2001:db8:1:2::/64')
  expect(toAddressKey('2001:db8::1')).toBe('2001:db8:0:0::/64')
  expect(toAddressKey('::1')).toBe('0:0:0:0::/64')
})

describe('addresses of up to 16 kB', () => {
  const LONG = 'a b%20'.repeat(2_600).slice(0, 15_800)
  const open = routes.filter(({ method, permission }) => method === 'get' && permission === null)
  const addresses = [
    ...[...open.map(({ path }) => path), ...DOCUMENTS.map(({ path }) => path)],
    ...['/', '/nowhere', '/v1/nowhere', '/v1/ext/nowhere', '/v1/operate/nowhere', '/docs/nowhere'],
  ].flatMap(path => {
    const parameters = path.match(/:\w+/g) ?? []
    const filled = path.replaceAll(/:\w+/g, 'x')
    return [
      ...[`${filled}?q=${LONG}`, `${filled}?${LONG}=1`, `${filled}/${LONG}`],
      ...parameters.map(parameter => path.replace(parameter, LONG).replaceAll(/:\w+/g, 'x')),
    ]
  })

  it('cost an unauthenticated caller one round trip or one file, and never more', async () => {
    expect(open.length).toBeGreaterThan(3)
    expect(addresses.length).toBeGreaterThan(30)
    const { call, files } = counted(Number.POSITIVE_INFINITY)
    for (const address of addresses) {
      const before = files.count
      const { status, trips } = await call(address, newAddress())
      expect([status < 500, trips + files.count - before <= 1], address.slice(0, 60)).toEqual([true, true])
    }
  })
})
