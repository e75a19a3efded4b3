import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { parseRecipient } from '../../src/client/command-line/send.ts'
import { newTeam, type Team } from '../support/api.ts'
import { JOBS, listEntries, waitForJob } from '../support/jobs.ts'
import { type Connected, newConnectedTeam, newNumber } from '../support/provider.ts'

const value = (name: string, text: string) => ({ schemaPropertyName: name, schemaPropertyValue: text })
const order = { templateName: 'order_update', language: 'en_US', mapping: [value('1', 'Mark'), value('2', 'A17')] }

async function withProcedure(team: Team, definition: object = {}): Promise<string> {
  const shortId = 'lead'
  const states = [{ shortId: 'new' }, { shortId: 'done' }]
  const body = { name: 'Lead', states, startState: 'new', completedState: 'done', ...definition }
  expect((await team.call('PUT', `/v1/ext/procedure/${shortId}`, body)).errors).toEqual([])
  return shortId
}

describe('a template message to a phone number', () => {
  it('a sent template message is answered with every documented member', async () => {
    const { team, whatsapp } = await newConnectedTeam()
    const to = newNumber()
    const mapping = [value('2', 'A17 {{1}}'), value('1', '$& Mark')]
    const reply = await whatsapp.send(to, { ...order, mapping })
    expect(reply.errors).toEqual([])
    const { accepted, data } = await whatsapp.received(`to=${to}`)
    expect(accepted).toBe(1)
    const text = 'Hi $& Mark, order A17 {{1}} is on its way.'
    expect(reply.data).toEqual({
      id: data[0]?.callbackData,
      createdAt: expect.any(Number),
      updatedAt: expect.any(Number),
      externalId: data[0]?.messageId,
      provider: 'WHATSAPP',
      dataType: 'text',
      body: { body: text },
      text,
      attachments: null,
      deliveryStatus: 'SENT',
      direction: 'OUTBOUND',
      timestamp: expect.any(Number),
      context: { contactIdentifier: to, messageTemplateId: expect.stringMatching(/^[0-9a-f-]{36}$/) },
      adhocAgent: null,
      source: { sourceId: expect.any(String), sourceType: 'API' },
      team: team.id,
      chat: null,
      contact: null,
      procedure: null,
      campaign: null,
      inReplyTo: null,
      plugin: whatsapp.id,
      user: team.admin,
      process: null,
    })
  })

  it('is sent the same way on the path with a process', async () => {
    const { team, whatsapp } = await newConnectedTeam()
    const to = newNumber()
    const body = { whatsappPhoneNumberId: whatsapp.phone.id, templateName: 'hello_world' }
    const reply = await team.call('POST', `${whatsapp.base}/process/phoneNumber/${to}/send-template-message`, body)
    expect(reply).toMatchObject({ status: 200, data: { context: { contactIdentifier: to }, process: null } })
  })

  it('accepts digits only, and names the wrong ones', async () => {
    const { whatsapp } = await newConnectedTeam()
    const reply = await whatsapp.send(encodeURIComponent('+49 1511 2345678'))
    expect(reply.status).toBe(400)
    expect(reply.meta.errors).toMatchObject([{ path: '/path/phoneNumber', hint: '4915112345678' }])
    const trunk = await whatsapp.send(encodeURIComponent('+49 (0)1511 2345678'))
    expect(trunk.meta.errors).toMatchObject([{ path: '/path/phoneNumber', hint: '4915112345678' }])
    expect((await whatsapp.send('123')).status).toBe(400)
  })

  it.each(['+49 1511 2345678', '+49 (0)1511 2345678', '0049 1511/234-5678', '4915112345678'])(
    'to %s goes by the command line to the digits that the API proposes',
    written => {
      expect(parseRecipient(written)).toEqual({ phoneNumber: '4915112345678' })
    },
  )

  it('reports all faults before anything is sent', async () => {
    const { whatsapp } = await newConnectedTeam()
    const to = newNumber()
    const mapping = [value('1', ''), value('3', 'x')]
    const reply = await whatsapp.send(to, { ...order, mapping, imageUrl: 'https://example.com/a.png', otpCode: '12' })
    expect(reply.status).toBe(400)
    expect(reply.meta.errors.map((each: { path: string }) => each.path).sort()).toEqual([
      '/body/imageUrl',
      '/body/mapping',
      '/body/mapping/0/schemaPropertyValue',
      '/body/mapping/1/schemaPropertyName',
      '/body/otpCode',
    ])
    expect(reply.meta.errors[0].wants).toMatchObject({ template: 'order_update', mapping: ['1', '2'], header: null })
    expect((await whatsapp.received(`to=${to}`)).received).toBe(0)
  })

  it('refuses unknown fields, senders and templates by name', async () => {
    const { whatsapp } = await newConnectedTeam()
    const to = newNumber()
    expect((await whatsapp.send(to, { imageURL: 'x' })).meta.errors).toMatchObject([
      { path: '/body/imageURL', hint: 'did you mean "imageUrl"?' },
    ])
    expect((await whatsapp.send(to, { whatsappPhoneNumberId: '1' })).meta.errors).toMatchObject([
      { path: '/body/whatsappPhoneNumberId' },
    ])
    expect((await whatsapp.send(to, { templateName: 'hello_word' })).meta.errors).toMatchObject([
      { path: '/body/templateName', hint: 'did you mean "hello_world"?' },
    ])
    expect((await whatsapp.received(`to=${to}`)).received).toBe(0)
  })

  it('a template that exists in several languages needs the language', async () => {
    const { whatsapp } = await newConnectedTeam()
    const to = newNumber()
    const { language: _, ...some } = order
    const reply = await whatsapp.send(to, some)
    expect(reply.meta.errors).toMatchObject([{ path: '/body/language', languages: ['de', 'en_US', 'hi'] }])
    expect((await whatsapp.send(to, { ...order, language: 'fr' })).status).toBe(400)
    expect((await whatsapp.send(to, { ...order, language: 'de' })).data.text).toBe('Hallo Mark, A17 ist unterwegs.')
  })

  it.each(['paused_offer', 'disabled_offer', 'rejected_offer', 'pending_offer'])(
    'refuses %s, which is not approved',
    async name => {
      const { whatsapp } = await newConnectedTeam()
      const reply = await whatsapp.send(newNumber(), { templateName: name, mapping: [value('1', 'Mark')] })
      expect(reply.meta.errors).toMatchObject([
        { path: '/body/templateName', status: name.split('_')[0]?.toUpperCase() },
      ])
    },
  )

  it.each([
    [
      'named parameters',
      'appointment_reminder',
      {
        mapping: [value('visit_time', '10:00'), value('visit_day', 'Monday')],
        headerMapping: [value('customer_name', 'Mark')],
      },
      'See you on Monday at 10:00.',
    ],
    [
      'a header of text',
      'ticket_opened',
      { mapping: [value('1', 'Mark')], headerMapping: [value('1', '17')] },
      'We are looking into it, Mark.',
    ],
    [
      'an image',
      'image_offer',
      { mapping: [value('1', 'Mark')], imageUrl: 'https://example.com/a.png' },
      'For you, Mark!',
    ],
    ['a video', 'video_guide', { videoUrl: 'https://example.com/a.mp4' }, 'How to set it up.'],
    [
      'a document',
      'invoice',
      { mapping: [value('1', 'R1')], documentUrl: 'https://example.com/a.pdf', filename: 'R1.pdf' },
      'Invoice R1 is attached.',
    ],
    [
      'a place',
      'shop_nearby',
      { mapping: [value('1', 'Mark')], locationLatitude: 52.5, locationLongitude: '13.4', locationName: 'Shop' },
      'Our shop near you, Mark.',
    ],
    [
      'buttons',
      'parcel_choices',
      { mapping: [value('1', 'A17')], buttonMapping: [value('1', 'A17'), value('0', 'thanks')] },
      'Your parcel A17 is here.',
    ],
    ['a one-time code', 'verification_code', { otpCode: '123456' }, '*123456* is your verification code.'],
    [
      'a code in the mapping',
      'verification_code',
      { mapping: [value('1', '123456')] },
      '*123456* is your verification code.',
    ],
    ['no parameters', 'price_list', {}, 'Our prices.'],
  ])("carries %s in the provider's form", async (_, templateName, body, text) => {
    const { whatsapp } = await newConnectedTeam()
    const reply = await whatsapp.send(newNumber(), { templateName, ...body })
    expect(reply.errors).toEqual([])
    expect(reply.data).toMatchObject({ deliveryStatus: 'SENT', text })
  })

  it.each([
    ['survey', 200],
    ['coupon', 400],
    ['product_cards', 400],
  ])('is refused for %s before the provider has to', async (templateName, status) => {
    const { whatsapp } = await newConnectedTeam()
    const to = newNumber()
    const reply = await whatsapp.send(to, { templateName, mapping: [] })
    expect(reply.status).toBe(status)
    expect((await whatsapp.received(`to=${to}`)).received).toBe(status === 200 ? 1 : 0)
  })
})

