import { Webhook } from 'standardwebhooks'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { verifyWebhook } from '../../src/client/client.ts'
import { newTeam } from '../support/api.ts'
import { requestWith } from '../support/broken-bindings.ts'
import { connectReceivers, newReceiver } from '../support/receiver.ts'
import { newWebhook } from '../support/webhooks.ts'

const WEBHOOKS = '/v1/ext/webhook'

beforeEach(() => connectReceivers())

describe('a test of a webhook', () => {
  it('is a signed event of its own type, without a number, and returns the response', async () => {
    const team = await newTeam()
    const receiver = newReceiver(() => new Response('thank you', { status: 202 }))
    const id = await newWebhook(team, receiver)
    await team.call('PUT', `${WEBHOOKS}/${id}`, { enabled: false })
    const reply = await team.call('POST', `${WEBHOOKS}/${id}/test`)
    expect(reply).toMatchObject({
      status: 200,
      data: { isDelivered: true, status: 202, response: 'thank you', error: null, ms: expect.any(Number) },
    })
    const [arrival] = receiver.arrivals
    expect(arrival).toMatchObject({ id: reply.data.event, event: { id: reply.data.event, type: 'webhook.test' } })
    expect(arrival?.event).toMatchObject({ sequence: null, team: team.id, data: { webhook: id } })
    expect(arrival?.event.by).toMatchObject({ user: team.admin, job: null, entry: null })
    expect((await team.call('GET', `${WEBHOOKS}/${id}/delivery`)).data).toEqual([])
  })

  it('says what is wrong with the receiver', async () => {
    const team = await newTeam()
    const receiver = newReceiver(() => new Response('who are you?', { status: 401 }))
    const path = `${WEBHOOKS}/${await newWebhook(team, receiver)}/test`
    expect((await team.call('POST', path)).data).toMatchObject({
      isDelivered: false,
      status: 401,
      response: 'who are you?',
    })
    receiver.behave = () => 'drop'
    expect((await team.call('POST', path)).data).toMatchObject({
      isDelivered: false,
      status: null,
      response: '',
      error: expect.stringContaining('connection lost'),
    })
    receiver.behave = () => new Response(null, { status: 302, headers: { location: 'https://169.254.169.254/' } })
    expect((await team.call('POST', path)).data).toMatchObject({ isDelivered: false, status: 302 })
    expect(receiver.arrivals).toHaveLength(3)
  })

  it('is signed with both secrets while a rotation lasts, and with one before and after', async () => {
    const team = await newTeam()
    const requests: { headers: Record<string, string>; body: string }[] = []
    const receiver = newReceiver()
    const id = await newWebhook(team, receiver)
    const old = receiver.secret ?? ''
    receiver.secret = null
    const fetched = vi.spyOn(globalThis, 'fetch')
    fetched.mockImplementation(async (input, init) => {
      const { headers, text } = new Request(input, init)
      requests.push({ headers: Object.fromEntries(headers), body: await text.call(new Request(input, init)) })
      return new Response('')
    })
    const send = () => team.call('POST', `${WEBHOOKS}/${id}/test`)
    await send()
    const rotated = await team.call('POST', `${WEBHOOKS}/${id}/rotate-secret`, {})
    await send()
    await team.call('POST', `${WEBHOOKS}/${id}/rotate-secret`, { overlapSeconds: 0 })
    await send()
    const next = rotated.data.secret
    const [before, during, after] = requests
    if (!before || !during || !after) return expect.fail('three were sent')
    new Webhook(old).verify(before.body, before.headers)
    for (const secret of [old, next]) new Webhook(secret).verify(during.body, during.headers)
    expect(await verifyWebhook(during, [next])).toMatchObject({ type: 'webhook.test' })
    for (const secret of [old, next]) expect(() => new Webhook(secret).verify(after.body, after.headers)).toThrow()
  })

  it('is refused for an address that is not allowed any more, for another team, and in a pause', async () => {
    const team = await newTeam()
    const receiver = newReceiver()
    const id = await newWebhook(team, receiver)
    const path = `${WEBHOOKS}/${id}/test`
    const call = { method: 'POST', headers: { authorization: `Bearer ${team.token}` } }
    const ports = { WEBHOOK_PORTS: '8443' } as unknown as Partial<Env>
    expect((await requestWith(ports, path, call)).status).toBe(409)
    const paused = { PAUSED: 'true' } as unknown as Partial<Env>
    expect((await requestWith(paused, path, call)).status).toBe(503)
    expect((await (await newTeam()).call('POST', path)).status).toBe(404)
    expect(receiver.arrivals).toEqual([])
  })
})
