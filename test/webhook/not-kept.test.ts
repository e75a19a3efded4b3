import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { readLogRetention } from '../../src/event/settings.ts'
import { DAY_MS } from '../../src/time-units.ts'
import type { Team } from '../support/api.ts'
import { Harness } from '../support/harness.ts'
import { leadProcedure } from '../support/jobs.ts'
import { type Behave, connectReceivers, newReceiver, ok } from '../support/receiver.ts'
import { deliverUntil, loadWebhook, makeEvents, newQuietTeam, newWebhook } from '../support/webhooks.ts'

beforeEach(() => connectReceivers())

async function scene(order: string, behave: Behave = ok) {
  const team = await newQuietTeam()
  await leadProcedure(team)
  const harness = new Harness()
  const receiver = newReceiver(behave)
  const id = await newWebhook(team, receiver, { order })
  receiver.secret = null
  const sent = () => receiver.arrivals.map(({ sequence }) => sequence)
  const failed = async () => (await team.call('GET', `/v1/ext/webhook/${id}/delivery?failed=true`)).data
  return { team, harness, receiver, id, sent, failed }
}

/** The maintenance task that removes old rows does the same. */
const cutLog = (team: Team, upTo: number) =>
  env.DB.prepare('DELETE FROM event WHERE team = ? AND sequence <= ?').bind(team.no, upTo).run()

describe.each(['any', 'strict'])('a webhook behind the retention, order %s', order => {
  it('says which events were never sent, because they are not kept any more, and continues behind them', async () => {
    const { team, harness, id, sent, failed } = await scene(order)
    await makeEvents(team, 4)
    await cutLog(team, 3)
    await harness.runCron()
    await deliverUntil(harness)
    expect(sent()).toEqual([4])
    expect(await failed()).toMatchObject([
      { sequence: 3, status: null, error: expect.stringMatching(/events 1 to 3 .*not kept any more/) },
    ])
    expect(await loadWebhook(id)).toMatchObject({ position: 4, waiting: '[]' })
  })

  it('says the same of an event that waits to be sent again, and sends the next ones in the same pass', async () => {
    const { team, harness, receiver, sent, failed } = await scene(order, () => new Response('no', { status: 500 }))
    await makeEvents(team, 1)
    await harness.runCron()
    await deliverUntil(harness, Date.now() + 500)
    expect(sent()).toEqual([1])
    await makeEvents(team, 2)
    await cutLog(team, 2)
    receiver.behave = ok
    // No cron runs: the alarm of what waits is enough.
    await deliverUntil(harness)
    expect(sent()).toEqual([1, 3])
    const errors = (await failed()).map(({ error }: { error: string }) => error).filter(Boolean)
    expect(errors.join()).toMatch(/event 1 .*not kept/)
    expect(errors.join()).toMatch(/event 2 .*not kept/)
  })
})

describe.each(['any', 'strict'])('an old replay, order %s', order => {
  it.each([
    ['a range', [/events 1 to 2 .*not kept any more/]],
    ['named events', [/event 1 .*not kept any more/, /event 2 .*not kept any more/]],
  ])('sends nothing that a new one would be refused: %s', async (named, errors) => {
    const { team, harness, id, sent, failed } = await scene(order)
    await makeEvents(team, 3)
    await harness.runCron()
    await deliverUntil(harness)
    const ids = (await team.call('GET', '/v1/ext/event')).data.map((each: { id: string }) => each.id)
    const wanted = named === 'a range' ? { from: 1, to: 3 } : { events: ids }
    const replay = () => team.call('POST', `/v1/ext/webhook/${id}/replay`, wanted)
    expect((await replay()).status).toBe(202)
    const old = Date.now() - Number(env.EVENT_RETENTION_DAYS) * DAY_MS - DAY_MS
    await env.DB.prepare('UPDATE event SET at = ? WHERE team = ? AND sequence <= 2').bind(old, team.no).run()
    expect((await replay()).status).toBe(410)
    const before = sent().length
    await harness.runCron()
    await deliverUntil(harness)
    expect(sent().slice(before)).toEqual([3])
    const told = (await failed()).map(({ error }: { error: string }) => error).toSorted()
    expect(told).toEqual(errors.map(error => expect.stringMatching(error)))
    expect(await loadWebhook(id)).toMatchObject({ position: 3, waiting: '[]' })
  })
})

it('the log is kept for as long as a webhook is tried', () => {
  const of = (days: string) => () =>
    readLogRetention({ HISTORY_RETENTION_DAYS: days, EVENT_RETENTION_DAYS: '1', HISTORY_RECENT_DAYS: '1' })
  expect(of('5')()).toMatchObject({ historyMs: 5 * DAY_MS, recentMs: 6 * DAY_MS, removedMs: 5 * DAY_MS })
  expect(of('10')()).toMatchObject({ removedMs: 41 * DAY_MS })
  expect(of('4')).toThrow(
    'HISTORY_RETENTION_DAYS must be a whole number from 5 to 3650: a webhook is tried for five days',
  )
})