describe('a template message for a process', () => {
  const send = (team: Team, whatsapp: Connected, address: string) =>
    team.call('POST', `${whatsapp.base}/process/${address}/send-template-message`, {
      whatsappPhoneNumberId: whatsapp.phone.id,
      templateName: 'hello_world',
    })

  it("goes to the procedure's phone attribute, else to the record, by id and by key and by id alone", async () => {
    const { team, whatsapp } = await newConnectedTeam()
    const [own, records] = [newNumber(), newNumber()]
    const attributes = [
      { shortId: 'mobile', type: 'phone' },
      { shortId: 'lead_id', type: 'string' },
    ]
    await withProcedure(team, { attributes, phoneAttribute: 'mobile', primaryKey: 'lead_id' })
    const create = (data: object) =>
      team.call('POST', '/v1/ext/procedure/lead/process', { data, record: { data: { phone: `+${records}` } } })
    const first = await create({ lead_id: 'LEAD/1', mobile: `+${own.slice(0, 4)} ${own.slice(4)}` })
    const second = await create({ lead_id: 'LEAD-2' })
    const byId = await send(team, whatsapp, `lead/${first.data.id}`)
    expect(byId.data).toMatchObject({ context: { contactIdentifier: own }, process: first.data.id, procedure: null })
    const byKey = await send(team, whatsapp, 'lead/LEAD%2F1')
    expect(byKey.data).toMatchObject({ context: { contactIdentifier: own }, process: first.data.id })
    const alone = await send(team, whatsapp, second.data.id)
    expect(alone.data).toMatchObject({ context: { contactIdentifier: records }, process: second.data.id })
    const list = await team.call('GET', `/v1/ext/message?process=${first.data.id}`)
    expect(list.data.map((each: { id: string }) => each.id)).toEqual([byKey.data.id, byId.data.id])
  })

  it('follows the definition in force when it changes', async () => {
    const { team, whatsapp } = await newConnectedTeam()
    const [before, after] = [newNumber(), newNumber()]
    await withProcedure(team, {
      attributes: [
        { shortId: 'a', type: 'phone' },
        { shortId: 'b', type: 'phone' },
      ],
      phoneAttribute: 'a',
    })
    const { data } = await team.call('POST', '/v1/ext/procedure/lead/process', { data: { a: before, b: after } })
    expect((await send(team, whatsapp, `lead/${data.id}`)).data.context.contactIdentifier).toBe(before)
    await env.DB.prepare(
      `UPDATE procedure SET version = version + 1, definition = jsonb_set(definition, '$.phoneAttribute', 'b') WHERE team = ?`,
    )
      .bind(team.no)
      .run()
    expect((await send(team, whatsapp, `lead/${data.id}`)).data.context.contactIdentifier).toBe(after)
  })

  it('is refused where there is no number or no process', async () => {
    const { team, whatsapp } = await newConnectedTeam()
    await withProcedure(team)
    const { data } = await team.call('POST', '/v1/ext/procedure/lead/process', { data: {} })
    expect(await send(team, whatsapp, `lead/${data.id}`)).toMatchObject({
      status: 409,
      meta: { errors: [{ code: 'no_phone_number' }] },
    })
    for (const address of [`lead/${crypto.randomUUID()}`, 'lead/nobody', 'nothing/x', crypto.randomUUID(), 'x'])
      expect((await send(team, whatsapp, address)).status).toBe(404)
  })

  it.for([
    'call 2 times 4791230901',
    '+4791230901 (work 2)',
    '+49 171 1234567 ext 12',
    '+65 81234567, 3',
    '-4791230901',
    '+6835551 +6835552',
  ])('goes to nobody where the attribute or the record says more than a number: %s', async text => {
    const { team, whatsapp } = await newConnectedTeam()
    await withProcedure(team, { attributes: [{ shortId: 'mobile', type: 'string' }], phoneAttribute: 'mobile' })
    const create = async (body: object): Promise<string> =>
      (await team.call('POST', '/v1/ext/procedure/lead/process', body)).data.id
    const known = { data: { phone: newNumber() } }
    const ofAttribute = await create({ data: { mobile: text }, record: known })
    const ofRecord = await create({ data: {}, record: { data: { mobile: text } } })
    const errors = [ofAttribute, ofRecord].map((id, nth) => ({
      code: 'no_phone_number',
      message: `${['"mobile"', '"mobile" of the customer'][nth]} of process ${id} is not a phone number alone`,
    }))
    for (const [nth, id] of [ofAttribute, ofRecord].entries())
      expect(await send(team, whatsapp, id)).toMatchObject({ status: 409, meta: { errors: [errors[nth]] } })
    const processes = [ofAttribute, ofRecord].map(id => ({ id }))
    const body = { whatsappPhoneNumberId: whatsapp.phone.id, templateName: 'hello_world', processes }
    const job = await team.call('POST', `${whatsapp.base}/process/lead/bulk-send-template-message`, body)
    await waitForJob(team, job.data.id)
    expect(await listEntries(team, job.data.id)).toMatchObject(
      errors.map(({ code, message }) => ({
        completionStatus: 'ERROR',
        completionMessage: message,
        completionResult: { code },
      })),
    )
    expect((await whatsapp.received()).received).toBe(0)
  })

  it.for([
    ['+(4) 791-23.09/01', '4791230901'],
    ['(0047) 91 23 09 02', '4791230902'],
    ['+49 (0)171 1234567', '491711234567'],
    ['\u202a+47\u00a091\u201123\u20110903\u202c', '4791230903'],
  ] as const)('goes to a number in whatever spelling: %s', async ([text, to]) => {
    const { team, whatsapp } = await newConnectedTeam()
    await withProcedure(team, { attributes: [{ shortId: 'mobile', type: 'string' }], phoneAttribute: 'mobile' })
    const { data } = await team.call('POST', '/v1/ext/procedure/lead/process', { data: { mobile: text } })
    expect((await send(team, whatsapp, data.id)).data.context.contactIdentifier).toBe(to)
  })

  it("finds neither another team's plugin nor another team's process", async () => {
    const { team, whatsapp } = await newConnectedTeam()
    const stranger = await newConnectedTeam()
    await withProcedure(team)
    const { data } = await team.call('POST', '/v1/ext/procedure/lead/process', { data: {} })
    expect((await send(stranger.team, whatsapp, data.id)).status).toBe(404)
    expect((await send(stranger.team, stranger.whatsapp, data.id)).status).toBe(404)
    expect((await send(stranger.team, stranger.whatsapp, `lead/${data.id}`)).status).toBe(404)
    const { id } = (await whatsapp.send(newNumber())).data
    expect((await stranger.team.call('GET', `/v1/ext/message/${id}`)).status).toBe(404)
    expect((await stranger.team.call('POST', `/v1/ext/message/${id}/resend`)).status).toBe(404)
  })
})

