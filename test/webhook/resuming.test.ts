import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { SECOND_MS } from '../../src/time-units.ts'
import { Harness } from '../support/harness.ts'
import { leadProcedure } from '../support/jobs.ts'
import { connectReceivers, newReceiver, ok } from '../support/receiver.ts'
import { deliverUntil, loadWebhook, makeEvents, newQuietTeam, newWebhook } from '../support/webhooks.ts'

beforeEach(() => connectReceivers())

const EVENTS = 3

/** A webhook whose receiver is out of order, and asked not to be called for an hour. */
async function setUp(order: string) {
  const team = await newQuietTeam()
  await leadProcedure(team)
  const receiver = newReceiver(() => new Response('later', { status: 503, headers: { 'retry-after': '3600' } }))
  const id = await newWebhook(team, receiver, { order })
  receiver.secret = null
  await makeEvents(team, EVENTS)
  const harness = new Harness()
  /** Returns what is sent within a second. */
  const sentNow = async () => {
    const before = receiver.arrivals.length
    const objects = harness.env.WEBHOOK_ENDPOINT
    await objects.get(objects.idFromName(`${team.no}/${id}`)).wake({ team: team.no, id })
    await deliverUntil(harness, Date.now() + SECOND_MS)
    return receiver.arrivals.slice(before).map(({ sequence }) => sequence)
  }
  const progress = async () => {
    const row = await env.DB.prepare('SELECT p.* FROM webhook_progress p JOIN webhook ON webhook = no WHERE id = ?')
      .bind(id)
      .first<{ waiting: string; held_until: number | null; due_at: number | null; revision: number }>()
    return { ...row, waiting: JSON.parse(row?.waiting ?? '[]') as [number, number, number, number][] }
  }
  return { team, receiver, harness, id, path: `/v1/ext/webhook/${id}`, sentNow, progress }
}

describe.each(['any', 'strict'])('resuming a webhook, order %s', order => {
  it.each([
    ['by enabling it again', [{ enabled: false }, { enabled: true }]],
    ['by another address', [{ url: '' }]],
  ])('%s sends waiting events at once, and their attempts count on', async (_, changes) => {
    const { team, receiver, id, path, sentNow, progress } = await setUp(order)
    const failed = await sentNow()
    expect(failed.length).toBeGreaterThan(0)
    const before = await progress()
    expect(before.held_until).toBeGreaterThan(Date.now())
    const { failing_since: failingSince } = await loadWebhook(id)
    expect(failingSince).toEqual(expect.any(Number))
    expect((await team.call('GET', path)).data.failingSince).toBe(failingSince)
    expect((await team.call('GET', '/v1/ext/webhook')).data).toMatchObject([{ id, failingSince }])
    receiver.behave = ok
    expect(await sentNow()).toEqual([])

    for (const change of changes) {
      const body = 'url' in change ? { url: `${receiver.url}/new` } : change
      expect((await team.call('PUT', path, body)).errors).toEqual([])
    }
    expect((await team.call('GET', path)).data.failingSince).toBeNull()
    const resumed = await progress()
    expect(resumed).toMatchObject({ held_until: null, failing_since: null, revision: (before.revision ?? 0) + 1 })
    expect(resumed.due_at).toBeLessThanOrEqual(Date.now())
    const withoutNext = (waiting: number[][]) => waiting.map(each => each.slice(0, 3))
    expect(withoutNext(resumed.waiting)).toEqual(withoutNext(before.waiting))
    for (const [, , , nextAt] of resumed.waiting) expect(nextAt).toBeLessThanOrEqual(Date.now())
    const sent = (await sentNow()).toSorted()
    expect(sent).toEqual(Array.from({ length: EVENTS }, (_, nth) => nth + 1))
    expect(await progress()).toMatchObject({ waiting: [], position: EVENTS })
  })

  it('is not caused by another change of the webhook, which leaves waiting events as they are', async () => {
    const { team, path, sentNow, progress } = await setUp(order)
    await sentNow()
    const before = await progress()
    expect((await team.call('PUT', path, { description: 'mine', enabled: true })).errors).toEqual([])
    expect(await progress()).toEqual(before)
  })
})
