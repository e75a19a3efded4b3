import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import type { Team } from '../support/api.ts'
import { Harness } from '../support/harness.ts'
import { bulk, LEADS, newLeadTeam } from '../support/jobs.ts'
import { connectPlugin, newNumber } from '../support/provider.ts'

const setUp = async () => {
  const team = await newLeadTeam()
  const create = (record: object) => team.call('POST', LEADS, { record: { data: record } })
  return { team, create }
}

const loadRows = async (team: Team) => {
  const { results } = await env.DB.prepare('SELECT id, json(data) AS data FROM record WHERE team = ? ORDER BY rid')
    .bind(team.no)
    .all<{ id: string; data: string }>()
  return results.map(({ data }) => JSON.parse(data))
}
const loadIdentities = async (team: Team) => {
  const { results } = await env.DB.prepare('SELECT value FROM record_identity WHERE team = ? ORDER BY value')
    .bind(team.no)
    .all<{ value: string }>()
  return results.map(({ value }) => value)
}

/** The statements that write a new customer, and that merge into an existing one. */
const NEW = /INSERT INTO "?record"? /
const KNOWN = /UPDATE "?record"? /

/** A request with another one between what it has read and what it writes. */
async function overtaken(team: Team, body: object, writes: RegExp, meanwhile: () => Promise<unknown>) {
  let isOvertaken = false
  const harness = new Harness(
    {},
    {
      before: async ({ sql }) => {
        if (isOvertaken || !writes.test(sql)) return
        isOvertaken = true
        await meanwhile()
      },
    },
  )
  const reply = await harness.request(team, 'POST', LEADS, body)
  expect(isOvertaken).toBe(true)
  expect(reply.status, JSON.stringify(reply.body._errors)).toBe(201)
  return reply.body._data
}

describe('a customer', () => {
  it('is written to at the number that was given last, under whichever name', async () => {
    const { team, create } = await setUp()
    const whatsapp = await connectPlugin(team)
    const [first, second] = [newNumber(), newNumber()]
    const known = await create({ phone: first, email: `${first}@b.co` })
    const again = await create({ phone_number: second, email: `${first}@b.co` })
    expect(again.data.record.id).toBe(known.data.record.id)
    expect(again.data.record.data).toEqual({ phone: first, phone_number: second, email: `${first}@b.co` })
    const body = { whatsappPhoneNumberId: whatsapp.phone.id, templateName: 'hello_world' }
    const sent = await team.call('POST', `${whatsapp.base}/process/${again.data.id}/send-template-message`, body)
    expect(sent.errors).toEqual([])
    expect(sent.data.context.contactIdentifier).toBe(second)
    expect((await create({ phone: second })).data.record.id).toBe(known.data.record.id)
  })

  it('is not found any more by a number that was removed or changed', async () => {
    const { team, create } = await setUp()
    const known = await create({ phone: '4915100001', email: 'a@b.co', name: 'Asha' })
    await create({ phone: null, email: 'a@b.co' })
    const other = await create({ phone: '4915100001', name: 'Ravi' })
    expect(other.data.record.id).not.toBe(known.data.record.id)
    await create({ phone: '4915100002', email: 'a@b.co' })
    await create({ phone: '4915100003', email: 'a@b.co' })
    const third = await create({ phone: '4915100002' })
    expect(third.data.record.id).not.toBe(known.data.record.id)
    expect(await loadRows(team)).toEqual([
      { phone: '4915100003', email: 'a@b.co', name: 'Asha' },
      { phone: '4915100001', name: 'Ravi' },
      { phone: '4915100002' },
    ])
    expect(await loadIdentities(team)).toEqual(['4915100001', '4915100002', '4915100003', 'a@b.co'])
  })

  it('is found by what is left when the number that counted is removed', async () => {
    const { create } = await setUp()
    const known = await create({ phone: '4915100001', email: 'a@b.co' })
    await create({ mobile: '4915100002', email: 'a@b.co' })
    const apart = await create({ phone: '4915100001' })
    expect(apart.data.record.id).not.toBe(known.data.record.id)
    await create({ mobile: null, phone: '4915100009', email: 'a@b.co' })
    expect((await create({ phone: '4915100009' })).data.record.id).toBe(known.data.record.id)
  })

  it('keeps a number to itself: another that is given it too is still found by the rest', async () => {
    const { create } = await setUp()
    const one = await create({ phone: '4915100001' })
    const two = await create({ email: 'two@b.co' })
    const both = await create({ phone: '4915100001', email: 'two@b.co' })
    expect(both.data.record.id).toBe(one.data.record.id)
    expect((await create({ email: 'two@b.co' })).data.record.id).toBe(two.data.record.id)
  })
})