describe("a message in the provider's format", () => {
  it('is refused beyond 64 KiB, which no message of the provider reaches', async () => {
    const { team, whatsapp } = await newConnectedTeam()
    const send = (body: string) =>
      team.call('POST', `${whatsapp.base}/api/v23.0/${whatsapp.phone.id}/messages`, {
        messaging_product: 'whatsapp',
        to: newNumber(),
        text: { body },
      })
    expect((await send('x'.repeat(4_096))).status).toBe(200)
    expect((await send('x'.repeat(65 * 1024))).status).toBe(413)
  })
})

describe('an idempotency key', () => {
  it('sends once, and replays the present state of the message', async () => {
    const { whatsapp } = await newConnectedTeam()
    const to = newNumber()
    const key = { 'idempotency-key': crypto.randomUUID() }
    const first = await whatsapp.send(to, order, key)
    await whatsapp.flush()
    const again = await whatsapp.send(to, order, key)
    expect(again.status).toBe(200)
    expect(again.headers.get('idempotency-replayed')).toBe('true')
    expect(again.data).toMatchObject({ id: first.data.id, deliveryStatus: 'READ' })
    expect((await whatsapp.send(to, { ...order, language: 'de' }, key)).status).toBe(422)
    expect((await whatsapp.received(`to=${to}`)).received).toBe(1)
  })

  it('concurrent requests with one idempotency key send one message', async () => {
    const { whatsapp } = await newConnectedTeam()
    const to = newNumber()
    const key = { 'idempotency-key': crypto.randomUUID() }
    const replies = await Promise.all(Array.from({ length: 8 }, () => whatsapp.send(to, order, key)))
    expect(new Set(replies.map(each => each.status)).size).toBeLessThanOrEqual(2)
    expect(replies.some(each => each.status === 200)).toBe(true)
    expect((await whatsapp.received(`to=${to}`)).received).toBe(1)
  })

  it('a refused send is replayed as refused under its idempotency key', async () => {
    const { whatsapp } = await newConnectedTeam()
    const to = newNumber()
    const key = { 'idempotency-key': crypto.randomUUID() }
    await whatsapp.faults({ to, fault: { kind: 'error', code: 131026 } })
    const first = await whatsapp.send(to, order, key)
    const again = await whatsapp.send(to, order, key)
    expect([first.status, again.status]).toEqual([502, 502])
    expect(again.headers.get('idempotency-replayed')).toBe('true')
    expect(again.meta.errors).toEqual(first.meta.errors)
    expect((await whatsapp.received(`to=${to}`)).received).toBe(1)
  })
})

