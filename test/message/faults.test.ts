import { env } from 'cloudflare:workers'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { connect } from '../../src/db/client.ts'
import { createCost } from '../../src/db/cost.ts'
import { createInterruptedMessagesTask } from '../../src/message/ledger/interrupted-messages.ts'
import { newTeam, type Team } from '../support/api.ts'
import { requestWith } from '../support/broken-bindings.ts'
import { eventually } from '../support/eventually.ts'
import { faultsOfCalls, oneFault } from '../support/faults.ts'
import { expectEventsOfAll, switchFeed } from '../support/feed.ts'
import { type Fault, type FaultInjection, Harness, type Kind } from '../support/harness.ts'
import { type Connected, connectPlugin, newNumber, refusedNumber } from '../support/provider.ts'

const LATER_MS = 120_000

async function start() {
  const team = await newTeam()
  await switchFeed(team)
  onTestFinished(() => expectEventsOfAll(team))
  return { team, whatsapp: await connectPlugin(team) }
}

const settleInterrupted = async (now: number) =>
  (await createInterruptedMessagesTask(env, () => connect(env.DB, createCost()), now).step()).done

const messagesTo = async (team: Team, to: string) => (await team.call('GET', `/v1/ext/message?phoneNumber=${to}`)).data

const newKey = () => ({ 'idempotency-key': crypto.randomUUID() })

const sendBody = ({ phone }: Connected) => ({ whatsappPhoneNumberId: phone.id, templateName: 'hello_world' })
const sendPath = ({ base }: Connected, to: string) => `${base}/phoneNumber/${to}/send-template-message`

/** Sends once with exchanged bindings, under a key. */
const sendWith = (bindings: Partial<Env>, team: Team, whatsapp: Connected, to: string, key: Record<string, string>) =>
  requestWith(bindings, sendPath(whatsapp, to), {
    method: 'POST',
    headers: { authorization: `Bearer ${team.token}`, 'content-type': 'application/json', ...key },
    body: JSON.stringify(sendBody(whatsapp)),
  })

/** Sends once with logged calls, of which each can have a fault. */
async function sendThrough(
  injection: FaultInjection,
  { team, whatsapp }: { team: Team; whatsapp: Connected },
  to: string,
  key: Record<string, string>,
) {
  const harness = new Harness({}, injection)
  const { status, body } = await harness.request(team, 'POST', sendPath(whatsapp, to), sendBody(whatsapp), key)
  return { harness, status, meta: body._meta }
}

const withFaultAt = (faulty: Kind, fault: Fault): FaultInjection => ({
  fault: kind => (kind === faulty ? fault : undefined),
})

const faults = [
  { kind: 'drop' },
  { kind: 'cut' },
  { kind: 'hang', ms: 4_000 },
  { kind: 'http', status: 500 },
  { kind: 'http', status: 503 },
  { kind: 'http', status: 302 },
  { kind: 'http', status: 404 },
  { kind: 'garbage' },
  { kind: 'garbage', body: '{}' },
  { kind: 'garbage', body: '{"messages":[]}' },
  { kind: 'garbage', body: 'null' },
  { kind: 'error', code: 131000 },
]

describe('a message that the provider accepted, with', () => {
  it.each(faults)('$kind $status $body $code: it is UNKNOWN until a provider report settles it', async fault => {
    const { team, whatsapp } = await start()
    const [to, key] = [newNumber(), newKey()]
    await whatsapp.faults({ to, fault: { ...fault, accepted: true } })
    const reply = await whatsapp.send(to, {}, key)
    expect(reply.status).toBe(fault.kind === 'hang' ? 504 : 502)
    const [told] = reply.meta.errors
    expect(told).toMatchObject({
      code: fault.kind === 'hang' ? 'provider_timeout' : 'provider_unavailable',
      deliveryStatus: 'UNKNOWN',
    })
    const again = await whatsapp.send(to, {}, key)
    expect(again).toMatchObject({ status: reply.status, meta: { errors: [{ messageId: told.messageId }] } })
    await whatsapp.flush()
    expect(await messagesTo(team, to)).toMatchObject([
      { id: told.messageId, deliveryStatus: 'READ', externalId: expect.any(String) },
    ])
    expect((await whatsapp.send(to, {}, key)).status).toBe(200)
    expect((await team.call('POST', `/v1/ext/message/${told.messageId}/resend`)).status).toBe(409)
    expect(await whatsapp.received(`to=${to}`)).toMatchObject({ received: 1, accepted: 1 })
  })
})

