import { beforeAll, describe, expect, it } from 'vitest'
import { newTeam, type Team } from '../support/api.ts'
import { bulk, LEADS, leadProcedure, listEntries, waitForJob } from '../support/jobs.ts'

const FORMS = ['+91 94481-00009', '0091 (94481) 00009', '+91 (0) 94481.00009', '+91 94481/00009', '919448100009']
const DIGITS = '919448100009'
const NATIONAL = ['094481 00009', '0 94481 00009', '+094481 00009', '(0)94481 00009']

let team: Team
let counter = 0

beforeAll(async () => {
  team = await newTeam()
  await leadProcedure(team, {
    attributes: [
      { shortId: 'lead_id', type: 'string' },
      { shortId: 'mobile', type: 'phone', indexed: true },
      { shortId: 'other', type: 'phone' },
    ],
    strict: true,
  })
})

type Write = (leadId: string, data: object) => Promise<unknown>

/** The ways to give a process an attribute. */
const WAYS: Record<string, Write> = {
  'a create': (lead_id, data) => team.call('POST', LEADS, { data: { lead_id, ...data } }),
  'a create-or-update': (lead_id, data) => team.call('PUT', LEADS, { data: { lead_id, ...data } }),
  'an update': async (lead_id, data) => {
    const { data: made } = await team.call('POST', LEADS, { data: { lead_id } })
    return team.call('PUT', `${LEADS}/${made.id}`, { data })
  },
  'a bulk create': (lead_id, data) => bulk(team, 'POST', [{ data: { lead_id, ...data } }]),
  'a bulk update': async (lead_id, data) => {
    await team.call('POST', LEADS, { data: { lead_id } })
    return bulk(team, 'PATCH', [{ lead_id, update: { data } }])
  },
  'an update of all that match': async (lead_id, data) => {
    await team.call('POST', LEADS, { data: { lead_id } })
    const { data: job } = await team.call('PATCH', LEADS, { where: { lead_id }, update: { data } })
    return waitForJob(team, job.id)
  },
}

const keysFound = async (where: object): Promise<string[]> =>
  (await team.call('POST', `${LEADS}/list`, { where })).data.map(
    (each: { data: { lead_id: string } }) => each.data.lead_id,
  )

describe.each(Object.entries(WAYS))('a phone number given by %s', (_, write) => {
  it.each(FORMS)('is stored as its digits if it is %s, and found by each form', async form => {
    const leadId = `PHONE-${++counter}`
    await write(leadId, { mobile: form, other: form })
    const { data } = await team.call('GET', `${LEADS}/lead_id/${leadId}`)
    expect(data.data).toEqual({ lead_id: leadId, mobile: DIGITS, other: DIGITS })
    for (const sought of FORMS)
      for (const side of [sought, [sought, '4915112345678'], { '=': sought }])
        expect(await keysFound({ lead_id: leadId, mobile: side, other: side })).toEqual([leadId])
    expect(await keysFound({ lead_id: leadId, mobile: { '!=': form } })).toEqual([])
  })
})

it.each([
  ['startsWith', '+91 94481'],
  ['startsWith', '0091 944'],
  ['startsWith', ['+4', '+91']],
  ['contains', '481-000'],
  ['contains', '481/000'],
  ['contains', ['(4481) 000']],
])('a part of a number may be written in any form: %s %j', async (operator, side) => {
  const leadId = `PHONE-${++counter}`
  await team.call('POST', LEADS, { data: { lead_id: leadId, mobile: DIGITS } })
  expect(await keysFound({ lead_id: leadId, mobile: { [operator]: side } })).toEqual([leadId])
})

it('a part finds a value from before the type was declared as well, as it is stored', async () => {
  const other = await newTeam()
  const attributes = (type: string) => [
    { shortId: 'lead_id', type: 'string' },
    { shortId: 'mobile', type },
  ]
  await leadProcedure(other, { attributes: attributes('string') })
  for (const [nth, mobile] of ['+91 94481', 'ask Asha'].entries())
    await other.call('POST', LEADS, { data: { lead_id: `L-${nth}`, mobile } })
  await leadProcedure(other, { attributes: attributes('phone') })
  const found = async (side: object) =>
    (await other.call('POST', `${LEADS}/list`, { where: { mobile: side } })).data.map(
      (each: { data: { lead_id: string } }) => each.data.lead_id,
    )
  expect(await found({ startsWith: '+91 94' })).toEqual(['L-0'])
  expect(await found({ contains: 'asha' })).toEqual(['L-1'])
})

describe('a number without its country code', () => {
  it.each(NATIONAL)('%s is refused, in data and in a filter', async number => {
    const message = '"mobile" must be a phone number with its country code, such as 4915112345678; none begins with 0'
    const refused = await team.call('POST', LEADS, { data: { mobile: number } })
    expect(refused).toMatchObject({ status: 400, meta: { errors: [{ message, path: '/body/data/mobile' }] } })
    const sought = await team.call('POST', `${LEADS}/list`, { where: { mobile: number } })
    expect(sought).toMatchObject({ status: 400, meta: { errors: [{ message, path: '/body/where/mobile' }] } })
    const job = await bulk(team, 'POST', [{ data: { mobile: number } }])
    expect(await listEntries(team, job.data.id)).toMatchObject([{ completionStatus: 'INVALID' }])
  })

  it.each(['12 345', '+1234567890123456'])(
    'is refused, as is %s, which has too few or too many digits',
    async number => {
      expect(await team.call('POST', LEADS, { data: { mobile: number } })).toMatchObject({
        status: 400,
        meta: {
          errors: [{ message: '"mobile" must be a phone number with its country code, 7 to 15 digits together' }],
        },
      })
    },
  )

  it.each(['094481 00009', '12'])('makes no customer of an attribute that is free text, as %s', async number => {
    const other = await newTeam()
    await leadProcedure(other, {
      attributes: [
        { shortId: 'lead_id', type: 'string' },
        { shortId: 'mobile', type: 'string' },
      ],
      phoneAttribute: 'mobile',
    })
    const { status, data } = await other.call('POST', LEADS, { data: { mobile: number } })
    expect([status, data.record, data.data.mobile]).toEqual([201, null, number])
  })
})

it('a primary key that is a phone number is found by each form of it', async () => {
  const other = await newTeam()
  await leadProcedure(other, { attributes: [{ shortId: 'mobile', type: 'phone' }], primaryKey: 'mobile' })
  const { data: made } = await other.call('POST', LEADS, { data: { mobile: '+91 94481-00009' } })
  expect((await other.call('POST', LEADS, { data: { mobile: DIGITS } })).status).toBe(409)
  for (const form of FORMS) {
    const { data } = await other.call('GET', `${LEADS}/mobile/${encodeURIComponent(form)}`)
    expect(data.id).toBe(made.id)
    expect((await other.call('PUT', LEADS, { data: { mobile: form } })).data.id).toBe(made.id)
    const job = await bulk(other, 'PATCH', [{ mobile: form, update: { data: { city: form } } }])
    expect(await listEntries(other, job.data.id)).toMatchObject([{ completionStatus: 'SUCCESS' }])
  }
})
