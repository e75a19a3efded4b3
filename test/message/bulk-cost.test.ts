import { beforeAll, expect, it } from 'vitest'
import { JOBS } from '../support/jobs.ts'
import { type Connected, connected, newNumber } from '../support/provider.ts'
import { Stage } from '../support/stage.ts'
import { newTeam, type Team } from '../support/world.ts'

const ENTRIES = 120

let team: Team
let whatsapp: Connected
beforeAll(async () => {
  team = await newTeam()
  whatsapp = await connected(team)
})

it('sends many messages within their budget', async () => {
  const stage = new Stage({ WHATSAPP_MESSAGES_PER_SECOND: '1000' })
  const template = { pluginId: whatsapp.id, whatsappPhoneNumberId: whatsapp.phone.id, templateName: 'hello_world' }
  const entries = Array.from({ length: ENTRIES }, () => ({
    apiType: 'TEMPLATE_MESSAGE',
    apiData: { ...template, phoneNumber: newNumber() },
  }))
  await whatsapp.control('PUT', '/settings', { limits: { throughputPerSecond: 1_000 } })
  const accepted = await stage.request(team, 'POST', JOBS, { entries })
  await stage.settle(team)
  const job = await stage.request(team, 'GET', `${JOBS}/${accepted.body._data.id}`)
  expect(job.body._meta.bjEntryCompletionStatusVsCount.SUCCESS).toBe(ENTRIES)
  const { calls, rows } = stage
  const perMessage = {
    trips: calls.database / ENTRIES,
    read: rows.read / ENTRIES,
    written: rows.written / ENTRIES,
    provider: calls.provider / ENTRIES,
  }
  console.log('a message in bulk', JSON.stringify({ calls, rows, perMessage }))
  expect(perMessage.provider).toBe(1)
  expect(perMessage.trips).toBeLessThanOrEqual(0.5)
  // Its row and four index entries; then the state, of which two index entries come of or go.
  expect(perMessage.written).toBeLessThanOrEqual(9)
  expect(perMessage.read).toBeLessThanOrEqual(12)
})
