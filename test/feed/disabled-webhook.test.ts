import { beforeEach, expect, it } from 'vitest'
import { Harness } from '../support/harness.ts'
import { leadProcedure } from '../support/jobs.ts'
import { connectReceivers, newReceiver } from '../support/receiver.ts'
import { deliverUntil, makeEvents, newQuietTeam, newWebhook } from '../support/webhooks.ts'

beforeEach(() => connectReceivers())

it('the webhook of an event is shown only to those who may read webhooks: its address may hold a password', async () => {
  const team = await newQuietTeam()
  await leadProcedure(team)
  const receiver = newReceiver(() => new Response('', { status: 410 }))
  const id = await newWebhook(team, receiver)
  await makeEvents(team, 1)
  const harness = new Harness()
  await harness.runCron()
  await deliverUntil(harness)
  for (const role of ['admin', 'manager', 'agent', 'viewer']) {
    const { data } = await (await team.as(role)).call('GET', '/v1/ext/event?type=webhook.disabled')
    expect(data).toHaveLength(1)
    const isAdmin = role === 'admin'
    expect(data[0].data).toEqual({ id, webhook: isAdmin ? expect.objectContaining({ url: receiver.url }) : null })
  }
})

it('a webhook that is enabled again switches on the feed, as a new one does', async () => {
  const team = await newQuietTeam()
  const id = await newWebhook(team, newReceiver())
  const path = `/v1/ext/webhook/${id}`
  const isOn = async () => (await team.call('GET', '/v1/ext/event-feed')).data.enabled
  await team.call('PUT', path, { enabled: false })
  expect((await team.call('PUT', '/v1/ext/event-feed', { enabled: false })).errors).toEqual([])
  await team.call('PUT', path, { description: 'not yet' })
  expect(await isOn()).toBe(false)
  await team.call('PUT', path, { enabled: true })
  expect(await isOn()).toBe(true)
  expect((await team.call('PUT', '/v1/ext/event-feed', { enabled: false })).status).toBe(409)
})
