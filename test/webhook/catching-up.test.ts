import { env } from 'cloudflare:workers'
import { beforeEach, expect, it } from 'vitest'
import type { Team } from '../support/api.ts'
import { Harness } from '../support/harness.ts'
import { LEADS, leadProcedure } from '../support/jobs.ts'
import { connectReceivers, newReceiver } from '../support/receiver.ts'
import {
  deliverUntil,
  loadLastSequence,
  loadWebhook,
  makeEvents,
  newQuietTeam,
  newWebhook,
} from '../support/webhooks.ts'

beforeEach(() => connectReceivers())

/** `RUNS=100000` measures what the papers say. */
const EVENTS = Number(env.RUNS || 1_600)
const PER_REQUEST = 20_000

/** Leads that a job has created: their events are a row for each step. */
async function createLeads(team: Team, count: number): Promise<void> {
  const harness = new Harness()
  for (let first = 0; first < count; first += PER_REQUEST) {
    const processes = Array.from({ length: Math.min(PER_REQUEST, count - first) }, (_, nth) => ({
      data: { lead_id: `L${first + nth}`, city: 'Pune', score: nth % 100 },
    }))
    const job = await harness.request(team, 'POST', `${LEADS}/bulk-create`, { processes })
    expect(job.status).toBe(202)
    await harness.settle(team)
  }
}

it.each(['any', 'strict'])(
  'catching up in order %s reads few rows for each event',
  { timeout: 900_000 },
  async order => {
    const team = await newQuietTeam()
    await leadProcedure(team)
    const receiver = newReceiver()
    const id = await newWebhook(team, receiver, { order, types: ['process.created'] })
    receiver.secret = null
    await createLeads(team, EVENTS)
    const latest = await loadLastSequence(team)
    // And the end of each job, which it is not told of.
    expect(latest).toBe(EVENTS + Math.ceil(EVENTS / PER_REQUEST))
    const harness = new Harness()
    const startedAt = performance.now()
    await harness.runCron()
    await deliverUntil(harness)
    const seconds = (performance.now() - startedAt) / 1000
    const arrived = receiver.arrivals.map(({ sequence }) => sequence)
    expect(new Set(arrived).size).toBe(EVENTS)
    expect(arrived).toHaveLength(EVENTS)
    expect(await loadWebhook(id)).toMatchObject({ position: latest, waiting: '[]' })
    expect(harness.statementsMax).toBeLessThan(900)
    const { read, written } = harness.rows
    if (env.RUNS)
      console.log({ order, perSecond: Math.round(EVENTS / seconds), read: read / EVENTS, written: written / EVENTS })
    // The cron's own rows are among these.
    expect(written / EVENTS).toBeLessThan(0.1)
    expect(read / EVENTS).toBeLessThan(5)
  },
)

it('an event by itself costs a trip to choose it, one to show it, and two rows written', async () => {
  const team = await newQuietTeam()
  await leadProcedure(team)
  const receiver = newReceiver()
  const id = await newWebhook(team, receiver)
  const harness = new Harness()
  const object = harness.env.WEBHOOK_ENDPOINT.get(harness.env.WEBHOOK_ENDPOINT.idFromName(`${team.no}/${id}`))
  const costs: object[] = []
  for (let nth = 0; nth < 3; nth++) {
    await makeEvents(team, 1)
    const before = { ...harness.rows, trips: harness.calls.database }
    await object.wake({ team: team.no, id })
    await deliverUntil(harness)
    const { read, written } = harness.rows
    costs.push({
      read: read - before.read,
      written: written - before.written,
      trips: harness.calls.database - before.trips,
    })
  }
  expect(receiver.arrivals).toHaveLength(3)
  if (env.RUNS) console.log(costs)
  const cost = costs.at(-1) as Record<'read' | 'written' | 'trips', number>
  expect(cost.written).toBe(2)
  expect(cost.trips).toBeLessThanOrEqual(6)
  expect(cost.read).toBeLessThanOrEqual(30)
})
