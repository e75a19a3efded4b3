import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { newTeam, request } from '../support/api.ts'
import { expectEventsOfAll, loadEventRows, loadShownEvents, switchFeed } from '../support/feed.ts'
import { type Connected, connectPlugin, failedNumber, newNumber, refusedNumber, signBody } from '../support/provider.ts'
import { sleep } from '../support/sleep.ts'

async function start(isOn = true) {
  const team = await newTeam()
  if (isOn) await switchFeed(team)
  return { team, whatsapp: await connectPlugin(team) }
}

let ids = 0
const seconds = () => String(Math.floor(Date.now() / 1000))
const textFrom = (from: string) => ({
  id: `wamid.feed.${Date.now()}.${++ids}`,
  from,
  timestamp: seconds(),
  type: 'text',
  text: { body: 'Hello' },
})

async function post(whatsapp: Connected, value: { statuses?: unknown[]; messages?: unknown[] }) {
  const changes = [{ field: 'messages', value: { metadata: { phone_number_id: whatsapp.phone.id }, ...value } }]
  const body = JSON.stringify({ object: 'whatsapp_business_account', entry: [{ id: whatsapp.account, changes }] })
  const headers = { 'x-hub-signature-256': await signBody(whatsapp.secrets.appSecret, body) }
  expect((await request('POST', whatsapp.webhookPath, { body, headers })).status).toBe(200)
}

interface SentMessage {
  id: string
  externalId: string
}
const status = ({ id, externalId }: SentMessage, name: string, isAnonymous = false) => ({
  id: externalId,
  status: name,
  timestamp: seconds(),
  recipient_id: '1',
  ...(isAnonymous ? {} : { biz_opaque_callback_data: id }),
  ...(name === 'failed' ? { errors: [{ code: 131026, title: 'Undeliverable' }] } : {}),
})

describe('events of messages', () => {
  it('show each change of a status that the API shows, with the message', async () => {
    const { team, whatsapp } = await start()
    const { data } = await whatsapp.send(newNumber())
    await whatsapp.flush()
    const events = await loadShownEvents(team, 'message.status_changed')
    expect(events.map(({ data: { from, to } }) => [from, to])).toEqual([
      ['PENDING', 'SENT'],
      ['SENT', 'DELIVERED'],
      ['DELIVERED', 'READ'],
    ])
    const now = (await team.call('GET', `/v1/ext/message/${data.id}`)).data
    for (const event of events) expect(event.data).toMatchObject({ id: data.id, message: now })
    expect(events[0]?.by).toEqual({ user: null, apiKey: null, session: null, request: null, job: null, entry: null })
  })

  it('come in bounded pages where texts are long, each message once and whole', async () => {
    const { team, whatsapp } = await start()
    const text = { body: 'y'.repeat(65_000) }
    const from = newNumber()
    for (let nth = 0; nth < 3; nth++)
      await post(whatsapp, { messages: Array.from({ length: 20 }, () => ({ ...textFrom(from), text })) })
    const found = []
    for (let after = 0; ; ) {
      const { data, meta } = await team.call('GET', `/v1/ext/event?after=${after}`)
      expect(JSON.stringify(data).length).toBeLessThan(6_500_000)
      found.push(...data)
      after = meta.next
      if (!meta.hasMore) break
    }
    expect(found.map(({ sequence }) => sequence)).toEqual(found.map((_, nth) => nth + 1))
    const received = found.filter(({ type }) => type === 'message.received')
    expect(new Set(received.map(({ data }) => data.id)).size).toBe(60)
    for (const { data } of received) expect(data.message.text).toBe(text.body)
  })

  it('show what became of a message that was refused, or fails later', async () => {
    const { team, whatsapp } = await start()
    await whatsapp.send(refusedNumber(131026))
    await whatsapp.send(failedNumber(131026))
    await whatsapp.flush()
    const events = await loadShownEvents(team, 'message.status_changed')
    expect(events.map(({ data: { from, to } }) => `${from} ${to}`).sort()).toEqual([
      'PENDING FAILED',
      'PENDING SENT',
      'SENT FAILED',
    ])
    await expectEventsOfAll(team)
  })

  it('show each change once, however often and in whatever order reports come', async () => {
    const { team, whatsapp } = await start()
    const names = ['sent', 'delivered', 'read', 'failed']
    const told = fc.record({ message: fc.nat(2), name: fc.constantFrom(...names), isAnonymous: fc.boolean() })
    const webhooks = fc.array(
      fc.record({ told: fc.array(told, { maxLength: 4 }), heard: fc.array(fc.nat(3), { maxLength: 3 }) }),
      { minLength: 1, maxLength: 4 },
    )
    await fc.assert(
      fc.asyncProperty(webhooks, async all => {
        const customers = Array.from({ length: 4 }, () => textFrom(newNumber()))
        const sent: SentMessage[] = []
        for (let nth = 0; nth < 3; nth++) sent.push((await whatsapp.send(newNumber())).data)
        for (const { told, heard } of all)
          await post(whatsapp, {
            statuses: told.flatMap(({ message, name, isAnonymous }) => {
              const of = sent[message]
              return of ? [status(of, name, isAnonymous)] : []
            }),
            messages: heard.map(nth => customers[nth]),
          })
        await expectEventsOfAll(team)
      }),
      { numRuns: 10 },
    )
  })

  it('are one row of the log for one provider report', async () => {
    const { team, whatsapp } = await start()
    const sent: SentMessage[] = []
    for (let nth = 0; nth < 5; nth++) sent.push((await whatsapp.send(newNumber())).data)
    const before = await loadEventRows(team, 'message.status_changed')
    const heard = Array.from({ length: 5 }, () => textFrom(newNumber()))
    await post(whatsapp, { statuses: sent.map(each => status(each, 'read')), messages: heard })
    expect(await loadEventRows(team, 'message.status_changed')).toBe(before + 1)
    expect(await loadEventRows(team, 'message.received')).toBe(1)
    const received = await loadShownEvents(team, 'message.received')
    expect(received.map(({ data }) => data.message.externalId)).toEqual(heard.map(({ id }) => id))
    await expectEventsOfAll(team)
  })

  it('are not there where the feed is off, and those of one team do not appear in another', async () => {
    const [off, on] = [await start(false), await start()]
    for (const { whatsapp } of [off, on]) {
      const { data } = await whatsapp.send(newNumber())
      await post(whatsapp, { statuses: [status(data, 'read')], messages: [textFrom(newNumber())] })
    }
    expect(await loadShownEvents(off.team)).toEqual([])
    expect((await loadShownEvents(on.team, 'message.status_changed', 'message.received')).length).toBe(3)
  })
})

