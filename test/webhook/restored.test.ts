import { env } from 'cloudflare:workers'
import { beforeEach, expect, it } from 'vitest'
import type { Team } from '../support/api.ts'
import { Harness } from '../support/harness.ts'
import { LEADS, leadProcedure } from '../support/jobs.ts'
import { connectReceivers, newReceiver } from '../support/receiver.ts'
import { deliverUntil, loadWebhook, makeEvents, newQuietTeam, newWebhook } from '../support/webhooks.ts'

beforeEach(() => connectReceivers())

/** Removes later events as Time Travel does, so that their numbers are given again. */
const forgetEventsAfter = (team: Team, sequence: number) =>
  env.DB.prepare('DELETE FROM event WHERE team = ? AND sequence > ?').bind(team.no, sequence).run()

async function setUp() {
  const team = await newQuietTeam()
  await leadProcedure(team)
  const receiver = newReceiver()
  const id = await newWebhook(team, receiver, { types: ['process.deleted'] })
  const harness = new Harness()
  const wake = async () => {
    const objects = harness.env.WEBHOOK_ENDPOINT
    await objects.get(objects.idFromName(`${team.no}/${id}`)).wake({ team: team.no, id })
    await deliverUntil(harness)
  }
  await makeEvents(team, 4)
  await wake()
  // The object that lives on knows this better than the database.
  expect(await loadWebhook(id)).toMatchObject({ position: 0, revision: 0 })
  return { team, receiver, wake }
}

async function makeAndDelete(team: Team): Promise<void> {
  const { data } = await team.call('POST', LEADS, { data: { lead_id: crypto.randomUUID() } })
  expect((await team.call('DELETE', `${LEADS}/${data.id}`)).errors).toEqual([])
}

it.each([
  ['fewer', 1, 0],
  ['as many', 1, 1],
  ['more', 1, 3],
])(
  'a living object sends events whose numbers were used before a restore, where there are %s by then',
  async (_, kept, more) => {
    const { team, receiver, wake } = await setUp()
    await forgetEventsAfter(team, kept)
    await makeAndDelete(team)
    await makeEvents(team, more)
    await wake()
    expect(receiver.arrivals.map(({ sequence }) => sequence)).toEqual([kept + 2])
  },
)

it('events before the position of a webhook are not read again', async () => {
  const { team, receiver, wake } = await setUp()
  await makeAndDelete(team)
  const rows = () => env.DB.prepare('SELECT * FROM event WHERE team = ?').bind(team.no).all()
  // Were it read, it would be sent.
  await env.DB.prepare(`UPDATE event SET type = 'process.deleted' WHERE team = ? AND sequence = 2`).bind(team.no).run()
  expect((await rows()).results).toHaveLength(6)
  await wake()
  expect(receiver.arrivals.map(({ sequence }) => sequence)).toEqual([6])
})
