import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { app } from '../../src/app.ts'
import { ORIGIN } from '../support/api.ts'
import { resetClock } from '../support/clock.ts'
import { Harness, type Kind, type Trigger } from '../support/harness.ts'
import { type Connected, newConnectedTeam, newNumber, signBody } from '../support/provider.ts'
import { withSessions } from '../support/sessions.ts'

const OUTAGE_MS = 5 * 24 * 60 * 60_000

type Whatsapp = Connected

async function post(whatsapp: Whatsapp, json: unknown, harness = new Harness()) {
  const body = JSON.stringify(json)
  const headers = { 'x-hub-signature-256': await signBody(whatsapp.secrets.appSecret, body) }
  const context = createExecutionContext()
  const request = new Request(`${ORIGIN}${whatsapp.webhookPath}`, { method: 'POST', body, headers })
  const { status } = await app.fetch(request, harness.env, context)
  await waitOnExecutionContext(context)
  // The queue has its message, and those of the halves that came back.
  while (harness.messages.length > 0) await harness.deliver()
  return { status, harness }
}

const envelope = (...changes: unknown[]) => ({ object: 'whatsapp_business_account', entry: [{ id: '1', changes }] })
const messages = (...statuses: unknown[]) => ({ field: 'messages', value: { statuses } })

function status(id: string, is: string, timestamp = Math.floor(Date.now() / 1000)) {
  return { id: `wamid.${id}`, status: is, timestamp: String(timestamp), biz_opaque_callback_data: id }
}

function errorsLogged(): string[] {
  const lines: string[] = []
  const spy = vi.spyOn(console, 'error').mockImplementation(line => void lines.push(String(line)))
  onTestFinished(() => spy.mockRestore())
  return lines
}

