import { expect } from 'vitest'
import { advanceTo } from './clock.ts'
import { Harness } from './harness.ts'
import { LEADS, leadProcedure } from './jobs.ts'
import { type Behave, connectReceivers, newReceiver } from './receiver.ts'
import { deliverUntil, makeEvents, newQuietTeam, newWebhook } from './webhooks.ts'

const RETRY_MS = 60_000

/** Measures what an endpoint's object does in the database for each of some events, from its alarm to their arrival. */
export async function deliveryCost(
  { events, byJob = false, order = 'any' }: { events: number; byJob?: boolean; order?: string },
  behave?: Behave,
) {
  connectReceivers()
  const team = await newQuietTeam()
  await leadProcedure(team)
  const receiver = newReceiver(behave)
  // Only the creations of a job count: its end is an event, too.
  const id = await newWebhook(team, receiver, { order, types: ['process.created'] })
  const harness = new Harness()
  const object = harness.env.WEBHOOK_ENDPOINT.get(harness.env.WEBHOOK_ENDPOINT.idFromName(`${team.no}/${id}`))
  if (byJob) {
    const processes = Array.from({ length: events }, (_, nth) => ({ data: { lead_id: `L${nth}` } }))
    expect((await harness.request(team, 'POST', `${LEADS}/bulk-create`, { processes })).status).toBe(202)
    await harness.settle(team)
  } else await makeEvents(team, events)
  const before = { ...harness.rows, trips: harness.calls.database }
  await object.wake({ team: team.no, id })
  await deliverUntil(harness, Date.now() + RETRY_MS)
  advanceTo(Date.now() + 1)
  expect(new Set(receiver.arrivals.map(({ sequence }) => sequence)).size).toBe(events)
  const cost = {
    trips: (harness.calls.database - before.trips) / events,
    read: (harness.rows.read - before.read) / events,
    written: (harness.rows.written - before.written) / events,
  }
  return { status: 200, errors: [] as string[], cost, attempts: receiver.arrivals.length }
}
