import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import type { Reply, Team } from '../support/api.ts'
import { Harness } from '../support/harness.ts'
import { bulk, LEADS, listEntries, newLeadTeam } from '../support/jobs.ts'
import { newNumber } from '../support/provider.ts'

const RECORD = '/v1/ext/record'
const NOBODY = '01935c1e-5a00-7004-8c6d-3e4f5a6b7c8d'
let counter = 0

interface Request {
  /** True if the process existed before. */
  isUpdate: boolean
  /** Gives the process of a key a customer; the error, if it is refused. */
  send: (team: Team, key: string, record: unknown) => Promise<{ message?: string; path?: string }>
}

const single = ({ errors, meta }: Reply) => (errors.length === 0 ? {} : meta.errors[0])

async function relinkByJob(team: Team, method: 'PATCH' | 'POST' | 'UPSERT', item: object) {
  const { data } = await bulk(team, method, { processes: [item] })
  const [{ completionStatus, completionResult }] = await listEntries(team, data.id)
  return completionStatus === 'SUCCESS' ? {} : completionResult.errors[0]
}

/** The ways to name the customer of a process. */
const WAYS: Record<string, Request> = {
  'a create': {
    isUpdate: false,
    send: async (team, key, record) => single(await team.call('POST', LEADS, { data: { lead_id: key }, record })),
  },
  'a create-or-update that creates': {
    isUpdate: false,
    send: async (team, key, record) => single(await team.call('PUT', LEADS, { data: { lead_id: key }, record })),
  },
  'a bulk create': {
    isUpdate: false,
    send: (team, key, record) => relinkByJob(team, 'POST', { data: { lead_id: key }, record }),
  },
  'a bulk upsert that creates': {
    isUpdate: false,
    send: (team, key, record) => relinkByJob(team, 'UPSERT', { data: { lead_id: key }, record }),
  },
  'an update': {
    isUpdate: true,
    send: async (team, key, record) => single(await team.call('PUT', `${LEADS}/lead_id/${key}`, { record })),
  },
  'a create-or-update that updates': {
    isUpdate: true,
    send: async (team, key, record) => single(await team.call('PUT', LEADS, { data: { lead_id: key }, record })),
  },
  'a bulk upsert that updates': {
    isUpdate: true,
    send: (team, key, record) => relinkByJob(team, 'UPSERT', { data: { lead_id: key }, record }),
  },
  'a bulk update': {
    isUpdate: true,
    send: (team, key, record) => relinkByJob(team, 'PATCH', { lead_id: key, update: { record } }),
  },
}

async function setUp() {
  const team = await newLeadTeam()
  const create = async (data: object) => {
    const key = `LEAD-${++counter}`
    const { data: made } = await team.call('POST', LEADS, { data: { lead_id: key }, record: { data } })
    return { key, id: made.id as string, record: made.record.id as string }
  }
  const loadRecord = async (key: string) => (await team.call('GET', `${LEADS}/lead_id/${key}`)).data.record
  return { team, create, loadRecord }
}

