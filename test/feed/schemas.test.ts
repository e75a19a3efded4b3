import { beforeEach, expect, it } from 'vitest'
import { EVENT_EXAMPLES } from '../../src/event-docs.ts'
import { newTeam, type Team } from '../support/api.ts'
import { document, misfits } from '../support/document.ts'
import { switchOnFeed } from '../support/due.ts'
import { loadShownEvents } from '../support/feed.ts'
import { Harness } from '../support/harness.ts'
import { leadProcedure, waitForJob } from '../support/jobs.ts'
import { newProcedure } from '../support/procedures.ts'
import { connectPlugin, newNumber, refusedNumber } from '../support/provider.ts'
import { connectReceivers, newReceiver } from '../support/receiver.ts'
import { deliverUntil, makeEvents, newQuietTeam, newWebhook } from '../support/webhooks.ts'

beforeEach(() => connectReceivers())

interface Component {
  properties?: { type?: { const?: string } }
  examples?: unknown[]
  oneOf?: { $ref: string }[]
  discriminator?: { mapping: Record<string, string> }
}
const components = document.components.schemas as Record<string, Component>
const TYPES = Object.keys(EVENT_EXAMPLES)

/** The schema that the document has for a type, by the discriminator. */
const getName = (type: string) => components.TeamEvent?.discriminator?.mapping[type]?.split('/').at(-1) ?? ''

async function changeProcesses(team: Team): Promise<void> {
  const { path, create, update, remove, restore } = await newProcedure(team)
  const record = { data: { phone: newNumber(), name: 'Asha' } }
  const { data } = await create({ data: { lead_id: 'A' }, record, nextActionAt: Date.now() - 60_000 })
  await update(data.id, { data: { score: 7 }, assignedTo: team.admin })
  await remove(data.id)
  await restore(data.id)
  const job = await team.call('POST', `${path}/bulk-create`, { processes: [{ data: { lead_id: 'B' } }] })
  await waitForJob(team, job.data.id)
  await team.call('PUT', `/v1/ext/record/${data.record.id}`, { data: { name: null, city: 'Pune' } })
  const { data: same } = await team.call('POST', '/v1/ext/record', { data: { name: 'Asha R.' } })
  expect((await team.call('POST', `/v1/ext/record/${same.id}/merge`, { into: data.record.id })).errors).toEqual([])
  expect((await team.call('DELETE', `/v1/ext/record/${data.record.id}`)).errors).toEqual([])
}

async function sendMessages(team: Team): Promise<void> {
  const whatsapp = await connectPlugin(team)
  await whatsapp.send(newNumber())
  await whatsapp.control('POST', '/inbound', { from: newNumber(), type: 'text', content: { body: 'Hello' } })
  await whatsapp.control('POST', '/inbound', { from: newNumber(), type: 'document', content: { id: '6001' } })
  await whatsapp.flush()
  await whatsapp.send(refusedNumber(131042))
  await team.call('PUT', whatsapp.base, { status: 'ACTIVE' })
}

async function disableWebhook(): Promise<Team> {
  const team = await newQuietTeam()
  await leadProcedure(team)
  const harness = new Harness()
  await newWebhook(
    team,
    newReceiver(() => new Response('', { status: 410 })),
  )
  await makeEvents(team, 1)
  await harness.runCron()
  await deliverUntil(harness)
  return team
}

it('a real event of each type fits its own schema, and no other', async () => {
  const team = await newTeam()
  await switchOnFeed(team)
  await changeProcesses(team)
  await sendMessages(team)
  const events = [...(await loadShownEvents(team)), ...(await loadShownEvents(await disableWebhook()))]
  for (const event of events) {
    const fits = TYPES.filter(
      type => misfits(getName(type), { $ref: `#/components/schemas/${getName(type)}` }, event).length === 0,
    )
    expect([event.type, fits]).toEqual([event.type, [event.type]])
  }
  expect([...new Set(events.map(({ type }) => type))].sort()).toEqual([...TYPES].sort())
})

it('each type has a schema of its own, with an example that fits it', () => {
  expect(components.TeamEvent?.oneOf?.map(({ $ref }) => $ref)).toEqual(
    TYPES.map(type => `#/components/schemas/${getName(type)}`),
  )
  for (const type of TYPES) {
    const { properties, examples = [] } = components[getName(type)] ?? {}
    expect(properties?.type?.const).toBe(type)
    expect(examples).toHaveLength(1)
    for (const example of examples)
      expect(misfits(getName(type), { $ref: `#/components/schemas/${getName(type)}` }, example)).toEqual([])
  }
})
