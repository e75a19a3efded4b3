import { describe, expect, it } from 'vitest'
import { newTeam, type Team } from '../support/api.ts'
import { bulk, LEADS, leadProcedure } from '../support/jobs.ts'
import { newNumber } from '../support/provider.ts'

const RECORD = '/v1/ext/record'
let counter = 0

type Create = (team: Team, data: object, record?: unknown) => Promise<unknown>

/** The ways to create a process. `record` is left out if it is undefined. */
const WAYS: Record<string, Create> = {
  'a create': (team, data, record) => team.call('POST', LEADS, { data, record }),
  'a create-or-update': (team, data, record) => team.call('PUT', LEADS, { data, record }),
  'a bulk create': (team, data, record) => bulk(team, 'POST', [{ data, record }]),
}

async function setUp(mobile: object = { type: 'string' }) {
  const team = await newTeam()
  const attributes = [
    { shortId: 'lead_id', type: 'string' },
    { shortId: 'mobile', ...mobile },
    { shortId: 'city', type: 'string' },
  ]
  await leadProcedure(team, { attributes, phoneAttribute: 'mobile' })
  const records = async () => (await team.call('GET', `${RECORD}?limit=100`)).data
  return { team, records }
}

describe.each(Object.entries(WAYS))('the phone attribute of a procedure, with %s', (_, create) => {
  const made = async (team: Team, data: object, record?: unknown) => {
    const key = `LEAD-${++counter}`
    await create(team, { lead_id: key, ...data }, record)
    return (await team.call('GET', `${LEADS}/lead_id/${key}`)).data
  }

  it('makes a customer of the number, once', async () => {
    const { team, records } = await setUp({ type: 'phone' })
    const mobile = newNumber()
    const first = await made(team, { mobile: `+${mobile}` })
    expect(first.record.data).toEqual({ phone: mobile })
    expect((await made(team, { mobile })).record).toEqual(first.record)
    expect(await records()).toEqual([first.record])
    expect((await team.call('GET', `${RECORD}?phone=${mobile}`)).data).toEqual([first.record])
  })

  it('finds the customer with the number, who stays unchanged', async () => {
    const { team } = await setUp()
    const mobile = newNumber()
    const known = await made(team, {}, { data: { phone_number: mobile, name: 'Asha' } })
    const { record } = await made(team, { mobile: `00${mobile}` })
    expect(record).toEqual(known.record)
    expect((await team.call('GET', `${RECORD}/${record.id}/process`)).data).toHaveLength(2)
    expect((await team.call('GET', `${RECORD}/${record.id}/history`)).data).toEqual([])
  })

  it('yields to the customer whom the request names, or to nobody', async () => {
    const { team, records } = await setUp()
    const [mobile, phone] = [newNumber(), newNumber()]
    expect((await made(team, { mobile }, { data: { phone, name: 'Asha' } })).record.data).toEqual({
      phone,
      name: 'Asha',
    })
    expect((await made(team, { mobile }, null)).record).toBe(null)
    expect(await records()).toHaveLength(1)
  })

  it.each(['', 'none', '12', '+', true, ['919448300001'], { phone: '919448300001' }])(
    'makes nobody of %j, which is no phone number',
    async mobile => {
      const { team, records } = await setUp({ type: 'json' })
      expect((await made(team, { mobile })).record).toBe(null)
      expect((await made(team, {})).record).toBe(null)
      expect(await records()).toEqual([])
    },
  )

  it('leaves the process to its customer when the value changes later', async () => {
    const { team } = await setUp()
    const { id, record, data } = await made(team, { mobile: newNumber() })
    const changed = await team.call('PUT', `${LEADS}/${id}`, { data: { mobile: newNumber() } })
    expect(changed.data.record).toEqual(record)
    const again = await team.call('PUT', LEADS, { data: { lead_id: data.lead_id, mobile: newNumber() } })
    expect(again.data.record).toEqual(record)
  })
})

describe('the phone attribute of a procedure', () => {
  it('makes one customer of many processes of a job, and of requests at once', async () => {
    const { team, records } = await setUp()
    const [mobile, other] = [newNumber(), newNumber()]
    await bulk(team, 'POST', [
      ...Array.from({ length: 20 }, () => ({ data: { mobile } })),
      { data: { mobile: other }, record: { data: { phone: mobile, name: 'Asha' } } },
      { data: { mobile } },
    ])
    expect((await records()).map((each: { data: object }) => each.data)).toEqual([{ phone: mobile, name: 'Asha' }])
    const replies = await Promise.all(
      Array.from({ length: 8 }, () => team.call('POST', LEADS, { data: { mobile: other } })),
    )
    expect(new Set(replies.map(({ data }) => data.record.id)).size).toBe(1)
    expect(await records()).toHaveLength(2)
  })

  it('gives no process to a customer who is erased meanwhile', async () => {
    const { team } = await setUp()
    const mobile = newNumber()
    const { data: first } = await team.call('POST', LEADS, { data: { mobile } })
    const [{ data: second }] = await Promise.all([
      team.call('POST', LEADS, { data: { mobile } }),
      team.call('DELETE', `${RECORD}/${first.record.id}`),
    ])
    const { data: later } = await team.call('GET', `${LEADS}/${second.id}`)
    expect(later.record?.id).not.toBe(first.record.id)
  })
})
