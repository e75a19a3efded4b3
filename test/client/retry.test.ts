import { describe, expect, it } from 'vitest'
import { getWaitMs, isRetryable, parseRetryAfter } from '../../src/client/call/retry-rules.ts'
import { CaseworkerError } from '../../src/client/client.ts'
import { newTeam, ORIGIN } from '../support/api.ts'
import { createClient, troubled } from '../support/client.ts'
import { newProcedure } from '../support/procedures.ts'
import { newConnectedTeam, newNumber } from '../support/provider.ts'

async function leadsThrough(...troubles: Parameters<typeof troubled>) {
  const team = await newTeam()
  await newProcedure(team)
  const network = troubled(...troubles)
  const client = createClient(team, { fetch: network.fetch })
  return { team, client, leads: client.processes('lead'), tried: network.tried, sure: createClient(team) }
}

const failed = async (call: Promise<unknown>): Promise<CaseworkerError> => {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (error instanceof CaseworkerError) return error
  throw new Error(`not the failure that was expected: ${error}`)
}

const answering =
  (status: number, body: string, headers: Record<string, string> = {}) =>
  () =>
    new Response(body, { status, headers })

it('a pause grows from try to try, also where the API says when to try again', () => {
  const pauses = [1, 2, 3, 4].map(tries => getWaitMs(tries, 500, 1_000, 0))
  expect(pauses).toEqual([1_000, 1_000, 2_000, 4_000])
  expect(getWaitMs(1, 500, 30_000, 1)).toBe(30_500)
})

describe('a call whose response is lost', () => {
  it('creates one process, and returns it', async () => {
    const { leads, tried, sure } = await leadsThrough('answer lost', 'answer lost')
    const made = await leads.create({ data: { lead_id: 'L1' } })
    expect(tried).toHaveLength(3)
    expect(new Set(tried.map(({ key }) => key)).size).toBe(1)
    expect(tried[0]?.key).toMatch(/^[0-9a-f-]{36}$/)
    const all = await sure.processes('lead').list().all()
    expect(all.map(({ id }) => id)).toEqual([made.id])
  })

  it('creates one process without a primary key, too', async () => {
    const { leads, sure } = await leadsThrough('answer lost')
    await leads.create({ data: { city: 'Pune' } })
    expect(await sure.processes('lead').list().all()).toHaveLength(1)
  })

  it('changes once under a condition, and does not report that the condition failed', async () => {
    const { leads, tried } = await leadsThrough('none', 'answer lost')
    const made = await leads.create({ data: { lead_id: 'L1' } })
    const updated = await leads.update(made.id, { data: { score: 5 } }, { ifMatch: made.etag })
    expect(updated.data).toEqual({ lead_id: 'L1', score: 5 })
    expect(tried).toHaveLength(3)
  })

  it('accepts one job', async () => {
    const { leads, client, sure } = await leadsThrough('answer lost')
    const job = await leads.bulkCreate([{ data: { lead_id: 'L1' } }, { lead_id: 'L2' }])
    await client.jobs.wait(job.id)
    expect((await sure.jobs.list().all()).map(({ id }) => id)).toEqual([job.id])
    expect(await sure.processes('lead').list().all()).toHaveLength(2)
  })

  it('uploads the same bytes under the same key, with the same boundary', async () => {
    const { team, whatsapp } = await newConnectedTeam()
    const network = troubled('answer lost')
    const png = new Blob([new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])], { type: 'image/png' })
    const client = createClient(team, { fetch: network.fetch })
    expect(await client.messages.upload(whatsapp.id, png, 'a.png')).toMatchObject({
      publicMediaUrl: expect.any(String),
    })
    expect(network.tried).toHaveLength(2)
  })

  it('deletes again by id, and says how often it tried', async () => {
    const { leads, tried } = await leadsThrough('none', 'answer lost')
    const { id } = await leads.create()
    const error = await failed(leads.delete(id))
    expect(error).toMatchObject({ code: 'not_found', tries: 2 })
    expect(tried).toHaveLength(3)
  })

  it('is not repeated where a primary key may name another process by now', async () => {
    const { leads, tried } = await leadsThrough('none', 'answer lost')
    await leads.create({ data: { lead_id: 'L1' } })
    expect(await failed(leads.delete({ lead_id: 'L1' }))).toMatchObject({ code: 'no_response', status: 0, tries: 1 })
    expect(tried).toHaveLength(2)
  })
})

