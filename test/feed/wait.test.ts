import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { fetchWorker, newTeam, type Team } from '../support/api.ts'
import { eventually } from '../support/eventually.ts'
import { waitForJob } from '../support/jobs.ts'
import { newProcedure } from '../support/procedures.ts'
import { sleep } from '../support/sleep.ts'

const setUp = async () => {
  const team = await newTeam()
  const processes = await newProcedure(team)
  await team.call('PUT', '/v1/ext/event-feed', { enabled: true })
  const wait = (query: string) => team.call('GET', `/v1/ext/event?${query}`)
  return { team, wait, ...processes }
}

const pause = (ms: number) => sleep(ms)

/** Counts the signals that a call sends, or loses them. */
async function callCounting(
  team: Team,
  method: string,
  path: string,
  body: unknown,
  { key = '', isLost = false } = {},
) {
  let signals = 0
  const TEAM_EVENTS = {
    idFromName: (name: string) => env.TEAM_EVENTS.idFromName(name),
    get: () => ({
      committed: async () => {
        signals++
        if (isLost) throw new Error('lost')
      },
    }),
  }
  const response = await fetchWorker(
    path,
    {
      method,
      headers: {
        authorization: `Bearer ${team.token}`,
        'content-type': 'application/json',
        ...(key === '' ? {} : { 'idempotency-key': key }),
      },
      body: JSON.stringify(body),
    },
    { ...env, TEAM_EVENTS } as unknown as Env,
  )
  return { status: response.status, signals }
}

describe('a request that waits for events', () => {
  it('is answered as soon as there is one, from a call or a job', async () => {
    const { team, wait, create, path } = await setUp()
    const startedAt = Date.now()
    const [waited] = await Promise.all([wait('waitSeconds=50'), pause(100).then(() => create())])
    expect(waited.data.map(({ type }: { type: string }) => type)).toEqual(['process.created'])
    const bulk = async () => {
      await pause(100)
      const job = await team.call('POST', `${path}/bulk-create`, { processes: [{ data: { score: 1 } }, {}] })
      await waitForJob(team, job.data.id)
    }
    const [ofJob] = await Promise.all([wait('after=1&waitSeconds=50'), bulk()])
    expect(ofJob.meta.next).toBeGreaterThanOrEqual(3)
    expect(Date.now() - startedAt).toBeLessThan(40_000)
  })

  it('reads nothing while nothing happens, however long it waits', async () => {
    const { wait, create } = await setUp()
    await create()
    const [one, three] = await Promise.all([wait('after=1&waitSeconds=1'), wait('after=1&waitSeconds=3')])
    for (const { data, meta, cost } of [one, three]) {
      expect([data, meta.next]).toEqual([[], 1])
      expect(cost).toEqual(one.cost)
    }
    expect(one.cost.read).toBeLessThanOrEqual(8)
  })

  it('skips other events, and says how far it has read', async () => {
    const { wait, create } = await setUp()
    const [waited] = await Promise.all([
      wait('waitSeconds=2&type=process.deleted'),
      pause(50)
        .then(() => create())
        .then(() => create()),
    ])
    expect([waited.data, waited.meta.next, waited.meta.hasMore]).toEqual([[], 2, false])
  })

  it('finds an event that is committed just before it listens for signals', async () => {
    const { team, path } = await setUp()
    const stub = env.TEAM_EVENTS.get(env.TEAM_EVENTS.idFromName(String(team.no)))
    const TEAM_EVENTS = {
      idFromName: (name: string) => name,
      get: () => ({
        fetch: async (url: string, init: RequestInit) => {
          expect((await callCounting(team, 'POST', path, { data: {} }, { isLost: true })).status).toBe(201)
          return stub.fetch(url, init)
        },
      }),
    }
    const headers = { authorization: `Bearer ${team.token}` }
    const bindings = { ...env, TEAM_EVENTS } as unknown as Env
    const startedAt = Date.now()
    const response = await fetchWorker('/v1/ext/event?waitSeconds=55', { headers }, bindings)
    expect(JSON.parse(await response.text())._data).toHaveLength(1)
    expect(Date.now() - startedAt).toBeLessThan(40_000)
  })

  it('is refused where two hundred calls of the team wait already, and not those of others', async () => {
    const { team, wait } = await setUp()
    const object = env.TEAM_EVENTS.get(env.TEAM_EVENTS.idFromName(String(team.no)))
    const open = async () => (await object.fetch('https://events/', { headers: { upgrade: 'websocket' } })).webSocket
    const sockets = []
    for (let nth = 0; nth < 200; nth++) {
      const socket = await open()
      socket?.accept()
      sockets.push(socket)
    }
    const refused = await wait('waitSeconds=1')
    expect(refused.status).toBe(429)
    expect(refused.headers.get('retry-after')).toBe('5')
    expect(refused.errors.join()).toContain('200 calls of your team wait for events already')
    const other = await setUp()
    expect((await other.wait('waitSeconds=1')).status).toBe(200)
    expect((await wait('waitSeconds=0')).status).toBe(200)
    for (const socket of sockets) socket?.close()
    await eventually(async () => expect((await wait('waitSeconds=1')).status).toBe(200))
  })

  it('finds at its end an event without a signal', async () => {
    const { team, wait, path } = await setUp()
    const lose = () => callCounting(team, 'POST', path, { data: {} }, { isLost: true })
    const [waited, lost] = await Promise.all([wait('waitSeconds=2'), pause(300).then(lose)])
    expect(lost).toEqual({ status: 201, signals: 1 })
    expect(waited.data).toHaveLength(1)
  })

  it('leaves room to other calls of its team', async () => {
    const { wait, create } = await setUp()
    const waiting = Array.from({ length: 150 }, () => wait('waitSeconds=50'))
    await pause(500)
    const made = await create()
    expect(made.status).toBe(201)
    for (const { status, data } of await Promise.all(waiting)) expect([status, data.length]).toEqual([200, 1])
  })

  it('gets nothing with a key that was revoked meanwhile', async () => {
    const { team, create } = await setUp()
    const { data: key } = await team.call('POST', '/v1/ext/api-key', { name: 'reader', role: 'viewer' })
    const headers = { authorization: `Bearer ${key.token}` }
    const revokeLater = async () => {
      await pause(500)
      await team.call('DELETE', `/v1/ext/api-key/${key.id}`)
      await pause(4_500)
      await create()
    }
    const [waited] = await Promise.all([fetchWorker('/v1/ext/event?waitSeconds=50', { headers }), revokeLater()])
    expect(waited.status).toBe(401)
  })
})

