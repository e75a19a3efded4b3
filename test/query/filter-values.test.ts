import { beforeAll, describe, expect, it } from 'vitest'
import { newTeam, type Team } from '../support/api.ts'

const PATH = '/v1/ext/procedure/order/process'
const PROCEDURE = {
  name: 'Order',
  states: [{ shortId: 'NEW' }, { shortId: 'DONE' }],
  startState: 'NEW',
  completedState: 'DONE',
  attributes: [
    { shortId: 'order_no', type: 'string' },
    { shortId: 'install_on', type: 'date', indexed: true },
    { shortId: 'starts', type: 'time' },
    { shortId: 'booked', type: 'datetime' },
    { shortId: 'booked_text', type: 'datetimeISO8601' },
    { shortId: 'kind', type: 'stringEnum', values: ['solar', 'heat pump'] },
    { shortId: 'size', type: 'integerEnum', values: [1, 2] },
    { shortId: 'extras', type: 'multiStringEnum', values: ['battery', 'wallbox'] },
    { shortId: 'customer_phone', type: 'phone' },
    { shortId: 'email', type: 'email' },
    { shortId: 'site', type: 'url' },
    { shortId: 'paid', type: 'boolean' },
    { shortId: 'rooms', type: 'integer' },
    { shortId: 'price', type: 'float' },
    { shortId: 'place', type: 'geolocation' },
    { shortId: 'notes', type: 'text' },
  ],
  primaryKey: 'order_no',
}

/** Values that no process may have, each with another part of a type's rule. */
const REFUSED: [string, unknown][] = [
  ['install_on', 'today'],
  ['install_on', '23/11/2026'],
  ['install_on', '2026-02-31'],
  ['install_on', '2026-11-23T10:00:00Z'],
  ['install_on', 20261123],
  ['install_on', true],
  ['install_on', ''],
  ['starts', '9 Uhr'],
  ['booked', 'yesterday'],
  ['booked', '2026-11-23T10:00:00'],
  ['booked_text', '2026-11-23'],
  ['booked_text', '2026-02-31T09:30'],
  ['booked_text', '2026-06-31T09:30:00Z'],
  ['kind', 'Solar'],
  ['kind', ''],
  ['kind', 1],
  ['size', 3],
  ['extras', 'bathtub'],
  ['extras', 2],
  ['customer_phone', 'unknown'],
  ['customer_phone', '9.19448E+11'],
  ['email', 'erika'],
  ['site', 'example.com'],
  ['paid', 'true'],
  ['paid', 1],
  ['rooms', 1.5],
  ['rooms', '007'],
  ['price', 'high'],
  ['place', 12.9],
  ['notes', 5],
  ['notes', 'a\0b'],
  ['undeclared', 'a\0b'],
]
const OPERATORS = ['=', '!=', '>', '>=', '<', '<=']

let team: Team

beforeAll(async () => {
  team = await newTeam()
  expect((await team.call('PUT', '/v1/ext/procedure/order', PROCEDURE)).status).toBe(201)
})

const getFault = (reply: Awaited<ReturnType<Team['call']>>) => {
  const [{ message, hint, path } = {} as Record<string, string>] = reply.meta.errors ?? []
  return { status: reply.status, message, hint, path }
}

describe('a value that `data` refuses is refused by a filter, with the same message and hint:', () => {
  it.each(REFUSED)('%s %j', async (name, value) => {
    // A list is stored whole, and compared with its elements.
    const inData = getFault(await team.call('POST', PATH, { data: { [name]: name === 'extras' ? [value] : value } }))
    expect(inData.status).toBe(400)
    const where = (side: unknown) => team.call('POST', `${PATH}/list`, { where: { [name]: side } })
    expect(getFault(await where(value))).toEqual({ ...inData, path: `/body/where/${name}` })
    expect(getFault(await where([value]))).toEqual({ ...inData, path: `/body/where/${name}/0` })
    for (const operator of OPERATORS) {
      // True is above no value, whatever the type.
      if (operator.length + (operator === '!=' ? 0 : 1) > 1 && typeof value === 'boolean') continue
      if (name === 'paid' && !['=', '!='].includes(operator)) continue
      expect(getFault(await where({ [operator]: value }))).toEqual({
        ...inData,
        path: `/body/where/${name}/${operator}`,
      })
    }
  })

  it('in every place that takes a filter, and nothing is changed', async () => {
    const where = { install_on: { '<': 'today' } }
    const { message } = getFault(await team.call('POST', PATH, { data: { install_on: 'today' } }))
    const plain = encodeURIComponent(JSON.stringify(where))
    const replies = await Promise.all([
      team.call('POST', `${PATH}/list?all=true&format=csv`, { where }),
      team.call('GET', `${PATH}/count?where=${plain}`),
      team.call('POST', `${PATH}/aggregate`, { where, groupBy: ['state'] }),
      team.call('PATCH', PATH, { where, update: { data: { paid: true } } }),
      team.call('POST', '/v1/ext/saved-view', { name: 'Late', procedure: 'order', query: { where } }),
    ])
    for (const reply of replies) expect(getFault(reply)).toMatchObject({ status: 400, message })
  })
})