describe('events of plugins', () => {
  it('show that a plugin was stopped, and by whom it was resumed, once each', async () => {
    const { team, whatsapp } = await start()
    for (let nth = 0; nth < 2; nth++) await whatsapp.send(refusedNumber(131042))
    await team.call('PUT', whatsapp.base, { status: 'ACTIVE' })
    await team.call('PUT', whatsapp.base, { name: 'Another name' })
    const events = await loadShownEvents(team, 'plugin.stopped', 'plugin.resumed')
    const { webhookUrl: _, areSecretsReadable: __, ...plugin } = (await team.call('GET', whatsapp.base)).data
    expect(events.map(({ type, data }) => ({ type, ...data }))).toEqual([
      {
        type: 'plugin.stopped',
        id: whatsapp.id,
        plugin,
        isAccount: true,
        phoneNumbers: [],
        statusMessage: expect.stringContaining('131042'),
      },
      { type: 'plugin.resumed', id: whatsapp.id, plugin, isAccount: true, phoneNumbers: [], statusMessage: null },
    ])
    expect(events.map(({ by }) => by.user)).toEqual([null, team.admin])
  })

  it('show the same of a phone number, which a sync of templates resumes', async () => {
    const { team, whatsapp } = await start()
    for (let nth = 0; nth < 2; nth++) await whatsapp.send(refusedNumber(133010))
    await sleep(5)
    for (let nth = 0; nth < 2; nth++) await team.call('POST', `${whatsapp.base}/sync-templates`)
    const events = await loadShownEvents(team, 'plugin.stopped', 'plugin.resumed')
    expect(events.map(({ type, data: { isAccount, phoneNumbers } }) => [type, isAccount, phoneNumbers])).toEqual([
      ['plugin.stopped', false, [whatsapp.phone.id]],
      ['plugin.resumed', false, [whatsapp.phone.id]],
    ])
  })
})

describe('events of templates', () => {
  const template = (text: string) => ({ name: 'offer', components: [{ type: 'BODY', text }] })

  it('show which templates a sync has found new, changed or gone, and nothing otherwise', async () => {
    const { team, whatsapp } = await start()
    const first = await loadShownEvents(team, 'template.changed')
    const { data: known } = await team.call('GET', `${whatsapp.base}/templates`)
    expect(first.map(({ data }) => data.template).sort((a, b) => a.id.localeCompare(b.id))).toEqual(
      known.sort((a: { id: string }, b: { id: string }) => a.id.localeCompare(b.id)),
    )
    const sync = async () => {
      const before = (await loadShownEvents(team, 'template.changed')).length
      expect((await team.call('POST', `${whatsapp.base}/sync-templates`)).status).toBe(200)
      return (await loadShownEvents(team, 'template.changed')).slice(before).map(({ data }) => data)
    }
    expect(await sync()).toEqual([])
    await whatsapp.control('POST', '/templates', template('One'))
    const [made, ...others] = await sync()
    expect(others).toEqual([])
    expect(made).toMatchObject({ name: 'offer', language: 'en_US', from: null, to: 'APPROVED', plugin: whatsapp.id })
    await whatsapp.control('POST', '/templates', template('Two'))
    expect(await sync()).toMatchObject([{ id: made.id, from: 'APPROVED', to: 'APPROVED' }])
    expect(await sync()).toEqual([])
    await whatsapp.control('POST', '/reset')
    expect(await sync()).toMatchObject([{ id: made.id, template: null, from: 'APPROVED', to: null }])
  })

  it('show what the provider reports of one, if it is new', async () => {
    const { team, whatsapp } = await start()
    const before = (await loadShownEvents(team, 'template.changed')).length
    const update = async (event: string) => {
      const value = { event, message_template_name: 'hello_world', message_template_language: 'en_US', reason: 'NONE' }
      const changes = [{ field: 'message_template_status_update', value }]
      const body = JSON.stringify({ object: 'whatsapp_business_account', entry: [{ id: '1', changes }] })
      const headers = { 'x-hub-signature-256': await signBody(whatsapp.secrets.appSecret, body) }
      await request('POST', whatsapp.webhookPath, { body, headers })
    }
    for (const event of ['PAUSED', 'PAUSED', 'APPROVED']) await update(event)
    const events = (await loadShownEvents(team, 'template.changed')).slice(before)
    expect(events.map(({ data: { name, from, to } }) => [name, from, to])).toEqual([
      ['hello_world', 'APPROVED', 'PAUSED'],
      ['hello_world', 'PAUSED', 'APPROVED'],
    ])
  })
})
