import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { DAY_MS } from '../../src/time-units.ts'
import { newTeam, type Team } from '../support/api.ts'
import { newProcedure } from '../support/procedures.ts'
import { newQuietTeam } from '../support/webhooks.ts'

const WEBHOOKS = '/v1/ext/webhook'

async function newWebhook(team: Team, body: object = {}): Promise<string> {
  const { data } = await team.call('POST', WEBHOOKS, { url: 'https://receiver.example.com/hooks', ...body })
  return data.id
}

const attempt = (sequence: number, status: number | null, more: object = {}) => ({
  event: `evt_1c2d3e4f5a6b_${sequence}_mhc3v0a4`,
  sequence,
  type: 'process.created',
  attempt: 1,
  at: 1_795_276_206_000 + sequence,
  ms: 12,
  status,
  ...more,
})

const isFailed = ({ status }: { status: number | null }) => status === null || status >= 300

/** Stores deliveries as the endpoint's object does: `at` is that of the last attempt. */
const keep = (webhook: string, number: number, attempts: ReturnType<typeof attempt>[]) =>
  env.DB.prepare(
    `INSERT INTO webhook_delivery (team, webhook, number, at, count, failed, attempts)
      SELECT team, no, ?, ?, ?, ?, jsonb(?) FROM webhook WHERE id = ?`,
  )
    .bind(
      ...[number, attempts.at(-1)?.at ?? 0, attempts.length, attempts.filter(isFailed).length],
      ...[JSON.stringify(attempts), webhook],
    )
    .run()

async function pages(team: Team, path: string, limit: number): Promise<number[][]> {
  const found: number[][] = []
  for (let cursor = ''; ; ) {
    const { data, meta } = await team.call('GET', `${path}limit=${limit}${cursor}`)
    found.push(data.map(({ sequence }: { sequence: number }) => sequence))
    if (!meta.hasMore) return found
    cursor = `&cursor=${meta.next}`
  }
}

