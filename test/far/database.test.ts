import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { far } from './far.ts'
import { catchError, LEADS, measureMs, teamWithLeads } from './leads.ts'
import { HERE } from './platform/options.ts'

describe('the database', () => {
  it('runs one transaction at a time: the others wait', async () => {
    const place = far({ databaseMs: 10, readMs: 100 })
    const read = () => place.bindings().DB.prepare('SELECT 1').all()
    expect(await measureMs(place, () => Promise.all([read(), read(), read()]))).toBe(310)
  })

  it('is held up by a scan in proportion to the rows that it reads', async () => {
    const place = far({ databaseMs: 0, readMs: 1, rowsReadPerMs: 10 })
    const numbers = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)`
    await env.DB.prepare('CREATE TABLE scanned (i INTEGER)').run()
    await env.DB.prepare(`INSERT INTO scanned ${numbers} SELECT i FROM n`).run()
    const scan = () => place.bindings().DB.prepare('SELECT count(*) FROM scanned').all()
    const small = () => place.bindings().DB.prepare('SELECT 1').all()
    expect(await measureMs(place, () => Promise.all([scan(), small()]))).toBe(52)
  })

  it('is reset by a scan of more than 30 seconds, and so is whatever waits for it', async () => {
    const place = far({ ...HERE, readMs: 1, rowsReadPerMs: 0.01 })
    await env.DB.prepare('CREATE TABLE huge (i INTEGER)').run()
    await env.DB.prepare(
      'INSERT INTO huge WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400) SELECT i FROM n',
    ).run()
    const read = (sql: string) => () => catchError(() => place.bindings().DB.prepare(sql).all())
    const reset = 'D1_ERROR: D1 DB storage operation exceeded timeout which caused object to be reset.'
    const outcomes = () => Promise.all([read('SELECT count(*) FROM huge')(), read('SELECT 1')()])
    expect(await measureMs(place, async () => expect(await outcomes()).toEqual([reset, reset]))).toBe(30_002)
    expect(await place.run(read('SELECT 1'))).toBe('it did not fail')
  })

  it('refuses at once when too many calls wait, and after a while those that wait too long', async () => {
    const place = far({ databaseMs: 0, readMs: 100, databaseQueueMax: 5, databaseQueueMs: 250 })
    const read = () => catchError(() => place.bindings().DB.prepare('SELECT 1').all())
    const outcomes = await place.run(() => Promise.all(Array.from({ length: 7 }, read)))
    const [long, many] = ['Requests queued for too long.', 'Too many requests queued.']
    const overloaded = (why: string) => `D1_ERROR: D1 DB is overloaded. ${why}`
    const did = 'it did not fail'
    expect(outcomes).toEqual([did, did, did, overloaded(long), overloaded(long), overloaded(many), overloaded(many)])
  })

  it('is reported by the Worker as overloaded, and nothing was changed', async () => {
    const place = far()
    const team = await teamWithLeads(place)
    place.faults.add({ kind: 'database', fault: 'overloaded', about: 'INTO "process"' })
    const reply = await team.call('POST', LEADS, { data: { lead_id: 'L1' } })
    expect([reply.status, reply.meta.errors[0].code]).toEqual([503, 'storage_unavailable'])
    expect((await team.call('POST', LEADS, { data: { lead_id: 'L1' } })).status).toBe(201)
  })

  it.each([2_000_001, 3_000_000])('refuses a text of %d bytes', async bytes => {
    const { DB } = far().bindings()
    const said = catchError(() => DB.prepare('SELECT ?').bind('x'.repeat(bytes)).all())
    await expect(said).resolves.toBe('D1_ERROR: string or blob too big: SQLITE_TOOBIG')
  })

  it('refuses a row that is larger than 2,000,000 bytes altogether, in the middle of a transaction', async () => {
    const place = far()
    const { DB } = place.bindings()
    const insert = (day: number, bytes: number) =>
      DB.prepare(
        'INSERT INTO idempotency (day, team, lookup, fingerprint, outcome, expires_at) VALUES (?, 1, ?, ?, ?, 0)',
      ).bind(day, 'y'.repeat(1_000_000), 'x'.repeat(bytes), new Uint8Array(1))
    const said = await place.run(() => catchError(() => DB.batch([insert(1, 1), insert(2, 1_000_000)])))
    expect(said).toBe('D1_ERROR: string or blob too big: SQLITE_TOOBIG')
    const left = await env.DB.prepare(`SELECT count(*) AS n FROM idempotency WHERE day IN (1, 2)`).first('n')
    expect(left).toBe(0)
    await place.run(() => DB.batch([insert(1, 1), insert(2, 900_000)]))
  })

  it('fails all waiting calls when it is reset, whether they took effect or not', async () => {
    const place = far({ databaseMs: 0, readMs: 100 })
    const read = () => catchError(() => place.bindings().DB.prepare('SELECT 1').all())
    place.faults.add({ kind: 'database', fault: 'reset after', skip: 1 })
    const outcomes = await place.run(() => Promise.all([read(), read(), read()]))
    const reset = 'D1_ERROR: D1 DB storage operation exceeded timeout which caused object to be reset.'
    expect(outcomes).toEqual(['it did not fail', reset, reset])
  })
})

describe('a session of the database', () => {
  const write = (db: Pick<D1Database, 'prepare'>, key: string) =>
    db.prepare(`INSERT INTO noted (key) VALUES (?)`).bind(key).run()
  const count = async (db: Pick<D1Database, 'prepare'>) =>
    (await db.prepare('SELECT count(*) AS n FROM noted').first<{ n: number }>())?.n

  it('reads a replica that is near and behind, and with a bookmark at least the state of that bookmark', async () => {
    const place = far({ ...HERE, databaseMs: 150, replicaMs: 5, replicaLagMs: 1_000 })
    await place.store([{ sql: 'CREATE TABLE noted (key TEXT)', params: [] }])
    const { DB } = place.bindings()
    const session = DB.withSession('first-primary')
    expect(await measureMs(place, () => write(session, 'a'))).toBe(150)
    const bookmark = session.getBookmark() ?? ''
    expect(bookmark).not.toBe('')
    const stranger = DB.withSession('first-unconstrained')
    expect(await measureMs(place, async () => expect(await count(stranger)).toBe(0))).toBe(5)
    const bearer = DB.withSession(bookmark)
    expect(await measureMs(place, async () => expect(await count(bearer)).toBe(1))).toBeGreaterThan(500)
    expect(await measureMs(place, async () => expect(await count(DB.withSession())).toBe(1))).toBe(5)
    const calls = place.platform.calls.map(({ kind }) => kind)
    expect(calls).toEqual(['database', 'replica', 'replica', 'replica'])
  })

  it('sends changes to the primary, and all reads until the first has come back if it asks for that', async () => {
    const place = far({ ...HERE, databaseMs: 150, replicaMs: 5 })
    const session = place.bindings().DB.withSession('first-primary')
    const read = () => session.prepare('SELECT 1').all()
    expect(await measureMs(place, () => Promise.all([read(), read()]))).toBe(150)
    expect(await measureMs(place, read)).toBe(5)
    expect(place.platform.calls.map(({ kind }) => kind)).toEqual(['database', 'database', 'replica'])
  })
})

describe('a fault', () => {
  it.each([
    ['lost before', 0],
    ['lost after', 1],
  ] as const)('makes a creation that is %s leave %d processes', async (fault, left) => {
    const place = far()
    const team = await teamWithLeads(place)
    place.faults.add({ kind: 'database', fault, about: 'INTO "process"' })
    const reply = await team.call('POST', LEADS, { data: { lead_id: 'L1' } })
    expect(reply.status).toBe(503)
    const { n } = (await env.DB.prepare('SELECT count(*) AS n FROM process WHERE team = ?')
      .bind(team.no)
      .first<{ n: number }>()) ?? { n: -1 }
    expect(n).toBe(left)
  })

  it('hits as many calls as it should, after those that it lets pass', async () => {
    const place = far()
    place.faults.add({ kind: 'database', fault: 'unreachable', skip: 1, times: 2 })
    const { DB } = place.bindings()
    const read = () => catchError(() => DB.prepare('SELECT 1').all())
    const outcomes = await place.run(async () => [await read(), await read(), await read(), await read()])
    expect(outcomes.map(each => each.slice(0, 33))).toEqual([
      'it did not fail',
      'D1_ERROR: Cannot resolve D1 DB du',
      'D1_ERROR: Cannot resolve D1 DB du',
      'it did not fail',
    ])
  })
})
