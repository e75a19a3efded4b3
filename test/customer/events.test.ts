import { describe, expect, it } from 'vitest'
import { Harness } from '../support/harness.ts'
import { bulk, LEADS, newLeadTeam } from '../support/jobs.ts'
import { loadLoggedEvents } from '../support/logged-events.ts'

const RECORD = '/v1/ext/record'

const setUp = async () => {
  const team = await newLeadTeam()
  const create = async (data: object, more: object = {}) =>
    (await team.call('POST', LEADS, { record: { data }, ...more })).data
  const told = async () => (await loadLoggedEvents(team)).filter(({ type }) => type.startsWith('record'))
  return { team, create, told }
}

describe('a change of a customer', () => {
  it('has an event with the sent and the replaced values, whatever caused it', async () => {
    const { team, create, told } = await setUp()
    const { record } = await create({ phone: '91 1', name: 'A', 'odd"': [1] })
    expect(await told()).toEqual([])
    await team.call('PUT', `${RECORD}/${record.id}`, { data: { name: 'B', city: 'Goa', 'odd"': null } })
    await create({ phone: '911', name: 'C' })
    await team.call('PUT', LEADS, {
      data: { lead_id: 'L' },
      record: { data: { phone: '911', name: null } },
    })
    await team.call('PUT', LEADS, {
      data: { lead_id: 'L' },
      record: { data: { phone: '911', name: 'D' } },
    })
    const events = await told()
    const members = events.map(({ after, before }) => [Object.values(after), Object.values(before ?? {})])
    const at = events.map(each => each.at)
    const sequences = events.map(({ sequence }) => sequence)
    const of = (more: object) => [{ id: record.id, ...more }]
    expect(members).toEqual([
      [of({ set: { name: 'B', city: 'Goa' }, unset: ['odd"'] }), [[1, null, record.updatedAt, [['A', null, [1]]]]]],
      [of({ set: { phone: '911', name: 'C' } }), [[2, sequences[0], at[0], [['91 1', 'B']]]]],
      [of({ set: { phone: '911' }, unset: ['name'] }), [[3, sequences[1], at[1], [['911', 'C']]]]],
      [of({ set: { phone: '911', name: 'D' } }), [[4, sequences[2], at[2], [['911', null]]]]],
    ])
    for (const { by, proc, count } of events)
      expect({ by, proc, count }).toEqual({
        by: { user: expect.any(String), apiKey: expect.any(String), request: expect.any(String) },
        proc: null,
        count: 1,
      })
  })

  it('has one event for all customers of a step of a job, and numbers without a gap', async () => {
    const { team, create, told } = await setUp()
    const made = [
      await create({ phone: '1' }),
      await create({ phone: '2', name: 'B' }),
      await create({ email: 'c@d.ef' }),
    ]
    const [one, two, three] = made.map(({ record }) => record.id)
    await bulk(team, 'POST', [
      { record: { data: { phone: '1', name: 'A' } } },
      { record: { data: { phone: '2', city: 'Ulm' } } },
      { data: {} },
      { record: { data: { phone: '3', name: 'new' } } },
      { record: { data: { phone: '1', name: 'AA' } } },
      { record: { data: { email: 'c@d.ef', name: null } } },
    ])
    const rows = await loadLoggedEvents(team)
    let last = 0
    for (const { sequence, count } of rows) {
      expect(sequence - count).toBe(last)
      last = sequence
    }
    const events = await told()
    expect(events.map(({ count, by }) => [count, Object.keys(by)])).toEqual([
      [2, ['user', 'job']],
      [1, ['user', 'job']],
    ])
    const members = events.flatMap(({ after, before }) =>
      Object.entries(after).map(([rid, each]) => [each.id, each, before?.[rid]?.at(-1)]),
    )
    expect(members).toEqual([
      [one, { id: one, set: { phone: '1', name: 'AA' }, entry: 4 }, [['1', null]]],
      [two, { id: two, set: { phone: '2', city: 'Ulm' }, entry: 1 }, [['2', null]]],
      [three, { id: three, set: { email: 'c@d.ef' }, unset: ['name'], entry: 5 }, [['c@d.ef', null]]],
    ])
  })

  it.each([1, 29, 31, 61, 95])('keeps %i former values in their order', async count => {
    const { team, create, told } = await setUp()
    const named = (value: string) =>
      Object.fromEntries(Array.from({ length: count }, (_, nth) => [`a${nth}`, `${value}${nth}`]))
    const { record } = await create({ phone: '1', ...named('x') })
    await team.call('PUT', `${RECORD}/${record.id}`, { data: named('y') })
    const [event] = await told()
    expect(Object.values(event?.before ?? {}).map(before => (before[3] as unknown[][]).flat())).toEqual([
      Object.values(named('x')),
    ])
  })

  it('has no event where nothing was written', async () => {
    const { team, create, told } = await setUp()
    const { record } = await create({ phone: '1' })
    await team.call('PUT', `${RECORD}/${record.id}`, { data: {} })
    await team.call('PUT', `${RECORD}/${record.id}`, { data: { name: 'A' } }, { 'if-match': '"7"' })
    await create({ phone: '1', name: 'A' }, { data: { lead_id: { not: 'text' } } })
    await create({}, { data: { lead_id: 'L' } })
    expect((await create({ phone: '1', name: 'A' }, { data: { lead_id: 'L' } })).id).toBeUndefined()
    expect(await told()).toEqual([])
    const updated = await team.call('PUT', `${RECORD}/${record.id}`, { data: { name: 'A' } })
    expect([updated.status, (await told()).length]).toEqual([200, 1])
  })

  it('has one event, whichever request was faster', async () => {
    const { team, create, told } = await setUp()
    const { record } = await create({ phone: '1' })
    let isOvertaken = false
    const harness = new Harness(
      {},
      {
        before: async ({ sql }) => {
          if (isOvertaken || !/UPDATE "?record"? /.test(sql)) return
          isOvertaken = true
          expect((await team.call('PUT', `${RECORD}/${record.id}`, { data: { phone: '2' } })).status).toBe(200)
        },
      },
    )
    const changed = await harness.request(team, 'PUT', `${RECORD}/${record.id}`, { data: { name: 'A' } })
    expect([changed.status, isOvertaken, changed.body._data.data]).toEqual([200, true, { phone: '2', name: 'A' }])
    expect(
      (await told()).flatMap(({ after, before }) => [
        Object.values(after),
        Object.values(before ?? {}).map(([version]) => version),
      ]),
    ).toMatchObject([[{ set: { phone: '2' } }], [1], [{ set: { name: 'A' } }], [2]])
  })
})

describe('an erasure of a customer', () => {
  it('has an event, with the id only', async () => {
    const { team, create, told } = await setUp()
    const { record } = await create({ phone: '1' })
    expect((await team.call('DELETE', `${RECORD}/${record.id}`)).status).toBe(200)
    expect((await team.call('DELETE', `${RECORD}/${record.id}`)).status).toBe(404)
    expect((await told()).map(({ type, after, before, count }) => [type, Object.values(after), before, count])).toEqual(
      [['record.erased', [{ id: record.id }], null, 1]],
    )
  })
})
