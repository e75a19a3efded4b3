import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import { verifyWebhook, type WebhookError } from '../../src/client/client.ts'
import { newWebhookSecret, signatureHeaders } from '../../src/webhook/sign.ts'

const EVENT = {
  id: 'evt_1c2d3e4f5a6b_7',
  sequence: 7,
  type: 'process.updated',
  timestamp: '2026-11-22T09:00:00.000Z',
  team: '01935c1e-5a00-7000-8a4b-1c2d3e4f5a6b',
  data: { changes: [{ field: 'data.name', from: null, to: 'Zoë 🚀' }] },
  by: {},
}
const BODY = JSON.stringify(EVENT)
const secret = newWebhookSecret()

const sent = async (secrets = [secret], at = Date.now(), body = BODY) => ({
  headers: await signatureHeaders(secrets, { id: EVENT.id, at, body }),
  body,
})

const catchRefusal = (...args: Parameters<typeof verifyWebhook>): Promise<WebhookError> =>
  verifyWebhook(...args).then(
    () => expect.fail('it was accepted'),
    (error: WebhookError) => error,
  )

describe('a webhook', () => {
  it('is verified as a Request, as text and as bytes, with headers of any kind', async () => {
    const { headers, body } = await sent()
    const bytes = new TextEncoder().encode(body)
    const asNode = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]))
    const asProxy = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]))
    const request = new Request('https://receiver.example/', { method: 'POST', headers, body })
    expect(await verifyWebhook(request, secret)).toEqual(EVENT)
    expect(await verifyWebhook({ headers, body }, secret)).toEqual(EVENT)
    expect(await verifyWebhook({ headers: new Headers(headers), body: bytes }, secret)).toEqual(EVENT)
    expect(await verifyWebhook({ headers: asNode, body: bytes.slice().buffer as ArrayBuffer }, secret)).toEqual(EVENT)
    expect(await verifyWebhook({ headers: asProxy, body }, secret.replace('whsec_', ''))).toEqual(EVENT)
    const within = new Uint8Array([...new Uint8Array(8), ...bytes, ...new Uint8Array(8)])
    expect(await verifyWebhook({ headers, body: within.subarray(8, 8 + bytes.length) }, secret)).toEqual(EVENT)
  })

  it('is verified while secrets are being rotated, on either side', async () => {
    const [old, other] = [newWebhookSecret(), newWebhookSecret()]
    expect(await verifyWebhook(await sent([secret, old]), old)).toEqual(EVENT)
    expect(await verifyWebhook(await sent([secret, old]), secret)).toEqual(EVENT)
    expect(await verifyWebhook(await sent([secret]), [other, secret])).toEqual(EVENT)
    expect((await catchRefusal(await sent([secret, old]), other)).code).toBe('wrong_signature')
  })

  it('a webhook of another sender of Standard Webhooks is verified, whatever other signatures it has', async () => {
    const now = new Date()
    const signature = new Webhook(secret).sign(EVENT.id, now, BODY)
    const headers = {
      'webhook-id': EVENT.id,
      'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
      'webhook-signature': `v1a,abc v1,%% v1 ${signature}`,
    }
    expect(await verifyWebhook({ headers, body: BODY }, secret)).toEqual(EVENT)
  })

  it('is refused when one bit of anything that is signed is another', async () => {
    const { headers, body } = await sent()
    const bytes = new TextEncoder().encode(body)
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length * 8 - 1), async bit => {
        const changed = bytes.slice()
        changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
        expect((await catchRefusal({ headers, body: changed }, secret)).code).toBe('wrong_signature')
      }),
    )
    for (const changed of [
      { 'webhook-id': `${EVENT.id}0` },
      { 'webhook-timestamp': String(Number(headers['webhook-timestamp']) - 1) },
      { 'webhook-signature': (await sent([newWebhookSecret()])).headers['webhook-signature'] },
    ])
      expect((await catchRefusal({ headers: { ...headers, ...changed }, body }, secret)).code).toBe('wrong_signature')
  })

  it('is refused when it is old, or from the future: more so than is allowed', async () => {
    const minutes = (count: number) => Date.now() + count * 60_000
    expect(await verifyWebhook(await sent([secret], minutes(-4)), secret)).toEqual(EVENT)
    expect(await catchRefusal(await sent([secret], minutes(-6)), secret)).toMatchObject({
      code: 'too_old',
      message: expect.stringMatching(/sent 36\d seconds ago; 300 are allowed/),
    })
    expect((await catchRefusal(await sent([secret], minutes(6)), secret)).code).toBe('too_new')
    expect(await verifyWebhook(await sent([secret], minutes(-60)), secret, { toleranceSeconds: 4_000 })).toEqual(EVENT)
    expect((await catchRefusal(await sent([newWebhookSecret()], minutes(-6)), secret)).code).toBe('wrong_signature')
  })

  it('says which header is missing, or wrong', async () => {
    const { headers, body } = await sent()
    for (const name of Object.keys(headers)) {
      const error = await catchRefusal({ headers: { ...headers, [name]: undefined }, body }, secret)
      expect(error).toMatchObject({ code: 'missing_header', message: expect.stringContaining(name) })
    }
    const timestamp = { 'webhook-timestamp': EVENT.timestamp }
    expect((await catchRefusal({ headers: { ...headers, ...timestamp }, body }, secret)).code).toBe('invalid_header')
  })

  it('is refused with a clear message when its body was parsed or read before', async () => {
    const { headers, body } = await sent()
    const request = new Request('https://receiver.example/', { method: 'POST', headers, body })
    await request.text()
    expect((await catchRefusal(request, secret)).code).toBe('parsed_body')
    expect((await catchRefusal({ headers, body: EVENT as unknown as string }, secret)).code).toBe('parsed_body')
  })

  it('is verified with a well-formed secret only', async () => {
    for (const wrong of ['', 'whsec_', 'whsec_%%%', []])
      expect((await catchRefusal(await sent(), wrong)).code).toBe('invalid_secret')
  })

  it('a webhook of another product, signed with the same secret, is no event', async () => {
    for (const body of ['', '7', '"text"', '{}', '{"type":'])
      expect((await catchRefusal(await sent([secret], Date.now(), body), secret)).code).toBe('invalid_body')
  })
})