describe('a message in the provider’s own format', () => {
  it('is refused with callback data, which would be lost', async () => {
    const { team, whatsapp } = await newConnectedTeam()
    const body = { messaging_product: 'whatsapp', to: newNumber(), type: 'text', text: { body: 'Hello' } }
    const path = `${whatsapp.base}/api/v19.0/${whatsapp.phone.id}/messages`
    const reply = await team.call('POST', path, { ...body, biz_opaque_callback_data: 'mine' })
    expect([reply.status, reply.meta.errors]).toEqual([
      400,
      [expect.objectContaining({ path: '/body/biz_opaque_callback_data' })],
    ])
    expect((await whatsapp.received()).received).toBe(0)
  })

  it('is passed through unchanged except for our id and the digits of the number, and stored like any other', async () => {
    const { team, whatsapp } = await newConnectedTeam()
    const to = newNumber()
    const written = `+${to.slice(0, 2)} (0) ${to.slice(2)}`
    const body = { messaging_product: 'whatsapp', to: written, type: 'text', text: { body: 'Hello there' } }
    const path = `${whatsapp.base}/api/v19.0/${whatsapp.phone.id}/messages`
    const reply = await team.call('POST', path, body)
    const { data } = await whatsapp.received(`to=${to}`)
    expect(reply).toMatchObject({ status: 200, data: { whatsappMessageId: data[0]?.messageId } })
    expect(JSON.parse(data[0]?.body ?? '')).toEqual({ ...body, to, biz_opaque_callback_data: reply.data.id })
    const kept = await team.call('GET', `/v1/ext/message/${reply.data.id}`)
    expect(kept.data).toMatchObject({
      text: 'Hello there',
      dataType: 'text',
      context: { contactIdentifier: to, messageTemplateId: null },
    })
  })

  it('is refused with our reason first, else with the provider’s', async () => {
    const { team, whatsapp } = await newConnectedTeam()
    const post = (version: string, phone: string, body: object) =>
      team.call('POST', `${whatsapp.base}/api/${version}/${phone}/messages`, body)
    const good = { messaging_product: 'whatsapp', to: newNumber(), text: { body: 'x' } }
    expect((await post('19', whatsapp.phone.id, good)).status).toBe(400)
    expect((await post('v19.0', '1', good)).status).toBe(400)
    expect((await post('v19.0', whatsapp.phone.id, { to: newNumber() })).status).toBe(400)
    expect(await post('v19.0', whatsapp.phone.id, { ...good, text: {} })).toMatchObject({
      status: 502,
      meta: { errors: [{ code: 'provider_refused', deliveryStatus: 'FAILED' }] },
    })
  })
})

