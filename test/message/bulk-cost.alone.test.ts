import { env } from 'cloudflare:workers'
import { beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { newTeam, type Team } from '../support/api.ts'
import { Harness } from '../support/harness.ts'
import { JOBS } from '../support/jobs.ts'
import { type Connected, connectPlugin, newNumber } from '../support/provider.ts'

const ENTRIES = 120

let team: Team
let whatsapp: Connected
beforeAll(async () => {
  team = await newTeam()
  whatsapp = await connectPlugin(team)
})

it('a job sends many messages within their budget', async () => {
  const harness = new Harness({ WHATSAPP_MESSAGES_PER_SECOND: '1000' })
  const template = { pluginId: whatsapp.id, whatsappPhoneNumberId: whatsapp.phone.id, templateName: 'hello_world' }
  const entries = Array.from({ length: ENTRIES }, () => ({
    apiType: 'TEMPLATE_MESSAGE',
    apiData: { ...template, phoneNumber: newNumber() },
  }))
  await whatsapp.control('PUT', '/settings', { limits: { throughputPerSecond: 1_000 } })
  const accepted = await harness.request(team, 'POST', JOBS, { entries })
  await harness.settle(team)
  const { calls, rows } = structuredClone({ calls: harness.calls, rows: harness.rows })
  const job = await harness.request(team, 'GET', `${JOBS}/${accepted.body._data.id}`)
  expect(job.body._meta.bjEntryCompletionStatusVsCount.SUCCESS).toBe(ENTRIES)
  const perMessage = {
    trips: calls.database / ENTRIES,
    read: rows.read / ENTRIES,
    written: rows.written / ENTRIES,
    provider: calls.provider / ENTRIES,
  }
  console.log('a message in bulk', JSON.stringify({ calls, rows, perMessage }))
  expect(perMessage.provider).toBe(1)
  expect(perMessage.trips).toBeLessThanOrEqual(0.15)
  // The rows are the message and four index entries; then the state, of which two index entries come or go.
  expect(perMessage.written).toBeLessThanOrEqual(7)
  expect(perMessage.read).toBeLessThanOrEqual(10)
})

it('a job retries delayed messages without reading what else the team has sent', async () => {
  const [before, customers] = [3_000, Array.from({ length: 12 }, newNumber)]
  const [sent] = customers.slice(0, 1)
  await whatsapp.send(String(sent))
  await env.DB.prepare(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
      INSERT INTO message (rid, id, team, plugin, sender, graph_version, phone, data_type, text, request, delivery, history,
          user, source_id, updated_at)
        SELECT m.rid - n.i, m.id, m.team, m.plugin, m.sender, m.graph_version, m.phone, m.data_type, m.text, m.request,
          m.delivery, m.history, m.user, m.source_id, m.updated_at FROM n, message m WHERE m.team = ?1 AND m.phone = ?3`,
  )
    .bind(team.no, before, sent)
    .run()
  await whatsapp.faults(...customers.map(to => ({ to, times: 1, fault: { kind: 'error', code: 130429 } })))
  const harness = new Harness({ WHATSAPP_MESSAGES_PER_SECOND: '1000' })
  const template = { pluginId: whatsapp.id, whatsappPhoneNumberId: whatsapp.phone.id, templateName: 'hello_world' }
  const entries = customers.map(phoneNumber => ({
    apiType: 'TEMPLATE_MESSAGE',
    apiData: { ...template, phoneNumber },
  }))
  const accepted = await harness.request(team, 'POST', JOBS, { entries })
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  await harness.settle(team)
  const job = await harness.request(team, 'GET', `${JOBS}/${accepted.body._data.id}`)
  expect(job.body._meta.bjEntryCompletionStatusVsCount.SUCCESS).toBe(customers.length)
  console.log('messages that are put off', JSON.stringify(harness.rows))
  expect(harness.rows.read).toBeLessThan(before)
})
