import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toHome } from '../../src/home.ts'
import { request, type Team } from '../support/api.ts'
import {
  type Connected,
  connectPlugin,
  failedNumber,
  newConnectedTeam,
  newNumber,
  signBody,
} from '../support/provider.ts'
import { sleep } from '../support/sleep.ts'

const post = async (whatsapp: Connected, body: string, signature?: string) =>
  request('POST', whatsapp.webhookPath, {
    body,
    headers: { 'x-hub-signature-256': signature ?? (await signBody(whatsapp.secrets.appSecret, body)) },
  })

const envelope = (field: string, ...values: object[]) =>
  JSON.stringify({
    object: 'whatsapp_business_account',
    entry: [{ id: '1', changes: values.map(value => ({ field, value })) }],
  })

const statuses = (...list: object[]) => envelope('messages', { messaging_product: 'whatsapp', statuses: list })

const status = (message: { id: string; externalId: string | null }, name: string, timestamp = 1_800_000_000) => ({
  id: message.externalId ?? 'wamid.late',
  status: name,
  timestamp: String(timestamp),
  recipient_id: '1',
  biz_opaque_callback_data: message.id,
  ...(name === 'failed' ? { errors: [{ code: 131026, title: 'Message undeliverable' }] } : {}),
})

const fetched = async (team: Team, id: string) => (await team.call('GET', `/v1/ext/message/${id}`)).data

describe('the handshake', () => {
  it('is answered with the bare challenge for the right verify token', async () => {
    const { whatsapp } = await newConnectedTeam()
    expect(await whatsapp.control('POST', '/verify')).toMatchObject({ verified: true, status: 200 })
  })

  it('is refused with another token, another mode or no challenge', async () => {
    const { whatsapp } = await newConnectedTeam()
    const { verifyToken } = whatsapp.secrets
    for (const query of [
      `hub.mode=subscribe&hub.challenge=1&hub.verify_token=${verifyToken}x`,
      'hub.mode=subscribe&hub.challenge=1',
      `hub.mode=unsubscribe&hub.challenge=1&hub.verify_token=${verifyToken}`,
      `hub.mode=subscribe&hub.verify_token=${verifyToken}`,
    ])
      expect((await request('GET', `${whatsapp.webhookPath}?${query}`)).status).toBe(403)
    const right = `hub.mode=subscribe&hub.challenge=1&hub.verify_token=${verifyToken}`
    expect((await request('GET', `${whatsapp.webhookPath}?${right}`)).status).toBe(200)
    const strange = [
      crypto.randomUUID(),
      `01/${crypto.randomUUID()}`,
      `${toHome(1)}/${whatsapp.id}`,
      `1/${whatsapp.id}`,
    ]
    for (const address of strange)
      expect((await request('GET', `/webhooks/whatsapp/${address}?${right}`)).status, address).toBe(404)
  })
})

describe('the signature', () => {
  it('must be of the whole body, under this plugin’s own secret', async () => {
    const { team, whatsapp } = await newConnectedTeam()
    const other = await connectPlugin(team)
    const { data } = await whatsapp.send(newNumber())
    const body = statuses(status(data, 'read'))
    const good = await signBody(whatsapp.secrets.appSecret, body)
    const refused = [
      await post(whatsapp, body, ''),
      await post(whatsapp, body, good.slice('sha256='.length)),
      await post(whatsapp, body, `sha256=${good.slice('sha256='.length, -2)}`),
      await post(whatsapp, body, `sha1=${good.slice('sha256='.length)}`),
      await post(whatsapp, body, await signBody('a wrong secret', body)),
      await post(whatsapp, body, await signBody(other.secrets.appSecret, body)),
      await post(whatsapp, body.replace('read', 'Read'), good),
      await post(whatsapp, `${body} `, good),
      await request('POST', whatsapp.webhookPath, { body }),
    ]
    expect(refused.map(each => each.status)).toEqual(refused.map(() => 401))
    expect((await fetched(team, data.id)).deliveryStatus).toBe('SENT')
    expect((await post(whatsapp, body, good)).status).toBe(200)
    expect((await fetched(team, data.id)).deliveryStatus).toBe('READ')
  })

  it('is checked before the body is read', async () => {
    const { whatsapp } = await newConnectedTeam()
    expect((await post(whatsapp, 'not json', 'sha256=00')).status).toBe(401)
    expect((await post(whatsapp, 'not json')).status).toBe(400)
  })

  it('is not valid for messages of another plugin', async () => {
    const { team, whatsapp } = await newConnectedTeam()
    const other = await connectPlugin(team)
    const { data } = await whatsapp.send(newNumber())
    expect((await post(other, statuses(status(data, 'read')))).status).toBe(200)
    const { biz_opaque_callback_data: _, ...anonymous } = status(data, 'read')
    expect((await post(other, statuses(anonymous))).status).toBe(200)
    expect((await fetched(team, data.id)).deliveryStatus).toBe('SENT')
  })
})

