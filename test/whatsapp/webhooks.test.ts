import { describe, expect, it } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { type Accepted, type Account, type Envelope, freshAccount, json, listStatuses, text, USER } from './testing.ts'

const AT_ONCE = { sent: 0, delivered: 0, read: 0 }
const held = (mode: object) => ({ settings: { webhooks: { hold: true, ...mode } } })
const marked = text(USER, { biz_opaque_callback_data: 'message-17' })
const names = async (account: Account) => listStatuses(await account.arrived()).map(({ status }) => status)
const states = async (account: Account) =>
  (await json<{ counts: Record<string, number> }>(account.control('GET', '/webhooks'))).counts

const BLOCK_BYTES = 64
const digest = async (...parts: Uint8Array[]) => {
  const bytes = new Uint8Array(parts.flatMap(part => [...part]))
  return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
}

/** HMAC-SHA256 from its definition (RFC 2104), so that the signature is not checked by what made it. */
async function hmac(key: string, text: string): Promise<string> {
  const encoder = new TextEncoder()
  const padded = new Uint8Array(BLOCK_BYTES)
  padded.set(encoder.encode(key))
  const inner = await digest(
    padded.map(byte => byte ^ 0x36),
    encoder.encode(text),
  )
  const outer = await digest(
    padded.map(byte => byte ^ 0x5c),
    inner,
  )
  return [...outer].map(byte => byte.toString(16).padStart(2, '0')).join('')
}

describe('The statuses of a message', () => {
  it('arrive by themselves: sent, delivered, read', async () => {
    const account = await freshAccount({ settings: { delays: { sent: 20, delivered: 60, read: 100 } } })
    await account.send(marked)
    await eventually(async () => expect(await names(account)).toEqual(['sent', 'delivered', 'read']))
  })

  it('have the shape that Meta documents', async () => {
    const account = await freshAccount()
    const { messages } = await json<Accepted>(account.send(marked))
    await account.flush()
    const [first] = await account.arrived()
    const body = JSON.parse(first?.text ?? '') as Envelope
    expect(body).toEqual({
      object: 'whatsapp_business_account',
      entry: [
        {
          id: account.id,
          changes: [
            {
              field: 'messages',
              value: {
                messaging_product: 'whatsapp',
                metadata: { display_phone_number: account.phone.displayNumber, phone_number_id: account.phone.id },
                statuses: [
                  {
                    id: messages[0]?.id,
                    status: 'sent',
                    timestamp: expect.stringMatching(/^\d{10}$/),
                    recipient_id: USER,
                    conversation: {
                      id: expect.any(String),
                      expiration_timestamp: expect.stringMatching(/^\d{10}$/),
                      origin: { type: 'service' },
                    },
                    pricing: { billable: true, pricing_model: 'PMP', category: 'service', type: 'regular' },
                    biz_opaque_callback_data: 'message-17',
                  },
                ],
              },
            },
          ],
        },
      ],
    })
  })

  it('are signed with the app secret over the bytes as sent', async () => {
    const account = await freshAccount()
    await account.send(text(USER, { text: { body: 'Grüße 👋' }, biz_opaque_callback_data: 'ü' }))
    await account.flush()
    const arrivals = await account.arrived()
    expect(arrivals).toHaveLength(3)
    for (const { signature, text: bytes } of arrivals)
      expect(signature).toBe(`sha256=${await hmac(account.appSecret, bytes)}`)
  })

  it('arrive more than once on demand', async () => {
    const account = await freshAccount(held({ duplicates: 1 }))
    await account.send(marked)
    await account.flush()
    expect(await names(account)).toEqual(['sent', 'sent', 'delivered', 'delivered', 'read', 'read'])
  })

  it('arrive out of order on demand, while their timestamps tell the order', async () => {
    const account = await freshAccount(held({ shuffle: true }))
    await account.send(marked)
    await account.flush()
    const statuses = listStatuses(await account.arrived())
    expect(statuses.map(({ status }) => status)).not.toEqual(['sent', 'delivered', 'read'])
    const times = new Map(statuses.map(({ status, timestamp }) => [status, Number(timestamp)]))
    expect(times.get('sent')).toBeLessThan(times.get('read') ?? 0)
  })

  it('are lost on demand, every n-th', async () => {
    const account = await freshAccount(held({ loseEvery: 2 }))
    await account.send(marked)
    await account.send(marked)
    await account.flush()
    expect(await names(account)).toHaveLength(3)
    expect(await states(account)).toEqual({ delivered: 3, lost: 3 })
  })

  it('leave out delivered on demand', async () => {
    const account = await freshAccount(held({ omit: ['delivered'] }))
    await account.send(marked)
    await account.flush()
    expect(await names(account)).toEqual(['sent', 'read'])
  })

  it('come several in one request on demand', async () => {
    const account = await freshAccount(held({ batch: 4 }))
    await account.send(marked)
    await account.send(marked)
    await account.flush()
    const arrivals = await account.arrived()
    expect(arrivals.map(arrival => listStatuses([arrival]).length)).toEqual([4, 2])
  })

  it('wait for the delays that are set, and for a callback that is not', async () => {
    const account = await freshAccount({ settings: { delays: { sent: 10, delivered: 60_000, read: 60_000 } } })
    await account.control('PUT', `/accounts/${account.id}`, { callbackUrl: null })
    await account.send(marked)
    await account.flush()
    expect(await names(account)).toEqual([])
    await account.control('PUT', `/accounts/${account.id}`, { callbackUrl: `http://receiver/${account.id}` })
    await eventually(async () => expect(await names(account)).toEqual(['sent']))
    await account.flush()
    expect(await names(account)).toEqual(['sent', 'delivered', 'read'])
  })

  it('can be sent by hand, in any order', async () => {
    const account = await freshAccount()
    const { messages } = await json<Accepted>(account.send(marked))
    const messageId = messages[0]?.id
    for (const status of ['failed', 'delivered'])
      expect((await account.control('POST', '/webhooks/status', { messageId, status })).status).toBe(202)
    expect((await account.control('POST', '/webhooks/status', { messageId: 'x', status: 'read' })).status).toBe(404)
    await account.flush()
    expect((await names(account)).slice(0, 2)).toEqual(['failed', 'delivered'])
  })
})

