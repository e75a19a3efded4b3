import { env } from 'cloudflare:workers'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { HOUR_MS } from '../../src/time-units.ts'
import { fetchWorker, newTeam, type Reply, type Team } from '../support/api.ts'
import { Harness } from '../support/harness.ts'
import { newProcedure } from '../support/procedures.ts'

afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

const key = () => ({ 'idempotency-key': crypto.randomUUID() })
const travel = (ms: number) => vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ms })

/** The database of this test, that fails as `when` says each time a batch of statements is sent. */
function failing(when: (sql: string[]) => Error | undefined): Env {
  const getSql = new WeakMap<object, string>()
  const wrap = (statement: D1PreparedStatement, sql: string): D1PreparedStatement => {
    const wrapped = new Proxy(statement, {
      get: (target, name) => {
        if (name === 'bind') return (...values: unknown[]) => wrap(target.bind(...values), sql)
        if (name === 'all') return () => tried([sql], () => target.all())
        return Reflect.get(target, name)
      },
    })
    getSql.set(wrapped, sql)
    inner.set(wrapped, statement)
    return wrapped
  }
  const inner = new WeakMap<object, D1PreparedStatement>()
  const tried = async <T>(sql: string[], act: () => Promise<T>): Promise<T> => {
    const error = when(sql)
    if (error) throw error
    return act()
  }
  const DB: D1Database = new Proxy(env.DB, {
    get: (target, name) => {
      if (name === 'prepare') return (sql: string) => wrap(target.prepare(sql), sql)
      if (name === 'batch')
        return (statements: D1PreparedStatement[]) =>
          tried(
            statements.map(each => getSql.get(each) ?? ''),
            () => target.batch(statements.map(each => inner.get(each) ?? each)),
          )
      if (name === 'withSession') return () => ({ prepare: DB.prepare, batch: DB.batch, getBookmark: () => null })
      return Reflect.get(target, name)
    },
  })
  return { ...env, DB }
}

async function callWith(bindings: Env, team: Team, method: string, path: string, body?: unknown, headers = {}) {
  const init: RequestInit = {
    method,
    headers: { authorization: `Bearer ${team.token}`, 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  }
  const response = await fetchWorker(path, init, bindings)
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, json: JSON.parse(text) }
}

/** Collects the log as text meanwhile. */
function listenToLog() {
  const lines: string[] = []
  for (const level of ['info', 'error', 'warn', 'log', 'debug'] as const)
    vi.spyOn(console, level).mockImplementation((...said: unknown[]) => void lines.push(`${level} ${said.join(' ')}`))
  return lines
}

const getLine = (lines: string[]) => JSON.parse((lines.at(-1) ?? '').replace(/^\w+ /, ''))

describe('the log', () => {
  it('has a line for a sample of the successful requests, and for every error', async () => {
    const team = await newTeam()
    for (const [percent, lines] of [
      ['0', [404]],
      ['100', [200, 404]],
    ] as const) {
      const logged = listenToLog()
      const bindings = { ...env, LOG_SUCCESS_PERCENT: percent } as unknown as Env
      await callWith(bindings, team, 'GET', '/v1/ext/users')
      await callWith(bindings, team, 'GET', '/v1/ext/user/nobody')
      expect(logged.map(line => JSON.parse(line.slice(line.indexOf('{'))).status)).toEqual(lines)
      vi.restoreAllMocks()
    }
  })
})

