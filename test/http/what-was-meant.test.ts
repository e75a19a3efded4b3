import { beforeAll, describe, expect, it } from 'vitest'
import { newTeam, type Team } from '../support/api.ts'

const PATH = '/v1/ext/procedure/order/process'
const PROCEDURE = {
  name: 'Order',
  states: [{ shortId: 'NEW' }, { shortId: 'DONE', name: 'Erledigt' }],
  startState: 'NEW',
  completedState: 'DONE',
  attributes: [
    { shortId: 'order_no', type: 'string' },
    { shortId: 'site', type: 'string' },
  ],
  primaryKey: 'order_no',
  strict: true,
}

let team: Team

beforeAll(async () => {
  team = await newTeam()
  await team.call('PUT', '/v1/ext/procedure/order', PROCEDURE)
})

const put = (changes: object) => team.call('PUT', '/v1/ext/procedure/other', { ...PROCEDURE, ...changes })

describe('an error says what was meant:', () => {
  it('one text where a list is expected', async () => {
    const grouped = await team.call('POST', `${PATH}/aggregate`, { groupBy: 'order_no' })
    expect(grouped.errors).toEqual(['"groupBy" must be an array (["order_no"])'])
    const sorted = await team.call('POST', `${PATH}/list`, { sort: '-order_no' })
    expect(sorted.errors).toEqual(['"sort" must be an array ([{"field":"order_no","order":"desc"}])'])
  })

  it('a unit of the calendar that there is not', async () => {
    const refused = await team.call('POST', `${PATH}/aggregate`, { groupBy: [{ field: 'createdAt', by: 'quarter' }] })
    expect(refused.meta.errors).toMatchObject([
      { path: '/body/groupBy/0/by', message: '"by" must be one of day, week, month' },
    ])
  })

  it('an item of a list, by the name of the list', async () => {
    const retry = `/v1/ext/background-job/${crypto.randomUUID()}/retry`
    const { errors } = await team.call('POST', retry, { statuses: ['ERROR', 'SUCCESS'] })
    expect(errors).toEqual(['"statuses[1]" must be one of ERROR, INVALID, CANCELLED'])
  })

  it('a state that is near no other', async () => {
    const { errors } = await team.call('POST', PATH, { state: 'Verschoben', data: { order_no: '1' } })
    expect(errors).toEqual(['there is no state "Verschoben" (there are NEW, DONE (Erledigt))'])
    const near = await team.call('POST', PATH, { state: 'Erledgt', data: { order_no: '1' } })
    expect(near.errors).toEqual(['there is no state "Erledgt" (did you mean "DONE" (Erledigt)?)'])
  })

  it('a page that is too large', async () => {
    const hint = 'without a limit, all=true in the address returns all that match'
    const listed = await team.call('POST', `${PATH}/list`, { limit: 1_000 })
    expect(listed.meta.errors).toMatchObject([{ message: '"limit" must be at most 100', hint }])
    expect((await team.call('GET', `${PATH}?limit=1000`)).meta.errors).toMatchObject([{ hint }])
  })

  it('an order by an attribute without an index', async () => {
    const sorted = await team.call('POST', `${PATH}/list`, { sort: [{ field: 'site' }] })
    expect(sorted.errors).toEqual([
      '"site" cannot be sorted by: it is not indexed (its definition may say "indexed": true)',
    ])
    const misspelled = await team.call('POST', `${PATH}/list`, { sort: [{ field: 'sate' }] })
    expect(misspelled.meta.errors[0].hint).toBe('state')
  })

  it.each([
    ['number', 'did you mean "integer" or "float"?'],
    ['document', 'did you mean "json"?'],
    ['multiselect', 'did you mean "multiStringEnum"?'],
    ['Integer', 'did you mean "integer"?'],
  ])('a type of other APIs: %s', async (type, hint) => {
    const { meta } = await put({ attributes: [{ shortId: 'order_no', type }] })
    expect(meta.errors).toMatchObject([{ path: '/body/attributes/0/type', hint }])
    expect(meta.errors[0].message).toMatch(/json.*geolocation|geolocation.*json/)
    expect(meta.errors[0].message).not.toContain('more')
  })

  it('texts where objects are expected, once', async () => {
    const { meta } = await put({ states: ['NEW', 'BUSY', 'DONE'], attributes: ['order_no', 'city'] })
    expect(meta.errors).toMatchObject([
      { path: '/body/states/0', message: 'each of "states" must be an object', hint: '{"shortId":"NEW"}' },
      { path: '/body/attributes/0', message: 'each of "attributes" must be an object', hint: '{"shortId":"order_no"}' },
    ])
  })

  it('a member that is near no other gets no suggestion', async () => {
    const { meta } = await put({ attributes: [{ shortId: 'order_no', type: 'string', zzz: true }] })
    expect(meta.errors[0].hint).toMatch(/^known fields: shortId, name, type, required, indexed/)
  })

  it('a name of one letter is no other letter', async () => {
    const { errors } = await put({ states: [{ shortId: 'A' }, { shortId: 'B' }], startState: 'X', completedState: 'B' })
    expect(errors).toEqual(['there is no state "X"'])
  })

  it('a parameter that is sent twice', async () => {
    const { meta } = await team.call('GET', '/v1/ext/event?type=process.created&type=process.updated')
    expect(meta.errors).toMatchObject([
      { path: '/query/type', message: '"type" is sent 2 times', hint: 'type=process.created,process.updated' },
    ])
  })

  it.each(['constructor', 'valueOf', '__proto__'])('a value that is also a member of every object: %s', async word => {
    const { status, meta } = await team.call('GET', `/v1/ext/message/count?groupBy=${word}`)
    expect([status, meta.errors[0].path]).toEqual([400, '/query/groupBy'])
  })

  it('a template by its name', async () => {
    const { status, meta } = await team.call('GET', '/v1/ext/message/count?template=order_update')
    expect([status, meta.errors[0].path]).toEqual([400, '/query/template'])
  })

  it('"allowUndeclared" in a strict procedure', async () => {
    const body = { where: { citty: 'Oslo' }, update: { state: 'DONE' }, allowUndeclared: true }
    const { status, meta } = await team.call('PATCH', PATH, body)
    expect(status).toBe(400)
    expect(meta.errors).toContainEqual(
      expect.objectContaining({
        path: '/body/allowUndeclared',
        message: 'the procedure is strict: "allowUndeclared" allows nothing there',
      }),
    )
  })
})
