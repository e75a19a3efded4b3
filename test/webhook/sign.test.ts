import { Webhook } from 'standardwebhooks'
import { expect, it } from 'vitest'
import { newWebhookSecret, signatureHeaders } from '../../src/webhook/sign.ts'

const BODY = '{"type":"process.updated","data":{"name":"Zoë 🚀"}}'

it('a signature is accepted by other receivers of Standard Webhooks', async () => {
  const secret = newWebhookSecret()
  const headers = await signatureHeaders([secret], { id: 'evt_1', at: Date.now(), body: BODY })
  expect(new Webhook(secret).verify(BODY, headers)).toEqual(JSON.parse(BODY))
  expect(() => new Webhook(newWebhookSecret()).verify(BODY, headers)).toThrow('No matching signature')
  expect(() => new Webhook(secret).verify(`${BODY} `, headers)).toThrow('No matching signature')
  expect(() => new Webhook(secret).verify(BODY, { ...headers, 'webhook-id': 'evt_2' })).toThrow('No matching signature')
})

it('a signature is accepted under either secret while there are two', async () => {
  const [next, old] = [newWebhookSecret(), newWebhookSecret()]
  const headers = await signatureHeaders([next, old], { id: 'evt_1', at: Date.now(), body: BODY })
  expect(headers['webhook-signature']).toMatch(/^v1,[A-Za-z0-9+/]{43}= v1,[A-Za-z0-9+/]{43}=$/)
  for (const secret of [next, old]) expect(new Webhook(secret).verify(BODY, headers)).toBeDefined()
})

it('a signature is that of the example in the specification', async () => {
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
  const content = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', at: 1_614_265_330_999, body: '{"test": 2432232314}' }
  expect(await signatureHeaders([secret], content)).toEqual({
    'webhook-id': content.id,
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  })
})

it('a secret of a webhook is 32 random bytes, different each time', () => {
  const secret = newWebhookSecret()
  expect(atob(secret.replace(/^whsec_/, ''))).toHaveLength(32)
  expect(secret).not.toBe(newWebhookSecret())
})
