import { env } from 'cloudflare:workers'
import { afterAll, describe, expect, it } from 'vitest'
import worker from '../../src/index.ts'
import { newTeam, type Team } from '../support/api.ts'
import { switchFeed } from '../support/feed.ts'
import { Harness } from '../support/harness.ts'
import { JOBS } from '../support/jobs.ts'
import { type Connected, connectPlugin, newNumber, signBody } from '../support/provider.ts'

// The feed's cost for senders of many messages: rows written for each, with the feed off and on.

const MESSAGES = 400
/** The batch size of the queue `webhooks`. */
const BATCH_MESSAGES = 100
const MORE_ROWS_WRITTEN_MAX = 0.1

interface Sender {
  team: Team
  whatsapp: Connected
  isOn: boolean
}

async function newSender(isOn: boolean): Promise<Sender> {
  const team = await newTeam()
  if (isOn) await switchFeed(team)
  return { team, whatsapp: await connectPlugin(team, { settings: { limits: { throughputPerSecond: 1_000 } } }), isOn }
}

const getEvents = ({ team }: Sender) =>
  env.DB.prepare(
    'SELECT count(*) AS "rows", coalesce(sum(count), 0) AS events FROM event WHERE team = ? AND type LIKE \'message.%\'',
  )
    .bind(team.no)
    .first<{ rows: number; events: number }>()

async function countRowsWritten(act: (harness: Harness) => Promise<void>): Promise<number> {
  const harness = new Harness({ WHATSAPP_MESSAGES_PER_SECOND: '1000' })
  await act(harness)
  return harness.rows.written
}

const sendJob = ({ team, whatsapp }: Sender): Promise<number> =>
  countRowsWritten(async harness => {
    const message = { pluginId: whatsapp.id, whatsappPhoneNumberId: whatsapp.phone.id, templateName: 'hello_world' }
    const entries = Array.from({ length: MESSAGES }, () => ({
      apiType: 'TEMPLATE_MESSAGE',
      apiData: { ...message, phoneNumber: newNumber() },
    }))
    expect((await harness.request(team, 'POST', JOBS, { entries })).status).toBe(202)
    await harness.settle(team)
  })

/** A webhook for each message, as the provider sends them, and then all of them in the batches of the queue. */
const tell = ({ team, whatsapp }: Sender, status: string): Promise<number> =>
  countRowsWritten(async harness => {
    const { data } = await whatsapp.received()
    for (const { callbackData, messageId: id } of data) {
      const told = { id, status, timestamp: '1800000000', biz_opaque_callback_data: callbackData }
      const value = { metadata: { phone_number_id: whatsapp.phone.id }, statuses: [told] }
      const body = { object: 'whatsapp_business_account', entry: [{ changes: [{ field: 'messages', value }] }] }
      const headers = { 'x-hub-signature-256': await signBody(whatsapp.secrets.appSecret, JSON.stringify(body)) }
      expect((await harness.request(team, 'POST', whatsapp.webhookPath, body, headers)).status).toBe(200)
    }
    while (harness.messages.length > 0) {
      const messages = harness.messages.splice(0, BATCH_MESSAGES)
      const retry = () => expect.fail('a webhook was not written')
      const batch = { queue: 'provider-reports', messages: messages.map(each => ({ ...each, ack: () => {}, retry })) }
      await worker.queue(batch as unknown as MessageBatch, harness.env)
    }
  })

const measured: Record<string, { off: number; on: number; eventRows: number | undefined }> = {}

describe('events of messages', () => {
  it('cost few rows written for each message of a job, and for each provider report of a batch', async () => {
    const [off, on] = [await newSender(false), await newSender(true)]
    for (const [what, act] of [
      ['a message of a job', sendJob],
      ['delivered', (sender: Sender) => tell(sender, 'delivered')],
      ['read', (sender: Sender) => tell(sender, 'read')],
    ] as const) {
      const rowsBefore = (await getEvents(on))?.rows ?? 0
      const [without, withFeed] = [(await act(off)) / MESSAGES, (await act(on)) / MESSAGES]
      const eventRows = ((await getEvents(on))?.rows ?? 0) - rowsBefore
      expect(without, what).toBeLessThanOrEqual(what === 'a message of a job' ? 6.2 : 1.05)
      measured[what] = { off: without, on: withFeed, eventRows }
      expect(withFeed - without, what).toBeLessThanOrEqual(MORE_ROWS_WRITTEN_MAX)
    }
    expect(await getEvents(off)).toEqual({ rows: 0, events: 0 })
    expect((await getEvents(on))?.events).toBe(3 * MESSAGES)
  })
})

describe('a single message', () => {
  it('costs a row more for its change of status, where the feed is on', async () => {
    const written = async ({ team, whatsapp }: Sender) => {
      const path = `${whatsapp.base}/phoneNumber/${newNumber()}/send-template-message`
      const body = { whatsappPhoneNumberId: whatsapp.phone.id, templateName: 'hello_world' }
      return countRowsWritten(async harness => {
        expect((await harness.request(team, 'POST', path, body)).status).toBe(200)
      })
    }
    expect((await written(await newSender(true))) - (await written(await newSender(false)))).toBe(1)
  })
})

afterAll(() => {
  if (env.COSTS) console.log(JSON.stringify(measured, null, 1))
})