describe('a fault of the server', () => {
  const secret = { data: { city: 'Zanzibar-secret' }, record: { data: { phone: '919999900001' } } }

  it('is a 500 that says nothing but the request id, and a log line that says why', async () => {
    const team = await newTeam()
    const { path, create } = await newProcedure(team)
    await create()
    const lines = listenToLog()
    const broken = failing(sql =>
      sql.some(each => each.includes('INSERT INTO "process"'))
        ? new Error('D1_ERROR: the disk is on fire: SQLITE_ERROR')
        : undefined,
    )
    const { status, text, json, headers } = await callWith(broken, team, 'POST', path, secret)
    expect(status).toBe(500)
    expect(json).toEqual({
      _data: {},
      _meta: {
        errors: [
          { code: 'internal_error', message: expect.any(String), docs: expect.stringContaining('#internal_error') },
        ],
        requestId: headers.get('x-request-id'),
      },
      _errors: [expect.stringContaining('request id')],
    })
    expect(text).not.toMatch(/disk|D1|INSERT|SELECT|\.ts|stack/)
    expect(lines).toHaveLength(1)
    const line = getLine(lines)
    expect(lines[0]).toMatch(/^error /)
    expect(line).toMatchObject({
      requestId: headers.get('x-request-id'),
      team: team.id,
      method: 'POST',
      route: '/v1/ext/procedure/:procedureShortId/process',
      status: 500,
      code: 'internal_error',
      cause: expect.stringContaining('the disk is on fire'),
    })
  })

  it.each([
    ['a statement written by hand', 'INSERT INTO "process"', 'POST', 'process'],
    ['a statement of another table', 'INSERT INTO "user"', 'POST', 'user'],
  ])('never logs a token, a value or a phone number: %s', async (_, pattern, method, what) => {
    const team = await newTeam()
    const { path, create } = await newProcedure(team)
    await create()
    const lines = listenToLog()
    const message = 'D1_ERROR: no such column: s99: SQLITE_ERROR'
    const broken = failing(sql => (sql.some(each => each.includes(pattern)) ? new Error(message) : undefined))
    const body = what === 'process' ? secret : { username: 'Zanzibar-secret', role: 'agent', firstName: '919999900001' }
    const reply = await callWith(broken, team, method, what === 'process' ? path : '/v1/ext/user', body)
    expect(reply.status).toBe(500)
    const log = lines.join('\n')
    expect(log).toContain('no such column: s99')
    for (const hidden of [team.token, 'Zanzibar', '919999900001', 'params:']) expect(log).not.toContain(hidden)
  })

  it('is noticed in a read by drizzle, too, and logged without parameters', async () => {
    const team = await newTeam()
    await team.call('GET', '/v1/ext/users')
    const lines = listenToLog()
    const reply = await callWith(
      failing(() => new Error('boom')),
      team,
      'GET',
      '/v1/ext/users',
    )
    expect(reply.status).toBe(500)
    expect(lines.join()).toContain('boom')
    expect(lines.join()).not.toContain('select ')
  })

  it("is a 503 with Retry-After while the database is overloaded, with the database's message in the log", async () => {
    const team = await newTeam()
    const { path, create } = await newProcedure(team)
    await create()
    const lines = listenToLog()
    const busy = failing(sql =>
      sql.some(each => each.includes('INSERT INTO "process"'))
        ? new Error('D1_ERROR: D1 DB is overloaded. Too many requests queued.')
        : undefined,
    )
    const { status, json, headers } = await callWith(busy, team, 'POST', path, {})
    expect(status).toBe(503)
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    expect(json._meta.errors[0].code).toBe('storage_unavailable')
    expect(JSON.stringify(json)).not.toContain('D1')
    expect(getLine(lines).cause).toContain('Too many requests queued')
  })

  it('is retried after a passing fault of a read, and not of a write', async () => {
    const team = await newTeam()
    const { path, create } = await newProcedure(team)
    const made = await create()
    const failOnce = (pattern: string) => {
      let failures = 0
      return failing(sql =>
        sql.some(each => each.includes(pattern)) && failures++ === 0
          ? new Error('D1_ERROR: Network connection lost.')
          : undefined,
      )
    }
    expect((await callWith(failOnce('FROM "process"'), team, 'GET', `${path}/${made.data.id}`)).status).toBe(200)
    const written = await callWith(failOnce('UPDATE "process"'), team, 'PUT', `${path}/${made.data.id}`, {
      data: { a: 1 },
    })
    expect(written.status).toBe(503)
    expect(written.json._meta.errors[0].hint).toContain('may have taken effect')
  })
})

describe('a log line', () => {
  it('says who, what, how it went and what it cost, and nothing of the content', async () => {
    const team = await newTeam()
    const { path, create } = await newProcedure(team)
    await create()
    const lines = listenToLog()
    const made = await create({ data: { city: 'Zanzibar' }, record: { data: { phone: '919999900001' } } })
    expect(lines).toHaveLength(1)
    expect(getLine(lines)).toEqual({
      requestId: made.meta.requestId,
      team: team.id,
      method: 'POST',
      route: path.replace('lead', ':procedureShortId'),
      status: 201,
      ms: expect.any(Number),
      cost: {
        trips: made.cost.trips,
        rowsRead: made.cost.read,
        rowsWritten: made.cost.written,
        ms: expect.any(Number),
      },
    })
    expect(lines[0]).not.toMatch(/Zanzibar|919999900001|cw_/)
  })

  it('has the pattern of the route, and no phone number or key of an address', async () => {
    const team = await newTeam()
    const { fetch } = await newProcedure(team)
    const lines = listenToLog()
    await fetch('lead_id/919999900001')
    await team.call('GET', '/v1/ext/nothing/919999900001?phone=919999900001')
    expect(lines).toHaveLength(2)
    expect(lines.join()).not.toContain('919999900001')
    expect(getLine(lines.slice(0, 1))).toMatchObject({ status: 404, code: 'not_found' })
  })
})