describe('a value that `data` accepts in another form finds what was stored of it:', () => {
  it.each([
    ['rooms', '105', 105],
    ['booked', '2026-11-23T10:00:00+05:30', Date.parse('2026-11-23T10:00:00+05:30')],
    ['booked', '1795420800000', 1795420800000],
    ['price', '10.50', 10.5],
  ])('%s %j', async (name, sent, stored) => {
    const made = await team.call('POST', PATH, { data: { [name]: sent } })
    expect(made.data.data[name]).toBe(stored)
    const found = await team.call('POST', `${PATH}/list`, { where: { [name]: sent, id: made.data.id } })
    expect(found.data).toHaveLength(1)
  })

  it('a time of a process as digits', async () => {
    const made = await team.call('POST', PATH, { nextActionAt: '1795420800000' })
    const found = await team.call('POST', `${PATH}/list`, { where: { nextActionAt: '1795420800000' } })
    expect(found.data.map(({ id }: { id: string }) => id)).toEqual([made.data.id])
  })
})

describe('a filter by an empty value', () => {
  const keysFound = async (where: object): Promise<string[]> =>
    (await team.call('POST', `${PATH}/list`, { where })).data.map(
      (each: { data: { order_no: string } }) => each.data.order_no,
    )

  it.each(['=', '!='])(
    'is refused where lists are stored: an empty list could mean an empty one (%s)',
    async operator => {
      const message = '"extras" holds lists: an empty list is none of its values'
      const where = { extras: { [operator]: [] } }
      const reply = await team.call('POST', `${PATH}/list`, { where })
      expect(getFault(reply)).toEqual({
        status: 400,
        message,
        hint: 'null finds what is not set',
        path: `/body/where/extras/${operator}`,
      })
      const plain = await team.call('POST', `${PATH}/list`, { where: { extras: [] } })
      expect(getFault(plain)).toMatchObject({ status: 400, message, path: '/body/where/extras' })
      expect(await keysFound({ notes: [] })).toEqual([])
    },
  )

  it('finds the text of no characters, and not what is not set', async () => {
    await team.call('POST', PATH, { data: { order_no: 'EMPTY-1', notes: '' } })
    await team.call('POST', PATH, { data: { order_no: 'EMPTY-2' } })
    const among = { order_no: ['EMPTY-1', 'EMPTY-2'] }
    expect(await keysFound({ ...among, notes: '' })).toEqual(['EMPTY-1'])
    expect(await keysFound({ ...among, notes: null })).toEqual(['EMPTY-2'])
  })

  it('takes the one spelling of a primary key, except where it begins with a text or contains it', async () => {
    await team.call('POST', PATH, { data: { order_no: 'Case-7' } })
    expect(await keysFound({ order_no: 'Case-7' })).toEqual(['Case-7'])
    expect(await keysFound({ order_no: 'CASE-7' })).toEqual([])
    expect(await keysFound({ order_no: { startsWith: 'case-7' } })).toEqual(['Case-7'])
    expect((await team.call('POST', PATH, { data: { order_no: 'CASE-7' } })).status).toBe(201)
  })
})

it('a filter by a date needs a text, and a number is refused with the day that it means', async () => {
  const refused = await team.call('POST', PATH, { data: { install_on: 20261123 } })
  expect(refused.status).toBe(400)
  expect(refused.meta.errors[0]).toMatchObject({
    message: '"install_on" must be a date such as 2026-03-31',
    hint: '2026-11-23',
  })
})