describe('delivery statuses of the provider', () => {
  it('bring a message to READ, with its history', async () => {
    const { team, whatsapp } = await newConnectedTeam()
    const { data } = await whatsapp.send(newNumber())
    await whatsapp.flush()
    const message = await fetched(team, data.id)
    expect(message.deliveryStatus).toBe('READ')
    expect(message.history.map((each: { status: string; source: string }) => `${each.source} ${each.status}`)).toEqual([
      'REQUEST PENDING',
      'PROVIDER SENT',
      'WEBHOOK SENT',
      'WEBHOOK DELIVERED',
      'WEBHOOK READ',
    ])
  })

  it('end at the furthest one if they are duplicated, out of order or partly lost', async () => {
    const { team, whatsapp } = await newConnectedTeam()
    await whatsapp.control('PUT', '/settings', { webhooks: { duplicates: 3, shuffle: true, batch: 4, loseEvery: 7 } })
    const sent = await Promise.all(Array.from({ length: 5 }, () => whatsapp.send(newNumber())))
    await whatsapp.flush()
    await whatsapp.control('POST', '/webhooks/replay', {})
    for (const { data } of sent) {
      const message = await fetched(team, data.id)
      expect(message.deliveryStatus).toBe('READ')
      expect(message.history.length).toBeLessThanOrEqual(5)
    }
  })

  it('have the same result in whatever order and batches they arrive', async () => {
    const { team, whatsapp } = await newConnectedTeam()
    const order = ['sent', 'failed', 'delivered', 'read']
    const names = fc.array(fc.constantFrom(...order), { minLength: 1, maxLength: 6 })
    await fc.assert(
      fc.asyncProperty(names, async arrivals => {
        const { data } = await whatsapp.send(newNumber())
        for (const name of arrivals) expect((await post(whatsapp, statuses(status(data, name)))).status).toBe(200)
        const furthest = order[Math.max(...arrivals.map(name => order.indexOf(name)))]?.toUpperCase()
        const message = await fetched(team, data.id)
        expect(message.deliveryStatus).toBe(furthest)
        expect(message.history).toHaveLength(2 + new Set(arrivals).size)
      }),
      { numRuns: 12 },
    )
  })

  it('reach a message by the provider’s id where ours does not come back', async () => {
    const { team, whatsapp } = await newConnectedTeam()
    const { data } = await whatsapp.send(newNumber())
    const { biz_opaque_callback_data: _, ...anonymous } = status(data, 'delivered')
    await post(whatsapp, statuses(anonymous))
    expect((await fetched(team, data.id)).deliveryStatus).toBe('DELIVERED')
  })

  it('say why a message failed after all', async () => {
    const { team, whatsapp } = await newConnectedTeam()
    const { data } = await whatsapp.send(failedNumber(131049))
    await whatsapp.flush()
    expect(await fetched(team, data.id)).toMatchObject({
      deliveryStatus: 'FAILED',
      error: { code: 131049, class: 'stop-entry', advice: expect.any(String) },
    })
    expect((await whatsapp.send(newNumber())).status).toBe(200)
  })

  it('about the account stop the plugin, but not again after somebody has put it right', async () => {
    const { team, whatsapp } = await newConnectedTeam()
    const { data } = await whatsapp.send(failedNumber(131042))
    await whatsapp.flush()
    const plugin = async () => (await team.call('GET', whatsapp.base)).data.status
    expect(await plugin()).toBe('STOPPED')
    expect((await whatsapp.send(newNumber())).status).toBe(409)
    // The provider tells times in whole seconds.
    await sleep(1_100)
    await team.call('PUT', whatsapp.base, { status: 'ACTIVE' })
    await whatsapp.control('POST', '/webhooks/replay', {})
    expect(await plugin()).toBe('ACTIVE')
    await whatsapp.control('POST', '/webhooks/status', { messageId: data.externalId, status: 'failed', code: 131042 })
    await whatsapp.flush()
    expect(await plugin()).toBe('STOPPED')
  })

  it('about the account stop the plugin if one of them is from after its last change, whatever came before it', async () => {
    const { team, whatsapp } = await newConnectedTeam()
    const [first, second] = [await whatsapp.send(newNumber()), await whatsapp.send(newNumber())]
    const seconds = Math.floor(Date.now() / 1_000)
    const refusal = ({ data }: typeof first, timestamp: number) => ({
      ...status(data, 'failed', timestamp),
      errors: [{ code: 131042, title: 'Business eligibility payment issue' }],
    })
    await post(whatsapp, statuses(refusal(first, seconds - 3_600), refusal(second, seconds + 1)))
    expect((await team.call('GET', whatsapp.base)).data.status).toBe('STOPPED')
  })

  it('beyond what the history holds still count', async () => {
    const { team, whatsapp } = await newConnectedTeam()
    const { data } = await whatsapp.send(newNumber())
    const many = Array.from({ length: 60 }, (_, index) => status(data, 'sent', 1_800_000_000 + index))
    await post(whatsapp, statuses(...many, status(data, 'read')))
    const message = await fetched(team, data.id)
    expect([message.deliveryStatus, message.history.length]).toEqual(['READ', 30])
  })
})

