import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { DAY_MS } from '../../src/time-units.ts'
import { newTeam, type Team } from '../support/api.ts'
import { newProcedure } from '../support/procedures.ts'
import { sleep } from '../support/sleep.ts'

const setUp = async (count = 0) => {
  const team = await newTeam()
  const processes = await newProcedure(team)
  await team.call('PUT', '/v1/ext/event-feed', { enabled: true })
  for (let nth = 0; nth < count; nth++) await processes.create({ data: { lead_id: `L${nth}` } })
  const read = (query = '') => team.call('GET', `/v1/ext/event${query}`)
  return { team, read, ...processes }
}

/** Moves the first events some days into the past. */
const age = ({ no }: Team, upTo: number, days: number) =>
  env.DB.prepare('UPDATE event SET at = at - ? WHERE team = ? AND sequence <= ?')
    .bind(days * DAY_MS, no, upTo)
    .run()

describe('the event feed', () => {
  it('is off until it is switched on, and a refused request says how to', async () => {
    const team = await newTeam()
    const off = await team.call('GET', '/v1/ext/event')
    expect([off.status, off.meta.errors[0].code]).toEqual([409, 'event_feed_off'])
    expect(off.errors[0]).toContain('PUT /v1/ext/event-feed {"enabled": true}')
    expect((await team.call('GET', '/v1/ext/event-feed')).data).toEqual({
      enabled: false,
      since: null,
      oldest: null,
      latest: 0,
    })
    const on = await team.call('PUT', '/v1/ext/event-feed', { enabled: true }, { 'idempotency-key': 'on' })
    expect(on.data).toMatchObject({ enabled: true, oldest: null, latest: 0 })
    const replayed = await team.call('PUT', '/v1/ext/event-feed', { enabled: true }, { 'idempotency-key': 'on' })
    expect(replayed.data).toEqual(on.data)
    // This isolate still caches the team's earlier state.
    const read = await team.call('GET', '/v1/ext/event')
    expect([read.status, read.data, read.meta.latest, read.meta.next]).toEqual([200, [], 0, 0])
    await sleep(2)
    const again = await team.call('PUT', '/v1/ext/event-feed', { enabled: true })
    expect(again.data.since).toBe(on.data.since)
    expect((await team.call('PUT', '/v1/ext/event-feed', { enabled: false })).data.enabled).toBe(false)
    expect((await team.call('GET', '/v1/ext/event')).status).toBe(409)
  })

  it('gives pages that make up the whole log, in its order, and names the next page', async () => {
    const { read } = await setUp(7)
    const all = await read()
    expect(all.data.map(({ sequence }: { sequence: number }) => sequence)).toEqual([1, 2, 3, 4, 5, 6, 7])
    expect(all.meta).toMatchObject({ latest: 7, hasMore: false, next: 7 })
    const joined = []
    for (let after = 0; ; ) {
      const page = await read(`?after=${after}&limit=3`)
      joined.push(...page.data)
      after = page.meta.next
      if (page.meta.hasMore) expect(page.headers.get('link')).toContain(`after=${after}`)
      else break
    }
    expect(joined).toEqual(all.data)
    expect((await read('?after=7')).meta).toMatchObject({ latest: 7, hasMore: false, next: 7 })
  })

  it('has only the requested types, and continues after the others', async () => {
    const { read, update, create } = await setUp(3)
    const { data } = await create()
    await update(data.id, { data: { score: 1 } })
    const updated = await read('?type=process.updated,process.deleted')
    expect(updated.data.map(({ type }: { type: string }) => type)).toEqual(['process.updated'])
    expect(updated.meta.next).toBe(5)
    const none = await read('?type=background_job.completed')
    expect([none.data, none.meta.next]).toEqual([[], 5])
    const wrong = await read('?type=process.updated,proces.created')
    expect(wrong.status).toBe(400)
    expect(wrong.errors[0]).toContain('did you mean "process.created"')
    expect(wrong.meta.errors[0].path).toBe('/query/type')
  })

  it.each([1, 2, 3, 4])('gives each event of a type once, in pages of %i that skip others', async limit => {
    const { read, update, create } = await setUp(4)
    for (let nth = 0; nth < 4; nth++) {
      const { data } = await create()
      for (let changes = 0; changes < nth; changes++) await update(data.id, { data: { score: changes } })
    }
    const all = await read('?type=process.updated')
    expect(all.data).toHaveLength(6)
    const joined = []
    for (let after = 0, hasMore = true; hasMore; ) {
      const page = await read(`?type=process.updated&after=${after}&limit=${limit}`)
      joined.push(...page.data)
      after = page.meta.next
      hasMore = page.meta.hasMore
    }
    expect(joined).toEqual(all.data)
  })

  it('refuses a number that no event has yet', async () => {
    const { read } = await setUp(2)
    const { status, meta } = await read('?after=3')
    expect([status, meta.errors[0].path]).toEqual([400, '/query/after'])
    expect(meta.errors[0].hint).toContain('after=2')
  })

  it('shows nobody the events of another team', async () => {
    const { read } = await setUp(1)
    const other = await setUp(2)
    expect((await read()).data).toHaveLength(1)
    expect((await other.read()).meta.latest).toBe(2)
  })
})

describe('events that are not kept any more', () => {
  it.each([1, 2, 5, 8, 9])(
    'are refused with the oldest number that is kept, %i of nine being expired',
    async expired => {
      const { team, read } = await setUp(9)
      await age(team, expired, 31)
      const refused = await read(`?after=${expired - 1}`)
      expect([refused.status, refused.meta.errors[0].code]).toEqual([410, 'sequence_expired'])
      expect(refused.meta.errors[0]).toMatchObject({ oldest: expired + 1, latest: 9 })
      expect(refused.meta.errors[0].hint).toBe(`go on with after=${expired}`)
      const rest = await read(`?after=${expired}`)
      expect(rest.data).toHaveLength(9 - expired)
      expect((await read()).data).toEqual(rest.data)
      const { data: feed } = await team.call('GET', '/v1/ext/event-feed')
      expect(feed).toMatchObject({ oldest: expired < 9 ? expired + 1 : null, latest: 9 })
    },
  )

  it('are refused, too, where they were removed', async () => {
    const { team, read } = await setUp(5)
    await env.DB.prepare('DELETE FROM event WHERE team = ? AND sequence <= 2').bind(team.no).run()
    expect((await read('?after=0')).meta.errors[0]).toMatchObject({ code: 'sequence_expired', oldest: 3, latest: 5 })
    expect((await read('?after=2')).data).toHaveLength(3)
    expect((await read()).data).toHaveLength(3)
  })

  it('are found among a thousand without a scan of them', async () => {
    const { team, read } = await setUp(1)
    await env.DB.prepare(
      `WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
       INSERT INTO event (team, sequence, count, at, type, proc, by, after) SELECT ?, i, 1, ?, 'record.erased', NULL, jsonb('{}'), jsonb('{"1":{}}') FROM n`,
    )
      .bind(team.no, Date.now())
      .run()
    await age(team, 700, 40)
    const refused = await read('?after=0')
    expect(refused.meta.errors[0].oldest).toBe(701)
    expect(refused.cost.read).toBeLessThan(150)
  })
})