describe('a number without its country code', () => {
  it.each(['01701234567', '0170 123-4567'])(
    'is refused wherever it is named, since nobody opts out by it: %s',
    async number => {
      const { team, whatsapp } = await newConnectedTeam()
      const entry = { ...whatsapp.entry(newNumber()) }
      const job = await team.call('POST', JOBS, {
        entries: [{ ...entry, apiData: { ...entry.apiData, phoneNumber: number } }],
      })
      const refused = [
        await whatsapp.send(encodeURIComponent(number)),
        await team.call('POST', `${whatsapp.base}/api/v19.0/${whatsapp.phone.id}/messages`, {
          messaging_product: 'whatsapp',
          to: number,
          text: { body: 'Hello' },
        }),
        await team.call('GET', `/v1/ext/message?phoneNumber=${encodeURIComponent(number)}`),
      ]
      expect(refused.map(({ status }) => status)).toEqual([400, 400, 400])
      for (const { errors } of refused) expect(errors[0]).toContain('with its country code')
      await waitForJob(team, job.data.id)
      const [failed] = await listEntries(team, job.data.id)
      expect(failed.completionStatus).toBe('INVALID')
      expect(failed.completionMessage).toContain('no country code begins with 0')
      expect((await whatsapp.received()).received).toBe(0)
    },
  )
})

