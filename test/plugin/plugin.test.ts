import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { toHome } from '../../src/home.ts'
import { getCipher } from '../../src/plugin/secret/cipher.ts'
import { newTeam, ORIGIN } from '../support/api.ts'
import { requestWith } from '../support/broken-bindings.ts'
import { newConnectedTeam, newNumber } from '../support/provider.ts'

const PATH = '/v1/ext/plugin/whatsapp'
const body = {
  name: 'Support line',
  businessAccountId: '123456789',
  accessToken: 'EAAG-access',
  appSecret: 'app-secret',
  verifyToken: 'verify-me',
  phoneNumbers: [{ id: '775966265503012', displayNumber: '+49 30 1234' }],
}

describe('a plugin', () => {
  it('is created, listed, fetched, changed and removed without ever showing a secret', async () => {
    const team = await newTeam()
    const key = { 'idempotency-key': crypto.randomUUID() }
    const made = await team.call('POST', PATH, body, key)
    const { id } = made.data
    expect(made.status).toBe(201)
    expect(made.headers.get('location')).toBe(`${PATH}/${id}`)
    const shown = {
      id,
      createdAt: expect.any(Number),
      updatedAt: expect.any(Number),
      team: team.id,
      type: 'WHATSAPP',
      name: body.name,
      businessAccountId: body.businessAccountId,
      phoneNumbers: body.phoneNumbers,
      graphVersion: 'v23.0',
      defaultLanguage: null,
      status: 'ACTIVE',
      statusMessage: null,
      stoppedAt: null,
      stoppedPhoneNumbers: [],
      templatesSyncedAt: null,
      areSecretsReadable: true,
      webhookPath: `/webhooks/whatsapp/${toHome(team.no)}/${id}`,
      webhookUrl: `${ORIGIN}/webhooks/whatsapp/${toHome(team.no)}/${id}`,
    }
    expect(made.data).toEqual(shown)
    expect((await team.call('POST', PATH, body, key)).data).toEqual(shown)
    expect((await team.call('GET', '/v1/ext/plugin')).data).toEqual([shown])
    expect((await team.call('GET', `${PATH}/${id}`)).data).toEqual(shown)
    expect((await team.call('GET', '/v1/ext/config')).data.plugins).toEqual([shown])
    const changed = await team.call('PUT', `${PATH}/${id}`, { name: 'Sales', graphVersion: 'v24.0' }, key)
    expect(changed.status).toBe(422)
    const again = await team.call('PUT', `${PATH}/${id}`, { name: 'Sales', graphVersion: 'v24.0' })
    expect(again.data).toEqual({ ...shown, name: 'Sales', graphVersion: 'v24.0' })
    expect((await team.call('DELETE', `${PATH}/${id}`)).status).toBe(200)
    expect((await team.call('GET', `${PATH}/${id}`)).status).toBe(404)
    expect((await team.call('GET', '/v1/ext/plugin')).data).toEqual([])
    const row = await env.DB.prepare('SELECT access_token, app_secret, verify_token FROM plugin WHERE id = ?')
      .bind(id)
      .first()
    expect(Object.values(row ?? {})).toEqual(['', '', ''])
  })

  it('is refused with all its faults, and hidden from callers without the permission or without a token', async () => {
    const team = await newTeam()
    const { accessToken: _, ...some } = body
    const bad = { ...some, businessAccountId: '12/../34', graphVersion: '23', phoneNumbers: [], color: 'red' }
    const reply = await team.call('POST', PATH, bad)
    expect(reply.meta.errors.map((each: { path: string }) => each.path).sort()).toEqual([
      '/body/accessToken',
      '/body/businessAccountId',
      '/body/color',
      '/body/graphVersion',
      '/body/phoneNumbers',
    ])
    const [number] = body.phoneNumbers
    const repeated = { ...body, phoneNumbers: [number, { ...number, messagesPerSecond: 5 }] }
    expect((await team.call('POST', PATH, repeated)).meta.errors).toMatchObject([{ path: '/body/phoneNumbers/1/id' }])
    expect((await team.call('PUT', `${PATH}/${crypto.randomUUID()}`, {})).status).toBe(400)
    const agent = await team.as('agent')
    expect((await agent.call('POST', PATH, body)).status).toBe(403)
    const { id } = (await team.call('POST', PATH, body)).data
    const stranger = await newTeam()
    for (const [method, path, sent] of [
      ['GET', `${PATH}/${id}`],
      ['PUT', `${PATH}/${id}`, { name: 'Mine' }],
      ['DELETE', `${PATH}/${id}`],
      ['POST', `${PATH}/${id}/sync-templates`],
      ['GET', `${PATH}/${id}/templates`],
    ] as const)
      expect((await stranger.call(method, path, sent)).status).toBe(404)
    expect((await stranger.call('GET', '/v1/ext/plugin')).data).toEqual([])
  })

  it('loses nothing when several change it at once', async () => {
    const team = await newTeam()
    const { id } = (await team.call('POST', PATH, body)).data
    const changes = [{ name: 'Sales' }, { graphVersion: 'v24.0' }, { businessAccountId: '42' }]
    const replies = await Promise.all(changes.map(change => team.call('PUT', `${PATH}/${id}`, change)))
    expect(replies.map(each => each.status)).toEqual([200, 200, 200])
    expect((await team.call('GET', `${PATH}/${id}`)).data).toMatchObject(Object.assign({}, ...changes))
  })

  it('sends nothing and receives nothing once it was removed', async () => {
    const { team, whatsapp } = await newConnectedTeam()
    const to = newNumber()
    await whatsapp.send(to)
    await team.call('DELETE', whatsapp.base)
    expect((await whatsapp.send(to)).status).toBe(404)
    await whatsapp.flush()
    const [message] = (await team.call('GET', `/v1/ext/message?phoneNumber=${to}`)).data
    expect(message).toMatchObject({ deliveryStatus: 'SENT', plugin: whatsapp.id })
  })
})

