import { describe, expect, it } from 'vitest'
import { newTeam } from '../support/api.ts'
import { LEADS, newLeadTeam } from '../support/jobs.ts'
import { newNumber } from '../support/provider.ts'

const RECORD = '/v1/ext/record'

describe('creating a customer', () => {
  it('makes a new one where nobody has the number or the address', async () => {
    const team = await newTeam()
    const data = { phone: newNumber(), email: 'Asha@Acme.example', name: 'Asha' }
    const made = await team.call('POST', RECORD, { data })
    expect([made.status, made.data.data]).toEqual([201, data])
    expect(made.headers.get('location')).toBe(`${RECORD}/${made.data.id}`)
    const fetched = await team.call('GET', made.headers.get('location') ?? '')
    expect([fetched.data, fetched.headers.get('etag')]).toEqual([made.data, made.headers.get('etag')])
    expect((await team.call('GET', `${RECORD}?email=asha@acme.example`)).data).toEqual([made.data])
  })

  it('finds an existing one, and merges the data', async () => {
    const team = await newTeam()
    const phone = newNumber()
    const made = await team.call('POST', RECORD, { data: { phone, name: 'Asha' } })
    const again = await team.call('POST', RECORD, { data: { phone: `+${phone}`, city: 'Pune', name: null } })
    expect([again.status, again.data.id, again.data.data]).toEqual([
      200,
      made.data.id,
      { phone: `+${phone}`, city: 'Pune' },
    ])
    expect(again.headers.get('location')).toBe(null)
    expect((await team.call('GET', `${RECORD}/${made.data.id}/history`)).data).toHaveLength(1)
  })

  it.each([
    ['a number of zeros', { phone: '0' }],
    ['a number of zeros, however it is written', { phone: '+00 (000) 000-0000' }],
    ['an address without a name or a domain', { email: 'n/a@' }],
    ['only an at sign', { email: ' @ ' }],
  ])('makes one for each that has %s: it identifies nobody', async (_what, data) => {
    const team = await newLeadTeam()
    const made = [
      await team.call('POST', RECORD, { data }),
      await team.call('POST', RECORD, { data }),
      await team.call('POST', LEADS, { record: { data } }),
      await team.call('POST', LEADS, { record: { data } }),
    ]
    expect(made.map(({ status }) => status)).toEqual([201, 201, 201, 201])
    expect((await team.call('GET', RECORD)).data.map((each: { data: object }) => each.data)).toEqual(
      Array(4).fill(data),
    )
    const [first] = (await team.call('GET', RECORD)).data
    const update = { phone: newNumber(), email: 'asha@acme.example' }
    expect((await team.call('PUT', `${RECORD}/${first.id}`, { data: update })).status).toBe(200)
    expect((await team.call('GET', `${RECORD}?phone=${update.phone}`)).data[0].id).toBe(first.id)
    expect((await team.call('DELETE', `${RECORD}/${first.id}`)).status).toBe(200)
    expect((await team.call('GET', RECORD)).data).toHaveLength(3)
  })

  it('makes one for many requests at once', async () => {
    const team = await newTeam()
    const phone = newNumber()
    const replies = await Promise.all(
      Array.from({ length: 6 }, (_, nth) => team.call('POST', RECORD, { data: { phone, [`n${nth}`]: nth } })),
    )
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 201])
    const { data } = await team.call('GET', RECORD)
    expect([data.length, Object.keys(data[0].data).length]).toEqual([1, 7])
  })

  it('answers a repeated request as before, with the same status', async () => {
    const team = await newTeam()
    const body = { data: { phone: newNumber() } }
    const key = { 'idempotency-key': crypto.randomUUID() }
    const first = await team.call('POST', RECORD, body, key)
    await team.call('PUT', `${RECORD}/${first.data.id}`, { data: { name: 'Asha' } })
    const again = await team.call('POST', RECORD, body, key)
    expect([again.status, again.data, again.headers.get('idempotency-replayed')]).toEqual([201, first.data, 'true'])
  })

  it('refuses faulty data, and changes nothing', async () => {
    const team = await newTeam()
    for (const [body, path] of [
      [{}, '/body/data'],
      [{ data: [] }, '/body/data'],
      [{ data: {}, name: 'Asha' }, '/body/name'],
      [{ data: { name: '\ud800' } }, '/body/data/name'],
    ] as const) {
      const refused = await team.call('POST', RECORD, body)
      expect([refused.status, refused.meta.errors[0].path]).toEqual([400, path])
    }
    const viewer = await team.as('viewer')
    expect((await viewer.call('POST', RECORD, { data: { name: 'Asha' } })).status).toBe(403)
    expect((await team.call('GET', RECORD)).data).toEqual([])
  })
})
