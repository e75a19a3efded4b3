import { describe, expect, it } from 'vitest'
import { newTeam } from '../support/api.ts'
import { attribute, definition, newProcedure } from '../support/procedures.ts'

const PHONE = '919448300001'
const setUp = async () => {
  const team = await newTeam()
  const lead = await newProcedure(team)
  const { create, path } = lead
  const made = async (lead_id: string, record?: object) =>
    (await create({ data: { lead_id }, ...(record && { record: { data: record } }) })).data
  const find = async (where: object) => {
    const reply = await team.call('POST', `${path}/list`, { where })
    return reply.status === 200
      ? reply.data.map(({ data }: { data: { lead_id: string } }) => data.lead_id).sort()
      : reply.meta.errors
  }
  const asha = await made('A1', { phone: PHONE, email: 'Asha@Example.com' })
  await made('A2', { phone: `+${PHONE}` })
  await made('B', { email: 'b@example.com' })
  await made('N')
  return { team, ...lead, find, asha }
}

describe('a filter by the customer', () => {
  it('finds by id, phone number and e-mail address, in any form', async () => {
    const { find, asha } = await setUp()
    const found: [object, string[]][] = [
      [{ record: asha.record.id }, ['A1', 'A2']],
      [{ record: asha.record.id.toUpperCase() }, ['A1', 'A2']],
      [{ 'record.phone': PHONE }, ['A1', 'A2']],
      [{ 'record.phone': Number(PHONE) }, ['A1', 'A2']],
      [{ 'record.phone': '+91 94483-00001' }, ['A1', 'A2']],
      [{ 'record.email': 'ASHA@example.com' }, ['A1', 'A2']],
      [{ 'record.email': ['b@example.com', 'nobody@example.com', 'asha@example.com'] }, ['A1', 'A2', 'B']],
      [{ 'record.email': 'nobody@example.com' }, []],
      [{ record: crypto.randomUUID() }, []],
      [{ 'record.phone': { '!=': PHONE } }, ['B', 'N']],
      [{ record: null }, ['N']],
      [{ record: { '!=': null } }, ['A1', 'A2', 'B']],
      [{ or: [{ 'record.phone': PHONE }, { record: null }], lead_id: ['A1', 'N'] }, ['A1', 'N']],
    ]
    for (const [where, ids] of found) expect([where, await find(where)]).toEqual([where, ids])
  })

  it('finds customers of the own team only', async () => {
    const { asha } = await setUp()
    const other = await setUp()
    expect(await other.find({ record: asha.record.id })).toEqual([])
    expect(await other.find({ 'record.phone': PHONE })).toEqual(['A1', 'A2'])
  })

  it('is refused for other fields of the customer, and for values that identify nobody', async () => {
    const { find } = await setUp()
    const refused: [object, string, unknown][] = [
      [{ 'record.phone_number': PHONE }, '/body/where/record.phone_number', 'record.phone'],
      [{ 'record.name': 'Asha' }, '/body/where/record.name', undefined],
      [{ record: 'Asha' }, '/body/where/record', undefined],
      [{ 'record.email': 'Asha' }, '/body/where/record.email', undefined],
      [{ 'record.phone': null }, '/body/where/record.phone', expect.stringContaining('"record": null')],
      [{ record: { '>': 'a' } }, '/body/where/record/>', undefined],
    ]
    for (const [where, path, hint] of refused)
      expect([where, await find(where)]).toEqual([
        where,
        [expect.objectContaining({ path, ...(hint === undefined ? {} : { hint }) })],
      ])
  })

  it('leaves attributes of these names alone', async () => {
    const { find, define, create } = await setUp()
    const { attributes } = definition() as { attributes: object[] }
    await define({ attributes: [...attributes, attribute('record', 'string')] })
    await create({ data: { lead_id: 'R', record: 'gold' } })
    expect(await find({ record: 'gold' })).toEqual(['R'])
  })

  it('changes the processes of one customer in bulk, and counts as everything where it excludes nobody', async () => {
    const { team, path } = await setUp()
    const update = { state: 'BUSY' }
    const one = await team.call('PATCH', path, { where: { 'record.phone': PHONE }, update })
    expect([one.status, one.data.total]).toEqual([202, 2])
    const all = await team.call('PATCH', path, { where: { 'record.phone': { '!=': '919448300099' } }, update })
    expect([all.status, all.meta.errors[0].hint]).toEqual([400, 'if you mean it, send "all": true'])
  })
})
