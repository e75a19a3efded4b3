import { env } from 'cloudflare:workers'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { MINUTE_MS } from '../../src/time-units.ts'
import { sleep } from '../support/sleep.ts'
import { type FarTeam, far, type Place } from './far.ts'
import { LEADS, teamWithLeads } from './leads.ts'
import { FAR, HERE } from './platform/options.ts'

// A streamed list is whole, or visibly cut short.

const COUNT = 6_300

let teams = 0

/** A team with leads whose `lead_id` counts up in the order of creation, so that a list begins with the last. */
async function placeWithLeads(options = FAR, count = COUNT) {
  const place = far(HERE)
  const team = await teamWithLeads(place)
  const proc = await env.DB.prepare('SELECT no FROM procedure WHERE team = ?').bind(team.no).first<number>('no')
  const first = 6_000_000_000_000_000 + ++teams * 10_000_000
  const sql = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
    INSERT INTO process (rid, id, proc, team, status, state, updated_at, data)
    SELECT ?4 + i, printf('01900000-0000-7000-8000-%04d%08d', ?3, i), ?2, ?3, 3, 'NEW', 1000 + i,
      jsonb(json_object('lead_id', printf('%d', i))) FROM n`
  await place.store([{ sql, params: [count, proc, team.no, first] }])
  // The token and the definition are known from here on.
  await team.call('GET', LEADS)
  Object.assign(place.options, options)
  return { place, team }
}

interface Received {
  text: string
  error: unknown
}

/** A client that reads to the end, or to where the response breaks off, with a pause behind each chunk. */
async function receive(place: Place, team: FarTeam, query: string, { body = {}, pauseMs = 0 } = {}): Promise<Received> {
  return place.run(async () => {
    const response = await place.fetch(`${LEADS}/list?all=true&${query}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${team.token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    expect(response.status).toBe(200)
    const reader = (response.body as ReadableStream<Uint8Array>).getReader()
    const decoder = new TextDecoder()
    for (let text = ''; ; ) {
      try {
        const { value, done } = await reader.read()
        if (done) return { text, error: undefined }
        text += decoder.decode(value, { stream: true })
        if (pauseMs > 0) await sleep(pauseMs)
      } catch (error) {
        return { text, error }
      }
    }
  })
}

const downTo = (last: number, from = COUNT) =>
  Array.from({ length: from - last + 1 }, (_, index) => String(from - index))
const csvIds = (text: string) => text.split('\r\n').slice(1, -1)
const ids = (rows: { data?: { lead_id: string } }[]) => rows.flatMap(({ data }) => data?.lead_id ?? [])
const jsonLines = (text: string) =>
  text
    .split('\n')
    .slice(0, -1)
    .map(line => JSON.parse(line))

/** A request's ten minutes are over after forty trips. */
const SLOW = { ...HERE, databaseMs: 15_000, replicaMs: 15_000 }

afterEach(() => {
  vi.restoreAllMocks()
})