describe('other reports of the provider', () => {
  it('change what can be sent if they are about a template', async () => {
    const { team, whatsapp } = await newConnectedTeam()
    const update = (event: string, reason: string) =>
      envelope('message_template_status_update', {
        event,
        message_template_id: 1,
        message_template_name: 'hello_world',
        message_template_language: 'en_US',
        reason,
      })
    await post(whatsapp, update('PAUSED', 'LOW_QUALITY'))
    expect((await whatsapp.send(newNumber())).meta.errors).toMatchObject([
      { status: 'PAUSED', statusReason: 'LOW_QUALITY' },
    ])
    const { data } = await team.call('GET', `${whatsapp.base}/templates`)
    expect(data.find((each: { name: string }) => each.name === 'hello_world')).toMatchObject({ status: 'PAUSED' })
    await post(whatsapp, update('APPROVED', 'NONE'))
    expect((await whatsapp.send(newNumber())).status).toBe(200)
  })

  describe('about a template', () => {
    const about = (event: string, { time, language = 'en_US' }: { time?: number; language?: string } = {}) => {
      const name = { message_template_name: 'hello_world', message_template_language: language }
      const changes = [{ field: 'message_template_status_update', value: { event, ...name, reason: 'NONE' } }]
      return JSON.stringify({ object: 'whatsapp_business_account', entry: [{ id: '1', time, changes }] })
    }
    const loadStatus = async ({ team, whatsapp }: { team: Team; whatsapp: Connected }): Promise<string> => {
      const { data } = await team.call('GET', `${whatsapp.base}/templates`)
      return data.find((each: { name: string }) => each.name === 'hello_world').status
    }

    it('change its status by what they mean, and not by the names of events that are no status', async () => {
      const { team, whatsapp } = await newConnectedTeam()
      for (const event of ['FLAGGED', 'LOCKED', 'UNLOCKED', 'LIMIT_EXCEEDED', 'SOMETHING_NEW']) {
        await post(whatsapp, about(event))
        expect(await loadStatus({ team, whatsapp }), event).toBe('APPROVED')
      }
      expect((await whatsapp.send(newNumber())).status).toBe(200)
      for (const event of ['REINSTATED', 'UNARCHIVED']) {
        await post(whatsapp, about('DISABLED'))
        await post(whatsapp, about('FLAGGED'))
        expect(await loadStatus({ team, whatsapp })).toBe('DISABLED')
        await post(whatsapp, about(event))
        expect(await loadStatus({ team, whatsapp }), event).toBe('APPROVED')
      }
      expect((await whatsapp.send(newNumber())).status).toBe(200)
    })

    it('count as of their own time, by whole seconds, and never of a time to come', async () => {
      const { team, whatsapp } = await newConnectedTeam()
      const now = Math.floor(Date.now() / 1000)
      const steps = [
        ['PAUSED', now - 60, 'APPROVED'],
        ['PAUSED', now + 3_600, 'PAUSED'],
        ['APPROVED', undefined, 'APPROVED'],
        ['PAUSED', now - 1, 'APPROVED'],
        ['REJECTED', now + 2, 'REJECTED'],
      ] as const
      for (const [event, time, expected] of steps) {
        await post(whatsapp, about(event, time === undefined ? {} : { time }))
        expect(await loadStatus({ team, whatsapp }), `${event} ${time}`).toBe(expected)
      }
      await team.call('POST', `${whatsapp.base}/sync-templates`)
      await post(whatsapp, about('PAUSED', { time: now - 60 }))
      expect(await loadStatus({ team, whatsapp })).toBe('APPROVED')
    })

    it('find it by its language with a hyphen, too', async () => {
      const { team, whatsapp } = await newConnectedTeam()
      await post(whatsapp, about('PAUSED', { language: 'en-US' }))
      expect(await loadStatus({ team, whatsapp })).toBe('PAUSED')
    })
  })

  it('are answered with 200 and change nothing if they have no meaning here', async () => {
    const { team, whatsapp } = await newConnectedTeam()
    const { data } = await whatsapp.send(newNumber())
    for (const body of [
      '{}',
      '[]',
      'null',
      '{"object":"page","entry":[]}',
      '{"object":"whatsapp_business_account","entry":[{"id":"1"}]}',
      envelope('account_update', { event: 'x' }),
      envelope('messages', { statuses: 'none', messages: [{ from: '1', text: { body: 'hi' } }] }),
      statuses({ status: 'sent' }, status(data, 'warped'), status(data, 'constructor'), {
        ...status(data, 'read'),
        timestamp: 'soon',
      }),
      statuses(status({ id: crypto.randomUUID(), externalId: 'wamid.unknown' }, 'read')),
      statuses({ ...status(data, 'read'), id: 'wamid.unknown', biz_opaque_callback_data: 'not ours' }),
    ])
      expect((await post(whatsapp, body)).status).toBe(200)
    expect((await fetched(team, data.id)).deliveryStatus).toBe('SENT')
  })
})