describe('a message that the provider did not accept, with', () => {
  it.each(faults)('$kind $status $body $code: it stays UNKNOWN until its sender says to send it again', async fault => {
    const { team, whatsapp } = await start()
    const [to, key] = [newNumber(), newKey()]
    await whatsapp.faults({ to, times: 1, fault: { ...fault, accepted: false } })
    const reply = await whatsapp.send(to, {}, key)
    const { messageId } = reply.meta.errors[0]
    await whatsapp.flush()
    await whatsapp.send(to, {}, key)
    expect(await messagesTo(team, to)).toMatchObject([{ id: messageId, deliveryStatus: 'UNKNOWN', externalId: null }])
    expect(await whatsapp.received(`to=${to}`)).toMatchObject({ received: 1, accepted: 0 })
    const resend = () => team.call('POST', `/v1/ext/message/${messageId}/resend`)
    const both = await Promise.all([resend(), resend()])
    expect(both.map(each => each.status).sort()).toEqual([200, 409])
    expect(await whatsapp.received(`to=${to}`)).toMatchObject({ received: 2, accepted: 1 })
    await whatsapp.flush()
    const [newer, older] = await messagesTo(team, to)
    expect(newer).toMatchObject({ resendOf: messageId, deliveryStatus: 'READ' })
    expect(older).toMatchObject({ resentAs: newer.id, deliveryStatus: 'UNKNOWN' })
  })
})

describe('a message sent again', () => {
  it('is sent once under an idempotency key, and only if it failed or is unknown', async () => {
    const { team, whatsapp } = await start()
    const to = newNumber()
    await whatsapp.faults({ to, times: 1, fault: { kind: 'error', code: 131026 } })
    const failed = (await whatsapp.send(to)).meta.errors[0].messageId
    const key = newKey()
    const resend = (id: string) => team.call('POST', `/v1/ext/message/${id}/resend`, undefined, key)
    const first = await resend(failed)
    expect(first).toMatchObject({ status: 200, data: { deliveryStatus: 'SENT', text: expect.any(String) } })
    expect((await resend(failed)).data.id).toBe(first.data.id)
    expect((await team.call('POST', `/v1/ext/message/${first.data.id}/resend`)).status).toBe(409)
    expect(await whatsapp.received(`to=${to}`)).toMatchObject({ received: 2, accepted: 1 })
  })
})

