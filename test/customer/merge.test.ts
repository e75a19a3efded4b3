import { env } from 'cloudflare:workers'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { toRowNo } from '../../src/ids.ts'
import { MINUTE_MS } from '../../src/time-units.ts'
import type { Team } from '../support/api.ts'
import { loadShownEvents, switchFeed } from '../support/feed.ts'
import { type Call, Harness } from '../support/harness.ts'
import { bulk, LEADS, listEntries, newLeadTeam } from '../support/jobs.ts'
import { connectPlugin, newNumber } from '../support/provider.ts'

// Two customers who turn out to be one. What both have been told, sent and given afterwards is in the order of the guide.

afterEach(() => void vi.restoreAllMocks())

const RECORD = '/v1/ext/record'
const NOBODY = '01935c1e-5a00-7004-8c6d-3e4f5a6b7c8d'

async function setUp() {
  const team = await newLeadTeam()
  const create = async (data: object, more: object = {}) =>
    (await team.call('POST', LEADS, { record: { data }, ...more })).data
  const merge = (id: string, into: string, { query = '', headers = {} } = {}) =>
    team.call('POST', `${RECORD}/${id}/merge${query}`, { into }, headers)
  const get = async (id: string) => (await team.call('GET', `${RECORD}/${id}`)).data
  const listProcesses = async (id: string): Promise<string[]> =>
    (await team.call('GET', `${RECORD}/${id}/process?limit=100`)).data.map((each: { id: string }) => each.id).sort()
  return { team, create, merge, get, listProcesses }
}

const two = async () => {
  const set = await setUp()
  const numbers = { goes: newNumber(), stays: newNumber() }
  const goes = await set.create({ phone: numbers.goes, name: 'Asha R.', city: 'Pune' })
  const stays = await set.create({ phone_number: numbers.stays, name: 'Asha Rao' })
  return { ...set, numbers, goes, stays, from: goes.record.id as string, into: stays.record.id as string }
}

