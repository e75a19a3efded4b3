import { describe, expect, it } from 'vitest'
import { LEADS, newLeadTeam } from '../support/jobs.ts'
import { newProcedure } from '../support/procedures.ts'
import { connectPlugin, newNumber } from '../support/provider.ts'

const RECORD = '/v1/ext/record'

const setUp = async () => {
  const team = await newLeadTeam()
  const create = async (data: object, more: object = {}) =>
    (await team.call('POST', LEADS, { record: { data }, ...more })).data
  const update = (id: string, data: object, headers: Record<string, string> = {}) =>
    team.call('PUT', `${RECORD}/${id}`, { data }, headers)
  const find = async (query: string) => {
    const reply = await team.call('GET', `${RECORD}?${query}`)
    return reply.status === 200 ? reply.data.map(({ id }: { id: string }) => id) : reply.meta.errors
  }
  return { team, create, update, find }
}

describe('a customer', () => {
  it('is fetched by id, and found by phone number or e-mail address, however they are written', async () => {
    const { team, create, find } = await setUp()
    const phone = newNumber()
    const { record } = await create({ phone, email: 'Asha@Example.com', name: 'Asha' })
    const fetched = await team.call('GET', `${RECORD}/${record.id.toUpperCase()}`)
    expect([fetched.status, fetched.data]).toEqual([200, record])
    const tag = { 'if-none-match': fetched.headers.get('etag') ?? '' }
    expect((await team.call('GET', `${RECORD}/${record.id}`, undefined, tag)).status).toBe(304)
    for (const query of [`phone=${phone}`, `phone=%2B${phone}`, `phone=+${phone}`, 'email=ASHA%40example.com'])
      expect([query, await find(query)]).toEqual([query, [record.id]])
    expect(await find('phone=919999999999')).toEqual([])
  })

  it('is requested by one of the two, and not by both', async () => {
    const { find } = await setUp()
    for (const query of [
      'phone=919999999999&email=a%40b.co',
      'phone=919999999999&cursor=7',
      'phone=Asha',
      'email=Asha',
      'name=Asha',
    ])
      expect([query, await find(query)]).toEqual([
        query,
        expect.arrayContaining([expect.objectContaining({ code: 'invalid_request' })]),
      ])
  })

  it('is a 404 for another team, as an unknown one', async () => {
    const { team, create } = await setUp()
    const { record } = await create({ phone: newNumber() })
    const other = await setUp()
    const calls: [string, string, object?][] = [
      ['GET', ''],
      ['GET', '/process'],
      ['GET', '/message'],
      ['PUT', '', { data: { name: 'Mine' } }],
    ]
    for (const [method, path, body] of calls) {
      for (const id of [record.id, crypto.randomUUID(), 'nobody']) {
        const reply = await other.team.call(method, `${RECORD}/${id}${path}`, body)
        expect([method, path, reply.status, reply.errors]).toEqual([method, path, 404, [`record ${id} not found`]])
      }
    }
    expect((await team.call('GET', `${RECORD}/${record.id}`)).data).toEqual(record)
  })

  it('has the processes of all procedures, newest first, page by page', async () => {
    const { team, create } = await setUp()
    const [phone, other] = [newNumber(), newNumber()]
    const more = await Promise.all([newProcedure(team, {}, 'ticket'), newProcedure(team, {}, 'visit')])
    const ids: string[] = []
    let record = ''
    for (let nth = 0; nth < 9; nth++) {
      const made = await create({ phone })
      record = made.record.id
      ids.unshift(made.id)
      await create({ phone: other })
      const elsewhere = await more[nth % 2]?.create({ data: { city: 'Pune' }, record: { data: { phone } } })
      ids.unshift(elsewhere?.data.id)
    }
    await team.call('DELETE', `${LEADS}/${ids.pop()}`)
    const pages: string[][] = []
    let next: string | null = null
    do {
      const cursor: string = next === null ? '' : `&cursor=${next}`
      const reply = await team.call('GET', `${RECORD}/${record}/process?limit=4${cursor}`)
      expect(reply.status).toBe(200)
      expect(reply.meta.hasMore).toBe(reply.meta.next !== null)
      expect(reply.headers.get('link') !== null).toBe(reply.meta.hasMore)
      pages.push(reply.data.map(({ id }: { id: string }) => id))
      for (const listed of reply.data) {
        const { data } = await team.call('GET', `/v1/ext/procedure/${listed.procedureShortId}/process/${listed.id}`)
        expect(listed).toEqual(data)
      }
      next = reply.meta.next
    } while (next !== null)
    expect(pages.flat()).toEqual(ids)
    expect(pages.map(page => page.length)).toEqual([4, 4, 4, 4, 1])
    const damaged = await team.call('GET', `${RECORD}/${record}/process?cursor=-`)
    expect([damaged.status, damaged.meta.errors[0].path]).toEqual([400, '/query/cursor'])
  })

  it("has the messages to all of its numbers, newest first, and none of another customer's number", async () => {
    const { team, create } = await setUp()
    const whatsapp = await connectPlugin(team)
    const [first, second, others] = [newNumber(), newNumber(), newNumber()]
    await create({ phone: others })
    const { record } = await create({ email: 'a@b.co', phone: first })
    const again = await create({ email: 'a@b.co', phone_number: second, mobile: others })
    expect(again.record.id).toBe(record.id)
    const sent: string[] = []
    for (const phone of [first, second, others, first]) {
      const { data } = await whatsapp.send(phone)
      if (phone !== others) sent.unshift(data.id)
    }
    const page = await team.call('GET', `${RECORD}/${record.id}/message?limit=2`)
    const rest = await team.call('GET', `${RECORD}/${record.id}/message?limit=2&cursor=${page.meta.next}`)
    const ids = [...page.data, ...rest.data].map(({ id }: { id: string }) => id)
    expect([ids, rest.meta.next]).toEqual([sent, null])
    const { record: silent } = await create({ email: 'silent@b.co' })
    expect((await team.call('GET', `${RECORD}/${silent.id}/message`)).data).toEqual([])
  })
})