describe('secrets', () => {
  it('are encrypted in the database, with another result each time', async () => {
    const team = await newTeam()
    const stored = async () => {
      const { id } = (await team.call('POST', PATH, body)).data
      return env.DB.prepare('SELECT * FROM plugin WHERE id = ?').bind(id).first<Record<string, string>>()
    }
    const [one, other] = [await stored(), await stored()]
    for (const secret of [body.accessToken, body.appSecret, body.verifyToken, btoa(body.accessToken)])
      expect(JSON.stringify([one, other])).not.toContain(secret)
    expect(one?.access_token).not.toBe(other?.access_token)
  })

  it('can be decrypted only with the key, for their place and unchanged', async () => {
    const cipher = getCipher(env)
    const stored = await cipher.encrypt('a secret', 'plugin/accessToken')
    expect(await cipher.decrypt(stored, 'plugin/accessToken')).toBe('a secret')
    await expect(cipher.decrypt(stored, 'plugin/appSecret')).rejects.toThrow()
    const [id, iv, sealed = ''] = stored.split('.')
    const changed = `${sealed.startsWith('A') ? 'B' : 'A'}${sealed.slice(1)}`
    await expect(cipher.decrypt([id, iv, changed].join('.'), 'plugin/accessToken')).rejects.toThrow()
    const other = getCipher({ SECRETS_KEY: btoa('x'.repeat(32)) })
    await expect(other.decrypt(stored, 'plugin/accessToken')).rejects.toThrow(`encrypted with the key ${id}`)
  })

  it('can be decrypted with the previous key, and are encrypted anew when their plugin is changed', async () => {
    const team = await newTeam()
    const { id } = (await team.call('POST', PATH, body)).data
    const stored = () =>
      env.DB.prepare('SELECT access_token FROM plugin WHERE id = ?').bind(id).first<string>('access_token')
    const before = await stored()
    const rotated = { SECRETS_KEY: btoa('n'.repeat(32)), SECRETS_KEY_PREVIOUS: env.SECRETS_KEY } as Partial<Env>
    const headers = { authorization: `Bearer ${team.token}`, 'content-type': 'application/json' }
    const put = (bindings: Partial<Env>) =>
      requestWith(bindings, `${PATH}/${id}`, { method: 'PUT', headers, body: JSON.stringify({ status: 'ACTIVE' }) })
    expect((await put({ SECRETS_KEY: btoa('n'.repeat(32)) } as Partial<Env>)).status).toBe(409)
    expect(await stored()).toBe(before)
    expect((await put(rotated)).status).toBe(200)
    const after = (await stored()) ?? ''
    expect(after.split('.')[0]).not.toBe(before?.split('.')[0])
    expect(await getCipher({ SECRETS_KEY: btoa('n'.repeat(32)) }).decrypt(after, `${id}/accessToken`)).toBe(
      body.accessToken,
    )
  })

  it.each([undefined, '', 'short', 'not base64!', btoa('x'.repeat(31))])(
    'are refused without a key (%s)',
    async SECRETS_KEY => {
      const team = await newTeam()
      const bindings = { SECRETS_KEY } as Partial<Env>
      const headers = { authorization: `Bearer ${team.token}`, 'content-type': 'application/json' }
      const reply = await requestWith(bindings, PATH, { method: 'POST', headers, body: JSON.stringify(body) })
      expect(reply).toMatchObject({ status: 500, meta: { errors: [{ code: 'internal_error' }] } })
      expect((await team.call('GET', '/v1/ext/plugin')).data).toEqual([])
    },
  )
})

