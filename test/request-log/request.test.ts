import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { fetchWorker, newTeam, ORIGIN, type Team } from '../support/api.ts'
import { databaseThrough } from '../support/broken-bindings.ts'
import { startSession } from '../support/browser-session.ts'
import { newProcedure } from '../support/procedures.ts'

const createEnv = (settings: Record<string, string | object>): Env => ({
  ...env,
  REQUEST_RETENTION_DAYS: '7',
  ...(settings as Partial<Env>),
})

/** Requests are collected and written at once; all reads are kept. */
const KEEPING: Env = createEnv({ REQUEST_RETENTION_DAYS: '7' })

interface Sent {
  id: string
  status: number
}

async function send(team: Team, method: string, path: string, body?: unknown, bindings: Env = KEEPING): Promise<Sent> {
  const headers = { authorization: `Bearer ${team.token}`, 'content-type': 'application/json' }
  const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }
  const response = await fetchWorker(path, init, bindings)
  await response.text()
  return { id: response.headers.get('x-request-id') ?? '', status: response.status }
}

const LEADS = '/v1/ext/procedure/lead/process'
const get = (team: Team, id: string) => team.call('GET', `/v1/ext/request/${id}`)
const listed = async (team: Team, query = ''): Promise<string[]> =>
  (await team.call('GET', `/v1/ext/request${query}`)).data.map((each: { id: string }) => each.id)
const loadRows = async ({ no }: Team) =>
  (await env.DB.prepare('SELECT * FROM request_batch WHERE team = ?').bind(no).all()).results

describe('a request', () => {
  it('is found by its id, with its method, its author and its cost', async () => {
    const team = await newTeam()
    await newProcedure(team)
    const began = Date.now()
    const sent = await send(team, 'POST', LEADS, { data: { lead_id: 'L-1' } })
    const { status, data } = await get(team, sent.id)
    expect(status).toBe(200)
    expect(data).toMatchObject({
      id: sent.id,
      method: 'POST',
      operation: 'createProcess',
      path: LEADS,
      status: 201,
      code: null,
      user: team.admin,
      session: null,
      apiKey: expect.any(String),
    })
    expect(data.createdAt).toBeGreaterThanOrEqual(began)
    expect(data.createdAt).toBeLessThanOrEqual(Date.now())
    expect(data.database.rowsWritten).toBeGreaterThan(0)
    expect((await get(team, sent.id.toUpperCase())).data).toEqual(data)
  })

  it('has the address of its caller, by which all from there are found, whatever key they had', async () => {
    const team = await newTeam()
    const [here, elsewhere] = ['203.0.113.7', '2001:db8::7']
    const ask = async (token: string, address: string) => {
      const headers = { authorization: `Bearer ${token}`, 'cf-connecting-ip': address }
      const response = await fetchWorker('/v1/ext/me', { headers }, KEEPING)
      return response.headers.get('x-request-id') ?? ''
    }
    const other = await team.as('viewer')
    const ids = [await ask(team.token, here), await ask(other.token, here)]
    const last = await ask(other.token, elsewhere)
    expect((await get(team, last)).data.address).toBe(elsewhere)
    expect((await listed(team, `?address=${here}`)).sort()).toEqual([...ids].sort())
    expect(await listed(team, `?address=${encodeURIComponent(elsewhere)}`)).toEqual([last])
  })

  it('has its error code if it failed, also if the caller had no permission', async () => {
    const team = await newTeam()
    await newProcedure(team)
    const missing = await send(team, 'GET', `${LEADS}/lead_id/nobody`)
    expect((await get(team, missing.id)).data).toMatchObject({ status: 404, code: 'not_found' })
    const refused = await send(await team.as('viewer'), 'POST', LEADS, {})
    expect((await get(team, refused.id)).data).toMatchObject({
      status: 403,
      code: 'permission_denied',
      // It names no field, and no value of the request either; the other quotes one.
      faults: [{ path: '', message: expect.stringContaining('process:write') }],
    })
    expect((await get(team, missing.id)).data.faults).toEqual([])
  })

  it('says which field was wrong and why if it was refused, without the values', async () => {
    const team = await newTeam()
    await newProcedure(team)
    const refused = await send(team, 'POST', LEADS, {
      data: { lead_id: 'L-1', score: 'Erika, +49 170 1234567' },
      assignee: 'erika@example.org',
    })
    const { data } = await get(team, refused.id)
    expect(data).toMatchObject({ status: 400, code: 'invalid_request' })
    expect(data.faults).toEqual(
      expect.arrayContaining([{ path: '/body/data/score', message: expect.stringContaining('"score" must be') }]),
    )
    expect(JSON.stringify(data)).not.toMatch(/erika|1234567/i)
    expect((await get(team, (await send(team, 'GET', '/v1/ext/me')).id)).data.faults).toEqual([])
  })

  it('is kept for a session if it changed something or failed, not if it only read', async () => {
    const team = await newTeam()
    await newProcedure(team)
    const { cookie } = await startSession(team)
    const ask = async (method: string, path: string, body?: unknown) => {
      const headers = { cookie, 'content-type': 'application/json', 'sec-fetch-site': 'same-origin', origin: ORIGIN }
      const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }
      const response = await fetchWorker(path, init, KEEPING)
      await response.text()
      return { id: response.headers.get('x-request-id') ?? '', status: response.status }
    }
    const read = await ask('GET', LEADS)
    const changed = await ask('POST', LEADS, { data: { lead_id: 'S-1' } })
    const failed = await ask('GET', `${LEADS}/lead_id/nobody`)
    const byKey = await send(team, 'GET', LEADS)
    expect([read, changed, failed, byKey].map(({ status }) => status)).toEqual([200, 201, 404, 200])
    expect((await get(team, read.id)).status).toBe(404)
    for (const { id } of [changed, failed, byKey]) expect((await get(team, id)).status).toBe(200)
  })

  it('keeps nothing that may be personal: no body, no token, no value of an address', async () => {
    const team = await newTeam()
    await newProcedure(team)
    await send(team, 'POST', LEADS, { data: { lead_id: 'secret-1' } })
    await send(team, 'GET', `${LEADS}/lead_id/secret-2?asOf=secret-3`)
    await send(team, 'GET', '/v1/ext/record?phone=919448300007&secret-4=1')
    const kept = JSON.stringify(await loadRows(team))
    for (const text of ['secret', '919448300007', team.token]) expect(kept).not.toContain(text)
    const { data } = await team.call('GET', '/v1/ext/request')
    expect(data.map((each: { path: string }) => each.path)).toEqual([
      '/v1/ext/record?phone',
      `${LEADS}/lead_id/*?asOf`,
      LEADS,
    ])
  })

  it('is a 404 for another team, as an unknown one; unauthenticated callers leave nothing', async () => {
    const [team, other] = [await newTeam(), await newTeam()]
    const sent = await send(team, 'GET', '/v1/ext/me')
    const [theirs, unknown] = [await get(other, sent.id), await get(other, crypto.randomUUID())]
    expect([theirs.status, unknown.status]).toEqual([404, 404])
    const nobody = await send({ ...team, token: 'cw_nobody' }, 'GET', '/v1/ext/me')
    expect(nobody.status).toBe(401)
    expect((await get(team, nobody.id)).status).toBe(404)
    expect(await listed(team)).toEqual([sent.id])
  })
})