describe('a send that is cut off', () => {
  it.each([
    ['before', 0],
    ['after', 1],
  ] as const)('%s the provider was reached sends nothing twice', async (when, accepted) => {
    const { team, whatsapp } = await start()
    const [to, key] = [newNumber(), newKey()]
    const reply = await sendThrough(withFaultAt('provider', `fails ${when}`), { team, whatsapp }, to, key)
    expect(reply).toMatchObject({ status: 502, meta: { errors: [{ deliveryStatus: 'UNKNOWN' }] } })
    expect((await whatsapp.send(to, {}, key)).status).toBe(502)
    await whatsapp.flush()
    expect(await whatsapp.received(`to=${to}`)).toMatchObject({ received: accepted, accepted })
    expect(await messagesTo(team, to)).toMatchObject([{ deliveryStatus: accepted ? 'READ' : 'UNKNOWN' }])
  })

  it('between the row and the response leaves an UNKNOWN message, which a provider report settles', async () => {
    const { team, whatsapp } = await start()
    const [to, key] = [newNumber(), newKey()]
    // The provider has the message, and the sender is never heard of again.
    const WHATSAPP = {
      fetch: async (request: Request) => {
        await (env.WHATSAPP as Fetcher).fetch(request)
        return new Promise<Response>(() => {})
      },
    }
    void sendWith({ WHATSAPP: WHATSAPP as unknown as Fetcher }, team, whatsapp, to, key).catch(() => undefined)
    await eventually(async () => expect((await whatsapp.received(`to=${to}`)).received).toBe(1))
    expect(await messagesTo(team, to)).toMatchObject([{ deliveryStatus: 'PENDING' }])
    expect((await whatsapp.send(to, {}, key)).status).toBe(409)
    await settleInterrupted(Date.now())
    expect(await messagesTo(team, to)).toMatchObject([{ deliveryStatus: 'PENDING' }])
    expect(await settleInterrupted(Date.now() + LATER_MS)).toBeGreaterThan(0)
    expect(await messagesTo(team, to)).toMatchObject([{ deliveryStatus: 'UNKNOWN' }])
    expect(await whatsapp.send(to, {}, key)).toMatchObject({
      status: 502,
      meta: { errors: [{ code: 'provider_unavailable', deliveryStatus: 'UNKNOWN' }] },
    })
    await whatsapp.flush()
    expect(await messagesTo(team, to)).toMatchObject([{ deliveryStatus: 'READ' }])
    expect((await whatsapp.send(to, {}, key)).status).toBe(200)
    expect(await whatsapp.received(`to=${to}`)).toMatchObject({ received: 1, accepted: 1 })
  })

  it('is told to its own retry as still running, until the provider has answered', async () => {
    const { team, whatsapp } = await start()
    const [to, key] = [newNumber(), newKey()]
    const answered = Promise.withResolvers<void>()
    const WHATSAPP = {
      fetch: async (request: Request) => {
        await answered.promise
        return (env.WHATSAPP as Fetcher).fetch(request)
      },
    }
    const first = sendWith({ WHATSAPP: WHATSAPP as unknown as Fetcher }, team, whatsapp, to, key)
    await eventually(async () => expect(await messagesTo(team, to)).toHaveLength(1))
    const second = await whatsapp.send(to, {}, key)
    expect(second).toMatchObject({
      status: 409,
      meta: { errors: [{ code: 'request_in_progress', deliveryStatus: 'PENDING' }] },
    })
    expect([second.headers.get('retry-after'), second.headers.get('idempotency-replayed')]).toEqual(['1', null])
    answered.resolve()
    expect((await first).status).toBe(200)
    expect((await whatsapp.received(`to=${to}`)).received).toBe(1)
  })

  it('shows what the provider said, although its answer came after the time limit of the database', async () => {
    const { team, whatsapp } = await start()
    const to = newNumber()
    vi.useFakeTimers({ toFake: ['Date'] })
    const WHATSAPP = {
      fetch: async (request: Request) => {
        const response = await (env.WHATSAPP as Fetcher).fetch(request)
        vi.setSystemTime(Date.now() + 25_000)
        return response
      },
    }
    const reply = await sendWith({ WHATSAPP: WHATSAPP as unknown as Fetcher }, team, whatsapp, to, newKey())
    vi.useRealTimers()
    expect(reply).toMatchObject({ status: 200, data: { deliveryStatus: 'SENT' } })
  })

  it('is not waited for by its own retry after a minute, even if no cron runs', async () => {
    const { team, whatsapp } = await start()
    const [to, key] = [newNumber(), newKey()]
    const WHATSAPP = { fetch: () => new Promise<Response>(() => {}) }
    void sendWith({ WHATSAPP: WHATSAPP as unknown as Fetcher }, team, whatsapp, to, key).catch(() => undefined)
    await eventually(async () => expect(await messagesTo(team, to)).toHaveLength(1))
    await env.DB.prepare('UPDATE message SET updated_at = updated_at - 120000 WHERE phone = ?').bind(to).run()
    expect((await whatsapp.send(to, {}, key)).status).toBe(502)
    expect(await whatsapp.received(`to=${to}`)).toMatchObject({ received: 0 })
  })
})