/** Adds so many more processes of a customer, past the API. */
async function addProcesses(team: Team, process: string, count: number): Promise<void> {
  const { results } = await env.DB.prepare(`SELECT name FROM pragma_table_info('process')`).all<{ name: string }>()
  const changed: Record<string, string> = {
    rid: 'rid - i',
    id: "format('%08d-0000-7000-8000-000000000000', i)",
    primary_key: 'NULL',
    last_event: 'NULL',
  }
  await env.DB.prepare(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
      INSERT INTO process (${results.map(({ name }) => `"${name}"`).join(', ')})
      SELECT ${results.map(({ name }) => changed[name] ?? `"${name}"`).join(', ')} FROM process, n WHERE team = ?1 AND id = ?3`,
  )
    .bind(team.no, count, process)
    .run()
}

const loadOwners = async (team: Team) =>
  (
    await env.DB.prepare(
      `SELECT record.id, count(*) AS processes FROM process LEFT JOIN record ON record.rid = process.record
        WHERE process.team = ? GROUP BY record.id ORDER BY record.id`,
    )
      .bind(team.no)
      .all()
  ).results

const loadMoves = async (team: Team) =>
  (await env.DB.prepare('SELECT count(*) AS n FROM record_move WHERE team = ?').bind(team.no).first<{ n: number }>())?.n

/** The cron, until nothing is left to move. */
async function mergeAll(team: Team, inject = {}): Promise<void> {
  for (let minutes = 0; minutes < 40 && (await loadMoves(team)) !== 0; minutes++) {
    const harness = new Harness({}, inject)
    await harness.runCron()
    await harness.deliver()
  }
  expect(await loadMoves(team)).toBe(0)
}

describe('merging a customer into another', () => {
  it('gives processes, messages, numbers and missing attributes to the other, whose own values stay', async () => {
    const { team, merge, get, listProcesses, create, numbers, goes, stays, from, into } = await two()
    const whatsapp = await connectPlugin(team)
    const sent = await whatsapp.send(numbers.goes)
    const other = await create({ phone: numbers.goes, email: 'Asha@acme.example' })
    const expected = {
      id: from,
      into,
      isComplete: true,
      processes: 2,
      messages: 1,
      phones: [numbers.goes],
      emails: ['asha@acme.example'],
      attributes: ['city'],
    }
    const dry = await merge(from, into, { query: '?dryRun=true' })
    expect([dry.status, dry.data]).toEqual([200, { ...expected, isDryRun: true }])
    expect([await get(from), await get(into)]).toEqual([expect.objectContaining({ id: from }), stays.record])

    const merged = await merge(from, into)
    expect([merged.status, merged.data]).toEqual([200, { ...expected, isDryRun: false }])
    const survivor = await get(into)
    expect(survivor.data).toEqual({
      phone_number: numbers.stays,
      name: 'Asha Rao',
      city: 'Pune',
      email: 'Asha@acme.example',
      other_phones: [numbers.goes],
    })
    expect(await listProcesses(into)).toEqual([goes.id, other.id, stays.id].sort())
    expect((await team.call('GET', `${LEADS}/${goes.id}`)).data.record).toEqual(survivor)
    const { data: messages } = await team.call('GET', `${RECORD}/${into}/message`)
    expect(messages.map((each: { id: string }) => each.id)).toEqual([sent.data.id])
    expect((await team.call('GET', RECORD)).data).toEqual([survivor])
    expect((await team.call('GET', `${RECORD}?search=asha`)).data).toEqual([survivor])
    for (const query of [`phone=${numbers.goes}`, `phone=${numbers.stays}`, 'email=asha@acme.example'])
      expect([query, (await team.call('GET', `${RECORD}?${query}`)).data]).toEqual([query, [survivor]])
  })

  it('is one event of the other, and one of each process that has another version', async () => {
    const { team, merge, goes, from, into } = await two()
    await switchFeed(team)
    const before = await team.call('GET', `${LEADS}/${goes.id}`)
    await merge(from, into)
    const [merged] = await loadShownEvents(team, 'record.merged')
    expect(merged?.data).toMatchObject({
      id: into,
      merged: from,
      version: 2,
      record: { id: into },
      changes: expect.arrayContaining([{ field: 'data.city', from: null, to: 'Pune' }]),
    })
    const [updated, ...others] = await loadShownEvents(team, 'process.updated')
    expect(others).toEqual([])
    expect(updated).toMatchObject({
      data: { process: { id: goes.id }, version: 2, changes: [{ field: 'record', from, to: into }] },
      by: merged?.by,
    })
    const { data: history } = await team.call('GET', `${RECORD}/${into}/history`)
    expect(history).toMatchObject([{ type: 'record.merged', merged: from, version: 2, by: merged?.by }])
    // The customer's own history stays, under its own id.
    await expect(team.call('GET', `${RECORD}/${from}/history`)).resolves.toMatchObject({
      data: [],
      meta: { isComplete: true },
    })
    const after = await team.call('GET', `${LEADS}/${goes.id}`)
    expect(after.headers.get('etag')).not.toBe(before.headers.get('etag'))
    const past = await team.call('GET', `${LEADS}/${goes.id}?asOf=1`)
    expect(past.data.record).toEqual(before.data.record)
  })

  it('redirects the old id to the other, wherever a customer is read, changed or named for a process', async () => {
    const { team, merge, create, get, goes, stays, from, into } = await two()
    const deleted = await create({ phone: newNumber() }, { record: { id: from } })
    await team.call('DELETE', `${LEADS}/${deleted.id}`)
    await merge(from, into)
    const read = await team.call('GET', `${RECORD}/${from.toUpperCase()}`)
    expect([read.status, read.data]).toEqual([200, await get(into)])
    expect(read.meta.warnings).toEqual([
      {
        code: 'record_merged',
        message: `the record ${from.toUpperCase()} was merged into ${into}`,
        path: '/path/recordId',
        hint: into,
      },
    ])
    expect((await team.call('GET', `${RECORD}/${into}`)).meta.warnings).toBe(undefined)
    const changed = await team.call('PUT', `${RECORD}/${from}`, { data: { tier: 'gold' } })
    expect([changed.status, changed.data.id, changed.data.data.tier]).toEqual([200, into, 'gold'])
    for (const part of ['process', 'message'])
      expect((await team.call('GET', `${RECORD}/${from}/${part}`)).data).toEqual(
        (await team.call('GET', `${RECORD}/${into}/${part}`)).data,
      )
    const made = await team.call('POST', LEADS, { record: { id: from, data: { note: 'late' } } })
    expect([made.status, made.data.record.id, made.data.record.data.note]).toEqual([201, into, 'late'])
    const list = await team.call('POST', `${LEADS}/list`, { where: { record: from } })
    expect(list.data.map((each: { id: string }) => each.id)).toEqual([made.data.id, stays.id, goes.id])
    const restored = await team.call('POST', `${LEADS}/${deleted.id}/restore`)
    expect([restored.status, restored.data.record.id]).toEqual([200, into])
    expect((await team.call('GET', `${LEADS}/${deleted.id}`)).data.record.id).toBe(into)
    const job = await bulk(team, 'POST', [{ data: { lead_id: 'L9' }, record: { id: from } }])
    expect(await listEntries(team, job.data.id)).toMatchObject([{ completionStatus: 'SUCCESS' }])
    expect((await team.call('GET', `${LEADS}/lead_id/L9`)).data.record.id).toBe(into)
    const again = await merge(from, into)
    expect([again.status, again.data]).toMatchObject([200, { id: from, into, isComplete: true, processes: 0 }])
  })

  it('leaves the past of a process to the customer it had, also where that is restored afterwards', async () => {
    const { team, merge, create, from, into } = await two()
    const made = [
      await create({}, { record: { id: from }, data: { lead_id: 'L1' } }),
      await create({}, { record: { id: from }, data: { lead_id: 'L2' } }),
    ]
    await team.call('PUT', `${RECORD}/${from}`, { data: { city: 'Goa' } })
    await team.call('PUT', `${RECORD}/${into}`, { data: { tier: 'gold' } })
    for (const { id } of made) await team.call('DELETE', `${LEADS}/${id}`)
    await merge(from, into)
    const [single, bulked] = made
    expect((await team.call('POST', `${LEADS}/${single.id}/restore`)).data.record.id).toBe(into)
    const job = await bulk(team, 'PATCH', [{ id: bulked.id, update: { isDeleted: false } }])
    expect(await listEntries(team, job.data.id)).toMatchObject([{ completionStatus: 'SUCCESS' }])
    await team.call('PUT', `${RECORD}/${into}`, { data: { tier: 'silver' } })
    for (const { id, record } of made) {
      expect((await team.call('GET', `${LEADS}/${id}?asOf=1`)).data.record).toEqual(record)
      const present = await team.call('GET', `${LEADS}/${id}?blame=true`)
      expect([present.data.record.id, present.meta.blame.record.version]).toEqual([into, 2])
      const whole = (await team.call('GET', `${LEADS}/${id}/history`)).data
      const paged = []
      for (let cursor = ''; ; ) {
        const page = await team.call('GET', `${LEADS}/${id}/history?limit=1${cursor && `&cursor=${cursor}`}`)
        paged.push(...page.data)
        if (page.meta.next === null) break
        cursor = page.meta.next
      }
      expect(paged).toEqual(whole)
      expect(whole).toMatchObject([
        { type: 'record.updated', changes: [{ field: 'record.tier', from: 'gold', to: 'silver' }] },
        { type: 'process.restored', changes: [] },
        { type: 'process.deleted' },
        { type: 'record.updated', changes: [{ field: 'record.city', from: 'Pune', to: 'Goa' }] },
        { type: 'process.created', changes: expect.arrayContaining([{ field: 'record', from: null, to: from }]) },
      ])
    }
  })

  it('keeps each number as one of the customer from then on, also when another one counts', async () => {
    const { team, merge, get, numbers, from, into } = await two()
    await merge(from, into)
    const byOld = await team.call('POST', RECORD, { data: { phone: numbers.goes, tier: 'gold' } })
    expect([byOld.status, byOld.data.id]).toEqual([200, into])
    // This number was given last, so it counts, and the earlier one becomes one of the others.
    expect(byOld.data.data).toMatchObject({ phone: numbers.goes, other_phones: [numbers.stays] })
    const byNew = await team.call('PUT', `${RECORD}/${into}`, { data: { phone: numbers.stays } })
    expect(byNew.data.data).toMatchObject({ phone: numbers.stays, other_phones: [numbers.goes] })
    for (const phone of Object.values(numbers))
      expect((await team.call('GET', `${RECORD}?phone=${phone}`)).data).toEqual([await get(into)])
    // Whoever takes it out of the list gives it free.
    await team.call('PUT', `${RECORD}/${into}`, { data: { other_phones: null } })
    expect((await team.call('GET', `${RECORD}?phone=${numbers.goes}`)).data).toEqual([])
    const next = await team.call('POST', RECORD, { data: { phone: numbers.goes } })
    expect([next.status, next.data.id === into]).toEqual([201, false])
    const refused = await team.call('PUT', `${RECORD}/${into}`, { data: { other_phones: [numbers.goes] } })
    expect([refused.status, refused.meta.errors[0]]).toMatchObject([
      409,
      { code: 'duplicate_record', path: '/body/data/other_phones', recordId: next.data.id },
    ])
  })

  it('moves the number along where the other has none, and leaves one that is another customer’s', async () => {
    const { team, merge, create, get } = await setUp()
    const [phone, mobile, email] = [newNumber(), newNumber(), 'x@acme.example']
    const third = await create({ phone: mobile })
    const goes = await create({ phone, mobile })
    // The number that was given first identifies the third one.
    expect(goes.record.id).not.toBe(third.record.id)
    const stays = await create({ email, name: 'Asha' })
    const merged = await merge(goes.record.id, stays.record.id)
    expect(merged.data).toMatchObject({ phones: [phone], emails: [], attributes: [] })
    expect((await get(stays.record.id)).data).toEqual({ phone, mobile, email, name: 'Asha' })
    expect((await team.call('GET', `${RECORD}?phone=${mobile}`)).data).toEqual([third.record])
    expect((await team.call('GET', `${RECORD}?phone=${phone}`)).data[0].id).toBe(stays.record.id)
  })

  it('loses no number where one of the others becomes the one that counts', async () => {
    const { team, merge, create, get } = await setUp()
    const [shared, first, other] = [newNumber(), newNumber(), newNumber()]
    const stays = await create({ email: 'x@acme.example', other_phones: [shared] })
    const goes = await create({ phone: first, mobile: shared, other_phones: [other] })
    await team.call('PUT', `${RECORD}/${goes.record.id}`, { data: { phone: null } })
    const merged = await merge(goes.record.id, stays.record.id)
    expect([merged.status, merged.data.phones.sort()]).toEqual([200, [shared, other].sort()])
    const survivor = await get(stays.record.id)
    expect(survivor.data).toMatchObject({ mobile: shared, other_phones: [other] })
    for (const phone of [shared, other])
      expect((await team.call('GET', `${RECORD}?phone=${phone}`)).data).toEqual([survivor])
  })

  it('refuses senseless merges, and changes nothing', async () => {
    const { team, merge, create, get, from, into } = await two()
    const erased = await create({ phone: newNumber() })
    await team.call('DELETE', `${RECORD}/${erased.record.id}`)
    const stranger = (await two()).from
    const before = [await get(from), await get(into)]
    for (const [id, other, status, path] of [
      [from, from, 400, '/body/into'],
      [from, from.toUpperCase(), 400, '/body/into'],
      [from, NOBODY, 400, '/body/into'],
      [from, 'nobody', 400, '/body/into'],
      [from, stranger, 400, '/body/into'],
      [from, erased.record.id, 400, '/body/into'],
      [NOBODY, into, 404, undefined],
      [stranger, into, 404, undefined],
      [erased.record.id, into, 404, undefined],
    ] as const) {
      const refused = await merge(id, other)
      expect([id, other, refused.status, refused.meta.errors[0].path]).toEqual([id, other, status, path])
    }
    for (const body of [{}, { into: 1 }, { into, data: {} }])
      expect((await team.call('POST', `${RECORD}/${from}/merge`, body)).status).toBe(400)
    expect((await merge(from, into, { query: '?dryrun=true' })).status).toBe(400)
    expect((await merge(from, into, { headers: { 'if-match': '"2"' } })).status).toBe(412)
    const agent = await team.as('agent')
    const denied = await agent.call('POST', `${RECORD}/${from}/merge`, { into })
    expect([denied.status, denied.meta.errors[0].permission]).toEqual([403, 'process:delete'])
    expect([await get(from), await get(into)]).toEqual(before)
    expect((await merge(from, into, { headers: { 'if-match': '"1"' } })).status).toBe(200)
  })

  it('refuses the id of a merged customer, and names the other', async () => {
    const { team, merge, create, from, into } = await two()
    const third = (await create({ phone: newNumber() })).record.id
    await merge(from, into)
    const refusals = [
      await merge(into, from),
      await merge(from, third),
      await merge(third, from),
      await team.call('DELETE', `${RECORD}/${from}`),
    ]
    expect(
      refusals.map(({ status, meta: { errors } }) => [status, errors[0].code, errors[0].path, errors[0].recordId]),
    ).toEqual([
      [409, 'record_merged', '/body/into', into],
      [409, 'record_merged', '/path/recordId', into],
      [409, 'record_merged', '/body/into', into],
      [409, 'record_merged', '/path/recordId', into],
    ])
  })

  it('redirects in one step where the other was merged itself', async () => {
    const { team, merge, create, get, listProcesses, numbers, goes, stays, from, into } = await two()
    const last = await create({ phone: newNumber(), name: 'A. Rao' })
    await merge(from, into)
    await merge(into, last.record.id)
    const survivor = await get(last.record.id)
    for (const id of [from, into]) expect(await get(id)).toEqual(survivor)
    expect(await listProcesses(from)).toEqual([goes.id, stays.id, last.id].sort())
    expect(survivor.data.other_phones.toSorted()).toEqual(Object.values(numbers).toSorted())
    const { results } = await env.DB.prepare('SELECT DISTINCT merged_into AS into_rid FROM record WHERE team = ?')
      .bind(team.no)
      .all()
    expect(results).toHaveLength(2)
  })

  it('makes one of two whatever crosses: the first wins', async () => {
    const { team, merge, listProcesses, goes, stays, from, into } = await two()
    const replies = await Promise.all([merge(from, into), merge(into, from), merge(from, into), merge(into, from)])
    const [there, back] = [
      [replies[0], replies[2]],
      [replies[1], replies[3]],
    ].map(some => some.map(reply => reply?.status))
    expect([there, back].sort()).toEqual([
      [200, 200],
      [409, 409],
    ])
    expect(await listProcesses(from)).toEqual([goes.id, stays.id].sort())
    expect((await team.call('GET', RECORD)).data).toHaveLength(1)
  })

  it('loses nothing that others write at that moment', async () => {
    const { team, get, numbers, from, into } = await two()
    let hasCome = false
    const harness = new Harness(
      {},
      {
        before: async ({ sql }) => {
          if (hasCome || !/UPDATE "record" SET "merged_into"/.test(sql)) return
          hasCome = true
          await team.call('PUT', `${RECORD}/${from}`, { data: { tier: 'gold' } })
          await team.call('PUT', `${RECORD}/${into}`, { data: { city: 'Oslo' } })
          await team.call('POST', LEADS, { record: { data: { phone: numbers.goes } } })
        },
      },
    )
    const merged = await harness.request(team, 'POST', `${RECORD}/${from}/merge`, { into })
    expect([merged.status, hasCome, merged.body._data.processes]).toEqual([200, true, 2])
    expect((await get(into)).data).toMatchObject({ tier: 'gold', city: 'Oslo' })
    expect(await loadOwners(team)).toEqual([{ id: into, processes: 3 }])
  })

  it('leaves no process with the merged one, where another took the place of one that was counted', async () => {
    const { team, from, into } = await two()
    const definition = { name: 'Visit', states: [{ shortId: 'NEW' }], startState: 'NEW', completedState: 'NEW' }
    const attributes = [{ shortId: 'visit_id', type: 'string' }]
    const made = await team.call('PUT', '/v1/ext/procedure/visit', {
      ...definition,
      attributes,
      primaryKey: 'visit_id',
    })
    expect(made.errors).toEqual([])
    const [process] = (await team.call('POST', `${LEADS}/list`, { where: { record: from } })).data
    let hasCome = false
    const harness = new Harness(
      {},
      {
        before: async ({ sql }) => {
          if (hasCome || !/UPDATE "record" SET "merged_into"/.test(sql)) return
          hasCome = true
          expect((await team.call('DELETE', `${LEADS}/${process.id}`)).status).toBe(200)
          const body = { data: { visit_id: 'V1' }, record: { id: from } }
          expect((await team.call('POST', '/v1/ext/procedure/visit/process', body)).status).toBe(201)
        },
      },
    )
    const merged = await harness.request(team, 'POST', `${RECORD}/${from}/merge`, { into })
    expect([merged.status, hasCome]).toEqual([200, true])
    expect((await loadOwners(team)).map(({ id }) => id)).toEqual([into])
  })

  it('gives the remaining customer what others were about to give the merged one', async () => {
    const { team, merge, numbers, from, into } = await two()
    const writes = [
      ['POST', LEADS, { record: { id: from } }],
      ['POST', LEADS, { record: { data: { phone: numbers.goes, tier: 'gold' } } }],
      ['PUT', `${RECORD}/${from}`, { data: { note: 'late' } }],
    ] as const
    let hasMerged = false
    for (const [method, path, body] of writes) {
      const harness = new Harness(
        {},
        {
          before: async ({ sql }) => {
            if (hasMerged || !/INSERT INTO "process"|UPDATE "record"/.test(sql)) return
            hasMerged = true
            expect((await merge(from, into)).status).toBe(200)
          },
        },
      )
      const reply = await harness.request(team, method, path, body)
      const record = reply.body._data.record ?? reply.body._data
      expect([method, path, reply.status < 300, hasMerged, record.id]).toEqual([method, path, true, true, into])
    }
    expect(await loadOwners(team)).toEqual([{ id: into, processes: 4 }])
  })

  it('has one outcome, whatever call fails on the way', async () => {
    for (const fault of ['fails before', 'fails after'] as const)
      for (let nth = 1; ; nth++) {
        const { team, from, into } = await two()
        const key = { 'idempotency-key': crypto.randomUUID() }
        const path = `${RECORD}/${from}/merge`
        const harness = new Harness(
          {},
          { fault: (kind, at) => (kind === 'database' && at === nth ? fault : undefined) },
        )
        const first = await harness.request(team, 'POST', path, { into }, key)
        const again = await team.call('POST', path, { into }, key)
        expect([nth, fault, again.status, again.data.processes]).toEqual([nth, fault, 200, 1])
        expect(await loadOwners(team)).toEqual([{ id: into, processes: 2 }])
        if (harness.calls.database < nth) {
          expect([first.status, again.headers.get('idempotency-replayed')]).toEqual([200, 'true'])
          break
        }
      }
  })

  it('is refused where the customer would have too many numbers', async () => {
    const { team, merge, get, from, into } = await two()
    const numbers = Array.from({ length: 50 }, newNumber)
    await team.call('PUT', `${RECORD}/${into}`, { data: { other_phones: numbers } })
    const refused = await merge(from, into)
    expect([refused.status, refused.meta.errors[0].code]).toEqual([409, 'conflict'])
    expect((await get(from)).id).toBe(from)
  })

  it('has no more customers merged into one than an erasure takes at once', async () => {
    const { team, merge, from, into } = await two()
    await env.DB.prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
        INSERT INTO record (rid, id, team, data, created_at, updated_at, merged_into)
        SELECT rid - i, 'merged ' || i, team, jsonb('{}'), 1, 1, rid FROM record, n WHERE team = ?1 AND id = ?2`,
    )
      .bind(team.no, into)
      .run()
    const refused = await merge(from, into)
    expect([refused.status, refused.meta.errors[0].code]).toEqual([409, 'conflict'])
    const list = await team.call('GET', RECORD)
    expect(list.data).toHaveLength(2)
    expect(list.cost.read).toBeLessThan(20)
  })
})

