import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { toRowNo } from '../../src/ids.ts'
import { runCron } from '../../src/maintenance/cron.ts'
import type { OutboundMessage } from '../../src/message/sender/message-sender.ts'
import { newTeam, type Team } from '../support/api.ts'
import { eventually } from '../support/eventually.ts'
import { loadShownEvents, switchFeed } from '../support/feed.ts'
import { Harness } from '../support/harness.ts'
import { leadProcedure, newLeadTeam } from '../support/jobs.ts'
import { newMessageSender } from '../support/message-senders.ts'
import { type Connected, connectPlugin, newConnectedTeam, newNumber } from '../support/provider.ts'
import { connectReceivers, newReceiver, type Receiver } from '../support/receiver.ts'
import { sleep } from '../support/sleep.ts'
import { deliverUntil, makeEvents, newQuietTeam, newWebhook } from '../support/webhooks.ts'

beforeEach(() => connectReceivers())

/** The teams that were signalled, in their order. */
function counted() {
  const teams: number[] = []
  const TEAM_EVENTS = {
    idFromName: (name: string) => name,
    get: (name: string) => ({
      committed: async () => void teams.push(Number(name)),
      endpointsChanged: async () => {},
    }),
  }
  return { teams, bindings: { TEAM_EVENTS } as unknown as Pick<Env, 'TEAM_EVENTS'> }
}

const PENDING = 0

/** A message whose sender is gone: it was claimed, and nothing was written after that. */
async function newPending(whatsapp: Connected): Promise<string> {
  const { data } = await whatsapp.send(newNumber())
  await env.DB.prepare("UPDATE message SET delivery = ?, steps = NULL, history = jsonb('[]') WHERE id = ?")
    .bind(PENDING, data.id)
    .run()
  return data.id
}

const loadLastChange = async (team: Team) => (await loadShownEvents(team, 'message.status_changed')).at(-1)?.data

describe('a waiting reader of the feed', () => {
  it('is woken when the service has disabled a webhook', async () => {
    const team = await newQuietTeam()
    await leadProcedure(team)
    const harness = new Harness()
    const { teams, bindings } = counted()
    Object.assign(harness.env, bindings)
    await newWebhook(
      team,
      newReceiver(() => new Response('', { status: 410 })),
    )
    await makeEvents(team, 1)
    await harness.runCron()
    await deliverUntil(harness)
    expect(await loadShownEvents(team, 'webhook.disabled')).toHaveLength(1)
    expect(teams).toEqual([team.no])
  })

  it('is woken when a message sender writes a result by itself, if the feed is on', async () => {
    const { team, whatsapp } = await newConnectedTeam()
    const { teams, bindings } = counted()
    const background: Promise<unknown>[] = []
    const provider = async () => {
      await sleep(20)
      return Response.json({ messages: [{ id: `wamid.${crypto.randomUUID()}` }] })
    }
    const WHATSAPP = { fetch: provider } as unknown as Fetcher
    const sender = await newMessageSender({ ...env, ...bindings, WHATSAPP }, work => void background.push(work))
    const settleOne = async () => {
      const id = await newPending(whatsapp)
      const { plugin } = (await env.DB.prepare('SELECT plugin FROM message WHERE rid = ?').bind(toRowNo(id)).first<{
        plugin: number
      }>()) ?? { plugin: 0 }
      const at = Date.now()
      const message: OutboundMessage = {
        call: { path: '/v23.0/1/messages', body: '{}', token: 'token' },
        team: team.no,
        settlement: { id, plugin, sender: whatsapp.phone.id, template: null, begunAt: at },
        startAt: at,
        lastStart: at + 10_000,
        answerMs: 0,
      }
      await sender.dispatch({ name: 'a', incarnation: sender.open(), messages: [message], isFromRunner: false })
      await Promise.all(background.splice(0))
    }
    await settleOne()
    expect(teams).toEqual([])
    await switchFeed(team)
    await settleOne()
    expect(await loadLastChange(team)).toMatchObject({ from: 'PENDING', to: 'SENT' })
    expect(teams).toEqual([team.no])
  })

  it('is woken once a team when messages lose their sender, if the feed is on', async () => {
    const [off, on] = [await newTeam(), await newTeam()]
    await switchFeed(on)
    for (const team of [off, on, on]) await newPending(await connectPlugin(team))
    const { teams, bindings } = counted()
    await runCron({ scheduledTime: Date.now() + 120_000 }, { ...env, ...bindings })
    expect(await loadLastChange(on)).toMatchObject({ from: 'PENDING', to: 'UNKNOWN' })
    expect(teams).toEqual([on.no])
    await runCron({ scheduledTime: Date.now() + 120_000 }, { ...env, ...bindings })
    expect(teams).toEqual([on.no])
  })

  it('is woken when a refused request has changed something all the same', async () => {
    const team = await newLeadTeam()
    await team.call('PUT', '/v1/ext/event-feed', { enabled: true })
    // A queue of its own: nobody else looks at the job.
    const harness = new Harness()
    const path = '/v1/ext/procedure/lead/process/bulk-create'
    const accepted = await harness.request(team, 'POST', path, [{ data: { lead_id: 'A' } }])
    const { id } = accepted.body._data
    await harness.settle(team)
    // Every entry has its outcome, and its runner has not said so yet.
    await env.DB.prepare("UPDATE background_job SET completed_at = 0, completion_status = 'IN_PROGRESS' WHERE id = ?")
      .bind(id)
      .run()
    const { teams, bindings } = counted()
    Object.assign(harness.env, bindings)
    const { status } = await harness.request(team, 'POST', `/v1/ext/background-job/${id}/cancel`)
    expect(status).toBe(409)
    expect(await loadShownEvents(team, 'background_job.completed')).toHaveLength(2)
    expect(teams).toEqual([team.no])
  })
})

describe('a signal', () => {
  it('wakes a webhook that is new, or enabled again, beside others that the team has', async () => {
    const team = await newLeadTeam()
    // Values that are cached for some seconds stay cached.
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
    onTestFinished(() => void vi.useRealTimers())
    const [first, second] = [newReceiver(), newReceiver()]
    await newWebhook(team, first)
    const arrived = (receiver: Receiver, count: number) =>
      eventually(() => expect(receiver.arrivals).toHaveLength(count))
    await makeEvents(team, 1)
    await arrived(first, 1)
    const id = await newWebhook(team, second)
    await makeEvents(team, 1)
    await arrived(second, 1)
    await team.call('PUT', `/v1/ext/webhook/${id}`, { enabled: false })
    await makeEvents(team, 1)
    await arrived(first, 3)
    await team.call('PUT', `/v1/ext/webhook/${id}`, { enabled: true })
    await arrived(second, 2)
    await makeEvents(team, 1)
    await arrived(second, 3)
  })
})
