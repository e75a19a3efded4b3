import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { ERASE_AFTER_MS } from '../../src/team/erase.ts'
import { WALKED_TABLES } from '../../src/team/tables.ts'
import { DAY_MS } from '../../src/time-units.ts'
import { newTeam, request, type Team } from '../support/api.ts'
import { Harness } from '../support/harness.ts'
import { bulk, leadProcedure, newLeadTeam } from '../support/jobs.ts'
import { erase, operateJson } from '../support/operator.ts'
import { newConnectedTeam, newNumber, signBody } from '../support/provider.ts'
import { connectReceivers, newReceiver } from '../support/receiver.ts'
import { makeEvents, newQuietTeam, newWebhook } from '../support/webhooks.ts'

// Rows come while a team is erased, or after it: nobody has a key for it any more.

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
  connectReceivers()
})
afterEach(() => void vi.useRealTimers())

async function loadLeft({ no }: Team): Promise<string[]> {
  const left: string[] = []
  for (const { name } of WALKED_TABLES) {
    const column = name === 'team' ? 'no' : 'team'
    const row = await env.DB.prepare(`SELECT 1 AS found FROM ${name} WHERE ${column} = ? LIMIT 1`).bind(no).first()
    if (row) left.push(name)
  }
  return left
}

/** Erases a team; `act` runs once, when the walk is about to remove the rows of a table. */
async function eraseWith(team: Team, table: string, act: () => Promise<unknown>): Promise<void> {
  let hasActed = false
  const harness = new Harness(
    {},
    {
      before: async ({ sql }) => {
        if (hasActed || !sql.includes(`DELETE FROM "${table}"`)) return
        hasActed = true
        await act()
      },
    },
  )
  await operateJson('POST', `/team/${team.id}/erase`)
  vi.setSystemTime(Date.now() + ERASE_AFTER_MS)
  await erase(team.id, { DB: harness.env.DB })
  expect([table, hasActed]).toEqual([table, true])
}

it('a delivery that is stored between two tables of the erasure is gone, too', async () => {
  const team = await newQuietTeam()
  await leadProcedure(team)
  const receiver = newReceiver(() => new Response('thank you, Asha'))
  await newWebhook(team, receiver)
  await makeEvents(team, 3)
  const harness = new Harness()
  await harness.runCron()
  await eraseWith(team, 'webhook_progress', async () => {
    await harness.endpoints.ringDue()
    await harness.runCron()
    await harness.endpoints.ringDue()
  })
  expect(await loadLeft(team)).toEqual([])
})

it.each([
  ['before the walk comes to the plugins', 'plugin'],
  ['when all is gone', null],
])('a message of a customer that the queue brings %s is in no table', async (_when, table) => {
  const { team, whatsapp } = await newConnectedTeam()
  await team.call('PUT', '/v1/ext/event-feed', { enabled: true })
  const phone = newNumber()
  const message = { id: `wamid.${phone}`, from: phone, timestamp: '1795000000', type: 'text', text: { body: 'Hello' } }
  const contacts = [{ profile: { name: 'Asha' }, wa_id: phone }]
  const value = {
    messaging_product: 'whatsapp',
    metadata: { phone_number_id: whatsapp.phone.id },
    contacts,
    messages: [message],
  }
  const change = {
    field: 'message_template_status_update',
    value: { event: 'PAUSED', message_template_name: 'hello_world', message_template_language: 'en_US', reason: 'x' },
  }
  const body = JSON.stringify({
    object: 'whatsapp_business_account',
    entry: [{ id: whatsapp.account, time: 1795000000, changes: [{ field: 'messages', value }, change] }],
  })
  const harness = new Harness()
  const headers = { 'x-hub-signature-256': await signBody(whatsapp.secrets.appSecret, body) }
  await request('POST', whatsapp.webhookPath, { body, headers }, harness.env)
  expect(harness.messages).toHaveLength(1)
  vi.setSystemTime(Date.now() + 1)
  if (table === null) {
    await operateJson('POST', `/team/${team.id}/erase`)
    vi.setSystemTime(Date.now() + ERASE_AFTER_MS)
    await erase(team.id)
    await harness.deliver()
  } else await eraseWith(team, table, () => harness.deliver())
  expect(await loadLeft(team)).toEqual([])
  // The message is done, and not tried for hours.
  expect(harness.messages).toEqual([])
})

