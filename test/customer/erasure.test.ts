import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import type { Team } from '../support/api.ts'
import { Harness } from '../support/harness.ts'
import { bulk, LEADS, newLeadTeam } from '../support/jobs.ts'
import { loadLoggedEvents } from '../support/logged-events.ts'
import { connectPlugin, newNumber, refusedNumber } from '../support/provider.ts'
import { createRandom } from '../support/random.ts'
import { sleep } from '../support/sleep.ts'
import { tablesWith } from '../support/tables-with.ts'

const RECORD = '/v1/ext/record'
const OPT_OUT_CODE = 131050
const RUNS_MAX = 60

const setUp = async () => {
  const team = await newLeadTeam()
  const create = async (data: object, more: object = {}) =>
    (await team.call('POST', LEADS, { record: { data }, ...more })).data
  const erase = (id: string, headers: Record<string, string> = {}) =>
    team.call('DELETE', `${RECORD}/${id}`, undefined, headers)
  return { team, create, erase }
}

/** Steps of erasures fail, or their responses are lost. */
const failing =
  (random: ReturnType<typeof createRandom>) =>
  (kind: string, _nth: number, _about: string, { sql }: { sql: string }) =>
    kind === 'database' && /record_erasure/.test(sql) && random.chance(0.4)
      ? random.pick(['fails before', 'fails after'] as const)
      : undefined

