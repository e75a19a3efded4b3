import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { HOUR_MS } from '../../src/time-units.ts'
import type { Team } from '../support/api.ts'
import { Harness } from '../support/harness.ts'
import { LEADS, leadProcedure, newLeadTeam } from '../support/jobs.ts'
import { newNumber } from '../support/provider.ts'
import { connectReceivers, newReceiver } from '../support/receiver.ts'
import { tablesWith } from '../support/tables-with.ts'
import { deliverUntil, loadAttempts, newQuietTeam, newWebhook } from '../support/webhooks.ts'

// A person's remaining data beside the record: responses of receivers, views, jobs and their archives.

const RECORD = '/v1/ext/record'

beforeEach(() => connectReceivers())
afterEach(() => void vi.useRealTimers())

/** The archives of jobs in which a text stands. */
async function archivesWith(text: string): Promise<string[]> {
  const keys: string[] = []
  for (const { key } of (await env.ARCHIVE.list()).objects) {
    const object = await env.ARCHIVE.get(key)
    if ((await object?.text())?.includes(text)) keys.push(key)
  }
  return keys
}

async function untilErased(team: Team, harness: Harness, id: string): Promise<void> {
  for (let round = 0; round < 20; round++) {
    await harness.runCron()
    const { status } = await team.call('DELETE', `${RECORD}/${id}`)
    if (status === 404) return
    expect(status).toBe(202)
  }
  throw new Error('the erasure never ends')
}

describe('a stored response of a receiver', () => {
  it('is gone if it was to an event from before the erasure, also one in flight', async () => {
    const team = await newQuietTeam()
    await leadProcedure(team)
    const phone = newNumber()
    const harness = new Harness()
    const receiver = newReceiver(({ event }) => new Response(`I got ${JSON.stringify(event.data)} ${phone}`))
    const id = await newWebhook(team, receiver)
    const { data } = await team.call('POST', LEADS, { record: { data: { phone } } })
    await harness.runCron()
    await deliverUntil(harness)
    expect((await loadAttempts(id))[0].response).toContain('I got')
    let isErased = false
    receiver.behave = async () => {
      if (!isErased) {
        isErased = true
        expect((await team.call('DELETE', `${RECORD}/${data.record.id}`)).status).toBe(202)
      }
      return new Response(`I got ${phone}`)
    }
    await team.call('PUT', `${LEADS}/${data.id}`, { data: { city: 'Pune' } })
    await harness.runCron()
    await deliverUntil(harness)
    await untilErased(team, harness, data.record.id)
    const attempts = await loadAttempts(id)
    expect(attempts.length).toBeGreaterThan(1)
    expect(attempts.filter(({ response }) => response !== undefined)).toEqual([])
    expect(attempts[0]).toMatchObject({ sequence: 1, status: 200 })
    expect(await tablesWith(phone)).toEqual([])
  })
})

describe('a saved view', () => {
  it('of others stays, whose number or address has the one of the customer in it', async () => {
    const team = await newLeadTeam()
    const phone = newNumber()
    const people = [PLACEHOLDER, phone].map(own => ({ phone: own, email: `ann.${own.length}@acme.de` }))
    const customers = []
    for (const data of [...people, { email: UMLAUT }, { email: QUOTED }])
      customers.push((await team.call('POST', RECORD, { data })).data)
    const others = [
      { 'record.phone': `${phone}7` },
      { 'record.email': `jo-ann.${phone.length}@acme.de` },
      { 'record.email': `ann.${phone.length}@acme.de.example.com` },
      { score: { '>=': 10 } },
      { score: Number(PLACEHOLDER) },
      { city: `Pune ${PLACEHOLDER}` },
    ]
    const own = [
      { 'record.phone': phone },
      { 'record.phone': PLACEHOLDER },
      { 'record.phone': `00${phone.slice(0, 2)} (${phone.slice(2, 5)})/${phone.slice(5)}` },
      { 'record.email': [`jo-ann.${phone.length}@acme.de`, `Ann.${phone.length}@ACME.de`] },
      { 'record.phone': `+${phone.slice(0, 2)} (0)${phone.slice(2, 5)}\u2013${phone.slice(5)}` },
      { 'record.email': UMLAUT.toUpperCase() },
      { 'record.email': QUOTED },
    ]
    for (const where of [...others, ...own]) {
      const made = await team.call('POST', '/v1/ext/saved-view', {
        name: 'A view',
        procedure: 'lead',
        query: { where },
      })
      expect([where, made.errors]).toEqual([where, []])
    }
    let views = 0
    for (const { id } of customers) views += (await team.call('DELETE', `${RECORD}/${id}`)).data.savedViews
    const left = (await team.call('GET', '/v1/ext/saved-view')).data.map(
      ({ query }: { query: { where: object } }) => query.where,
    )
    expect([views, left]).toEqual([own.length, others])
  })

  it('is removed if it names the customer, and the response says how many are', async () => {
    const team = await newLeadTeam()
    const phone = newNumber()
    const spaced = `+${phone.slice(0, 2)} ${phone.slice(2, 6)}-${phone.slice(6)}`
    const { data } = await team.call('POST', LEADS, { record: { data: { phone, email: `${phone}@example.com` } } })
    const others = await team.call('POST', LEADS, { record: { data: { phone: newNumber() } } })
    const view = async (where: object) => {
      const made = await team.call('POST', '/v1/ext/saved-view', {
        name: 'A view',
        procedure: 'lead',
        query: { where },
      })
      expect(made.errors).toEqual([])
    }
    await view({ 'record.phone': spaced })
    await view({ record: data.record.id })
    await view({ 'record.email': `${phone}@example.com` })
    await view({ record: others.data.record.id })
    const erased = await team.call('DELETE', `${RECORD}/${data.record.id}`)
    expect([erased.status, erased.data.savedViews]).toEqual([200, 3])
    expect((await team.call('GET', '/v1/ext/saved-view')).data).toHaveLength(1)
  })
})