describe('a streamed list', () => {
  it('takes one trip for 500 processes, each some milliseconds of the database', async () => {
    const { place, team } = await placeWithLeads()
    place.platform.database.held = []
    const { text, error } = await receive(place, team, 'format=csv&fields=lead_id')
    expect(error).toBeUndefined()
    expect(csvIds(text)).toEqual(downTo(1))
    const held = place.platform.database.held ?? []
    expect(held.length).toBeLessThanOrEqual(Math.ceil(COUNT / 500) + 1)
    expect(Math.max(...held.map(({ startedAt, endedAt }) => endedAt - startedAt))).toBeLessThan(10)
  })

  it('is read as it is consumed: a client that goes away costs nothing more', async () => {
    const { place, team } = await placeWithLeads()
    place.platform.database.held = []
    await place.run(async () => {
      const response = await place.fetch(`${LEADS}?all=true&format=ndjson`, {
        headers: { authorization: `Bearer ${team.token}` },
      })
      const reader = (response.body as ReadableStream<Uint8Array>).getReader()
      await reader.read()
      await reader.cancel()
    })
    expect(place.platform.database.held.length).toBeLessThanOrEqual(2)
  })

  it.each(['csv', 'ndjson', 'json', 'ndjson&checkpoints=true'])(
    'breaks off as %s where the database fails in its middle, and is complete with the rest behind its cursor',
    async format => {
      const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
      const { place, team } = await placeWithLeads()
      place.faults.add({ kind: 'database', fault: 'overloaded', about: 'json_object', skip: 4 })
      const { text, error } = await receive(place, team, `format=${format}`, { body: { fields: ['lead_id'] } })
      expect(error).toBeInstanceOf(Error)
      expect(text.length).toBeGreaterThan(2_000)
      expect(logged.mock.calls.join()).toContain('the database is overloaded')
      if (!format.includes('checkpoints')) return
      const received = jsonLines(text)
      const { next } = received.findLast(({ _meta }) => _meta !== undefined)._meta
      const rest = await receive(place, team, `format=${format}&cursor=${next}`, { body: { fields: ['lead_id'] } })
      expect([...ids(received), ...ids(jsonLines(rest.text))]).toEqual(downTo(1))
    },
  )

  it('ends with a cursor where it exceeds the time of a request, if its format has a place for one', async () => {
    const { place, team } = await placeWithLeads(SLOW, COUNT)
    const body = { fields: ['lead_id'], sort: [{ field: 'createdAt', order: 'asc' }] }
    const upTo = (last: number) => downTo(1, last).reverse()
    const json = await receive(place, team, 'format=json', { body })
    const { _data, _meta } = JSON.parse(json.text)
    expect([json.error, _meta.hasMore]).toEqual([undefined, true])
    expect(_data.length).toBeLessThan(COUNT)
    const received = ids(_data)
    for (let { next } = _meta; next !== null; ) {
      const { text, error } = await receive(place, team, `format=ndjson&checkpoints=true&cursor=${next}`, { body })
      expect(error).toBeUndefined()
      received.push(...ids(jsonLines(text)))
      next = jsonLines(text).at(-1)._meta.next
    }
    expect(received).toEqual(upTo(COUNT))
  })

  it.each(['csv', 'ndjson', 'excel'])('breaks off as %s where it exceeds the time of a request', async format => {
    const logged = vi.spyOn(console, 'info').mockImplementation(() => {})
    const { place, team } = await placeWithLeads(SLOW, COUNT)
    const sort = [{ field: 'createdAt', order: 'asc' }]
    const { text, error } = await receive(place, team, `format=${format}`, { body: { fields: ['lead_id'], sort } })
    expect(String(error)).toContain('longer than one request may be')
    expect(text).toContain('2000')
    expect(logged.mock.calls.join()).toContain('broken off')
  })

  it('stays within the statements of one invocation', async () => {
    const many = 46_000
    const { place, team } = await placeWithLeads(HERE, many)
    // Whoever asks for a phone number has two statements for each part.
    await team.call('POST', LEADS, { record: { data: { phone: '4915100001' } } })
    const customer = await env.DB.prepare('SELECT rid FROM record WHERE team = ?').bind(team.no).first<number>('rid')
    await place.store([{ sql: 'UPDATE process SET record = ? WHERE team = ?', params: [customer, team.no] }])
    const body = { fields: ['record.phone', 'lead_id'], sort: [{ field: 'createdAt', order: 'asc' }] }
    const { text, error } = await receive(place, team, 'format=json', { body })
    const { _data, _meta } = JSON.parse(text)
    expect([error, _meta.hasMore]).toEqual([undefined, true])
    expect(_data.length).toBeGreaterThan(44_000)
    expect(_data[1]).toEqual({ record: { phone: '4915100001' }, data: { lead_id: '1' } })
  })

  it('ends soon after its token was revoked', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const { place, team } = await placeWithLeads()
    const received = receive(place, team, 'format=ndjson', { pauseMs: MINUTE_MS / 6 })
    await place.run(() => sleep(MINUTE_MS / 4))
    await place.store([{ sql: 'UPDATE api_key SET revoked_at = ? WHERE team = ?', params: [Date.now(), team.no] }])
    const { text, error } = await received
    expect(String(error)).toContain('not accepted')
    expect(jsonLines(text).length).toBeLessThan(COUNT)
  })
})

describe('a streamed list while others wait for the database', () => {
  it('continues at the share of its team, and is whole', async () => {
    const vars = { TEAM_DATABASE_MS_PER_SECOND: '200', TEAM_DATABASE_BURST_MS: '400' } as unknown as Partial<Env>
    const { place, team } = await placeWithLeads()
    place.set(vars)
    Object.assign(place.options, { readMs: 100 })
    const other = await teamWithLeads(place)
    let isDone = false
    const calls: number[] = []
    const callAllTheTime = async () => {
      while (!isDone) {
        const reply = await other.call('GET', '/v1/ext/users')
        expect(reply.status).toBe(200)
        calls.push(reply.ms)
        await sleep(700)
      }
    }
    const startedAt = Date.now()
    const [{ text, error }] = await place.run(() =>
      Promise.all([
        receive(place, team, 'format=csv&fields=lead_id').finally(() => {
          isDone = true
        }),
        callAllTheTime(),
      ]),
    )
    expect(error).toBeUndefined()
    expect(csvIds(text)).toEqual(downTo(1))
    // Thirteen parts of 100 ms: 400 at once, and the rest at 200 a second.
    expect(Date.now() - startedAt).toBeGreaterThan(3_000)
    expect(Math.max(...calls)).toBeLessThan(400)
  })
})