describe('deliveries', () => {
  it('are listed newest first, in pages that neither repeat nor miss one, although many are kept in a row', async () => {
    const team = await newTeam()
    const id = await newWebhook(team)
    for (let row = 1; row <= 4; row++)
      await keep(
        id,
        row,
        [3, 2, 1].map(back => attempt(row * 3 - back + 1, back === 2 ? 500 : 200)),
      )
    const path = `${WEBHOOKS}/${id}/delivery?`
    const all = [12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]
    for (const limit of [1, 2, 3, 4, 5, 11, 12, 13]) expect((await pages(team, path, limit)).flat()).toEqual(all)
    expect((await pages(team, `${path}failed=true&`, 3)).flat()).toEqual([11, 8, 5, 2])
  })

  it('show the response, and when they are tried again', async () => {
    const team = await newTeam()
    const id = await newWebhook(team)
    await keep(id, 1, [
      attempt(1, 200, { response: 'ok' }),
      attempt(2, null, { error: 'no response within 15000 ms', attempt: 3, nextAt: 1_795_276_300_000 }),
    ])
    const { data, meta } = await team.call('GET', `${WEBHOOKS}/${id}/delivery`)
    const event = (sequence: number) => `evt_1c2d3e4f5a6b_${sequence}_mhc3v0a4`
    expect(data).toMatchObject([
      {
        event: event(2),
        sequence: 2,
        isDelivered: false,
        status: null,
        attempt: 3,
        response: '',
        error: 'no response within 15000 ms',
        nextAttemptAt: 1_795_276_300_000,
      },
      { event: event(1), isDelivered: true, status: 200, response: 'ok', error: null, nextAttemptAt: null },
    ])
    expect(meta).toMatchObject({ hasMore: false, next: null, waiting: 0, failingSince: null, heldUntil: null })
  })

  it('are filtered by failure in a bounded number of rows, and the next page continues', async () => {
    const team = await newTeam()
    const id = await newWebhook(team)
    await env.DB.prepare(
      `INSERT INTO webhook_delivery (team, webhook, number, at, count, failed, attempts)
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2500)
        SELECT w.team, w.no, i, 0, 1, i IN (7, 1501), jsonb(json_array(json_object('event', 'evt_1c2d3e4f5a6b_' || i || '_mhc3v0a4', 'sequence', i, 'type', 'process.created',
          'attempt', 1, 'at', 1795276206000, 'ms', 1, 'status', iif(i IN (7, 1501), 500, 200)))) FROM n, webhook w WHERE w.id = ?`,
    )
      .bind(id)
      .run()
    const path = `${WEBHOOKS}/${id}/delivery?failed=true&`
    expect(await pages(team, path, 10)).toEqual([[1501], [], [7]])
    const { cost } = await team.call('GET', `${path}limit=10`)
    expect(cost.trips).toBe(1)
    expect(cost.read).toBeLessThan(2_200)
  })

  it('are found for one event beside others, also failed ones only, and in pages', async () => {
    const team = await newTeam()
    const id = await newWebhook(team)
    const eventAt = 1_795_276_206_000
    const event = (sequence: number) => `evt_${team.id.slice(-12)}_${sequence}_${eventAt.toString(36)}`
    const of = (sequence: number, status: number, nth: number) =>
      attempt(sequence, status, { event: event(sequence), attempt: nth, at: eventAt + nth * 1_000 })
    await keep(id, 1, [of(1, 200, 1), of(2, 500, 1)])
    await keep(id, 2, [of(2, 500, 2), of(3, 200, 1), of(2, 200, 3)])
    const listed = async (query: string) => {
      const { data } = await team.call('GET', `${WEBHOOKS}/${id}/delivery?event=${query}`)
      return data.map((each: { sequence: number; attempt: number }) => [each.sequence, each.attempt])
    }
    expect(await listed(event(2))).toEqual([
      [2, 3],
      [2, 2],
      [2, 1],
    ])
    expect(await listed(`${event(2)}&failed=true`)).toEqual([
      [2, 2],
      [2, 1],
    ])
    expect(await listed(event(4))).toEqual([])
    // The same number at another time is another event: a backup was restored meanwhile.
    expect(await listed(`evt_${team.id.slice(-12)}_2_${(eventAt - 1).toString(36)}`)).toEqual([])
    expect(await pages(team, `${WEBHOOKS}/${id}/delivery?event=${event(2)}&`, 1)).toEqual([[2], [2], [2]])
    for (const wrong of ['evt_000000000000_2_mhc3v0a4', 'none', event(2).replace('_2_', '_0_')])
      expect(await team.call('GET', `${WEBHOOKS}/${id}/delivery?event=${wrong}`)).toMatchObject({
        status: 400,
        meta: { errors: [{ path: '/query/event' }] },
      })
  })

  it('are not looked for before their event happened, except for a minute by which clocks may differ', async () => {
    const team = await newTeam()
    const id = await newWebhook(team)
    const first = 1_795_276_206_000
    // A second and a row for each event; the last thousand rows of 2,500 are looked at first.
    await env.DB.prepare(
      `INSERT INTO webhook_delivery (team, webhook, number, at, count, failed, attempts)
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2500)
        SELECT w.team, w.no, i, ?1 + i * 1000, 1, 0, jsonb(json_array(json_object('event', ?2 || i, 'sequence', i,
          'type', 'process.created', 'attempt', 1, 'at', ?1 + i * 1000, 'ms', 1, 'status', 200))) FROM n, webhook w WHERE w.id = ?3`,
    )
      .bind(first, 'evt_', id)
      .run()
    const looked = (at: number) => {
      const event = `evt_${team.id.slice(-12)}_77_${at.toString(36)}`
      return pages(team, `${WEBHOOKS}/${id}/delivery?event=${event}&`, 10)
    }
    expect(await looked(first + 2_400_000)).toEqual([[]])
    expect(await looked(first + 1_501_000 + 60_001)).toEqual([[]])
    expect(await looked(first + 1_501_000 + 60_000)).toEqual([[], []])
    expect(await looked(first)).toEqual([[], [], []])
  })

  it('are a 404 for an unknown webhook, and a malformed cursor is refused', async () => {
    const [team, other] = [await newTeam(), await newTeam()]
    const id = await newWebhook(team)
    expect((await other.call('GET', `${WEBHOOKS}/${id}/delivery`)).status).toBe(404)
    expect((await team.call('GET', `${WEBHOOKS}/none/delivery`)).status).toBe(404)
    expect(await team.call('GET', `${WEBHOOKS}/${id}/delivery?cursor=abc`)).toMatchObject({
      status: 400,
      meta: { errors: [{ path: '/query/cursor' }] },
    })
  })
})