/** A number or an address of somebody is a part of others', and a placeholder is in almost every text. */
const PLACEHOLDER = '1'
const UMLAUT = 'jörg@müller.example'
const QUOTED = '"jo\\e" <joe@acme.example>'

describe('a job', () => {
  it.each([
    ['in the database', false],
    ['in an archive', true],
  ])(
    'keeps nothing of the customer in entries and results, %s, and everything of others',
    async (_where, isArchived) => {
      vi.useFakeTimers({ toFake: ['Date'] })
      const team = await newLeadTeam()
      const [phone, other, name] = [newNumber(), newNumber(), `Asha ${newNumber()}`]
      // The customer's entries are in the first and in the last of several chunks.
      const harness = new Harness({ JOB_TUNING: { chunkEntries: 8 } })
      const processes = [
        { data: { lead_id: '1' }, record: { data: { phone: `+${phone.slice(0, 4)} ${phone.slice(4)}`, name } } },
        ...Array.from({ length: 20 }, (_, nth) => ({ data: { lead_id: `${nth + 2}` } })),
        { data: { lead_id: 'last', score: 'x' }, record: { data: { phone, name } } },
        { data: { lead_id: 'other' }, record: { data: { phone: other } } },
      ]
      const { body } = await harness.request(team, 'POST', `${LEADS}/bulk-create`, { processes })
      await harness.settle(team)
      const { data: customers } = await team.call('GET', `${RECORD}?phone=${phone}`)
      if (isArchived) {
        vi.setSystemTime(Date.now() + 2 * HOUR_MS)
        await harness.runCron()
        await harness.runCron()
        expect(await archivesWith(name)).toHaveLength(1)
      } else expect(await tablesWith(name)).toContain('job_chunk')
      expect((await team.call('DELETE', `${RECORD}/${customers[0].id}`)).status).toBe(202)
      await untilErased(team, harness, customers[0].id)
      for (const text of [name, phone]) expect([await tablesWith(text), await archivesWith(text)]).toEqual([[], []])
      if (isArchived) expect(await archivesWith(other)).toHaveLength(1)
      else expect(await tablesWith(other)).toContain('job_chunk')
      const job = await team.call('GET', `/v1/ext/background-job/${body._data.id}`)
      expect(job.meta.bjEntryCompletionStatusVsCount).toMatchObject({ SUCCESS: 22, INVALID: 1 })
      const entries = await team.call('GET', `/v1/ext/background-job/${body._data.id}/entries?limit=100`)
      expect([entries.errors, entries.data.length > 0]).toEqual([[], true])
    },
  )

  it('keeps the entries of others where the number of the customer is a placeholder that stands in them', async () => {
    const team = await newLeadTeam()
    const harness = new Harness()
    const name = `Asha ${newNumber()}`
    const { body } = await harness.request(team, 'POST', `${LEADS}/bulk-create`, [
      { data: { lead_id: 'hers' }, record: { data: { phone: PLACEHOLDER, name } } },
      { data: { lead_id: 'other', score: Number(PLACEHOLDER) } },
    ])
    await harness.settle(team)
    const { data: customers } = await team.call('GET', `${RECORD}?phone=${PLACEHOLDER}`)
    expect((await team.call('DELETE', `${RECORD}/${customers[0].id}`)).status).toBe(202)
    await untilErased(team, harness, customers[0].id)
    const { data } = await team.call('GET', `/v1/ext/background-job/${body._data.id}/entries`)
    expect(JSON.stringify(data)).not.toContain(name)
    expect(JSON.stringify(data[1])).toContain(`"score":${PLACEHOLDER}`)
  })
})