it('the number of an erased team is not given to another one: a queue may still name it', async () => {
  const team = await newTeam()
  await operateJson('POST', `/team/${team.id}/erase`)
  vi.setSystemTime(Date.now() + ERASE_AFTER_MS)
  await erase(team.id)
  expect((await newTeam()).no).toBeGreaterThan(team.no)
})

it('rows that come back during the erasure are found by another pass', async () => {
  const team = await newLeadTeam()
  await bulk(team, 'POST', [{ data: { lead_id: '1' } }])
  // A slow upload, accepted by an isolate that has trusted the key for long.
  await eraseWith(team, 'process', () =>
    env.DB.prepare(
      "INSERT INTO job_chunk (team, job, first, count, invalid, entries) VALUES (?1, ?1 * 7, 0, 1, 0, 'Asha')",
    )
      .bind(team.no)
      .run(),
  )
  expect(await loadLeft(team)).toEqual([])
})

it('an archive or an uploaded file that was written when its team was gone is removed by the next scan of the bucket', async () => {
  const team = await newLeadTeam()
  const kept = await bulk(team, 'POST', [{ data: { lead_id: '1' } }])
  const gone = `jobs/${crypto.randomUUID()}/${crypto.randomUUID()}.ndjson`
  const own = `jobs/${team.id}/${kept.data.id}.ndjson`
  const other = 'jobs/a-file-of-the-operator.txt'
  const toFile = (id: string) => `${id}/2026-07-01/${crypto.randomUUID()}.png`
  const [goneFile, ownFile] = [toFile(crypto.randomUUID()), toFile(team.id)]
  for (const key of [gone, own, other]) await env.ARCHIVE.put(key, 'Asha')
  for (const key of [goneFile, ownFile, other]) await env.MEDIA.put(key, 'Asha')
  const keys = async () => {
    const listed = await Promise.all([env.ARCHIVE.list(), env.MEDIA.list()])
    return listed.flatMap(({ objects }) => objects.map(({ key }) => key))
  }
  const harness = new Harness()
  await harness.runCron()
  // The upload may still be under way.
  expect(await keys()).toEqual(expect.arrayContaining([gone, own, other, goneFile, ownFile]))
  vi.setSystemTime(Date.now() + 25 * 60 * 60_000)
  await harness.runCron()
  const left = await keys()
  expect(left).toEqual(expect.arrayContaining([own, other, ownFile]))
  expect(left).not.toContain(gone)
  expect(left).not.toContain(goneFile)
})

it('an uploaded file of a team that a restore has lost stays, as the restore may be taken back', async () => {
  const file = `${crypto.randomUUID()}/2026-07-01/${crypto.randomUUID()}.png`
  await env.MEDIA.put(file, 'Asha')
  await env.DB.prepare(
    "REPLACE INTO maintenance_position (task, team, position, rest_until) VALUES ('restore', 0, ?, 0)",
  )
    .bind(String(Date.now()))
    .run()
  // The walks of the other tests rest until then.
  vi.setSystemTime(Date.now() + 4 * DAY_MS)
  await new Harness().runCron()
  const isThere = (await env.MEDIA.head(file)) !== null
  await env.DB.prepare("DELETE FROM maintenance_position WHERE task = 'restore'").run()
  expect(isThere).toBe(true)
  vi.setSystemTime(Date.now() + 2 * DAY_MS)
  await new Harness().runCron()
  expect(await env.MEDIA.head(file)).toBeNull()
})
