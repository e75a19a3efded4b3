import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { newTeam, request, type Team } from '../support/api.ts'
import { addNumber, type Connected, connectPlugin, newConnectedTeam, newNumber, signBody } from '../support/provider.ts'

interface Sent {
  id?: string
  from: string
  type?: string
  timestamp?: string
  context?: { id: string }
  [type: string]: unknown
}

let ids = 0
const wamid = () => `wamid.in.${Date.now()}.${++ids}`
const seconds = (ms = Date.now()) => String(Math.floor(ms / 1000))

const textFrom = (from: string, body: string, more: object = {}): Sent => ({
  id: wamid(),
  from,
  timestamp: seconds(),
  type: 'text',
  text: { body },
  ...more,
})

/** Posts a signed report of the provider. */
async function post(
  whatsapp: Connected,
  messages: unknown[],
  { phone = whatsapp.phone.id, contacts = [] as unknown[] } = {},
) {
  const value = { messaging_product: 'whatsapp', metadata: { phone_number_id: phone }, contacts, messages }
  const body = JSON.stringify({
    object: 'whatsapp_business_account',
    entry: [{ id: whatsapp.account, changes: [{ field: 'messages', value }] }],
  })
  const headers = { 'x-hub-signature-256': await signBody(whatsapp.secrets.appSecret, body) }
  const response = await request('POST', whatsapp.webhookPath, { body, headers })
  expect(response.status).toBe(200)
}

const listed = async (team: Team, phone: string) =>
  (await team.call('GET', `/v1/ext/message?phoneNumber=${phone}&limit=100`)).data
const loadInbound = async (team: Team, phone: string) =>
  (await listed(team, phone)).filter((each: { direction: string }) => each.direction === 'INBOUND')

