import { describe, expect, it } from 'vitest'
import { CATALOGUE, type Template } from './catalogue.ts'
import { LOCAL_ACCOUNT } from './defaults.ts'
import { CONTROL, call, freshAccount, GRAPH, json, type Refused, text, USER } from './testing.ts'

interface Page {
  data: Template[]
  paging: { cursors: { before: string; after: string }; next?: string }
}

describe('The list of templates', () => {
  it('is paged by cursor, without a gap or a repetition', async () => {
    const account = await freshAccount()
    const seen: string[] = []
    let after = ''
    for (let page = 0; page < 10; page += 1) {
      const { data, paging } = await json<Page>(account.read(`${account.id}/message_templates?limit=7${after}`))
      expect(data.length).toBeLessThanOrEqual(7)
      seen.push(...data.map(({ id }) => id))
      if (!paging.next) break
      expect(paging.next).toContain('after=')
      after = `&after=${encodeURIComponent(paging.cursors.after)}`
    }
    expect(seen).toEqual(CATALOGUE.map(({ id }) => id))
  })

  it('shows every kind of header, button, format and status', async () => {
    const account = await freshAccount()
    const { data } = await json<Page>(account.read(`${account.id}/message_templates?limit=100`))
    const parts = data.flatMap(({ components }) => components)
    expect(new Set(parts.flatMap(({ format }) => format ?? []))).toEqual(
      new Set(['TEXT', 'IMAGE', 'VIDEO', 'DOCUMENT', 'LOCATION']),
    )
    expect(new Set(parts.flatMap(({ buttons = [] }) => buttons.map(({ type }) => type)))).toEqual(
      new Set(['QUICK_REPLY', 'URL', 'PHONE_NUMBER', 'OTP', 'COPY_CODE', 'FLOW']),
    )
    expect(new Set(data.map(({ status }) => status))).toEqual(
      new Set(['APPROVED', 'PAUSED', 'DISABLED', 'REJECTED', 'PENDING']),
    )
    expect(new Set(data.map(({ parameter_format }) => parameter_format))).toEqual(new Set(['POSITIONAL', 'NAMED']))
  })

  it('can be narrowed by name, language and status, and to some fields', async () => {
    const account = await freshAccount()
    const list = `${account.id}/message_templates`
    const { data } = await json<Page>(account.read(`${list}?name=order_update&fields=name,language`))
    expect(data).toHaveLength(3)
    expect(data[1]).toEqual({ id: expect.any(String), name: 'order_update', language: 'de' })
    expect((await json<Page>(account.read(`${list}?name=order_update&language=hi`))).data).toHaveLength(1)
    expect((await json<Page>(account.read(`${list}?status=PAUSED`))).data.map(({ name }) => name)).toEqual([
      'paused_offer',
    ])
    expect(await json(account.read(`${list}?name=none`))).toEqual({ data: [] })
  })

  it.each(['limit=0', 'limit=x', 'after=here'])('refuses %s', async query => {
    const account = await freshAccount()
    expect(await json<Refused>(account.read(`${account.id}/message_templates?${query}`))).toMatchObject({
      error: { code: 100 },
    })
  })

  it('is refused to a wrong token and to another account', async () => {
    const [account, other] = [await freshAccount(), await freshAccount()]
    expect((await other.read(`${account.id}/message_templates`)).status).toBe(401)
    const unknown = await json<Refused>(account.read('12345/message_templates'))
    expect(unknown).toMatchObject({ error: { code: 100, error_subcode: 33 } })
  })
})

describe('The phone numbers', () => {
  it('are listed for an account, and each can be read', async () => {
    const account = await freshAccount()
    const { data } = await json<{ data: object[] }>(account.read(`${account.id}/phone_numbers`))
    const phone = { id: account.phone.id, display_phone_number: `+${account.phone.displayNumber}` }
    expect(data).toEqual([expect.objectContaining({ ...phone, quality_rating: 'GREEN' })])
    expect(await json(account.read(account.phone.id))).toMatchObject(phone)
  })

  it('can be used by their own account only', async () => {
    const [account, other] = [await freshAccount(), await freshAccount()]
    const taken = await other.control('PUT', `/accounts/${other.id}`, { phoneNumbers: [account.phone] })
    expect(taken.status).toBe(409)
  })
})

describe('An unknown path', () => {
  it('is refused as Meta does', async () => {
    expect(await json<Refused>(call('https://graph.facebook.com/nowhere'))).toMatchObject({ error: { code: 2500 } })
    expect(await json<Refused>(call(`${GRAPH}/1/2/3`))).toMatchObject({ error: { code: 2500 } })
  })
})

describe('a body that no route reads', () => {
  it.each([
    ['an unknown path', 'http://receiver.example.com/hooks'],
    ['an unknown number', `${GRAPH}/1/messages`],
    ['a receiver', 'http://whatsapp/receiver/refuse'],
    ['an unknown path of an account', `${CONTROL}/nothing?account=${LOCAL_ACCOUNT.id}`],
  ])('is read before %s answers', async (_, url) => {
    const piece = new Uint8Array(16 * 1024)
    let pieces = 10
    const body = new ReadableStream<Uint8Array>(
      { pull: controller => (pieces-- > 0 ? controller.enqueue(piece) : controller.close()) },
      { highWaterMark: 0 },
    )
    await (await call(url, { method: 'POST', body })).text()
    expect(pieces).toBe(-1)
  })
})

describe('The control interface', () => {
  it('filters the record by recipient and by callback data', async () => {
    const account = await freshAccount()
    await account.send(text(USER, { biz_opaque_callback_data: 'a' }))
    await account.send(text('4915100000001', { biz_opaque_callback_data: 'b' }))
    expect((await account.received('to=%2B49151-00000001')).data).toEqual([
      expect.objectContaining({ callbackData: 'b', accepted: true, phoneNumberId: account.phone.id }),
    ])
    expect((await account.received('callbackData=a')).data).toEqual([expect.objectContaining({ to: USER })])
    expect((await account.received()).received).toBe(2)
  })

  it('keeps accounts apart', async () => {
    const [account, other] = [await freshAccount(), await freshAccount()]
    await account.control('PUT', '/settings', { faults: [{ fault: { kind: 'http' } }] })
    expect((await other.send(text())).status).toBe(200)
    expect((await account.received()).received).toBe(0)
  })

  it('forgets everything but the account on reset', async () => {
    const account = await freshAccount()
    await account.send(text())
    await account.control('PUT', '/settings', { serviceWindow: true })
    expect(await json(account.control('POST', '/reset'))).toEqual({ reset: account.id })
    expect((await account.received()).received).toBe(0)
    expect(await json(account.control('GET', '/webhooks'))).toEqual({ counts: {}, data: [] })
    expect(await json(account.control('GET', '/settings'))).toMatchObject({ serviceWindow: false })
    expect((await account.send(text())).status).toBe(200)
  })

  it('knows the local account from the start, and no other that was not set up', async () => {
    expect(await json(call(`${CONTROL}/accounts/${LOCAL_ACCOUNT.id}`))).toEqual({ ...LOCAL_ACCOUNT, callbackUrl: null })
    expect((await call(`${CONTROL}/received?account=17`)).status).toBe(404)
    expect((await call(`${CONTROL}/accounts/17`, { method: 'PUT', body: '{}' })).status).toBe(400)
    expect((await call(`${CONTROL}/settings`, { method: 'PUT', body: '{' })).status).toBe(400)
  })
})