describe('the list of requests', () => {
  it('is newest first, in pages that neither repeat nor skip one, and takes filters', async () => {
    const team = await newTeam()
    await newProcedure(team)
    const all: Sent[] = []
    for (let nth = 0; nth < 4; nth++) {
      all.unshift(await send(team, 'POST', LEADS, { data: { lead_id: `L-${nth}` } }))
      all.unshift(await send(team, 'GET', `${LEADS}/lead_id/nobody`))
    }
    const ids = all.map(({ id }) => id)
    expect(await listed(team)).toEqual(ids)
    const paged: string[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const page = await team.call('GET', `/v1/ext/request?limit=3${cursor === '' ? '' : `&cursor=${cursor}`}`)
      paged.push(...page.data.map((each: { id: string }) => each.id))
      cursor = page.meta.next
    }
    expect(paged).toEqual(ids)
    const failed = all.filter(({ status }) => status === 404).map(({ id }) => id)
    for (const query of ['?failed=true', '?status=4xx', '?status=404', '?operation=getProcessByPrimaryKey'])
      expect(await listed(team, query), query).toEqual(failed)
    expect(await listed(team, '?status=2xx&operation=createProcess')).toHaveLength(4)
    expect(await listed(team, `?caller=${team.admin}`)).toEqual(ids)
    expect(await listed(team, `?caller=${crypto.randomUUID()}`)).toEqual([])
    for (const query of ['?status=600', '?cursor=a', '?caller=me'])
      expect((await team.call('GET', `/v1/ext/request${query}`)).status, query).toBe(400)
    expect(await team.call('GET', '/v1/ext/request?operation=createProces')).toMatchObject({
      status: 400,
      meta: { errors: [{ path: '/query/operation', hint: 'did you mean "createProcess"?' }] },
    })
    expect(await listed(team, '?operation=deleteProcessById')).toEqual([])
  })
})