describe('an update of a customer', () => {
  it('merges: members that are not sent stay, null removes, and its processes show it', async () => {
    const { team, create, update } = await setUp()
    const phone = newNumber()
    const made = await create({ phone, name: 'Asha', city: 'Pune' })
    const { id } = made.record
    const updated = await update(id, { name: null, city: 'Oslo', 'a"b~': [1] })
    expect([updated.status, updated.data.data]).toEqual([200, { phone, city: 'Oslo', 'a"b~': [1] }])
    expect(updated.data.updatedAt).toBeGreaterThanOrEqual(made.record.updatedAt)
    const shown = await team.call('GET', `${LEADS}/${made.id}`)
    expect([shown.data.record, (await team.call('GET', `${RECORD}/${id}`)).data]).toEqual([updated.data, updated.data])
    expect(await update(id, {})).toMatchObject({ status: 200, data: updated.data })
  })

  it('moves what identifies the customer: the new number finds it, the old one is free', async () => {
    const { create, update, find } = await setUp()
    const [first, second] = [newNumber(), newNumber()]
    const { record } = await create({ phone: first })
    await update(record.id, { phone: `+${second}`, email: 'New@b.co' })
    expect(await find(`phone=${second}`)).toEqual([record.id])
    expect(await find('email=new%40b.co')).toEqual([record.id])
    expect(await find(`phone=${first}`)).toEqual([])
    const stranger = await create({ phone: first })
    expect(stranger.record.id).not.toBe(record.id)
    await update(record.id, { phone: null, email: null })
    expect([await find(`phone=${second}`), await find('email=new%40b.co')]).toEqual([[], []])
  })

  it('falls back on a number under another name, unless that is another record’s', async () => {
    const { create, update, find } = await setUp()
    const [first, second, others] = [newNumber(), newNumber(), newNumber()]
    const other = await create({ phone: others })
    const { record } = await create({ phone: first, mobile: second, phoneNumber: others })
    await update(record.id, { phone: null })
    expect(await find(`phone=${others}`)).toEqual([other.record.id])
    await update(record.id, { phoneNumber: null })
    expect(await find(`phone=${second}`)).toEqual([record.id])
  })

  it('is refused where a number or an address is another record’s, by the id of that record, and changes nothing', async () => {
    const { create, update, find } = await setUp()
    const [mine, others] = [newNumber(), newNumber()]
    const other = await create({ phone: others, email: 'other@b.co' })
    const { record } = await create({ phone: mine })
    const refused = await update(record.id, { phone_number: others, email: 'other@b.co', name: 'X' })
    expect([refused.status, refused.meta.errors]).toEqual([
      409,
      ['/body/data/phone_number', '/body/data/email'].map(path =>
        expect.objectContaining({ code: 'duplicate_record', path, recordId: other.record.id }),
      ),
    ])
    expect(await find(`phone=${mine}`)).toEqual([record.id])
    expect(await find(`phone=${others}`)).toEqual([other.record.id])
  })

  it('may send back what a create has kept as plain data', async () => {
    const { create, update } = await setUp()
    const phone = newNumber()
    const other = await create({ email: 'other@b.co' })
    await create({ phone })
    const { record } = await create({ phone, email: 'other@b.co' })
    expect(record.id).not.toBe(other.record.id)
    expect((await update(record.id, { ...record.data, name: 'Asha' })).status).toBe(200)
  })

  it('takes effect only if the record is as the caller has seen it', async () => {
    const { team, create, update } = await setUp()
    const { record } = await create({ phone: newNumber() })
    const fetched = await team.call('GET', `${RECORD}/${record.id}`)
    const tag = { 'if-match': fetched.headers.get('etag') ?? '' }
    const updated = await update(record.id, { city: 'Pune' }, tag)
    expect(updated.status).toBe(200)
    const late = await update(record.id, { city: 'Oslo' }, tag)
    expect([late.status, late.meta.errors[0]]).toMatchObject([
      412,
      { code: 'precondition_failed', path: '/header/if-match' },
    ])
    expect((await update(record.id, { city: 'Oslo' }, { 'if-match': '"1-1"' })).status).toBe(412)
    expect((await team.call('GET', `${RECORD}/${record.id}`)).data).toEqual(updated.data)
  })

  it('is done once, however often it is sent with its idempotency key', async () => {
    const { create, update } = await setUp()
    const { record } = await create({ phone: newNumber() })
    const key = { 'idempotency-key': crypto.randomUUID() }
    const first = await update(record.id, { visits: 1 }, key)
    await update(record.id, { visits: 2 })
    const again = await update(record.id, { visits: 1 }, key)
    expect([again.status, again.data, again.headers.get('idempotency-replayed')]).toEqual([200, first.data, 'true'])
    expect(again.headers.get('etag')).toBe(first.headers.get('etag'))
    expect((await update(record.id, { visits: 3 }, key)).status).toBe(422)
  })

  it('names everything that is wrong with its data', async () => {
    const { create, update } = await setUp()
    const { record } = await create({ phone: newNumber() })
    const long = 'x'.repeat(500)
    const refused = await update(record.id, { [long]: 1, ok: 1, nul: 'a\0b' })
    expect([refused.status, refused.meta.errors.map(({ path }: { path: string }) => path)]).toEqual([
      400,
      [`/body/data/${long}`, '/body/data/nul'],
    ])
    const large = 'y'.repeat(300_000)
    for (const name of ['a', 'b']) expect((await update(record.id, { [name]: large })).status).toBe(200)
    const tooLarge = await update(record.id, { c: large })
    expect([tooLarge.status, tooLarge.meta.errors[0].path]).toEqual([413, '/body/data'])
  })
})