describe('the messages of a phone number', () => {
  it('messages of a phone number are listed newest first, page by page', async () => {
    const { team, whatsapp } = await newConnectedTeam()
    const to = newNumber()
    const sent: string[] = []
    for (let count = 0; count < 3; count++) sent.unshift((await whatsapp.send(to)).data.id)
    const list = (query: string) => team.call('GET', `/v1/ext/message?${query}`)
    const ids = (reply: { data: { id: string }[] }) => reply.data.map(each => each.id)
    const first = await list(`phoneNumber=${to}&limit=2`)
    expect([ids(first), first.meta.hasMore]).toEqual([sent.slice(0, 2), true])
    const rest = await list(`phoneNumber=${to}&limit=2&skip=2`)
    expect([ids(rest), rest.meta.hasMore]).toEqual([sent.slice(2), false])
    expect(first.data[0].history).toMatchObject([{ status: 'PENDING' }, { status: 'SENT' }])
    // Without a number, the list has those of the team.
    expect(ids(await list(''))).toEqual(sent)
    expect((await list('skip=1')).status).toBe(400)
    expect((await list(`phoneNumber=${to}&limit=101`)).status).toBe(400)
    expect((await list(`phoneNumber=${to}&skip=-1`)).status).toBe(400)
    expect(ids(await (await newTeam()).call('GET', `/v1/ext/message?phoneNumber=${to}`))).toEqual([])
  })
})
