import { describe, expect, it } from 'vitest'
import { LOCAL_ACCOUNT } from './defaults.ts'
import type { Accepted, Refused } from './testing.ts'
import { CONTROL, call, freshAccount, GRAPH, json, template, text, USER } from './testing.ts'

const part = (type: string, parameters: unknown[]) => ({ type, parameters })

describe('A request to send', () => {
  it('is accepted by the local account without any set-up', async () => {
    const response = await call(`${GRAPH}/${LOCAL_ACCOUNT.phoneNumbers[0]?.id}/messages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${LOCAL_ACCOUNT.accessToken}` },
      body: JSON.stringify(template('hello_world', [])),
    })
    expect(response.status).toBe(200)
    expect(response.headers.get('facebook-api-version')).toBe('v23.0')
    const { received } = await json<{ received: number }>(call(`${CONTROL}/received?to=${USER}`))
    expect(received).toBe(1)
  })

  it('is answered with the user, the id of the message and its acceptance', async () => {
    const account = await freshAccount()
    const answer = await json<Accepted>(account.send(text('+49 151 12345678')))
    expect(answer).toEqual({
      messaging_product: 'whatsapp',
      contacts: [{ input: '+49 151 12345678', wa_id: USER }],
      messages: [{ id: expect.stringMatching(/^wamid\.[A-Za-z0-9+/=]{30,}$/), message_status: 'accepted' }],
    })
  })

  it('is answered with the user’s WhatsApp id, which is not always the number', async () => {
    const account = await freshAccount()
    expect((await json<Accepted>(account.send(text('525512345678')))).contacts[0]?.wa_id).toBe('5215512345678')
    expect((await json<Accepted>(account.send(text('5531987654321')))).contacts[0]?.wa_id).toBe('553187654321')
  })

  it.each([
    ['a wrong token', { authorization: 'Bearer wrong' }],
    ['no token', {}],
  ])('is refused as 190 and recorded with %s', async (_, headers) => {
    const account = await freshAccount()
    const response = await account.send(text(), { headers })
    expect(response.status).toBe(401)
    expect(await json<Refused>(response)).toMatchObject({ error: { code: 190, type: 'OAuthException' } })
    const { data } = await account.received()
    expect(data).toEqual([expect.objectContaining({ accepted: false, status: 401, code: 190, to: USER })])
  })

  it('is refused as an unknown object from an unregistered phone number', async () => {
    const response = await call(`${GRAPH}/999999999999999/messages`, { method: 'POST', body: '{}' })
    expect(response.status).toBe(400)
    expect(await json<Refused>(response)).toMatchObject({ error: { code: 100, error_subcode: 33 } })
  })

  it.each<[string, unknown, number, RegExp]>([
    ['without messaging_product', { to: USER, text: { body: 'x' } }, 100, /parameter messaging_product is required/],
    ['without a recipient', { ...text(), to: undefined }, 100, /parameter to is required/],
    ['to letters', text('somebody'), 131009, /Param to/],
    ['to a number that is too short', text('123'), 131009, /Param to is not a phone number/],
    ['of an unknown type', text(USER, { type: 'telegram' }), 100, /type must be one of .*TEXT.*got "telegram"/],
    ['whose type names a member that is absent', text(USER, { type: 'image' }), 100, /parameter image is required/],
    ['with an unknown member', text(USER, { colour: 'red' }), 100, /Unexpected key "colour" on param "body"/],
    ['with an empty text', text(USER, { text: { body: '' } }), 100, /non-empty/],
    [
      'with an image both by id and by link',
      text(USER, { type: 'image', image: { id: '1', link: 'https://a.b/c' } }),
      131009,
      /id and link/,
    ],
    [
      'with a link that is none',
      text(USER, { type: 'video', video: { link: 'ftp://a.b/c' } }),
      100,
      /video\['link'\] is not a valid URI/,
    ],
    [
      'of a template without a language',
      template('hello_world', [], { template: { name: 'hello_world' } }),
      131008,
      /template\['language'\]/,
    ],
    [
      'with a parameter that lacks its value',
      template('order_update', [part('body', [{ type: 'text' }])]),
      131008,
      /parameters'\]\[0\]\['text'\]/,
    ],
    [
      'with a component of an unknown type',
      template('order_update', [part('tail', [])]),
      100,
      /components'\]\[0\]\['type'\] must be one of/,
    ],
    [
      'with too long callback data',
      text(USER, { biz_opaque_callback_data: 'x'.repeat(513) }),
      131009,
      /biz_opaque_callback_data/,
    ],
  ])('%s is refused as Meta does', async (_, body, code, details) => {
    const account = await freshAccount()
    const response = await account.send(body)
    expect(response.status).toBe(400)
    const { error } = await json<Refused>(response)
    expect(error).toMatchObject({
      code,
      message: expect.stringContaining(`(#${code})`),
      fbtrace_id: expect.any(String),
    })
    expect(error.error_data.details).toMatch(details)
    expect(await account.received()).toMatchObject({ received: 1, accepted: 0 })
  })

  it('is refused if it is not JSON', async () => {
    const account = await freshAccount()
    const headers = { authorization: `Bearer ${account.token}` }
    expect(await json<Refused>(account.send(null, { body: '{', headers }))).toMatchObject({ error: { code: 100 } })
  })

  it('is refused if it is to the sender itself', async () => {
    const account = await freshAccount()
    expect(await json<Refused>(account.send(text(account.phone.displayNumber)))).toMatchObject({
      error: { code: 131021 },
    })
  })

  it.each<[string, object]>([
    ['image', { image: { id: '17', caption: 'A' } }],
    ['video', { video: { link: 'https://example.com/a.mp4' } }],
    ['audio', { audio: { id: '17' } }],
    ['document', { document: { link: 'https://example.com/a.pdf', filename: 'a.pdf' } }],
    ['location', { location: { latitude: 1, longitude: 2 } }],
    ['contacts', { contacts: [{ name: { formatted_name: 'A B' } }] }],
    ['reaction', { reaction: { message_id: 'wamid.x', emoji: '👍' } }],
    ['interactive', { interactive: { type: 'button', body: { text: 'Yes?' }, action: { buttons: [] } } }],
  ])('is accepted for a message of type %s', async (type, content) => {
    const account = await freshAccount()
    const response = await account.send({ messaging_product: 'whatsapp', to: USER, type, ...content })
    expect(response.status).toBe(200)
    expect((await account.received()).data[0]).toMatchObject({ accepted: true, type })
  })

  it('is confirmed for a read receipt, and sends nothing', async () => {
    const account = await freshAccount()
    const receipt = { messaging_product: 'whatsapp', status: 'read', message_id: 'wamid.x' }
    expect(await json(account.send(receipt))).toEqual({ success: true })
    expect((await account.received()).received).toBe(0)
  })
})