describe.each(Object.entries(WAYS))('the customer of a process, by %s', (_, { isUpdate, send }) => {
  async function setUpWay() {
    const { team, create, loadRecord } = await setUp()
    const [first, second] = [newNumber(), newNumber()]
    const other = await create({ phone: first, name: 'Asha' })
    const { key } = isUpdate ? await create({ phone: second, name: 'Ravi' }) : { key: `LEAD-${++counter}` }
    const sent = async (record: unknown) => {
      expect(await send(team, key, record)).toEqual({})
      return loadRecord(key)
    }
    return { team, key, other, phone: first, sent, send: (record: unknown) => send(team, key, record), loadRecord }
  }

  it('is the one with the id', async () => {
    const { other, phone, sent } = await setUpWay()
    expect(await sent({ id: other.record })).toMatchObject({ id: other.record, data: { phone, name: 'Asha' } })
  })

  it('is the one with the id, whose data are merged', async () => {
    const { team, other, phone, sent } = await setUpWay()
    const record = await sent({ id: other.record, data: { city: 'Pune', phone: newNumber() } })
    expect([record.id, record.data.city]).toEqual([other.record, 'Pune'])
    expect((await team.call('GET', `${RECORD}?phone=${record.data.phone}`)).data).toEqual([record])
    expect((await team.call('GET', `${RECORD}?phone=${phone}`)).data).toEqual([])
  })

  it('is the one with the phone number, and its data are merged', async () => {
    const { other, phone, sent } = await setUpWay()
    expect(await sent({ data: { phone: `+${phone}`, city: 'Pune' } })).toMatchObject({
      id: other.record,
      data: { name: 'Asha', city: 'Pune' },
    })
  })

  it('is a new one, where nobody has the number', async () => {
    const { team, other, sent } = await setUpWay()
    const phone = newNumber()
    const record = await sent({ data: { phone, name: 'Mei' } })
    expect(record.data).toEqual({ phone, name: 'Mei' })
    expect(record.id).not.toBe(other.record)
    expect((await team.call('GET', `${RECORD}?phone=${phone}`)).data).toEqual([record])
  })

  it('is nobody with null', async () => {
    const { sent } = await setUpWay()
    expect(await sent(null)).toBe(null)
  })

  it('is refused where no record of the team has the id, and nothing is changed', async () => {
    const [{ key, send, loadRecord, team }, stranger] = await Promise.all([setUpWay(), setUpWay()])
    const before = isUpdate ? await loadRecord(key) : undefined
    for (const id of [NOBODY, stranger.other.record, 'Asha', 'f'.repeat(200)])
      expect(await send({ id, data: { name: 'Nobody' } })).toMatchObject({
        code: 'invalid_request',
        message: `no record ${JSON.stringify(id)}`,
        path: '/body/record/id',
      })
    expect(await loadRecord(key).catch(() => undefined)).toEqual(before)
    expect(
      (await team.call('GET', `${RECORD}?limit=100`)).data.map((each: { data: object }) => each.data),
    ).not.toContainEqual(expect.objectContaining({ name: 'Nobody' }))
  })

  it('is refused without an id and data', async () => {
    const { send } = await setUpWay()
    expect(await send({})).toMatchObject({ message: expect.stringContaining('needs an "id" or "data"') })
    expect(await send({ name: 'Asha' })).toMatchObject({ path: '/body/record/name' })
    expect(await send({ data: { name: 'a'.repeat(900_001) } })).toMatchObject({ path: '/body/record/data' })
  })

  if (isUpdate)
    it('is the one that it has, where the data identify nobody', async () => {
      const { team, key, sent, loadRecord } = await setUpWay()
      const before = await loadRecord(key)
      const after = await sent({ data: { name: 'Ravi Iyer' } })
      expect([after.id, after.data]).toEqual([before.id, { ...before.data, name: 'Ravi Iyer' }])
      expect((await team.call('GET', `${RECORD}?limit=100`)).data).toHaveLength(2)
    })

  if (isUpdate)
    it('is shown by the history and the event', async () => {
      const { team, key, other, sent, loadRecord } = await setUpWay()
      await team.call('PUT', '/v1/ext/event-feed', { enabled: true })
      const before = await loadRecord(key)
      await sent({ id: other.record })
      await sent(null)
      const { data: history } = await team.call('GET', `${LEADS}/lead_id/${key}/history`)
      const changes = history.map((each: { changes: unknown }) => each.changes)
      expect(changes.slice(0, 2)).toEqual([
        [{ field: 'record', from: other.record, to: null }],
        [{ field: 'record', from: before.id, to: other.record }],
      ])
      const { data: events } = await team.call('GET', '/v1/ext/event?type=process.updated')
      expect(events.at(-1).data.changes).toEqual(changes[0])
      expect((await team.call('GET', `${RECORD}/${before.id}/process`)).data).toEqual([])
    })
})