describe('requests that an isolate has collected', () => {
  it('are written together: a hundred in one row, at once, and the rest after the last', async () => {
    const team = await newTeam()
    const slow = createEnv({ REQUEST_LOG_TUNING: { batchMs: 1_000 } })
    const sent = await Promise.all(Array.from({ length: 130 }, () => send(team, 'GET', '/v1/ext/me', undefined, slow)))
    const rows = await loadRows(team)
    expect(rows.reduce((sum, { count }) => sum + Number(count), 0)).toBe(130)
    expect(rows.length).toBeLessThan(5)
    for (const { id } of [sent[0], sent[129]] as Sent[]) expect((await get(team, id)).status).toBe(200)
  })

  it('are not written while the installation is paused, nor where they are switched off', async () => {
    const team = await newTeam()
    await send(team, 'GET', '/v1/ext/me', undefined, createEnv({ PAUSED: 'true' }))
    await send(team, 'GET', '/v1/ext/me', undefined, createEnv({ REQUEST_RETENTION_DAYS: '0' }))
    expect(await loadRows(team)).toEqual([])
  })

  it('do not fail if they cannot be written', async () => {
    const team = await newTeam()
    await send(team, 'GET', '/v1/ext/me')
    const DB = databaseThrough(() => Promise.reject(new Error('broken on demand')))
    // The token is remembered, and this request reads nothing.
    const sent = await send(team, 'GET', '/v1/ext/message?nope=1', undefined, { ...KEEPING, DB })
    expect(sent.status).toBe(400)
    expect((await get(team, sent.id)).status).toBe(404)
    expect((await send(team, 'GET', '/v1/ext/me')).status).toBe(200)
  })
})

describe('a list between two times', () => {
  it('has the requests from the first to before the second, in ms or ISO 8601', async () => {
    const team = await newTeam()
    await newProcedure(team)
    const one = await send(team, 'GET', `${LEADS}/lead_id/one`)
    const other = await send(team, 'GET', `${LEADS}/lead_id/other`)
    const at = (await get(team, other.id)).data.createdAt as number
    const of = async (query: string) => (await listed(team, `?${query}`)).filter(id => [one.id, other.id].includes(id))
    expect(await of('')).toEqual([other.id, one.id])
    expect(await of(`from=${at}`)).toContain(other.id)
    expect(await of(`from=${at + 1}`)).not.toContain(other.id)
    expect(await of(`to=${at}`)).not.toContain(other.id)
    expect(await of(`to=${new Date(at + 1).toISOString()}&failed=true`)).toContain(other.id)
    expect((await team.call('GET', '/v1/ext/request?from=yesterday')).status).toBe(400)
  })

  it('finds failures among many batches without one, page by page', async () => {
    const team = await newTeam()
    await newProcedure(team)
    const failed = await send(team, 'GET', `${LEADS}/lead_id/one`)
    const [row] = await loadRows(team)
    const at = Number(row?.at)
    await env.DB.prepare(
      `INSERT INTO request_batch (team, at, batch, count, failed, lines)
        WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 4500)
        SELECT ?1, ?2 + n, 'a', 1, 0, '[]' FROM n`,
    )
      .bind(team.no, at)
      .run()
    const found: string[] = []
    let pages = 0
    for (let cursor = ''; ; pages++) {
      const { data, meta, cost } = await team.call('GET', `/v1/ext/request?failed=true${cursor}`)
      found.push(...data.map((each: { id: string }) => each.id))
      expect(cost.read).toBeLessThan(10_000)
      if (meta.next === null) break
      cursor = `&cursor=${meta.next}`
    }
    expect(found).toContain(failed.id)
    expect(pages).toBeGreaterThanOrEqual(2)
  })
})

it('a list skips a hundred thousand at most, and the response says that a cursor goes on; of processes newest first any number', async () => {
  const team = await newTeam()
  await newProcedure(team)
  const calls: [string, string, unknown?][] = [
    ['POST', `${LEADS}/list`, { skip: 100_001, sort: [{ field: 'nextActionAt' }] }],
    ['GET', '/v1/ext/background-job?skip=100001'],
    ['GET', '/v1/ext/message?process=01935c1e-5a00-7a3c-9d1e-6f2b8c4d0e1f&skip=100001'],
    ['GET', '/v1/ext/users?skip=100001'],
  ]
  for (const call of calls) {
    const { status, errors, meta } = await team.call(...call)
    expect([call, status]).toEqual([call, 400])
    expect(meta.errors[0].path).toMatch(/\/skip$/)
    expect(`${errors[0]} ${meta.errors[0].hint}`).toContain('cursor')
  }
  expect((await team.call('GET', `${LEADS}?skip=5000000`)).data).toEqual([])
  expect((await team.call('POST', `${LEADS}/list`, { skip: 5_000_000 })).data).toEqual([])
})