describe('a provider report', () => {
  it('is stored by a handful of statements if it has more than a thousand statuses', async () => {
    const { team, whatsapp } = await newConnectedTeam()
    const sent = await Promise.all(Array.from({ length: 8 }, () => whatsapp.send(newNumber())))
    const ours = sent.flatMap(({ data }) => ['sent', 'delivered', 'read'].map(is => status(data.id, is)))
    const foreign = Array.from({ length: 1_201 - ours.length }, () => status(crypto.randomUUID(), 'read'))
    const harness = new Harness()
    const { DB } = harness.env
    let statements = 0
    const batch = (list: D1PreparedStatement[]) => {
      statements += list.length
      return DB.batch(list)
    }
    Object.assign(harness.env, { DB: withSessions({ prepare: (sql: string) => DB.prepare(sql), batch }) })
    const { status: code } = await post(whatsapp, envelope(messages(...foreign, ...ours)), harness)
    expect([code, harness.calls.database]).toEqual([200, 2])
    expect(statements).toBeLessThan(12)
    for (const { data } of sent) {
      const message = (await team.call('GET', `/v1/ext/message/${data.id}`)).data
      expect(message.deliveryStatus).toBe('READ')
      expect(message.history.map((each: { status: string }) => each.status)).toEqual([
        'PENDING',
        'SENT',
        'SENT',
        'DELIVERED',
        'READ',
      ])
    }
  })

  it('is stored when the database works again, days later', async () => {
    const { team, whatsapp } = await newConnectedTeam()
    onTestFinished(resetClock)
    const { data } = await whatsapp.send(newNumber())
    const lines = errorsLogged()
    const until = Date.now() + OUTAGE_MS
    const isOut = (kind: Kind, trigger: Trigger | undefined) =>
      kind === 'database' && trigger === 'message' && Date.now() < until
    const harness = new Harness(
      {},
      { fault: (kind, _, __, { trigger }) => (isOut(kind, trigger) ? 'fails before' : undefined) },
    )
    const report = envelope(messages(status(data.id, 'read')))
    expect((await post(whatsapp, report, harness)).status).toBe(200)
    expect(lines.length).toBeGreaterThan(100)
    resetClock()
    expect((await team.call('GET', `/v1/ext/message/${data.id}`)).data.deliveryStatus).toBe('READ')
  })

  it('loses only the part that has another shape, and the part is logged', async () => {
    const { team, whatsapp } = await newConnectedTeam()
    const [one, other] = [await whatsapp.send(newNumber()), await whatsapp.send(newNumber())]
    const lines = errorsLogged()
    const body = envelope(
      messages(status(one.data.id, 'read')),
      { field: 'messages', value: 'of another shape' },
      { nothing: 'known' },
      messages({ of: 'another shape' }, status(other.data.id, 'delivered')),
    )
    expect((await post(whatsapp, body)).status).toBe(200)
    const loadDelivery = async (id: string) => (await team.call('GET', `/v1/ext/message/${id}`)).data.deliveryStatus
    expect([await loadDelivery(one.data.id), await loadDelivery(other.data.id)]).toEqual(['READ', 'DELIVERED'])
    const line = JSON.parse(lines.find(each => each.includes('"report"')) ?? '{}')
    expect(line).toMatchObject({ plugin: whatsapp.id, envelopes: 0, changes: 2, statuses: 1 })
  })

  it('loses no other entry and no message beside what has another shape', async () => {
    const { team, whatsapp } = await newConnectedTeam()
    const [{ data }, from] = [await whatsapp.send(newNumber()), newNumber()]
    const lines = errorsLogged()
    const hidden = { id: 'wamid.hidden', from: '', from_user_id: 'US.1', timestamp: '1795276207', type: 'text' }
    const written = [
      { id: 'wamid.in', from, timestamp: '1795276207', type: 'text', text: { body: 'Hello' } },
      { ...hidden, text: { body: 'It is me' } },
    ]
    const metadata = { phone_number_id: whatsapp.phone.id }
    const body = {
      object: 'whatsapp_business_account',
      entry: [
        { id: '1' },
        ...envelope({ field: 'messages', value: { metadata, statuses: null, messages: written } }).entry,
        ...envelope({ field: 'messages', value: { metadata, statuses: [status(data.id, 'read')], messages: 1 } }).entry,
      ],
    }
    expect((await post(whatsapp, body)).status).toBe(200)
    expect((await team.call('GET', `/v1/ext/message/${data.id}`)).data.deliveryStatus).toBe('READ')
    const { data: inbound } = await team.call('GET', '/v1/ext/message?direction=INBOUND')
    expect(inbound.map((each: { text: string }) => each.text).sort()).toEqual(['Hello', 'It is me'])
    const line = JSON.parse(lines.find(each => each.includes('"report"')) ?? '{}')
    expect(line).toMatchObject({ envelopes: 1, messages: 0 })
  })

  it('is answered with 200 and logged as an error if it has another shape altogether', async () => {
    const { whatsapp } = await newConnectedTeam()
    const lines = errorsLogged()
    expect((await post(whatsapp, { object: 'whatsapp_business_account', entries: [] })).status).toBe(200)
    expect(lines.filter(each => each.includes('"envelopes":1'))).toHaveLength(1)
  })

  it('is ignored if its kind or event has no meaning here, and logged only if the event is not known', async () => {
    const { whatsapp } = await newConnectedTeam()
    const lines = errorsLogged()
    await post(whatsapp, envelope({ field: 'account_update', value: { event: 'x' } }))
    const template = { message_template_name: 'hello_world', message_template_language: 'en_US' }
    const about = (event: string) => ({ field: 'message_template_status_update', value: { event, ...template } })
    await post(whatsapp, envelope(about('FLAGGED')))
    expect(lines).toEqual([])
    await post(whatsapp, envelope(about('SOMETHING_NEW')))
    expect(lines.filter(each => each.includes('"templates":1'))).toHaveLength(1)
  })

  it('may have many statuses of one message, with the same result as one after the other', async () => {
    const { team, whatsapp } = await newConnectedTeam()
    const orders = [
      ['failed', 'delivered'],
      ['delivered', 'failed'],
      ['read', 'sent', 'delivered'],
      ['failed', 'failed', 'sent'],
    ]
    for (const order of orders) {
      const [together, apart] = [await whatsapp.send(newNumber()), await whatsapp.send(newNumber())]
      const told = (id: string) =>
        order.map((is, index) => ({
          ...status(id, is, 1_900_000_000 + index),
          ...(is === 'failed' ? { errors: [{ code: 131026, title: 'x' }] } : {}),
        }))
      await post(whatsapp, envelope(messages(...told(together.data.id))))
      for (const each of told(apart.data.id)) await post(whatsapp, envelope(messages(each)))
      const loadState = async (id: string) => {
        const { data } = await team.call('GET', `/v1/ext/message/${id}`)
        const { deliveryStatus, error, history } = data
        const steps = history.map(({ status: is, timestamp }: { status: string; timestamp: number }) => [is, timestamp])
        return { deliveryStatus, error, steps }
      }
      expect(await loadState(together.data.id), order.join()).toEqual(await loadState(apart.data.id))
    }
  })
})