describe('the customer of a process', () => {
  it('is changed only while the process is as it was fetched', async () => {
    const { team, create, loadRecord } = await setUp()
    const { key, record } = await create({ phone: newNumber(), name: 'Ravi' })
    const path = `${LEADS}/lead_id/${key}`
    const tag = (await team.call('GET', path)).headers.get('etag') ?? ''
    const data = { data: { name: 'Ravi Iyer' } }
    const changed = await team.call('PUT', path, { record: data }, { 'if-match': tag })
    expect([changed.status, changed.data.record.data.name]).toEqual([200, 'Ravi Iyer'])
    for (const record of [{ data: { name: 'Late' } }, { data: { phone: newNumber() } }, null]) {
      const late = await team.call('PUT', path, { record }, { 'if-match': tag })
      expect(late.status).toBe(412)
    }
    expect(await loadRecord(key)).toMatchObject({ id: record, data: { name: 'Ravi Iyer' } })
    expect((await team.call('GET', `${RECORD}?limit=100`)).data).toHaveLength(1)
  })

  it('is not made for an update that is refused', async () => {
    const { team, create } = await setUp()
    const { key } = await create({ phone: newNumber() })
    const record = { data: { phone: newNumber() } }
    await team.call('PUT', `${LEADS}/lead_id/${key}`, { state: 'LOST' })
    expect((await team.call('PUT', `${LEADS}/lead_id/${key}`, { state: 'NEW', record })).status).toBe(409)
    expect((await team.call('PUT', `${LEADS}/lead_id/nobody`, { record })).status).toBe(404)
    await bulk(team, 'PATCH', [
      { lead_id: key, state: 'NEW', record },
      { lead_id: 'nobody', record },
    ])
    expect((await team.call('GET', `${RECORD}?phone=${record.data.phone}`)).data).toEqual([])
  })

  it('follows the entries of a job one after the other', async () => {
    const { team, create, loadRecord } = await setUp()
    const [one, two] = [await create({ phone: newNumber() }), await create({ phone: newNumber(), name: 'Ravi' })]
    const phone = newNumber()
    const { data } = await bulk(team, 'PATCH', [
      { lead_id: one.key, record: { data: { phone, name: 'Mei' } } },
      { lead_id: two.key, record: { data: { phone, city: 'Pune' } } },
      { lead_id: one.key, record: { data: { name: 'Mei Tanaka' } } },
      { lead_id: two.key, record: null },
      { lead_id: two.key, record: { data: { name: 'Nameless' } } },
      { lead_id: two.key, data: { city: 'Goa' } },
    ])
    expect(
      (await listEntries(team, data.id)).map((each: { completionStatus: string }) => each.completionStatus),
    ).toEqual(Array(6).fill('SUCCESS'))
    const mei = await loadRecord(one.key)
    expect(mei.data).toEqual({ phone, name: 'Mei Tanaka', city: 'Pune' })
    const last = await loadRecord(two.key)
    expect([last.data, [mei.id, one.record, two.record].includes(last.id)]).toEqual([{ name: 'Nameless' }, false])
    expect((await team.call('GET', `${RECORD}/${two.record}`)).data.data.name).toBe('Ravi')
  })

  it('is given to all matches of a query, and an unknown one refuses the request', async () => {
    const { team, create, loadRecord } = await setUp()
    const [one, two, three] = [await create({ name: 'A' }), await create({ name: 'B' }), await create({ name: 'C' })]
    const request = (id: string) => ({ where: { lead_id: [one.key, two.key] }, update: { record: { id } } })
    const refused = await team.call('PATCH', LEADS, request(NOBODY))
    expect([refused.status, refused.meta.errors[0].path]).toEqual([400, '/body/update/record/id'])
    await bulk(team, 'PATCH', request(three.record))
    for (const { key } of [one, two]) expect((await loadRecord(key)).id).toBe(three.record)
  })

  it('is refused where a record is erased between the look at it and the change', async () => {
    const { team, create } = await setUp()
    const [one, two] = [await create({ phone: newNumber() }), await create({ phone: newNumber() })]
    let isErased = false
    const before = async ({ sql }: { sql: string }) => {
      if (isErased || !sql.includes('UPDATE "process"')) return
      isErased = true
      expect((await team.call('DELETE', `${RECORD}/${two.record}`)).status).toBe(200)
    }
    const body = { record: { id: two.record } }
    const refused = await new Harness({}, { before }).request(team, 'PUT', `${LEADS}/lead_id/${one.key}`, body)
    expect([isErased, refused.status]).toEqual([true, 400])
    const { data } = await team.call('GET', `${LEADS}/lead_id/${one.key}`)
    expect(data.record?.id).toBe(one.record)
    const kept = await env.DB.prepare(
      'SELECT count(*) AS n FROM process WHERE record NOT IN (SELECT rid FROM record)',
    ).first<{ n: number }>()
    expect(kept?.n).toBe(0)
  })

  it('stays nobody when a record is erased while a process is given to it', async () => {
    const { team, create } = await setUp()
    const [one, two] = [await create({ phone: newNumber() }), await create({ phone: newNumber() })]
    const [changed, erased] = await Promise.all([
      team.call('PUT', `${LEADS}/lead_id/${one.key}`, { record: { id: two.record } }),
      team.call('DELETE', `${RECORD}/${two.record}`),
    ])
    expect(erased.status).toBe(200)
    expect([200, 400]).toContain(changed.status)
    const { data } = await team.call('GET', `${LEADS}/lead_id/${one.key}`)
    expect(data.record?.id).not.toBe(two.record)
  })
})
