import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { newTeam, type Team } from '../support/api.ts'
import { type Call, type Fault, type FaultInjection, Harness, type Kind } from '../support/harness.ts'
import { JOBS, listEntries } from '../support/jobs.ts'
import { type Connected, connectPlugin, newNumber } from '../support/provider.ts'

let team: Team
let whatsapp: Connected

beforeEach(async () => {
  team = await newTeam()
  whatsapp = await connectPlugin(team)
  vi.useFakeTimers({ toFake: ['Date'] })
  vi.spyOn(scheduler, 'wait').mockImplementation(async ms => void vi.setSystemTime(Date.now() + Number(ms)))
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const VARS = { JOB_TUNING: { timeLimitMs: 2_000 } }

const insertsMessages = (sql: string) => /insert into "?message"?/i.test(sql)

/** The fault of database calls that do something, so many times. */
function getFault(does: (sql: string, about: string) => boolean, fault: Fault, times = 1): FaultInjection {
  let left = times
  return {
    fault: (kind: Kind, _: number, about: string, { sql }: Call) => {
      if (kind !== 'database' || left === 0 || !does(sql, about)) return undefined
      left -= 1
      return fault
    },
  }
}

async function accepted(harness: Harness, phones: string[]): Promise<string> {
  const entries = phones.map(whatsapp.entry)
  const reply = await harness.request(team, 'POST', JOBS, { entries })
  expect(reply.status, JSON.stringify(reply.body)).toBe(202)
  return reply.body._data.id
}

const send = (harness: Harness, to: string, headers: Record<string, string> = {}) =>
  harness.request(
    team,
    'POST',
    `${whatsapp.base}/phoneNumber/${to}/send-template-message`,
    { whatsappPhoneNumberId: whatsapp.phone.id, templateName: 'hello_world' },
    headers,
  )

const loadStatuses = async (id: string): Promise<string[]> =>
  (await listEntries(team, id)).map((each: { completionStatus: string }) => each.completionStatus)

const messagesTo = async (to: string) => (await team.call('GET', `/v1/ext/message?phoneNumber=${to}`)).data

const settle = async (harness: Harness) => {
  while (harness.messages.length > 0) {
    vi.setSystemTime(Math.max(Date.now(), ...harness.messages.map(({ dueAt }) => dueAt)))
    await harness.deliver()
  }
}

describe('a claim whose response is lost', () => {
  it.each<Fault>(['fails after', 'hangs after', 'reset after'])(
    '(%s) is recognised by its job: all messages are sent at once, and shown as sent',
    async fault => {
      const phones = [newNumber(), newNumber(), newNumber()]
      const harness = new Harness(VARS, getFault(insertsMessages, fault))
      const before = Date.now()
      const id = await accepted(harness, phones)
      await harness.deliver()
      expect(await loadStatuses(id)).toEqual(['SUCCESS', 'SUCCESS', 'SUCCESS'])
      expect(await whatsapp.received()).toMatchObject({ received: 3, accepted: 3 })
      expect(Date.now() - before).toBeLessThan(10_000)
    },
  )

  it('is recognised by a single request: the message is sent, and shown so, now and to a retry', async () => {
    const [to, key] = [newNumber(), { 'idempotency-key': crypto.randomUUID() }]
    const harness = new Harness(VARS, getFault(insertsMessages, 'fails after'))
    const reply = await send(harness, to, key)
    expect(reply).toMatchObject({ status: 200, body: { _data: { deliveryStatus: 'SENT' } } })
    const again = await send(new Harness(), to, key)
    expect(again).toMatchObject({ status: 200, body: { _data: { id: reply.body._data.id } } })
    expect(await whatsapp.received(`to=${to}`)).toMatchObject({ received: 1, accepted: 1 })
  })

  it('is given up if it cannot be read again: unsent messages are shown as not sent, and sent by their job later', async () => {
    const phones = [newNumber(), newNumber()]
    let isLost = false
    const fault = (kind: Kind, _: number, __: string, { sql }: Call): Fault | undefined => {
      if (kind !== 'database') return undefined
      if (insertsMessages(sql) && !isLost) {
        isLost = true
        return 'fails after'
      }
      return isLost && /^select "message"\."id"/i.test(sql) ? 'fails before' : undefined
    }
    const harness = new Harness(VARS, { fault })
    const id = await accepted(harness, phones)
    await harness.settle(team)
    expect([isLost, ...(await loadStatuses(id))]).toEqual([true, 'SUCCESS', 'SUCCESS'])
    for (const phone of phones) {
      expect(await whatsapp.received(`to=${phone}`)).toMatchObject({ received: 1, accepted: 1 })
      const rows = await messagesTo(phone)
      expect(rows.map((each: { deliveryStatus: string }) => each.deliveryStatus)).toEqual(['SENT', 'FAILED'])
      expect(rows[1].history.at(-1)).toMatchObject({ status: 'FAILED', reason: 'NOT_ATTEMPTED' })
    }
  })

  it('is shown as not sent by the time of the next request, if a single request cannot read it again', async () => {
    const [to, key] = [newNumber(), { 'idempotency-key': crypto.randomUUID() }]
    const fault = (kind: Kind, _: number, __: string, { sql }: Call): Fault | undefined => {
      if (kind !== 'database') return undefined
      if (insertsMessages(sql)) return 'fails after'
      return /^select "message"\."id"/i.test(sql) ? 'fails before' : undefined
    }
    const harness = new Harness(VARS, { fault })
    expect((await send(harness, to, key)).status).toBeGreaterThanOrEqual(400)
    await settle(harness)
    const again = await send(new Harness(), to, key)
    expect(again).toMatchObject({
      status: 502,
      body: { _meta: { errors: [{ code: 'provider_unavailable', deliveryStatus: 'FAILED' }] } },
    })
    expect(again.body._errors[0]).toContain('before the provider was asked')
    expect(await whatsapp.received(`to=${to}`)).toMatchObject({ received: 0 })
    const [{ id }] = await messagesTo(to)
    expect((await team.call('POST', `/v1/ext/message/${id}/resend`)).status).toBe(200)
  })
})

describe('a response of the provider that the database does not store', () => {
  const saysResult = (_: string, about: string) => about.includes('"source":"PROVIDER"')

  it.each<Fault>(['fails before', 'fails after', 'overloaded'])(
    '(%s) is kept in the queue for a single message, and stored from there',
    async fault => {
      const [to, key] = [newNumber(), { 'idempotency-key': crypto.randomUUID() }]
      const harness = new Harness(VARS, getFault(saysResult, fault, 4))
      const reply = await send(harness, to, key)
      // Under its key it is told what the database says of it by then.
      expect(reply.status).toBe(fault === 'fails after' ? 200 : 409)
      expect(harness.messages).toHaveLength(1)
      expect(JSON.stringify(harness.messages)).not.toContain(to)
      await settle(harness)
      expect(await messagesTo(to)).toMatchObject([{ deliveryStatus: 'SENT', externalId: expect.any(String) }])
      expect((await send(new Harness(), to, key)).status).toBe(200)
      expect(await whatsapp.received(`to=${to}`)).toMatchObject({ received: 1 })
    },
  )

  it('is kept in the queue for a job, also a refusal, and decides the outcomes of its entries', async () => {
    const phones = [newNumber(), newNumber()]
    await whatsapp.faults({ to: phones[1], fault: { kind: 'error', code: 131026 } })
    const harness = new Harness(VARS, getFault(saysResult, 'fails before', 5))
    const id = await accepted(harness, phones)
    await harness.settle(team)
    expect(await loadStatuses(id)).toEqual(['SUCCESS', 'ERROR'])
    expect((await messagesTo(phones[1] ?? ''))[0]).toMatchObject({ deliveryStatus: 'FAILED', error: { code: 131026 } })
    expect(await whatsapp.received()).toMatchObject({ received: 2, accepted: 1 })
  })

  it('stays in the queue for as long as the database fails, and stops the plugin then', async () => {
    const to = newNumber()
    await whatsapp.faults({ to, fault: { kind: 'error', code: 190 } })
    const harness = new Harness(VARS, getFault(saysResult, 'fails before', 7))
    expect((await send(harness, to)).status).toBe(503)
    expect((await team.call('GET', whatsapp.base)).data.status).toBe('ACTIVE')
    await settle(harness)
    expect((await team.call('GET', whatsapp.base)).data.status).toBe('STOPPED')
    expect((await messagesTo(to))[0]).toMatchObject({ deliveryStatus: 'FAILED', error: { code: 190 } })
  })

  it('is logged with its ids where the queue does not take it either', async () => {
    const lines: string[] = []
    vi.spyOn(console, 'error').mockImplementation(line => void lines.push(String(line)))
    const to = newNumber()
    const fault = (kind: Kind, _: number, about: string): Fault | undefined =>
      kind === 'queue' || (kind === 'database' && saysResult('', about)) ? 'fails before' : undefined
    await send(new Harness(VARS, { fault }), to)
    const [line] = lines.filter(each => each.includes('unsettled'))
    expect(JSON.parse(line ?? '{}')).toMatchObject({
      unsettled: [{ message: expect.any(String), status: 'SENT', externalId: expect.stringContaining('wamid') }],
    })
  })
})

describe('row numbers of messages', () => {
  it('are drawn again if they are taken, by single requests and by jobs', async () => {
    const [first, second] = [newNumber(), newNumber()]
    const taken = vi.spyOn(Math, 'random')
    taken.mockReturnValue(0.5)
    const one = await whatsapp.send(first)
    let left = 3
    taken.mockImplementation(() => (left-- > 0 ? 0.5 : 0.25))
    const other = await whatsapp.send(second)
    taken.mockRestore()
    expect([one.status, other.status]).toEqual([200, 200])
    expect(
      (await env.DB.prepare('SELECT count(*) AS n FROM message WHERE phone IN (?, ?)').bind(first, second).first())?.n,
    ).toBe(2)
  })
})