describe('two requests about one customer at once', () => {
  it('make one record when one adds a number that the other is new with', async () => {
    const { team, create } = await setUp()
    const known = await create({ email: 'a@b.co' })
    const made = await overtaken(team, { record: { data: { phone: '4915100001' } } }, NEW, () =>
      create({ email: 'a@b.co', phone: '4915100001' }),
    )
    expect(made.record.id).toBe(known.data.record.id)
    expect(await loadRows(team)).toEqual([{ email: 'a@b.co', phone: '4915100001' }])
  })

  it('make one record when the other is new with the number that this one adds', async () => {
    const { team, create } = await setUp()
    const known = await create({ email: 'a@b.co' })
    const fresh: string[] = []
    const made = await overtaken(
      team,
      { record: { data: { email: 'a@b.co', phone: '4915100001' } } },
      KNOWN,
      async () => {
        fresh.push((await create({ phone: '4915100001' })).data.record.id)
      },
    )
    expect(fresh).not.toContain(known.data.record.id)
    expect(fresh).toContain(made.record.id)
    expect(await loadIdentities(team)).toEqual(['4915100001', 'a@b.co'])
  })

  it('leave number and data the same when one changes it and the other repeats it', async () => {
    const { team, create } = await setUp()
    await create({ phone: '4915100001', email: 'a@b.co' })
    await overtaken(team, { record: { data: { phone: '4915100001', city: 'Pune' } } }, KNOWN, () =>
      create({ phone: '4915100002', email: 'a@b.co' }),
    )
    const phones = (await loadRows(team)).map(({ phone }) => phone).sort()
    expect(phones).toEqual(['4915100001', '4915100002'])
    expect(await loadIdentities(team)).toEqual(['4915100001', '4915100002', 'a@b.co'])
  })

  it('both succeed where they give it different attributes', async () => {
    const { team, create } = await setUp()
    await create({ phone: '4915100001' })
    const replies = await Promise.all(
      Array.from({ length: 30 }, (_, index) => create({ phone: '4915100001', [`a${index}`]: index })),
    )
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 201))
    const [row] = await loadRows(team)
    expect(Object.keys(row)).toHaveLength(31)
  })

  it('make one record of a new customer, also six of them', async () => {
    const { team, create } = await setUp()
    const replies = await Promise.all(Array.from({ length: 6 }, () => create({ phone: '4915100001' })))
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 201))
    expect(await loadRows(team)).toHaveLength(1)
  })
})

describe('the entries of one job', () => {
  it('may give a number up and take it', async () => {
    const { team, create } = await setUp()
    const known = await create({ phone: '4915100001', email: 'a@b.co' })
    const harness = new Harness()
    const processes = [
      { record: { data: { email: 'a@b.co', phone: '4915100002' } } },
      { record: { data: { phone: '4915100001' } } },
      { record: { data: { phone: '4915100002' } } },
    ]
    const { body } = await harness.request(team, 'POST', `${LEADS}/bulk-create`, { processes })
    await harness.settle(team)
    expect(harness.calls.database).toBeLessThan(12)
    const job = await team.call('GET', `/v1/ext/background-job/${body._data.id}`)
    expect(job.data.completionStatus).toBe('SUCCESS')
    expect(await loadRows(team)).toEqual([{ phone: '4915100002', email: 'a@b.co' }, { phone: '4915100001' }])
    expect((await create({ phone: '4915100002' })).data.record.id).toBe(known.data.record.id)
  })

  it('give many records all sorts of attributes in few statements', async () => {
    const { team, create } = await setUp()
    const numbers = Array.from({ length: 60 }, (_, index) => `49151${String(index).padStart(5, '0')}`)
    for (const phone of numbers.slice(0, 30)) await create({ phone, gone: 1, kept: 1 })
    const toData = (phone: string, index: number) => ({
      phone,
      gone: null,
      ...Object.fromEntries(Array.from({ length: index }, (_, nth) => [`a${nth}`, { n: [nth, null] }])),
    })
    const processes = numbers.map((phone, index) => ({ record: { data: toData(phone, index) } }))
    const job = await bulk(team, 'POST', { processes })
    expect(job.data.completionStatus).toBe('SUCCESS')
    const expected = numbers.map((phone, index) => {
      const { gone: _, ...data } = toData(phone, index)
      return index < 30 ? { ...data, kept: 1 } : data
    })
    const comparePhones = (one: { phone: string }, other: { phone: string }) => (one.phone < other.phone ? -1 : 1)
    expect((await loadRows(team)).sort(comparePhones)).toEqual(expected)
  })
})

it('identities are kept without row numbers: one row written for each, and one read', async () => {
  const table = await env.DB.prepare(`SELECT sql FROM sqlite_master WHERE name = 'record_identity'`).first<string>(
    'sql',
  )
  expect(table).toMatch(/\) WITHOUT ROWID$/)
})