describe('a customer with many processes', () => {
  it('is merged in steps, and says how far it is', async () => {
    const { team, merge, get, listProcesses, goes, from, into } = await two()
    await switchFeed(team)
    await addProcesses(team, goes.id, 250)
    const dry = await merge(from, into, { query: '?dryRun=true' })
    expect([dry.status, dry.data]).toMatchObject([200, { isComplete: false, processes: 251 }])
    const key = { 'idempotency-key': crypto.randomUUID() }
    const first = await merge(from, into, { headers: key })
    expect([first.status, first.data]).toMatchObject([202, { isComplete: false, processes: 0, attributes: ['city'] }])
    // Numbers and attributes are the other's at once; a process shows the former until it is moved.
    expect((await get(from)).data.city).toBe('Pune')
    expect((await team.call('GET', `${LEADS}/${goes.id}`)).data.record.id).toBe(from)
    expect(await listProcesses(into)).toHaveLength(1)
    // Later processes belong to the other customer.
    const late = await team.call('POST', LEADS, { record: { id: from } })
    expect(late.data.record.id).toBe(into)
    const updated = await team.call('PUT', `${LEADS}/${goes.id}`, { record: { data: { tier: 'gold' } } })
    expect(updated.data.record).toMatchObject({ id: into, data: { tier: 'gold', city: 'Pune' } })
    const again = await merge(from, into)
    expect([again.status, again.data.processes]).toEqual([202, 0])
    await mergeAll(team)
    expect(await loadOwners(team)).toEqual([{ id: into, processes: 253 }])
    const replayed = await merge(from, into, { headers: key })
    expect([replayed.status, replayed.data.isComplete, replayed.data.attributes]).toEqual([200, true, ['city']])
    const events = await loadShownEvents(team, 'process.updated')
    const moved = events.filter(({ data }) => JSON.stringify(data).includes(`"from":"${from}"`))
    expect(moved).toHaveLength(251)
    expect(new Set(moved.map(({ by }) => by.user)).size).toBe(1)
    const [row] = (await env.DB.prepare('SELECT count(*) AS n FROM event WHERE team = ?').bind(team.no).all()).results
    expect(Number(row?.n)).toBeLessThan(10)
  })

  it.each(['fails before', 'fails after'] as const)(
    'loses none and moves none twice, where each call %s once',
    async fault => {
      const { team, merge, goes, from, into } = await two()
      await addProcesses(team, goes.id, 600)
      expect((await merge(from, into)).status).toBe(202)
      const failed = new Set<string>()
      await mergeAll(team, {
        fault: (kind: string, _: number, __: string, { sql }: { sql: string }) => {
          const call = `${sql.replace(/\d+/g, '')} ${failed.size % 3}`
          if (kind !== 'database' || !/record_move/.test(sql) || failed.has(call)) return undefined
          failed.add(call)
          return fault
        },
      })
      expect(failed.size).toBeGreaterThan(3)
      expect(await loadOwners(team)).toEqual([{ id: into, processes: 602 }])
      const versions = await env.DB.prepare(
        'SELECT version, count(*) AS n FROM process WHERE team = ? GROUP BY version ORDER BY version',
      )
        .bind(team.no)
        .all()
      expect(versions.results).toEqual([
        { version: 1, n: 1 },
        { version: 2, n: 601 },
      ])
      const { last, told } = (await env.DB.prepare(
        'SELECT max(sequence) AS last, sum(count) AS told FROM event WHERE team = ?',
      )
        .bind(team.no)
        .first<{ last: number; told: number }>()) ?? { last: 0, told: 0 }
      expect(told).toBe(last)
    },
  )

  it('does not wait for those of others whose merges fail each time, which are told and tried again', async () => {
    const failing = await Promise.all([1, 2, 3, 4, 5, 6].map(two))
    const next = await two()
    for (const { team, merge, goes, from, into } of [...failing, next]) {
      await addProcesses(team, goes.id, 260)
      expect((await merge(from, into)).status).toBe(202)
    }
    const isStuck = { now: true }
    const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
    const info = vi.spyOn(console, 'info').mockImplementation(() => {})
    const moved = failing.map(({ from }) => String(toRowNo(from)))
    const isMove = ({ kind, sql, about }: Call) =>
      kind === 'database' && sql.includes('UPDATE') && moved.some(no => about.includes(no))
    const harness = new Harness(
      {},
      { fault: (_, __, ___, call) => (isStuck.now && isMove(call) ? 'fails before' : undefined) },
    )
    const startedAt = Date.now()
    for (let minute = 0; minute < 4; minute++) await harness.runCron(startedAt + minute * MINUTE_MS)
    expect(await loadMoves(next.team)).toBe(0)
    expect(await loadOwners(next.team)).toEqual([{ id: next.into, processes: 262 }])
    const lines = logged.mock.calls.map(([line]) => JSON.parse(String(line)))
    for (const { team, from } of failing)
      expect(lines).toContainEqual(
        expect.objectContaining({ task: 'merge customers', merge: from, teamNo: team.no, cause: expect.any(String) }),
      )
    const metrics = info.mock.calls.map(([line]) => JSON.parse(String(line)).metrics).at(-1)
    expect(metrics).toMatchObject({ failingErasures: { count: 0 }, failingMerges: { count: 6 } })
    isStuck.now = false
    for (let minute = 4; minute < 10; minute++) await harness.runCron(startedAt + minute * MINUTE_MS)
    for (const { team, into } of failing) expect(await loadOwners(team)).toEqual([{ id: into, processes: 262 }])
  })

  it('follows the other, who is merged meanwhile', async () => {
    const { team, merge, create, goes, from, into } = await two()
    const last = (await create({ phone: newNumber() })).record.id
    await addProcesses(team, goes.id, 260)
    expect((await merge(from, into)).status).toBe(202)
    expect((await merge(into, last)).status).toBe(200)
    await mergeAll(team)
    expect(await loadOwners(team)).toEqual([{ id: last, processes: 263 }])
  })

  it('is erased with the other, also meanwhile', async () => {
    const { team, merge, goes, from, into } = await two()
    await team.call('PUT', `${RECORD}/${from}`, { data: { name: `Name of ${from}` } })
    await addProcesses(team, goes.id, 260)
    expect((await merge(from, into)).status).toBe(202)
    expect((await team.call('DELETE', `${RECORD}/${into}`)).status).toBe(202)
    expect(await loadMoves(team)).toBe(0)
    expect((await team.call('GET', `${LEADS}/${goes.id}`)).data.record).toBe(null)
    for (const id of [from, into]) expect((await team.call('GET', `${RECORD}/${id}`)).status).toBe(404)
    let progress = await team.call('DELETE', `${RECORD}/${into}`)
    expect(progress.status).toBe(202)
    for (let minutes = 0; minutes < 20 && progress.status === 202; minutes++) {
      const harness = new Harness()
      await harness.runCron()
      await harness.deliver()
      progress = await team.call('DELETE', `${RECORD}/${into}`)
    }
    expect(progress.status).toBe(404)
    const { results } = await env.DB.prepare(
      `SELECT (SELECT count(*) FROM process WHERE team = ?1 AND record IS NOT NULL) AS processes,
        (SELECT count(*) FROM record WHERE team = ?1) AS records,
        (SELECT count(*) FROM event WHERE team = ?1 AND (json(after) LIKE '%Name of%' OR json(before) LIKE '%Asha%')) AS events`,
    )
      .bind(team.no)
      .all()
    expect(results).toEqual([{ processes: 0, records: 0, events: 0 }])
  })
})