describe('a customer who is erased', () => {
  it('is gone from every table: record, numbers, messages, trash', async () => {
    const { team, create, erase } = await setUp()
    const whatsapp = await connectPlugin(team)
    const [phone, second, email, name] = [newNumber(), newNumber(), `${newNumber()}@b.co`, `Asha ${newNumber()}`]
    const made = await create({ phone, email, name })
    const { record } = await create({ email, mobile: second })
    const deleted = await create({ email })
    await team.call('DELETE', `${LEADS}/${deleted.id}`)
    const sent = await whatsapp.send(phone)
    const body = { whatsappPhoneNumberId: whatsapp.phone.id, templateName: 'hello_world' }
    const ofProcess = await team.call('POST', `${whatsapp.base}/process/${made.id}/send-template-message`, body)
    const toSecond = await whatsapp.send(second)
    expect(await tablesWith(phone)).toEqual(['message', 'record'])

    const erased = await erase(record.id)
    expect([erased.status, erased.data]).toEqual([
      200,
      {
        id: record.id,
        isComplete: true,
        everywhere: false,
        processes: 2,
        messages: 3,
        savedViews: 0,
        remains: expect.arrayContaining([expect.objectContaining({ what: 'process_data', until: null })]),
      },
    ])
    for (const text of [phone, second, email, name]) expect([text, await tablesWith(text)]).toEqual([text, []])
    for (const { data } of [sent, ofProcess, toSecond]) {
      const message = await team.call('GET', `/v1/ext/message/${data.id}`)
      const gone = { text: '', body: { body: '' }, externalId: null, deliveryStatus: 'SENT' }
      expect(message.data).toMatchObject({ ...gone, context: { contactIdentifier: '' } })
    }
    for (const path of ['', '/process', '/message'])
      expect((await team.call('GET', `${RECORD}/${record.id}${path}`)).status).toBe(404)
    expect((await team.call('GET', `${RECORD}?phone=${second}`)).data).toEqual([])
    expect((await erase(record.id)).status).toBe(404)
  })

  it('is gone from the log, in events and replaced values, and only they', async () => {
    const { team, create, erase } = await setUp()
    const [phone, other] = [newNumber(), newNumber()]
    const [first, second, third, theirs] = [1, 2, 3, 4].map(() => `Name ${newNumber()}`)
    const { record } = await create({ phone, name: first, [`about ${phone}`]: 'x' })
    await create({ phone: other })
    await team.call('PUT', `${RECORD}/${record.id}`, { data: { name: second, [`about ${phone}`]: null } })
    const merges = [
      { phone, name: third },
      { phone: other, name: theirs },
    ]
    await bulk(team, 'POST', [...merges.map(data => ({ record: { data } })), { data: { lead_id: '1' } }])
    await team.call('PUT', `${RECORD}/${record.id}`, { data: { name: 'Asha' } })
    expect(await tablesWith(first ?? '')).toEqual(['event'])
    expect(await tablesWith(third ?? '')).toContain('event')
    await erase(record.id)
    for (const text of [first, second, third, phone])
      expect((await tablesWith(text ?? '')).filter(table => !/^(job_|erasure_sweep)/.test(table))).toEqual([])
    expect(await tablesWith(theirs ?? '')).toEqual(['event', 'job_chunk', 'record'])
    const told = await loadLoggedEvents(team)
    expect(told.map(({ type }) => type).filter(type => type.startsWith('record'))).toEqual([
      ...Array.from({ length: 3 }, () => 'record.updated'),
      'record.erased',
    ])
    const ofRecord = told.flatMap(({ after }) => Object.values(after).filter(({ id }) => id === record.id))
    expect(ofRecord).toEqual([{ id: record.id }, { id: record.id, entry: 0 }, { id: record.id }, { id: record.id }])
  })

  it('leaves the processes without a record, on every route', async () => {
    const { team, create, erase } = await setUp()
    const phone = newNumber()
    const made = await create({ phone }, { data: { lead_id: 'L1', city: 'Pune' } })
    const deleted = await create({ phone })
    await team.call('DELETE', `${LEADS}/${deleted.id}`)
    await erase(made.record.id)
    const fetched = await team.call('GET', `${LEADS}/${made.id}`)
    expect(fetched.data).toEqual({ ...made, record: null })
    const list = async (where: object) => (await team.call('POST', `${LEADS}/list`, { where })).data
    expect(await list({ record: null })).toEqual([fetched.data])
    expect(await list({ record: made.record.id })).toEqual([])
    expect(await list({ 'record.phone': phone })).toEqual([])
    const restored = await team.call('POST', `${LEADS}/${deleted.id}/restore`)
    expect([restored.status, restored.data.record]).toEqual([200, null])
    expect((await list({ record: null })).length).toBe(2)
    const updated = await team.call('PUT', `${LEADS}/${made.id}`, { data: { city: 'Oslo' } })
    expect([updated.status, updated.data.record]).toEqual([200, null])
  })

  it('is unknown when they come again: the number makes a new customer', async () => {
    const { team, create, erase } = await setUp()
    const whatsapp = await connectPlugin(team)
    const phone = newNumber()
    const { record } = await create({ phone, name: 'Asha' })
    await whatsapp.send(phone)
    await erase(record.id)
    const again = await create({ phone })
    expect(again.record.id).not.toBe(record.id)
    expect(again.record.data).toEqual({ phone })
    expect((await team.call('GET', `${RECORD}/${again.record.id}/message`)).data).toEqual([])
    expect((await team.call('GET', `${RECORD}/${again.record.id}/process`)).data).toHaveLength(1)
  })

  it('takes nothing along of another one whose number is in the data', async () => {
    const { team, create, erase } = await setUp()
    const whatsapp = await connectPlugin(team)
    const others = newNumber()
    const other = await create({ phone: others })
    const { record } = await create({ phone: newNumber(), mobile: others })
    const sent = await whatsapp.send(others)
    expect((await erase(record.id)).data.messages).toBe(0)
    expect((await team.call('GET', `/v1/ext/message/${sent.data.id}`)).data.context.contactIdentifier).toBe(others)
    expect((await team.call('GET', `${RECORD}?phone=${others}`)).data).toEqual([other.record])
  })

  it('is not written to again if they asked for that', async () => {
    const { team, create, erase } = await setUp()
    const whatsapp = await connectPlugin(team)
    const phone = refusedNumber(OPT_OUT_CODE)
    const { record } = await create({ phone })
    expect((await whatsapp.send(phone)).meta.errors[0].providerCode).toBe(OPT_OUT_CODE)
    await erase(record.id)
    expect(await tablesWith(phone)).toEqual(['opt_out'])
    const refused = await whatsapp.send(phone)
    expect([refused.status, refused.meta.errors[0].code]).toEqual([409, 'opted_out'])
    expect((await team.call('DELETE', `/v1/ext/opt-out/${phone}`)).status).toBe(200)
  })

  it('does not come back by a later provider report, nor by a message that is sent again', async () => {
    const { team, create, erase } = await setUp()
    const whatsapp = await connectPlugin(team)
    const phone = newNumber()
    const { record } = await create({ phone })
    await whatsapp.faults({ to: phone, times: 1, fault: { kind: 'hang', accepted: true } })
    const unknown = await whatsapp.send(phone)
    const id = unknown.meta.errors[0].messageId
    await erase(record.id)
    const resent = await team.call('POST', `/v1/ext/message/${id}/resend`)
    expect([resent.status, resent.meta.errors[0].code]).toEqual([409, 'conflict'])
    await whatsapp.flush()
    const told = async () => (await team.call('GET', `/v1/ext/message/${id}`)).data
    await expect.poll(async () => (await told()).deliveryStatus).toBe('READ')
    expect(await told()).toMatchObject({ externalId: null, text: '', context: { contactIdentifier: '' } })
    expect(await tablesWith(phone)).toEqual([])
  })

  it('is gone from a message that is sent between the request and its commit, where the rest follows in steps', async () => {
    const { team, create } = await setUp()
    const whatsapp = await connectPlugin(team)
    const phone = newNumber()
    const { record } = await create({ phone })
    const sent: string[] = []
    const harness = new Harness(
      {},
      {
        before: async ({ sql }) => {
          if (sent.length > 0 || !sql.includes('INSERT INTO "record_erasure"')) return
          await sleep(5)
          sent.push((await whatsapp.send(phone)).data.id)
        },
      },
    )
    const erased = await harness.request(team, 'DELETE', `${RECORD}/${record.id}?everywhere=true`)
    expect([erased.status, erased.body._data.messages]).toEqual([200, 1])
    const { data } = await team.call('GET', `/v1/ext/message/${sent[0]}`)
    expect(data).toMatchObject({ text: '', context: { contactIdentifier: '' } })
    expect(await tablesWith(phone)).toEqual([])
  })

  it('is erased only as the caller has seen them, and by those who may delete', async () => {
    const { team, create, erase } = await setUp()
    const { record } = await create({ phone: newNumber() })
    const fetched = await team.call('GET', `${RECORD}/${record.id}`)
    const tag = { 'if-match': fetched.headers.get('etag') ?? '' }
    await team.call('PUT', `${RECORD}/${record.id}`, { data: { name: 'Asha' } })
    expect((await erase(record.id, tag)).status).toBe(412)
    const agent = await team.as('agent')
    const refused = await agent.call('DELETE', `${RECORD}/${record.id}`)
    expect([refused.status, refused.meta.errors[0].permission]).toEqual([403, 'process:delete'])
    expect((await (await setUp()).erase(record.id)).status).toBe(404)
    expect((await team.call('GET', `${RECORD}/${record.id}`)).status).toBe(200)
  })

  it('stays erased where a process is created for them at the same moment', async () => {
    const { team, create, erase } = await setUp()
    const phone = newNumber()
    const { record } = await create({ phone })
    let isErased = false
    const harness = new Harness(
      {},
      {
        before: async ({ sql }) => {
          if (isErased || !/UPDATE "?record"? /.test(sql)) return
          isErased = true
          expect((await erase(record.id)).status).toBe(200)
        },
      },
    )
    const made = await harness.request(team, 'POST', LEADS, { record: { data: { phone, city: 'Pune' } } })
    expect([made.status, isErased]).toEqual([201, true])
    expect(made.body._data.record.id).not.toBe(record.id)
    expect(made.body._data.record.data).toEqual({ phone, city: 'Pune' })
  })
})