describe('a signal of the feed', () => {
  it('follows every request that may have changed something, and no refused, reading or repeated one', async () => {
    const { team, path } = await setUp()
    const call = (method: string, at: string, body: unknown, key?: string) =>
      callCounting(team, method, at, body, key === undefined ? {} : { key })
    expect(await call('POST', path, { data: {} }, 'once')).toEqual({ status: 201, signals: 1 })
    expect(await call('POST', path, { data: {} }, 'once')).toEqual({ status: 201, signals: 0 })
    expect(await call('POST', path, { data: {}, status: 'SHUT' })).toEqual({ status: 400, signals: 0 })
    expect(await call('POST', `${path}/list`, {})).toEqual({ status: 200, signals: 0 })
  })

  it('wakes the objects of the webhooks that are enabled', async () => {
    const { team, create } = await setUp()
    const post = async (enabled: boolean) => {
      const made = await team.call('POST', '/v1/ext/webhook', { url: 'https://receiver.example.com/hooks', enabled })
      expect(made.errors).toEqual([])
      return made.data.id as string
    }
    const [woken, disabled] = [await post(true), await post(false)]
    const nameIn = (id: string) =>
      runInDurableObject(env.WEBHOOK_ENDPOINT.get(env.WEBHOOK_ENDPOINT.idFromName(`${team.no}/${id}`)), (_, state) =>
        state.storage.get('endpoint'),
      )
    await pause(1_100)
    await create()
    await eventually(async () => expect(await nameIn(woken)).toEqual({ team: team.no, id: woken }))
    expect(await nameIn(disabled)).toBeUndefined()
  })

  it('is not sent for a team whose feed is off', async () => {
    const team = await newTeam()
    const { path } = await newProcedure(team)
    expect(await callCounting(team, 'POST', path, { data: {} })).toEqual({ status: 201, signals: 0 })
  })
})