describe('a database that fails at any call of a send', () => {
  it('makes no message go out twice, none SENT untruly, and none UNKNOWN whose outcome is known', async () => {
    const { harness } = await sendThrough({}, await start(), newNumber(), newKey())
    const possible = faultsOfCalls(harness).filter(([kind]) => kind === 'database')
    expect(possible.length).toBeGreaterThan(8)
    for (const [kind, nth, fault] of possible) {
      const { team, whatsapp } = await start()
      const [to, key] = [newNumber(), newKey()]
      const sent = await sendThrough(oneFault([kind, nth, fault]), { team, whatsapp }, to, key)
      const broken = `${fault}: ${sent.harness.log.find(call => call.kind === kind && call.nth === nth)?.sql}`
      const after = await whatsapp.received(`to=${to}`)
      expect(after.received, broken).toBeLessThanOrEqual(1)
      if (sent.status === 200) expect(after.accepted, broken).toBe(1)
      const retry = await whatsapp.send(to, {}, key)
      await settleInterrupted(Date.now() + LATER_MS)
      await whatsapp.flush()
      await whatsapp.send(to, {}, key)
      // With its retry it is sent once: no fault leaves open whether the provider was asked.
      expect(await whatsapp.received(`to=${to}`), broken).toMatchObject({ received: 1, accepted: 1 })
      const rows = await messagesTo(team, to)
      expect(
        rows.map((each: { deliveryStatus: string }) => each.deliveryStatus),
        broken,
      ).toEqual(['READ'])
      expect(retry, broken).toMatchObject({ status: 200, data: { deliveryStatus: 'SENT' } })
    }
  })
})

describe('log lines', () => {
  it('hold no secret, phone number or message text', async () => {
    const lines: string[] = []
    const spies = (['log', 'info', 'warn', 'error', 'debug'] as const).map(level =>
      vi.spyOn(console, level).mockImplementation((...parts) => void lines.push(parts.map(String).join(' '))),
    )
    const { team, whatsapp } = await start()
    const numbers = [newNumber(), newNumber(), newNumber(), refusedNumber(131026)]
    const [plain = '', dropped = '', cut = ''] = numbers
    const secretText = 'A most private appointment'
    const body = {
      templateName: 'order_update',
      language: 'en_US',
      mapping: ['1', '2'].map(name => ({ schemaPropertyName: name, schemaPropertyValue: secretText })),
    }
    await whatsapp.faults({ to: dropped, fault: { kind: 'drop' } })
    for (const to of numbers) await whatsapp.send(to, body)
    const bad = { ...body, templateName: secretText, otpCode: '987123' }
    await whatsapp.send(plain, bad)
    await whatsapp.send(`+${plain}`, body)
    const settling = (kind: Kind, about: string) => kind === 'database' && about.includes('wamid')
    const cutOff: FaultInjection = { fault: (kind, _, about) => (settling(kind, about) ? 'fails before' : undefined) }
    await sendThrough(cutOff, { team, whatsapp }, cut, newKey())
    const withoutKey = await sendWith({ SECRETS_KEY: 'short' }, team, whatsapp, cut, newKey())
    expect(withoutKey.status).toBe(500)
    await whatsapp.flush()
    await team.call('PUT', whatsapp.base, { accessToken: 'another-token-entirely', verifyToken: 'x'.repeat(3_000) })
    await team.call('GET', `/v1/ext/message?phoneNumber=${plain}`)
    const path = `${whatsapp.base}/api/v19.0/${whatsapp.phone.id}/messages`
    await team.call('POST', path, { messaging_product: 'whatsapp', to: plain, text: { body: secretText } })
    let calls = 0
    const fault = (kind: Kind): Fault | undefined => (++calls % 5 === 0 && kind !== 'queue' ? 'fails after' : undefined)
    const harness = new Harness({ JOB_TUNING: { timeLimitMs: 250 } }, { fault })
    const entries = [...numbers, `+${plain}`].map(phoneNumber => ({
      apiType: 'TEMPLATE_MESSAGE',
      apiData: { ...body, pluginId: whatsapp.id, whatsappPhoneNumberId: whatsapp.phone.id, phoneNumber },
    }))
    await harness.request(team, 'POST', '/v1/ext/background-job', { entries })
    for (let round = 0; round < 5; round++) await harness.deliver()
    for (const spy of spies) spy.mockRestore()
    expect(lines.some(line => line.includes('"job"'))).toBe(true)
    expect(lines.length).toBeGreaterThan(10)
    expect(lines.some(line => line.includes('SECRETS_KEY'))).toBe(true)
    const secrets = [
      ...Object.values(whatsapp.secrets),
      team.token,
      'another-token-entirely',
      'xxx',
      env.SECRETS_KEY ?? '',
    ]
    for (const hidden of [...secrets, ...numbers, secretText, '987123', 'private'])
      expect(lines.filter(line => line.includes(hidden))).toEqual([])
  })
})