describe('a replay', () => {
  async function withEvents(made: Promise<Team> = newTeam()) {
    const team = await made
    const id = await newWebhook(team)
    const { create } = await newProcedure(team)
    for (let nth = 0; nth < 3; nth++) await create()
    const replay = (body: object, headers = {}) => team.call('POST', `${WEBHOOKS}/${id}/replay`, body, headers)
    const feed = await team.call('GET', '/v1/ext/event')
    const ids = new Map<number, string>(
      feed.data.map(({ sequence, id }: { sequence: number; id: string }) => [sequence, id]),
    )
    const event = (sequence: number) => ids.get(sequence) ?? `evt_${team.id.slice(-12)}_${sequence}_mhc3v0a4`
    return { team, id, replay, event }
  }

  it('is of a range of numbers, to the last event by default, or of events by their ids', async () => {
    const { replay, event } = await withEvents()
    expect(await replay({ from: 1, to: 2 })).toMatchObject({ status: 202, data: { from: 1, to: 2, events: 2 } })
    expect((await replay({ from: 2 })).data).toMatchObject({ from: 2, to: 3, events: 2 })
    const named = await replay({ events: [event(3), event(1), event(3)] })
    expect(named).toMatchObject({ status: 202, data: { from: 1, to: 3, events: 2 } })
  })

  it('is refused where it names events that did not happen, or nothing', async () => {
    const { team, id, replay, event } = await withEvents()
    for (const [body, path] of [
      [{}, '/body'],
      [{ from: 1, events: [event(1)] }, '/body'],
      [{ events: [event(1)], to: 3 }, '/body/to'],
      [{ from: 3, to: 2 }, '/body/to'],
      [{ from: 1, to: 99 }, '/body/to'],
      [{ from: 99 }, '/body/from'],
      [{ events: [event(99)] }, '/body/events'],
      [{ events: [event(1), 'evt_000000000000_1_mhc3v0a4'] }, '/body/events/1'],
    ] as const)
      expect(await replay(body), JSON.stringify(body)).toMatchObject({
        status: 400,
        meta: { errors: [{ path }, ...[]] },
      })
    await team.call('PUT', `${WEBHOOKS}/${id}`, { enabled: false })
    expect(await replay({ from: 1 })).toMatchObject({ status: 409, meta: { errors: [{ code: 'conflict' }] } })
    const other = await newTeam()
    expect((await other.call('POST', `${WEBHOOKS}/${id}/replay`, { from: 1 })).status).toBe(404)
  })

  it('is refused for an id of another time: after a restore, its number belongs to another event', async () => {
    const { replay, event } = await withEvents()
    const [first, third] = [event(1), event(3)]
    const before = `${first.split('_').slice(0, 3).join('_')}_mhc3v0a4`
    const reply = await replay({ events: [third, before, first] })
    expect(reply.status).toBe(400)
    expect(reply.meta.errors).toMatchObject([{ path: '/body/events/1', message: expect.stringContaining(before) }])
  })

  it('is refused where it begins before the feed does, and names the oldest event', async () => {
    const { team, replay, event } = await withEvents()
    const expired = (oldest: number, path: string, hint: string) => ({
      status: 410,
      meta: { errors: [{ code: 'sequence_expired', oldest, latest: 3, path, hint }] },
    })
    const age = (upTo: number) =>
      env.DB.prepare('UPDATE event SET at = at - ? WHERE team = ? AND sequence <= ?')
        .bind(31 * DAY_MS, team.no, upTo)
        .run()
    await age(2)
    expect(await replay({ from: 2 })).toMatchObject(expired(3, '/body/from', 'replay from 3 on'))
    expect(await replay({ from: 1, to: 2 })).toMatchObject(expired(3, '/body/from', 'replay from 3 on'))
    const named = await replay({ events: [event(3), event(2)] })
    expect(named).toMatchObject(expired(3, '/body/events/1', 'leave out what is older'))
    expect(await replay({ from: 3 })).toMatchObject({ status: 202, data: { from: 3, to: 3 } })
    expect(await replay({ from: 4 })).toMatchObject({ status: 400 })
    await env.DB.prepare('DELETE FROM event WHERE team = ? AND sequence <= 2').bind(team.no).run()
    expect(await replay({ from: 2 })).toMatchObject(expired(3, '/body/from', 'replay from 3 on'))
    expect(await replay({ events: [event(3)] })).toMatchObject({ status: 202 })
    await age(3)
    const none = await replay({ from: 3 })
    expect(none).toMatchObject(expired(4, '/body/from', 'nothing can be replayed'))
    expect(none.errors[0]).toContain('none is kept')
  })

  it.each([
    [999, 0],
    [1_000, 2],
  ])('makes failed events of its range due where %i wait: %i', async (waiting, due) => {
    const { team, replay } = await withEvents(newQuietTeam())
    const later = Date.now() + 60_000
    const aside = Array.from({ length: waiting }, (_, nth) => [nth + 1, 1, 0, later])
    await env.DB.prepare('UPDATE webhook_progress SET waiting = ?, due_at = ? WHERE team = ?')
      .bind(JSON.stringify(aside), later, team.no)
      .run()
    expect((await replay({ from: 2, to: 3 })).status).toBe(202)
    const row = await env.DB.prepare('SELECT waiting FROM webhook_progress WHERE team = ?').bind(team.no).first()
    const stored = JSON.parse(String(row?.waiting)) as [number, number, number, number][]
    expect(stored.filter(([, , , at]) => at < later).map(([sequence]) => sequence)).toEqual([2, 3].slice(0, due))
    expect(stored).toHaveLength(waiting)
  })

  it('is made once for an idempotency key', async () => {
    const { replay } = await withEvents()
    const key = { 'idempotency-key': crypto.randomUUID() }
    const first = await replay({ from: 1 }, key)
    expect((await replay({ from: 1 }, key)).data).toEqual(first.data)
  })
})
