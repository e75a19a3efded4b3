import { env } from 'cloudflare:workers'
import { beforeEach, expect, it, vi } from 'vitest'
import { createCost } from '../../src/db/cost.ts'
import { openDatabase } from '../../src/db/databases.ts'
import { CHECKS } from '../../src/health/checks.ts'
import { reportMetrics } from '../../src/maintenance/metrics.ts'
import { MINUTE_MS } from '../../src/time-units.ts'
import { Harness } from '../support/harness.ts'
import { leadProcedure } from '../support/jobs.ts'
import { connectReceivers, newReceiver } from '../support/receiver.ts'
import { deliverUntil, makeEvents, newQuietTeam, newWebhook } from '../support/webhooks.ts'

beforeEach(() => connectReceivers())

async function scene(fails: (sequence: number) => boolean = () => false) {
  const team = await newQuietTeam()
  await leadProcedure(team)
  const harness = new Harness()
  const receiver = newReceiver(({ sequence }) => new Response('', { status: fails(sequence) ? 500 : 200 }))
  const id = await newWebhook(team, receiver)
  const shown = async () => (await team.call('GET', `/v1/ext/webhook/${id}`)).data
  return { team, harness, receiver, id, shown }
}

it('a webhook shows how many events have not been delivered, and since when the oldest of them waits', async () => {
  const { team, harness, shown } = await scene(sequence => sequence === 2)
  expect(await shown()).toMatchObject({ behind: 0, oldestWaitingSince: null })
  await makeEvents(team, 3)
  const { data: events } = await team.call('GET', '/v1/ext/event?after=0')
  const first = Date.parse(events[0].timestamp)
  expect(await shown()).toMatchObject({ behind: 3, oldestWaitingSince: first })
  const { data: listed } = await team.call('GET', '/v1/ext/webhook')
  expect(listed).toEqual([await shown()])
  await harness.runCron()
  await deliverUntil(harness, Date.now() + 1_000)
  const failing = await shown()
  expect(failing).toMatchObject({ behind: 1 })
  expect(failing.oldestWaitingSince).toBeGreaterThanOrEqual(first)
  await makeEvents(team, 2)
  expect(await shown()).toMatchObject({ behind: 3, oldestWaitingSince: failing.oldestWaitingSince })
})

it('metrics and the health check show webhooks that are behind, and fail where nothing tries to deliver', async () => {
  const { team, harness, id } = await scene()
  const checked = (now: number) => CHECKS.webhooks?.({ env, db: () => openDatabase(env), now })
  const before = await checked(Date.now())
  await makeEvents(team, 2)
  const found = await checked(Date.now())
  expect(Number(found?.figures?.behind) - Number(before?.figures?.behind)).toBe(2)
  const info = vi.spyOn(console, 'info').mockImplementation(() => undefined)
  await reportMetrics(env, { now: Date.now(), cost: createCost(), unfinished: [], failed: [] })
  const { metrics } = JSON.parse(String(info.mock.calls.at(-1)?.[0]))
  info.mockRestore()
  expect(metrics.webhooks.behind).toBe(found?.figures?.behind)
  expect(metrics.webhooks.oldestWaitingMs).toBeGreaterThanOrEqual(0)
  const stalled = await checked(Date.now() + 20 * MINUTE_MS)
  expect(stalled).toMatchObject({ status: 'failing', reason: expect.stringContaining('webhook') })
  // Nothing is sent while the receiver wants a pause.
  await env.DB.prepare('UPDATE webhook_progress SET held_until = ?')
    .bind(Date.now() + 15 * MINUTE_MS)
    .run()
  expect((await checked(Date.now() + 20 * MINUTE_MS))?.status).toBe('ok')
  expect((await checked(Date.now() + 26 * MINUTE_MS))?.status).toBe('failing')
  await env.DB.prepare('UPDATE webhook_progress SET held_until = NULL').run()
  await harness.runCron()
  await deliverUntil(harness)
  expect((await team.call('GET', `/v1/ext/webhook/${id}`)).data).toMatchObject({ behind: 0, oldestWaitingSince: null })
})