describe('faults of a request', () => {
  it('are reported all at once, each with a pointer, and a hint where the correction is plain', async () => {
    const team = await newTeam()
    const { create } = await newProcedure(team)
    const reply = await create({
      dta: {},
      status: 'OPENED',
      state: 'BUZY',
      nextActionAt: 1_700_000_000,
      data: { score: 'many', city: 7, 'a/b~c': '\ud800' },
    })
    expect(reply.status).toBe(400)
    const told = Object.fromEntries(
      reply.meta.errors.map((each: { path: string; hint?: string }) => [each.path, each.hint]),
    )
    expect(told).toEqual({
      '/body/dta': 'did you mean "data"?',
      '/body/status': 'did you mean "OPEN"?',
      '/body/state': 'did you mean "BUSY"?',
      '/body/nextActionAt': '1700000000000',
      '/body/data/score': undefined,
      '/body/data/city': '"7"',
      '/body/data/a~1b~0c': undefined,
    })
    expect(reply.errors).toHaveLength(7)
    for (const sentence of reply.errors) expect(sentence).toMatch(/^\S.*[^.]$/)
  })

  it('have the same order in _errors and in _meta.errors', async () => {
    const team = await newTeam()
    const reply = await team.call('POST', '/v1/ext/user', { role: 'king', timezone: 'IST', extra: 1 })
    expect(reply.status).toBe(400)
    expect(reply.meta.errors.map((each: { path: string }) => each.path).sort()).toEqual([
      '/body/extra',
      '/body/role',
      '/body/timezone',
      '/body/username',
    ])
    for (const [index, sentence] of reply.errors.entries()) expect(sentence).toContain(reply.meta.errors[index].message)
  })
})