describe('a message', () => {
  it('is sent once where its response is lost', async () => {
    const { team, whatsapp } = await newConnectedTeam()
    const to = newNumber()
    const network = troubled('answer lost')
    const template = { whatsappPhoneNumberId: whatsapp.phone.id, templateName: 'hello_world' }
    const sent = await createClient(team, { fetch: network.fetch }).messages.send(
      whatsapp.id,
      { phoneNumber: to },
      template,
    )
    expect(sent.deliveryStatus).toBe('SENT')
    expect(network.tried).toHaveLength(2)
    expect(await whatsapp.received(`to=${to}`)).toMatchObject({ received: 1 })
  })

  it.each(['hang', 'drop'])('is not sent again where the provider may have it (%s)', async kind => {
    const { team, whatsapp } = await newConnectedTeam()
    const to = newNumber()
    await whatsapp.faults({ to, fault: { kind, accepted: true } })
    const network = troubled()
    const template = { whatsappPhoneNumberId: whatsapp.phone.id, templateName: 'hello_world' }
    const client = createClient(team, { fetch: network.fetch })
    const error = await failed(client.messages.send(whatsapp.id, { phoneNumber: to }, template))
    expect(error.code).toBe(kind === 'hang' ? 'provider_timeout' : 'provider_unavailable')
    expect(network.tried).toHaveLength(1)
    expect(await whatsapp.received(`to=${to}`)).toMatchObject({ received: 1 })
    if (!error.is('provider_timeout') && !error.is('provider_unavailable')) throw error
    const [fault] = error.errors
    expect(await client.messages.get(String(fault?.messageId))).toMatchObject({ deliveryStatus: 'UNKNOWN' })
  })
})

describe('a server in between', () => {
  it.each([408, 429, 500, 502, 503, 504])('may answer %i: the call is repeated', async status => {
    const { leads, tried } = await leadsThrough(answering(status, '<html>busy</html>'), 'lost')
    await leads.create()
    expect(tried).toHaveLength(3)
  })

  it('is waited for as long as it asks', async () => {
    const { leads } = await leadsThrough(answering(503, '', { 'retry-after': '1' }))
    const before = Date.now()
    await leads.create()
    expect(Date.now() - before).toBeGreaterThanOrEqual(990)
  })

  it('is not waited for any longer than a minute', async () => {
    const { leads, tried } = await leadsThrough(answering(503, '', { 'retry-after': '3600' }))
    expect(await failed(leads.create())).toMatchObject({ code: 'unexpected_response', retryAfterMs: 3_600_000 })
    expect(tried).toHaveLength(1)
  })

  it('may cut a response short, which is then no response', async () => {
    const cut = answering(200, '{"_data": {', { 'content-type': 'application/json' })
    const { leads, tried } = await leadsThrough(cut)
    await leads.create()
    expect(tried).toHaveLength(2)
  })

  it.each([
    ['a page with status 200', 200, '<html>', {}],
    ['JSON with status 200', 200, '{"ok": true}', { 'content-type': 'application/json' }],
    ['a redirection', 301, '', { location: 'https://elsewhere.example/' }],
    ['a stranger with JSON of its own', 401, '{"error": "who?"}', { 'content-type': 'application/json' }],
  ])('is distinguished from the API: %s', async (_, status, body, headers) => {
    const { leads, tried } = await leadsThrough(answering(status, body, headers))
    const error = await failed(leads.create())
    expect(error).toMatchObject({ code: 'unexpected_response', status })
    expect(error.message).toContain('location' in headers ? 'elsewhere.example' : body)
    expect(tried).toHaveLength(1)
  })

  it('is given up after the allowed retries', async () => {
    const { leads, tried } = await leadsThrough('lost', 'lost', 'lost', 'lost', 'lost', 'lost')
    expect(await failed(leads.create())).toMatchObject({ code: 'no_response', status: 0, tries: 5 })
    expect(tried).toHaveLength(5)
    expect(await failed(leads.create({}, { retries: 0 }))).toMatchObject({ tries: 1 })
  })
})

describe('a request that the API refuses', () => {
  it('is not sent again', async () => {
    const { leads, tried } = await leadsThrough()
    expect(await failed(leads.get(crypto.randomUUID()))).toMatchObject({ code: 'not_found', status: 404, tries: 1 })
    expect(await failed(leads.create({ state: 'NOWHERE' }))).toMatchObject({ code: 'invalid_request', tries: 1 })
    expect(tried).toHaveLength(2)
  })

  it('is refused under a key of the caller for another body, and answered again for the same', async () => {
    const { leads } = await leadsThrough()
    const options = { idempotencyKey: 'import-7' }
    const made = await leads.create({ data: { lead_id: 'L1' } }, options)
    expect((await leads.create({ data: { lead_id: 'L1' } }, options)).id).toBe(made.id)
    const error = await failed(leads.create({ data: { lead_id: 'L2' } }, options))
    expect(error.is('idempotency_key_reused')).toBe(true)
  })
})