describe('templates', () => {
  it('are copied whole, keep their ids, and go when the provider drops them', async () => {
    const { team, whatsapp } = await newConnectedTeam()
    const list = async () => (await team.call('GET', `${whatsapp.base}/templates`)).data
    const sync = () => team.call('POST', `${whatsapp.base}/sync-templates`)
    const before = await list()
    expect((await sync()).data).toEqual({ templates: before.length })
    const added = { name: 'new_one', components: [{ type: 'BODY', text: 'Hi {{1}}' }] }
    await whatsapp.control('POST', '/templates', added)
    expect((await sync()).data).toEqual({ templates: before.length + 1 })
    const after = await list()
    const ids = (templates: { id: string }[]) => templates.map(each => each.id)
    expect(ids(after)).toEqual(expect.arrayContaining(ids(before)))
    expect(after.find((each: { name: string }) => each.name === 'new_one')).toMatchObject({
      status: 'APPROVED',
      language: 'en_US',
      ...added,
    })
    await whatsapp.control('POST', '/reset')
    await sync()
    expect(ids(await list())).toEqual(ids(before))
  })

  it('are read from as many pages as there are', async () => {
    const { team, whatsapp } = await newConnectedTeam()
    const components = [{ type: 'BODY', text: 'x'.repeat(1_000) }]
    for (let index = 0; index < 230; index++)
      await whatsapp.control('POST', '/templates', { name: `many_${index}`, components })
    const { data } = await team.call('POST', `${whatsapp.base}/sync-templates`)
    expect(data.templates).toBeGreaterThan(230)
    expect((await team.call('GET', `${whatsapp.base}/templates`)).data).toHaveLength(data.templates)
  })

  it('are not used for another account', async () => {
    const { team, whatsapp } = await newConnectedTeam()
    const templates = async () => (await team.call('GET', `${whatsapp.base}/templates`)).data.length
    await team.call('PUT', whatsapp.base, { businessAccountId: whatsapp.account, name: 'Same account' })
    expect(await templates()).toBeGreaterThan(0)
    await team.call('PUT', whatsapp.base, { businessAccountId: '1' })
    expect(await templates()).toBe(0)
  })

  it('stay as they were when the provider refuses or does not answer', async () => {
    const { team, whatsapp } = await newConnectedTeam()
    const before = (await team.call('GET', `${whatsapp.base}/templates`)).data
    await team.call('PUT', whatsapp.base, { accessToken: 'wrong' })
    expect(await team.call('POST', `${whatsapp.base}/sync-templates`)).toMatchObject({
      status: 502,
      meta: { errors: [{ code: 'provider_refused', providerCode: 190 }] },
    })
    await team.call('PUT', whatsapp.base, { accessToken: whatsapp.secrets.accessToken })
    const answers: [number, () => Promise<Response>][] = [
      [502, async () => new Response('<html>')],
      [502, () => Promise.reject(new Error('no way there'))],
      [504, () => Promise.reject(new DOMException('late', 'TimeoutError'))],
      [502, async () => Response.json({ data: [{ id: 1 }] })],
    ]
    for (const [status, fetch] of answers) {
      const headers = { authorization: `Bearer ${team.token}` }
      const path = `${whatsapp.base}/sync-templates`
      const bindings = { WHATSAPP: { fetch } as unknown as Fetcher }
      expect((await requestWith(bindings, path, { method: 'POST', headers })).status).toBe(status)
    }
    expect((await team.call('GET', `${whatsapp.base}/templates`)).data).toEqual(before)
  })

  it('are requested once more if the connection was lost, but not after the time limit', async () => {
    const { team, whatsapp } = await newConnectedTeam()
    const statusAfter = async (fault: Error) => {
      let asked = 0
      const fetch = async () => {
        asked += 1
        if (asked === 1) throw fault
        return Response.json({ data: [] })
      }
      const bindings = { WHATSAPP: { fetch } as unknown as Fetcher }
      const headers = { authorization: `Bearer ${team.token}` }
      return (await requestWith(bindings, `${whatsapp.base}/sync-templates`, { method: 'POST', headers })).status
    }
    expect(await statusAfter(new Error('Network connection lost.'))).toBe(200)
    expect(await statusAfter(new DOMException('late', 'TimeoutError'))).toBe(504)
  })
})