describe('an Idempotency-Key', () => {
  const newKeyFor = async (team: Team) => team.as('admin')

  it('replays the first response of a create, without a second process', async () => {
    const team = await newTeam()
    const { path, create } = await newProcedure(team)
    const headers = key()
    const body = { data: { city: 'Pune', score: 3 }, record: { data: { phone: '911', name: 'Asha' } } }
    const first = await create(body, headers)
    const second = await create(body, headers)
    expect(first.status).toBe(201)
    expect(first.headers.get('idempotency-replayed')).toBeNull()
    expect(second.status).toBe(201)
    expect(second.headers.get('idempotency-replayed')).toBe('true')
    expect(second.data).toEqual(first.data)
    expect(second.headers.get('location')).toBe(first.headers.get('location'))
    expect(second.headers.get('etag')).toBe(first.headers.get('etag'))
    expect(second.meta.requestId).not.toBe(first.meta.requestId)
    expect((await team.call('GET', path)).data).toHaveLength(1)
  })

  it('replays the first response, not the present state', async () => {
    const team = await newTeam()
    const { create, update, fetch } = await newProcedure(team)
    const { data } = await create({ data: { city: 'A' } })
    const headers = key()
    const first = await update(data.id, { data: { city: 'B' } }, headers)
    await update(data.id, { data: { city: 'C' } })
    const again = await update(data.id, { data: { city: 'B' } }, headers)
    expect(again.data).toEqual(first.data)
    expect((await fetch(data.id)).data.data.city).toBe('C')
  })

  it('replays every route that changes something', async () => {
    const team = await newTeam()
    const { path, create, remove } = await newProcedure(team)
    const made = (await create({ data: { lead_id: 'A' } })).data
    const gone = (await create({ data: { lead_id: 'B' } })).data
    await remove(gone.id)
    const apiKey = (await team.call('POST', '/v1/ext/api-key', { name: 'k', role: 'viewer' })).data
    const user = (await team.call('POST', '/v1/ext/user', { username: 'u', role: 'viewer' })).data
    const definition = { name: 'N', states: [{ shortId: 'S' }], startState: 'S', completedState: 'S' }
    const changes: [string, string, unknown][] = [
      ['PUT', `${path}/${made.id}`, { data: { n: 1 } }],
      ['PUT', `${path}/lead_id/A`, { status: 'COMPLETED' }],
      ['PUT', path, { data: { lead_id: 'A', n: 2 }, record: { data: { phone: '1' } } }],
      ['PUT', path, { data: { lead_id: 'NEW' } }],
      ['POST', path, { data: { lead_id: 'OWN' } }],
      ['POST', `${path}/${gone.id}/restore`, undefined],
      ['POST', '/v1/ext/user', { username: 'ada', role: 'agent', email: 'ada@example.com' }],
      ['PUT', `/v1/ext/user/${user.id}`, { firstName: 'U' }],
      ['PUT', '/v1/ext/procedure/fresh', definition],
      ['PUT', '/v1/ext/procedure/fresh', { ...definition, name: 'Replaced' }],
      ['POST', '/v1/ext/api-key', { name: 'n', role: 'viewer' }],
      ['POST', `/v1/ext/api-key/${apiKey.id}/rotate`, {}],
    ]
    for (const [method, address, body] of changes) {
      const headers = key()
      const first = await team.call(method, address, body, headers)
      const second = await team.call(method, address, body, headers)
      const where = `${method} ${address} ${JSON.stringify([first.errors, second.errors])}`
      expect(first.status, where).toBeLessThan(300)
      expect(second.status, where).toBe(first.status)
      expect(second.headers.get('idempotency-replayed'), where).toBe('true')
      const { token: _, ...firstData } = first.data
      const { token, ...secondData } = second.data
      expect(secondData, where).toEqual(firstData)
      // A value that was not stored cannot be shown again: a token is shown once.
      expect(token ?? null, where).toBeNull()
    }
  })

  it('is refused with another body, another path or another method', async () => {
    const team = await newTeam()
    const { path, create, update, upsert } = await newProcedure(team)
    const headers = key()
    const { data } = await create({ data: { lead_id: 'A' } }, headers)
    for (const reused of [
      await create({ data: { lead_id: 'B' } }, headers),
      await create({ data: { lead_id: 'A' }, status: 'OPEN' }, headers),
      await upsert({ data: { lead_id: 'A' } }, headers),
      await update(data.id, { data: { lead_id: 'A' } }, headers),
    ]) {
      expect(reused.status, reused.errors[0]).toBe(422)
      expect(reused.meta.errors[0]).toMatchObject({ code: 'idempotency_key_reused', path: '/header/idempotency-key' })
    }
    const all = await team.call('GET', path)
    expect(all.data.map((each: { data: unknown }) => each.data)).toEqual([{ lead_id: 'A' }])
  })

  it('gives concurrent requests one effect and equal responses', async () => {
    const team = await newTeam()
    const { path, create } = await newProcedure(team)
    const headers = key()
    const replies = await Promise.all(
      Array.from({ length: 8 }, () => create({ data: { city: 'X' }, record: { data: { phone: '77' } } }, headers)),
    )
    expect(replies.map(({ status }) => status)).toEqual(Array(8).fill(201))
    expect(new Set(replies.map(({ data }) => JSON.stringify(data))).size).toBe(1)
    expect(replies.filter(reply => reply.headers.get('idempotency-replayed') === null)).toHaveLength(1)
    expect((await team.call('GET', path)).data).toHaveLength(1)
  })

  it('counts for its API key, not for the team', async () => {
    const team = await newTeam()
    const { create, path } = await newProcedure(team)
    const other = await newKeyFor(team)
    const headers = key()
    const [mine, theirs] = [await create({}, headers), await other.call('POST', path, {}, headers)]
    expect(theirs.headers.get('idempotency-replayed')).toBeNull()
    expect(theirs.data.id).not.toBe(mine.data.id)
  })

  it('is forgotten after 24 hours, and not before', async () => {
    // The time is noon, so that the next day has begun in either case and the one after it in none.
    const day = 24 * HOUR_MS
    vi.useFakeTimers({ toFake: ['Date'], now: (Math.floor(Date.now() / day) + 0.5) * day })
    const team = await newTeam()
    const { create } = await newProcedure(team)
    const headers = key()
    const first = await create({}, headers)
    travel(23.9 * HOUR_MS)
    expect((await create({}, headers)).data.id).toBe(first.data.id)
    travel(0.2 * HOUR_MS)
    const later = await create({}, headers)
    expect(later.status).toBe(201)
    expect(later.headers.get('idempotency-replayed')).toBeNull()
    expect(later.data.id).not.toBe(first.data.id)
    expect((await create({}, headers)).data.id).toBe(later.data.id)
    expect((await create({ status: 'OPEN' }, headers)).status).toBe(422)
  })

  const repeated = {
    'a process is made': { path: '', body: {} },
    'a job is accepted': { path: '/bulk-create', body: [{}] },
  }
  it.each(Object.entries(repeated))(
    'counts once where %s behind midnight, and was repeated meanwhile',
    async (_, { path: action, body }) => {
      const day = 24 * HOUR_MS
      const midnight = Math.ceil(Date.now() / day) * day
      vi.useFakeTimers({ toFake: ['Date'], now: midnight - 5_000 })
      const team = await newTeam()
      const { path } = await newProcedure(team)
      const headers = key()
      const replies: { id: string; status: number }[] = []
      const slow = new Harness(
        {},
        {
          before: async ({ kind, sql }) => {
            if (kind !== 'database' || !sql.includes('INSERT INTO "idempotency"') || replies.length > 0) return
            vi.setSystemTime(midnight + 5_000)
            const repetition = await team.call('POST', path + action, body, headers)
            replies.push({ id: repetition.data?.id, status: repetition.status })
          },
        },
      )
      const first = await slow.request(team, 'POST', path + action, body, headers)
      replies.push({ id: first.body._data?.id, status: first.status })
      expect(replies).toHaveLength(2)
      expect(replies[1]).toEqual(replies[0])
      const list = action === '' ? path : '/v1/ext/background-job'
      expect((await team.call('GET', list)).data).toHaveLength(1)
    },
  )

  it('keeps nothing of a failure: the corrected request goes through', async () => {
    const team = await newTeam()
    const { create, update } = await newProcedure(team)
    const headers = key()
    expect((await create({ data: { score: 'x' } }, headers)).status).toBe(400)
    expect((await create({ state: 'NOPE' }, headers)).status).toBe(400)
    expect((await update(crypto.randomUUID(), { data: {} }, headers)).status).toBe(404)
    expect((await create({ data: { score: 1 } }, headers)).status).toBe(201)
  })

  it('keeps nothing of a conflict: the same request succeeds once the conflict is over', async () => {
    const team = await newTeam()
    const { create, remove } = await newProcedure(team)
    const holder = await create({ data: { lead_id: 'A' } })
    const headers = key()
    expect((await create({ data: { lead_id: 'A' } }, headers)).status).toBe(409)
    await remove(holder.data.id)
    expect((await create({ data: { lead_id: 'A' } }, headers)).status).toBe(201)
  })

  it('replays an update with If-Match, though the tag has changed by it', async () => {
    const team = await newTeam()
    const { create, update } = await newProcedure(team)
    const made = await create()
    const headers = { ...key(), 'if-match': made.headers.get('etag') ?? '' }
    const first = await update(made.data.id, { data: { a: 1 } }, headers)
    const second = await update(made.data.id, { data: { a: 1 } }, headers)
    expect([first.status, second.status]).toEqual([200, 200])
    expect(second.data).toEqual(first.data)
  })

  it('may be quoted, as the IETF draft has it, and means the same', async () => {
    const team = await newTeam()
    const { create } = await newProcedure(team)
    const [bare] = [crypto.randomUUID()]
    const first = await create({}, { 'idempotency-key': bare })
    const second = await create({}, { 'idempotency-key': `"${bare}"` })
    expect(second.data.id).toBe(first.data.id)
  })

  it.each([
    ['empty', ''],
    ['too long', 'k'.repeat(256)],
    ['with a space', 'a b'],
    ['quoted nothing', '""'],
  ])('is refused if it is %s', async (_, sent) => {
    const team = await newTeam()
    const { create } = await newProcedure(team)
    const reply = await create({}, { 'idempotency-key': sent })
    expect(reply.status).toBe(400)
    expect(reply.meta.errors[0].path).toBe('/header/idempotency-key')
  })

  it('costs one row written more, and no round trip', async () => {
    const team = await newTeam()
    const { create } = await newProcedure(team)
    await create()
    const [without, including] = [await create(), await create({}, key())]
    expect(including.cost.trips).toBe(without.cost.trips)
    expect(including.cost.written).toBe(without.cost.written + 1)
  })
})