describe('A webhook that the callback refuses', () => {
  const impatient = (query: string, retryDelaysMs: number[]) =>
    freshAccount({ query, settings: { delays: AT_ONCE, webhooks: { retryDelaysMs, omit: ['delivered', 'read'] } } })

  it('is sent again until it is accepted', async () => {
    const account = await impatient('?refuse=2', [20, 40, 80])
    await account.send(marked)
    await eventually(async () => expect(await states(account)).toEqual({ delivered: 1 }))
    const { data } = await json<{ data: { tries: { status: number }[] }[] }>(account.control('GET', '/webhooks'))
    expect(data[0]?.tries.map(({ status }) => status)).toEqual([500, 500, 200])
    expect(new Set((await account.arrived()).map(({ text: bytes }) => bytes)).size).toBe(1)
  })

  it('is given up after the last delay, and can be replayed', async () => {
    const account = await impatient('?refuse=2', [20])
    await account.send(marked)
    await eventually(async () => expect(await states(account)).toEqual({ failed: 1 }))
    expect(await json(account.control('POST', '/webhooks/replay', {}))).toEqual({ tried: 1 })
    expect(await states(account)).toEqual({ delivered: 1 })
    expect(await account.arrived()).toHaveLength(3)
  })
})

describe('A message from a user', () => {
  it('arrives as a webhook with the user and the text', async () => {
    const account = await freshAccount()
    expect((await account.control('POST', '/inbound', { from: USER, text: 'Hello?' })).status).toBe(202)
    await account.flush()
    const [arrival] = await account.arrived()
    const { entry } = JSON.parse(arrival?.text ?? '') as Envelope
    expect(entry[0]?.changes[0]?.value).toMatchObject({
      contacts: [{ wa_id: USER }],
      messages: [{ from: USER, type: 'text', text: { body: 'Hello?' } }],
    })
  })

  it('opens the window in which free text is delivered', async () => {
    const account = await freshAccount({ settings: { serviceWindow: true, webhooks: { hold: true } } })
    await account.send(text())
    await account.flush()
    expect(listStatuses(await account.arrived())[0]).toMatchObject({ status: 'failed', errors: [{ code: 131047 }] })
    await account.control('POST', '/inbound', { from: USER, text: 'Hello?' })
    await account.send(text())
    await account.flush()
    expect(await names(account)).toEqual(['failed', 'sent', 'delivered', 'read'])
  })
})

describe('The handshake', () => {
  it('succeeds where the callback knows the token and repeats the challenge', async () => {
    const account = await freshAccount({ query: '?token=agreed' })
    await account.control('PUT', `/accounts/${account.id}`, { verifyToken: 'agreed' })
    expect(await json(account.control('POST', '/verify'))).toMatchObject({ verified: true, status: 200 })
  })

  it('fails where it does not', async () => {
    const account = await freshAccount({ query: '?token=another' })
    expect(await json(account.control('POST', '/verify'))).toMatchObject({ verified: false, status: 403, answer: 'No' })
  })
})
