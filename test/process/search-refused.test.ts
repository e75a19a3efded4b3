import { beforeAll, describe, expect, it } from 'vitest'
import { newTeam, type Team } from '../support/api.ts'
import { JOBS, LEADS } from '../support/jobs.ts'
import { attribute, newProcedure } from '../support/procedures.ts'
import { connectPlugin } from '../support/provider.ts'

// Only the body of a list takes `search`. Elsewhere it is refused by its name: to ignore it would change, count or send
// to other processes than intended.

let team: Team
let send: string

beforeAll(async () => {
  team = await newTeam()
  const attributes = [attribute('lead_id', 'string'), attribute('name', 'name', { searchable: true })]
  const { create } = await newProcedure(team, { attributes })
  await create({ data: { lead_id: 'A', name: 'Asha' } })
  const plugin = await connectPlugin(team)
  send = `/v1/ext/plugin/whatsapp/${plugin.id}/process/lead/bulk-send-template-message`
})

const jobs = async () => (await team.call('GET', JOBS)).data.length
const message = { templateName: 'hello_world' }
const set = { update: { data: { name: 'Meera' } } }

const refusals: [string, () => [string, string, unknown?], string][] = [
  ['a GET list', () => ['GET', `${LEADS}?search=asha`], '/query/search'],
  ['the address of a list', () => ['POST', `${LEADS}/list?search=asha`, {}], '/query/search'],
  ['a count', () => ['GET', `${LEADS}/count?search=asha`], '/query/search'],
  ['an aggregation', () => ['POST', `${LEADS}/aggregate`, { search: 'asha' }], '/body/search'],
  ['a bulk update', () => ['PATCH', LEADS, { search: 'asha', where: { lead_id: 'A' }, ...set }], '/body/search'],
  ['a bulk update without a filter', () => ['PATCH', LEADS, { search: 'asha', ...set }], '/body/search'],
  [
    'a bulk deletion',
    () => ['PATCH', LEADS, { where: { lead_id: 'A' }, search: 'asha', update: { isDeleted: true } }],
    '/body/search',
  ],
  [
    'a list of bulk updates',
    () => ['PATCH', LEADS, { processes: [{ lead_id: 'A', ...set }], search: 'asha' }],
    '/body/search',
  ],
  ['a bulk creation', () => ['POST', `${LEADS}/bulk-create`, { search: 'a', processes: [{}] }], '/body/search'],
  ['a bulk message', () => ['POST', send, { search: 'asha', where: { lead_id: 'A' }, ...message }], '/body/search'],
]

describe('a search is refused by its name', () => {
  it.each(refusals)('in %s', async (_, call, path) => {
    const before = await jobs()
    const [method, address, body] = call()
    const reply = await team.call(method, address, body)
    expect(reply.status, reply.errors.join()).toBe(400)
    expect(reply.meta.errors).toContainEqual(expect.objectContaining({ path }))
    expect(reply.errors.join()).toContain('"search"')
    expect(await jobs()).toBe(before)
    expect((await team.call('GET', `${LEADS}/lead_id/A`)).data.data).toEqual({ lead_id: 'A', name: 'Asha' })
  })

  it('in a filter, as the name of an attribute that the procedure does not declare', async () => {
    const listed = await team.call('POST', `${LEADS}/list`, { where: { search: 'asha' } })
    expect([listed.status, listed.data, JSON.stringify(listed.meta.warnings)]).toEqual([
      200,
      [],
      expect.stringContaining('search'),
    ])
    const updated = await team.call('PATCH', LEADS, { where: { search: 'asha' }, ...set })
    expect([updated.status, updated.errors[0]]).toEqual([400, expect.stringContaining('search')])
  })
})