describe('an entity tag', () => {
  const tag = (reply: Reply) => reply.headers.get('etag') ?? ''

  it('comes with fetch, create, update, upsert, delete and restore, and changes with every change', async () => {
    const team = await newTeam()
    const { create, fetch, update, upsert, remove, restore } = await newProcedure(team)
    const made = await create({ data: { lead_id: 'A' } })
    expect(tag(made)).toMatch(/^"[^"]+"$/)
    expect(tag(await fetch(made.data.id))).toBe(tag(made))
    const updated = await update('lead_id/A', { data: { a: 1 } })
    const upserted = await upsert({ data: { lead_id: 'A', b: 1 } })
    expect(tag(await fetch('lead_id/A'))).toBe(tag(upserted))
    const removed = await remove(made.data.id)
    const restored = await restore(made.data.id)
    const tags = [made, updated, upserted, restored].map(tag)
    expect(new Set(tags).size).toBe(4)
    expect(tag(removed)).not.toBe('')
  })

  it('changes when the record inside the process changes', async () => {
    const team = await newTeam()
    const { create, fetch, update } = await newProcedure(team)
    const made = await create({ record: { data: { phone: '123' } } })
    await create({ record: { data: { phone: '123', name: 'Later' } } })
    const now = await fetch(made.data.id)
    expect(now.data.record.data).toEqual({ phone: '123', name: 'Later' })
    expect(tag(now)).not.toBe(tag(made))
    expect((await fetch(made.data.id, { 'if-none-match': tag(made) })).status).toBe(200)
    expect((await update(made.data.id, {}, { 'if-match': tag(made) })).status).toBe(412)
    expect((await update(made.data.id, {}, { 'if-match': tag(now) })).status).toBe(200)
  })

  it('allows by If-None-Match a 304 without a body; lists, weak tags and * are understood', async () => {
    const team = await newTeam()
    const { create, path } = await newProcedure(team)
    const made = await create()
    const known = tag(made)
    for (const sent of [known, `W/${known}`, `"zzz", ${known}`, '*']) {
      const init = { headers: { authorization: `Bearer ${team.token}`, 'if-none-match': sent } }
      const response = await fetchWorker(`${path}/${made.data.id}`, init)
      expect(response.status, sent).toBe(304)
      expect(response.headers.get('etag')).toBe(known)
      expect(response.headers.get('x-request-id')).not.toBeNull()
      expect(await response.text()).toBe('')
    }
    for (const sent of ['"zzz"', 'W/"1"', '""']) {
      const reply = await team.call('GET', `${path}/${made.data.id}`, undefined, { 'if-none-match': sent })
      expect(reply.status, sent).toBe(200)
    }
  })

  it('allows by If-Match an update or a deletion only while it still holds', async () => {
    const team = await newTeam()
    const { create, update, remove, fetch } = await newProcedure(team)
    const made = await create({ data: { lead_id: 'A' } })
    const updated = await update(made.data.id, { data: { a: 1 } }, { 'if-match': tag(made) })
    expect(updated.status).toBe(200)
    for (const at of [made.data.id, 'lead_id/A']) {
      for (const act of [
        () => update(at, { data: { a: 2 } }, { 'if-match': tag(made) }),
        () => remove(at, { 'if-match': tag(made) }),
      ]) {
        const refused = await act()
        expect(refused.status).toBe(412)
        expect(refused.meta.errors[0]).toMatchObject({ code: 'precondition_failed', path: '/header/if-match' })
      }
    }
    expect((await fetch(made.data.id)).data.data).toEqual({ lead_id: 'A', a: 1 })
    expect((await update(made.data.id, {}, { 'if-match': '*' })).status).toBe(200)
    const current = tag(await fetch(made.data.id))
    expect((await remove('lead_id/A', { 'if-match': `W/${current}` })).status).toBe(200)
  })

  it('matches nothing if it is of another server; an unquoted one and a list are refused', async () => {
    const team = await newTeam()
    const { create, update } = await newProcedure(team)
    const made = await create()
    for (const sent of ['"nonsense"', '""', '"0-0"', '"1-1"'])
      expect((await update(made.data.id, {}, { 'if-match': sent })).status, sent).toBe(412)
    for (const sent of ['1-0', '"1-0", "2-0"', ''])
      expect((await update(made.data.id, {}, { 'if-match': sent })).status, sent).toBe(400)
  })

  it('is a 404, not a 412, for a process that is gone', async () => {
    const team = await newTeam()
    const { create, update, remove } = await newProcedure(team)
    const made = await create()
    await remove(made.data.id)
    const headers = { 'if-match': tag(made) }
    expect((await update(made.data.id, {}, headers)).status).toBe(404)
    expect((await remove(made.data.id, headers)).status).toBe(404)
  })
})