describe('a received message', () => {
  it('is a message with its direction, in the list of the number and by its id', async () => {
    const { team, whatsapp } = await newConnectedTeam()
    const phone = newNumber()
    const sent = textFrom(phone, 'Where is my order?')
    await post(whatsapp, [sent], { contacts: [{ profile: { name: 'Asha' }, wa_id: phone }] })
    const [message, ...others] = await listed(team, phone)
    expect(others).toEqual([])
    expect(message).toMatchObject({
      externalId: sent.id,
      direction: 'INBOUND',
      dataType: 'text',
      text: 'Where is my order?',
      body: { body: 'Where is my order?' },
      deliveryStatus: 'DELIVERED',
      timestamp: Number(sent.timestamp) * 1000,
      context: { contactIdentifier: phone, messageTemplateId: null },
      source: { sourceId: whatsapp.id, sourceType: 'PLUGIN' },
      plugin: whatsapp.id,
      whatsappPhoneNumberId: whatsapp.phone.id,
      profileName: 'Asha',
      content: { body: 'Where is my order?' },
      attachments: null,
      inReplyTo: null,
      user: null,
      process: null,
      record: null,
    })
    expect((await team.call('GET', `/v1/ext/message/${message.id}`)).data).toEqual(message)
    expect((await (await newTeam()).call('GET', `/v1/ext/message/${message.id}`)).status).toBe(404)
  })

  it('comes by the emulated provider in the form of the real one', async () => {
    const { team, whatsapp } = await newConnectedTeam()
    const phone = newNumber()
    await whatsapp.control('POST', '/inbound', { from: phone, text: 'Hello' })
    await whatsapp.flush()
    expect(await loadInbound(team, phone)).toMatchObject([{ text: 'Hello', profileName: `User ${phone}` }])
  })

  it('is stored with its text and all that the provider reports of it, whatever its kind', async () => {
    const { team, whatsapp } = await newConnectedTeam()
    const phone = newNumber()
    const file = { id: '8471', mime_type: 'image/jpeg', sha256: 'c2hhMjU2', caption: 'The broken part' }
    const kinds: [string, unknown, string][] = [
      ['image', file, 'The broken part'],
      ['document', { ...file, filename: 'bill.pdf' }, 'The broken part'],
      ['audio', { id: '8472', mime_type: 'audio/ogg; codecs=opus', voice: true }, ''],
      ['sticker', { id: '8473', mime_type: 'image/webp', animated: false }, ''],
      ['location', { latitude: 18.52, longitude: 73.85, name: 'Office', address: '1 Main Road' }, 'Office'],
      ['contacts', [{ name: { formatted_name: 'Ravi Kumar' }, phones: [{ phone: '+91 98' }] }], 'Ravi Kumar'],
      ['interactive', { type: 'button_reply', button_reply: { id: 'yes', title: 'Yes, please' } }, 'Yes, please'],
      ['interactive', { type: 'list_reply', list_reply: { id: '2', title: 'Tomorrow' } }, 'Tomorrow'],
      ['interactive', { type: 'nfm_reply', nfm_reply: { body: 'Sent', response_json: '{}' } }, 'Sent'],
      ['button', { text: 'Stop', payload: 'stop' }, 'Stop'],
      ['order', { catalog_id: '1', text: 'Two of these', product_items: [] }, 'Two of these'],
      [
        'system',
        { body: 'User changed their number', wa_id: '1', type: 'user_changed_number' },
        'User changed their number',
      ],
    ]
    for (const [type, content] of kinds)
      await post(whatsapp, [{ id: wamid(), from: phone, timestamp: seconds(), type, [type]: content }])
    const messages = (await loadInbound(team, phone)).reverse()
    expect(
      messages.map((each: { dataType: string; content: unknown; text: string }) => [
        each.dataType,
        each.content,
        each.text,
      ]),
    ).toEqual(kinds)
    expect(messages[0].attachments).toEqual([
      {
        id: '8471',
        type: 'image',
        mimeType: 'image/jpeg',
        filename: null,
        sha256: 'c2hhMjU2',
        path: `/v1/ext/message/${messages[0].id}/media`,
      },
    ])
    expect(messages[1].attachments).toMatchObject([{ filename: 'bill.pdf' }])
    expect(messages[4].attachments).toBe(null)
  })

  it('is stored if its kind is unknown, and a malformed one loses nothing else of the batch', async () => {
    const { team, whatsapp } = await newConnectedTeam()
    const phone = newNumber()
    let deep: unknown = 'end'
    for (let level = 0; level < 2_000; level++) deep = [deep]
    await post(whatsapp, [
      textFrom(phone, 'first'),
      'nothing',
      { id: 'wamid.x' },
      { from: phone, timestamp: 'soon', id: wamid(), type: 'text' },
      { id: wamid(), from: phone, timestamp: seconds(), type: 'unsupported', errors: [{ code: 131051 }] },
      { id: wamid(), from: phone, timestamp: seconds(), type: 'hologram', hologram: { deep } },
      { id: wamid(), from: phone, timestamp: seconds() },
      textFrom(phone, 'a\0b \ud83d', { text: { body: 'a\0b \ud83d', 'k\0': 1 } }),
      { id: wamid(), from_user_id: 'IN.123456', timestamp: seconds(), type: 'text', text: { body: 'no number' } },
    ])
    const messages = (await loadInbound(team, phone)).reverse()
    expect(messages.map((each: { dataType: string; text: string }) => [each.dataType, each.text])).toEqual([
      ['text', 'first'],
      ['unsupported', ''],
      ['hologram', ''],
      ['unknown', ''],
      ['text', 'a\ufffdb \ufffd'],
    ])
    expect(messages[1].content).toEqual([{ code: 131051 }])
  })

  it('is stored once, however often and in whatever order the provider reports it', async () => {
    const { team, whatsapp } = await newConnectedTeam()
    const arrivals = fc.array(fc.array(fc.nat(4), { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 6 })
    await fc.assert(
      fc.asyncProperty(arrivals, async batches => {
        const phone = newNumber()
        const messages = Array.from({ length: 5 }, (_, nth) => textFrom(phone, `message ${nth}`))
        for (const batch of batches)
          await post(
            whatsapp,
            batch.map(nth => messages[nth]),
          )
        const texts = (await loadInbound(team, phone)).map((each: { text: string }) => each.text).sort()
        expect(texts).toEqual([...new Set(batches.flat())].sort().map(nth => `message ${nth}`))
      }),
      { numRuns: 12 },
    )
  })

  it('is two messages if two plugins receive it: the provider’s id is that of one account', async () => {
    const { team, whatsapp } = await newConnectedTeam()
    const other = await connectPlugin(team)
    const phone = newNumber()
    const sent = textFrom(phone, 'Hello')
    await Promise.all([post(whatsapp, [sent]), post(other, [sent])])
    expect(await loadInbound(team, phone)).toHaveLength(2)
  })

  it('a received message cannot be sent again', async () => {
    const { team, whatsapp } = await newConnectedTeam()
    const phone = newNumber()
    await post(whatsapp, [textFrom(phone, 'Hello')])
    const [{ id }] = await loadInbound(team, phone)
    expect(await team.call('POST', `/v1/ext/message/${id}/resend`)).toMatchObject({ status: 409 })
  })

  it('is a message like any other if it says stop: texts of customers are not interpreted', async () => {
    const { whatsapp } = await newConnectedTeam()
    const phone = newNumber()
    await post(whatsapp, [textFrom(phone, 'STOP')])
    expect((await whatsapp.send(phone)).status).toBe(200)
  })
})

describe('the process of a received message', () => {
  async function leads(team: Team, phone: string) {
    const { data } = await team.call('PUT', '/v1/ext/procedure/leads', {
      name: 'Leads',
      states: [{ shortId: 'new', name: 'New' }],
      startState: 'new',
      completedState: 'new',
      attributes: [],
    })
    expect(data.shortId).toBe('leads')
    const make = async (name: string) =>
      (await team.call('POST', '/v1/ext/procedure/leads/process', { data: { name }, record: { data: { phone } } })).data
    return make
  }

  const sendFor = (team: Team, whatsapp: Connected, process: { id: string }) =>
    team.call('POST', `${whatsapp.base}/process/leads/${process.id}/send-template-message`, {
      whatsappPhoneNumberId: whatsapp.phone.id,
      templateName: 'hello_world',
    })

  it('is that of the message that it answers where both come in one report, in whatever order', async () => {
    const { team, whatsapp } = await newConnectedTeam()
    const phone = newNumber()
    const make = await leads(team, phone)
    const [first, second] = [await make('first'), await make('second')]
    const one = (await sendFor(team, whatsapp, first)).data
    await sendFor(team, whatsapp, second)
    const named = textFrom(phone, 'about the first', { context: { id: one.externalId } })
    await post(whatsapp, [textFrom(phone, 'an answer to myself', { context: { id: named.id ?? '' } }), named])
    const inbound: { id: string; text: string; process: string; inReplyTo: string }[] = await loadInbound(team, phone)
    const [answer, earlier] = [
      inbound.find(({ text }) => text === 'an answer to myself'),
      inbound.find(({ text }) => text === 'about the first'),
    ]
    expect(answer).toMatchObject({ process: first.id, inReplyTo: earlier?.id })
  })

  it('is that of the message that it answers, else that of the last one that was sent to the number', async () => {
    const { team, whatsapp } = await newConnectedTeam()
    const phone = newNumber()
    const make = await leads(team, phone)
    const [first, second] = [await make('first'), await make('second')]
    const one = (await sendFor(team, whatsapp, first)).data
    const two = (await sendFor(team, whatsapp, second)).data
    const named = textFrom(phone, 'about the first', { context: { id: one.externalId } })
    await post(whatsapp, [textFrom(phone, 'about the last')])
    await post(whatsapp, [named])
    await post(whatsapp, [
      {
        id: wamid(),
        from: phone,
        timestamp: seconds(),
        type: 'reaction',
        reaction: { message_id: two.externalId, emoji: '👍' },
      },
    ])
    await post(whatsapp, [textFrom(phone, 'an answer to myself', { context: { id: named.id ?? '' } })])
    await post(whatsapp, [textFrom(phone, 'to what nobody knows', { context: { id: 'wamid.nobody' } })])
    const shown = (await loadInbound(team, phone)).map(
      (each: { text: string; process: string; inReplyTo: string | null; record: string }) => [
        each.text,
        each.process,
        each.inReplyTo,
        each.record,
      ],
    )
    const customer = first.record.id
    expect(shown.reverse()).toEqual([
      ['about the last', second.id, null, customer],
      ['about the first', first.id, one.id, customer],
      ['👍', second.id, two.id, customer],
      ['an answer to myself', first.id, expect.any(String), customer],
      // The customer's earlier message is the nearest one.
      ['to what nobody knows', first.id, null, customer],
    ])
    const ofProcess = (await team.call('GET', `/v1/ext/message?process=${first.id}`)).data
    expect(ofProcess.map((each: { direction: string }) => each.direction)).toEqual([
      'INBOUND',
      'INBOUND',
      'INBOUND',
      'OUTBOUND',
    ])
    const ofCustomer = (await team.call('GET', `/v1/ext/record/${customer}/message?limit=100`)).data
    expect(ofCustomer.map((each: { id: string }) => each.id)).toEqual(
      (await listed(team, phone)).map((each: { id: string }) => each.id),
    )
  })

  it('is not that of another plugin, of later messages, or of messages older than seven days', async () => {
    const { team, whatsapp } = await newConnectedTeam()
    const other = await connectPlugin(team)
    const phone = newNumber()
    const make = await leads(team, phone)
    const [mine, theirs] = [await make('mine'), await make('theirs')]
    await sendFor(team, whatsapp, mine)
    await sendFor(team, other, theirs)
    const day = 24 * 60 * 60_000
    await post(whatsapp, [textFrom(phone, 'before it was sent', { timestamp: seconds(Date.now() - 60_000) })])
    await post(whatsapp, [textFrom(phone, 'now')])
    await post(whatsapp, [textFrom(phone, 'in time', { timestamp: seconds(Date.now() + 6 * day) })])
    await post(whatsapp, [textFrom(phone, 'too late', { timestamp: seconds(Date.now() + 8 * day) })])
    const shown = (await loadInbound(team, phone)).reverse()
    expect(shown.map((each: { text: string; process: string | null }) => [each.text, each.process])).toEqual([
      ['before it was sent', null],
      ['now', mine.id],
      ['in time', mine.id],
      ['too late', null],
    ])
  })
})

describe('an erased customer', () => {
  it('leaves nothing of what they wrote, and a message that is reported once more does not come back', async () => {
    const { team, whatsapp } = await newConnectedTeam()
    const phone = newNumber()
    await addNumber(team, whatsapp)
    await team.call('PUT', '/v1/ext/procedure/leads', {
      name: 'Leads',
      states: [{ shortId: 'new', name: 'New' }],
      startState: 'new',
      completedState: 'new',
      attributes: [],
    })
    const made = await team.call('POST', '/v1/ext/procedure/leads/process', { data: {}, record: { data: { phone } } })
    const image = {
      id: wamid(),
      from: phone,
      timestamp: seconds(),
      type: 'image',
      // The text is too long to be in an id or a time by chance.
      image: { id: '770011990022', caption: 'My passport' },
    }
    const sent = textFrom(phone, 'My secret')
    await post(whatsapp, [sent, image], { contacts: [{ wa_id: phone, profile: { name: 'Asha Secret' } }] })
    const [{ id }] = await loadInbound(team, phone)
    expect((await team.call('DELETE', `/v1/ext/record/${made.data.record.id}`)).status).toBe(200)
    const { data } = await team.call('GET', `/v1/ext/message/${id}`)
    expect(data).toMatchObject({
      direction: 'INBOUND',
      text: '',
      externalId: null,
      profileName: null,
      content: null,
      attachments: null,
      record: null,
    })
    await post(whatsapp, [sent, image])
    expect(await listed(team, phone)).toEqual([])
    const { results } = await env.DB.prepare(
      'SELECT *, json(request) AS r, json(received) AS d, json(history) AS h FROM message WHERE id = ?',
    )
      .bind(id)
      .all()
    const stored = JSON.stringify(results)
    for (const secret of [phone, 'secret', 'Secret', 'passport', '770011990022', sent.id ?? '', image.id])
      expect(stored).not.toContain(secret)
  })
})