describe('a customer who was changed often', () => {
  it.each([1, 2])('is gone from the log, in steps, whatever fails on the way (%i)', async seed => {
    const random = createRandom(seed)
    const { team, create, erase } = await setUp()
    const phone = newNumber()
    const { record } = await create({ phone })
    const names = Array.from({ length: 120 }, () => `Name ${newNumber()}`)
    for (const name of names) await team.call('PUT', `${RECORD}/${record.id}`, { data: { name } })
    expect((await erase(record.id)).status).toBe(202)
    for (let runs = 0; runs < RUNS_MAX && (await erase(record.id)).status === 202; runs++) {
      const fault = failing(random)
      await new Harness({}, { fault }).runCron()
    }
    expect((await erase(record.id)).status).toBe(404)
    expect(await tablesWith(...names)).toEqual([])
    expect((await loadLoggedEvents(team)).map(({ sequence }) => sequence)).toEqual(
      Array.from({ length: 122 }, (_, nth) => nth + 1),
    )
  })
})

describe('a customer with many messages and processes', () => {
  const many = async (team: Team, record: string, process: string, { messages, ofProcess, processes }: Many) => {
    const numbers = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)'
    const copy = (table: string, changed: Record<string, string>, where: string) => async (count: number) => {
      if (count === 0) return
      const { results } = await env.DB.prepare(`SELECT name FROM pragma_table_info('${table}')`).all<{ name: string }>()
      const columns = results.map(({ name }) => `"${name}"`).join(', ')
      const values = results.map(({ name }) => changed[name] ?? `"${name}"`).join(', ')
      await env.DB.prepare(
        `${numbers} INSERT INTO ${table} (${columns}) SELECT ${values} FROM ${table}, n WHERE ${where}`,
      )
        .bind(team.no, count)
        .run()
    }
    const own = `team = ?1 AND rid = (SELECT max(rid) FROM message WHERE team = ?1)`
    await copy('message', { rid: 'rid - i', external_id: 'NULL', process: 'NULL' }, own)(messages)
    const elsewhere = "'4915000000000'"
    await copy(
      'message',
      { rid: 'rid - 100000 - i', external_id: 'NULL', phone: elsewhere, process: `'${process}'` },
      own,
    )(ofProcess)
    const id = "format('%08d-0000-7000-8000-000000000000', i)"
    await copy('process', { rid: 'rid - i', id, primary_key: 'NULL' }, `team = ?1 AND id = '${process}'`)(processes)
    await copy(
      'message',
      { rid: 'rid - 200000 - i', external_id: 'NULL', phone: elsewhere, process: id },
      own,
    )(processes)
    expect((await team.call('GET', `${RECORD}/${record}/process?limit=1`)).meta.hasMore).toBe(processes > 0)
  }
  interface Many {
    messages: number
    ofProcess: number
    processes: number
  }

  const left = async (team: Team) =>
    await env.DB.prepare(
      `SELECT (SELECT count(*) FROM message WHERE team = ?1 AND phone <> '') AS messages,
        (SELECT count(*) FROM process WHERE team = ?1 AND record IS NOT NULL) AS processes,
        (SELECT count(*) FROM record_erasure WHERE team = ?1) AS erasures`,
    )
      .bind(team.no)
      .first()

  const customer = async (amount: Many) => {
    const set = await setUp()
    const whatsapp = await connectPlugin(set.team)
    const phone = newNumber()
    const made = await set.create({ phone })
    expect((await whatsapp.send(phone)).status).toBe(200)
    await many(set.team, made.record.id, made.id, amount)
    return { ...set, whatsapp, phone, made }
  }

  const cases: [string, Many, number][] = [
    ['the most at once', { messages: 248, ofProcess: 100, processes: 120 }, 200],
    ['more messages to the number', { messages: 249, ofProcess: 0, processes: 0 }, 202],
    ['more messages of processes', { messages: 0, ofProcess: 250, processes: 0 }, 202],
    ['more processes', { messages: 0, ofProcess: 0, processes: 249 }, 202],
  ]
  it.each(cases)('has messages and processes removed: %s', async (_, amount, status) => {
    const { team, erase, made } = await customer(amount)
    const erased = await erase(made.record.id)
    expect(erased.status).toBe(status)
    if (status === 200)
      expect(erased.data).toMatchObject({
        messages: amount.messages + amount.ofProcess + amount.processes + 1,
        processes: amount.processes + 1,
      })
    else {
      const begun = { id: made.record.id, isComplete: false, processes: 0, messages: 0, savedViews: 0 }
      expect(erased.data).toMatchObject(begun)
      expect((await team.call('GET', `${RECORD}/${made.record.id}`)).status).toBe(404)
      expect((await team.call('GET', `${LEADS}/${made.id}`)).data.record).toBe(null)
      const again = await erase(made.record.id)
      expect([again.status, again.data]).toMatchObject([202, begun])
      const more = await team.call('DELETE', `${RECORD}/${made.record.id}?everywhere=true`)
      expect([more.status, more.meta.errors[0].path]).toEqual([409, '/query/everywhere'])
      const harness = new Harness()
      await harness.runCron()
      await harness.settle(team)
      expect((await erase(made.record.id)).status).toBe(404)
    }
    expect(await left(team)).toEqual({ messages: 0, processes: 0, erasures: 0 })
  })

  it.each([1, 2, 3])('is erased in steps, whatever fails on the way (%i)', async seed => {
    const random = createRandom(seed)
    const amount = { messages: 2_300, ofProcess: 2_500, processes: 450 }
    const { team, erase, made, phone, whatsapp, create } = await customer(amount)
    expect((await erase(made.record.id)).status).toBe(202)
    // The number is somebody else's from now on.
    const next = await create({ phone })
    await sleep(5)
    const { data: sent } = await whatsapp.send(phone)
    const total = amount.messages + amount.ofProcess + amount.processes + 1
    let [runs, seen] = [0, 0]
    for (; runs < RUNS_MAX; runs++) {
      const harness = new Harness({}, { fault: failing(random) })
      await harness.runCron()
      // The queue message is lost: the next minute continues.
      const progress = await erase(made.record.id)
      if (progress.status === 404) break
      expect(progress.data.messages).toBeGreaterThanOrEqual(seen)
      expect(progress.data.messages).toBeLessThanOrEqual(total)
      seen = progress.data.messages
    }
    expect(runs).toBeLessThan(RUNS_MAX)
    expect(await left(team)).toEqual({ messages: 1, processes: 1, erasures: 0 })
    expect((await team.call('GET', `${RECORD}/${next.record.id}/message`)).data).toMatchObject([{ id: sent.id }])
    expect((await team.call('GET', `${RECORD}/${next.record.id}/process`)).data).toMatchObject([{ id: next.id }])
  })
})