describe('the caller', () => {
  it('may abort a call, and receives their own reason', async () => {
    const stop = new AbortController()
    const { leads, tried } = await leadsThrough('lost', 'lost', 'lost')
    const reason = new Error('changed my mind')
    const call = leads.create({}, { signal: stop.signal })
    stop.abort(reason)
    await expect(call).rejects.toBe(reason)
    expect(tried.length).toBeLessThanOrEqual(1)
  })

  it('may abort a call before it is sent: nothing is sent then', async () => {
    const { leads, tried } = await leadsThrough()
    const reason = new Error('changed my mind')
    await expect(leads.create({}, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
    const team = await newTeam()
    const stop = new AbortController()
    const token = async () => {
      stop.abort(reason)
      return team.token
    }
    const asked: string[] = []
    const fetch = async (address: string) => {
      asked.push(address)
      return new Response()
    }
    await expect(createClient(team, { token, fetch }).users.list({ signal: stop.signal })).rejects.toBe(reason)
    expect([tried, asked]).toEqual([[], []])
  })

  it('gets an error from a server that never answers', async () => {
    const team = await newTeam()
    const never = (_: string, { signal }: { signal: AbortSignal }) =>
      new Promise<Response>((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    const client = createClient(team, { fetch: never, retries: 1, timeoutMs: 30 })
    expect(await failed(client.health())).toMatchObject({
      code: 'no_response',
      tries: 2,
      message: expect.stringContaining('30 ms'),
    })
    const bulk = client.processes('lead').bulkCreate([{ data: { lead_id: 'L1' } }])
    expect(await failed(bulk), 'a small bulk request waits no longer').toMatchObject({ code: 'no_response', tries: 2 })
  })

  it('never reaches another address by an odd id', async () => {
    const { leads, tried } = await leadsThrough()
    for (const id of ['', '.', '..'])
      await expect(leads.get(id)).rejects.toMatchObject({ name: 'CaseworkerError', code: 'invalid_call' })
    expect(await failed(leads.get('a/b?c#d'))).toMatchObject({ code: 'not_found' })
    expect(tried).toMatchObject([{ path: '/v1/ext/procedure/lead/process/a%2Fb%3Fc%23d' }])
  })

  it('may give the token by a function, which is called at each try', async () => {
    const team = await newTeam()
    let asked = 0
    const token = async () => (++asked === 1 ? 'cw_old' : team.token)
    const client = createClient(team, { token, baseUrl: `${ORIGIN}/` })
    expect(await failed(client.users.list())).toMatchObject({ code: 'unauthenticated' })
    expect(await client.users.list()).toHaveLength(1)
  })
})

describe('the rules of retrying', () => {
  it('repeat a call that is not safe only where it was refused unread', () => {
    expect(isRetryable({ code: 'rate_limited', status: 429 }, 'never')).toBe(true)
    for (const code of ['no_response', 'internal_error', 'storage_unavailable', 'unexpected_response'] as const)
      expect(isRetryable({ code, status: 503 }, 'never')).toBe(false)
  })

  it('never repeat a call that the provider has answered', () => {
    for (const code of ['provider_refused', 'provider_timeout', 'provider_unavailable'] as const)
      expect(isRetryable({ code, status: 504 }, 'key')).toBe(false)
  })

  it('wait twice as long each time, up to a bound, and never less than requested', () => {
    expect([1, 2, 3].map(tries => getWaitMs(tries, 500, undefined, 1))).toEqual([500, 1000, 2000])
    expect([1, 2, 3].map(tries => getWaitMs(tries, 500, undefined, 0))).toEqual([250, 500, 1000])
    expect(getWaitMs(30, 500, undefined, 1)).toBe(20_000)
    expect(getWaitMs(1, 500, 7000, 0)).toBe(7000)
  })

  it('read retry-after as seconds and as a date', () => {
    expect(parseRetryAfter('3', 0)).toBe(3000)
    expect(parseRetryAfter('Thu, 01 Jan 1970 00:00:10 GMT', 4000)).toBe(6000)
    expect(parseRetryAfter('soon', 0)).toBeUndefined()
    expect(parseRetryAfter(null, 0)).toBeUndefined()
  })
})
