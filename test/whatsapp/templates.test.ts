import { describe, expect, it } from 'vitest'
import { freshAccount, json, type Refused, template, words } from './testing.ts'

const part = (type: string, parameters: unknown[], more: object = {}) => ({ type, parameters, ...more })
const button = (sub_type: string, index: string | number, parameter: object) =>
  part('button', [parameter], { sub_type, index })
const named = (values: Record<string, string>) =>
  Object.entries(values).map(([parameter_name, value]) => ({ type: 'text', parameter_name, text: value }))
const media = (type: string) => ({ type, [type]: { link: `https://example.com/a.${type}` } })
const place = { type: 'location', location: { latitude: 52.5, longitude: 13.4, name: 'Shop', address: 'Street 1' } }
const suffix = { type: 'text', text: 'A17' }

describe('A template message', () => {
  const card = (card_index: number) => ({
    card_index,
    components: [part('header', [media('image')]), part('body', words('€ 5')), button('url', 1, suffix)],
  })
  const offer = { type: 'limited_time_offer', limited_time_offer: { expiration_time_ms: 1_900_000_000_000 } }

  it.each<[string, string, unknown[]]>([
    ['without parameters', 'hello_world', []],
    ['with parameters in order', 'order_update', [part('body', words('Mark', 'A17'))]],
    [
      'with parameters by name',
      'appointment_reminder',
      [
        part('header', named({ customer_name: 'Mark' })),
        part('body', named({ visit_time: '10:00', visit_day: 'Monday' })),
      ],
    ],
    ['with a text header', 'ticket_opened', [part('HEADER', words('17')), part('BODY', words('Mark'))]],
    [
      'with a currency and a date',
      'order_update',
      [
        part('body', [
          { type: 'currency', currency: { fallback_value: '€ 5', code: 'EUR', amount_1000: 5000 } },
          { type: 'date_time', date_time: { fallback_value: 'Monday' } },
        ]),
      ],
    ],
    ['with an image', 'image_offer', [part('header', [media('image')]), part('body', words('Mark'))]],
    ['with a video', 'video_guide', [part('header', [media('video')])]],
    ['with a document', 'invoice', [part('header', [media('document')]), part('body', words('R-17'))]],
    ['with a location', 'shop_nearby', [part('header', [place]), part('body', words('Mark'))]],
    [
      'with a reply and a link',
      'parcel_choices',
      [
        part('body', words('A17')),
        button('quick_reply', 0, { type: 'payload', payload: 'thanks' }),
        button('url', '1', suffix),
      ],
    ],
    [
      'with a verification code',
      'verification_code',
      [part('body', words('123456')), button('url', 0, { type: 'text', text: '123456' })],
    ],
    [
      'with an offer code',
      'coupon',
      [
        part('limited_time_offer', [offer]),
        part('body', words('20%')),
        button('copy_code', 0, { type: 'coupon_code', coupon_code: 'SAVE20' }),
      ],
    ],
    ['with a form', 'survey', [button('flow', 0, { type: 'action', action: { flow_token: 'x' } })]],
    ['with cards', 'product_cards', [part('body', words('Mark')), { type: 'carousel', cards: [card(0), card(1)] }]],
  ])('%s is accepted when it is filled as defined', async (_, name, components) => {
    const account = await freshAccount()
    const response = await account.send(template(name, components))
    expect(await response.json()).toMatchObject({ messages: [{ message_status: 'accepted' }] })
    expect((await account.received()).data[0]).toMatchObject({ template: name, accepted: true })
  })

  it.each<[string, string, unknown[], number, RegExp]>([
    [
      'too few parameters',
      'order_update',
      [part('body', words('Mark'))],
      132000,
      /body: .*\(1\).*expected number of params \(2\)/,
    ],
    ['too many parameters', 'order_update', [part('body', words('a', 'b', 'c'))], 132000, /\(3\).*\(2\)/],
    [
      'a header that it lacks',
      'order_update',
      [part('header', words('x')), part('body', words('a', 'b'))],
      132000,
      /header: .*\(1\).*\(0\)/,
    ],
    [
      'a named parameter missing',
      'appointment_reminder',
      [
        part('header', named({ customer_name: 'Mark' })),
        part('body', named({ visit_day: 'Monday', visit_hour: '10' })),
      ],
      132000,
      /body: .*\(1\).*\(2\)/,
    ],
    [
      'named parameters without names',
      'appointment_reminder',
      [part('header', words('Mark'))],
      100,
      /Parameter name is missing/,
    ],
    ['an empty value', 'order_update', [part('body', words('Mark', ''))], 100, /missing text value/],
    ['a value of two lines', 'order_update', [part('body', words('Mark', 'a\nb'))], 132018, /new-line/],
    ['a value that is too long', 'order_update', [part('body', words('Mark', 'x'.repeat(1_024)))], 132005, /too long/],
    [
      'no image where one is due',
      'image_offer',
      [part('body', words('Mark'))],
      132012,
      /expected IMAGE, received UNKNOWN/,
    ],
    [
      'a video where an image is due',
      'image_offer',
      [part('header', [media('video')])],
      132012,
      /expected IMAGE, received VIDEO/,
    ],
    [
      'an image in the text',
      'order_update',
      [part('body', [media('image'), suffix])],
      132012,
      /expected TEXT, received IMAGE/,
    ],
    [
      'no suffix for its link',
      'parcel_choices',
      [part('body', words('A17'))],
      131008,
      /Button at index 1 of type URL requires a parameter/,
    ],
    ['a suffix for a fixed link', 'price_list', [button('url', 0, suffix)], 132018, /takes no parameter/],
    ['a button that it lacks', 'hello_world', [button('url', 0, suffix)], 132018, /no button at index 0/],
    [
      'a button of another type',
      'parcel_choices',
      [part('body', words('A17')), button('quick_reply', 1, { type: 'payload', payload: 'x' })],
      132012,
      /expected url/,
    ],
    ['no code to copy', 'verification_code', [part('body', words('123456'))], 131008, /type OTP requires/],
    [
      'a card too few',
      'product_cards',
      [part('body', words('Mark')), { type: 'carousel', cards: [card(0)] }],
      132000,
      /carousel/,
    ],
  ])('is refused with %s', async (_, name, components, code, details) => {
    const account = await freshAccount()
    const { error } = await json<Refused>(account.send(template(name, components)))
    expect(error.code).toBe(code)
    expect(error.error_data.details).toMatch(details)
  })

  it.each<[string, string, string, number, number]>([
    ['does not exist', 'no_such_template', 'en_US', 132001, 404],
    ['does not exist in the language', 'order_update', 'fr', 132001, 404],
    ['waits for approval', 'pending_offer', 'en_US', 132001, 404],
    ['was rejected', 'rejected_offer', 'en_US', 132001, 404],
    ['is paused', 'paused_offer', 'en_US', 132015, 400],
    ['is disabled', 'disabled_offer', 'en_US', 132016, 400],
  ])('is refused if its template %s', async (_, name, code, expected, status) => {
    const account = await freshAccount()
    const response = await account.send(template(name, [], { template: { name, language: { code } } }))
    expect(response.status).toBe(status)
    expect((await json<Refused>(response)).error.code).toBe(expected)
  })

  it('is accepted for a template added by the test, in another language too', async () => {
    const account = await freshAccount()
    const added = { name: 'own', language: 'pt_BR', components: [{ type: 'BODY', text: 'Oi {{1}}' }] }
    expect((await account.control('POST', '/templates', added)).status).toBe(201)
    const sent = {
      name: 'own',
      language: { code: 'pt_BR', policy: 'deterministic' },
      components: [part('body', words('A'))],
    }
    expect((await account.send(template('own', [], { template: sent }))).status).toBe(200)
    await account.control('POST', '/templates', { ...added, status: 'PAUSED' })
    expect(await json<Refused>(account.send(template('own', [], { template: sent })))).toMatchObject({
      error: { code: 132015 },
    })
  })
})
