import { describe, expect, it } from 'vitest'
import { type Accepted, freshAccount, json, listStatuses, type Refused, text, USER } from './testing.ts'

const BRIEFLY_MS = 500
const magic = (tail: string) => text(`1555${tail}`)
const briefly = (account: { token: string }, body: unknown) => ({
  body: JSON.stringify(body),
  headers: { authorization: `Bearer ${account.token}` },
  signal: AbortSignal.timeout(BRIEFLY_MS),
})

describe('The recipient’s number', () => {
  it.each([
    ['9131026', 131026, 400],
    ['9130429', 130429, 400],
    ['9131056', 131056, 400],
    ['9000190', 190, 401],
    ['9131016', 131016, 500],
    ['9000002', 2, 503],
    ['9131031', 131031, 403],
    ['00079131026', 131026, 400],
  ])('ending in %s is refused with code %i and status %i', async (tail, code, status) => {
    const account = await freshAccount()
    const response = await account.send(magic(tail))
    expect(response.status).toBe(status)
    expect((await json<Refused>(response)).error.code).toBe(code)
    expect(await account.received()).toMatchObject({ accepted: 0, data: [{ fault: 'error', code, status }] })
  })

  it('is like any other if it only looks like one of these', async () => {
    const account = await freshAccount()
    expect((await account.send(magic('9999999'))).status).toBe(200)
    expect((await account.send(text('4915559131026'))).status).toBe(200)
  })

  it('ending in 8 and a code is accepted, and then fails by a status report', async () => {
    const account = await freshAccount()
    const { messages } = await json<Accepted>(account.send(magic('8131049')))
    await account.flush()
    const statuses = listStatuses(await account.arrived())
    expect(statuses).toHaveLength(1)
    expect(statuses[0]).toMatchObject({
      id: messages[0]?.id,
      status: 'failed',
      errors: [{ code: 131049, title: expect.any(String), error_data: { details: expect.any(String) } }],
    })
  })

  it.each([
    ['7900001', 'dropped after it was accepted', 1],
    ['7900011', 'dropped before it was accepted', 0],
  ])('ending in %s has the connection %s', async (tail, _, accepted) => {
    const account = await freshAccount()
    await expect(account.send(magic(tail))).rejects.toThrow()
    expect(await account.received()).toMatchObject({ received: 1, accepted })
  })

  it.each([
    ['7900002', 'after it was accepted', 1],
    ['7900012', 'before it was accepted', 0],
  ])('ending in %s has the answer broken off %s', async (tail, _, accepted) => {
    const account = await freshAccount()
    const response = await account.send(magic(tail))
    await expect(response.text()).rejects.toThrow()
    expect(await account.received()).toMatchObject({ received: 1, accepted })
  })

  it.each([
    ['7900003', 'after it was accepted', 1],
    ['7900013', 'before it was accepted', 0],
  ])('ending in %s keeps the caller waiting %s', async (tail, _, accepted) => {
    const account = await freshAccount()
    await expect(account.send(null, briefly(account, magic(tail)))).rejects.toThrow(/timeout/i)
    expect(await account.received()).toMatchObject({ received: 1, accepted })
  })

  it.each([
    ['7900004', 500, 1],
    ['7900014', 500, 0],
    ['7900005', 200, 1],
    ['7900015', 200, 0],
  ])('ending in %s is answered %i without an object, and accepted %i times', async (tail, status, accepted) => {
    const account = await freshAccount()
    const response = await account.send(magic(tail))
    expect(response.status).toBe(status)
    await expect(response.json()).rejects.toThrow()
    expect(await account.received()).toMatchObject({ received: 1, accepted })
  })

  it('ending in 7900006 is answered with an error although nothing failed', async () => {
    const account = await freshAccount()
    const response = await account.send(magic('7900006'))
    expect(response.status).toBe(500)
    expect(await json<Refused>(response)).toMatchObject({ error: { code: 131000 } })
    await account.flush()
    expect(listStatuses(await account.arrived()).map(({ status }) => status)).toEqual(['sent', 'delivered', 'read'])
  })

  it('ending in 7900007 has the message held back', async () => {
    const account = await freshAccount()
    const { messages } = await json<Accepted>(account.send(magic('7900007')))
    expect(messages[0]?.message_status).toBe('held_for_quality_assessment')
  })

  it('ending in 77700 and two digits is answered as many tenths of a second late', async () => {
    const account = await freshAccount()
    const start = Date.now()
    expect((await account.send(magic('7770003'))).status).toBe(200)
    expect(Date.now() - start).toBeGreaterThanOrEqual(290)
  })
})

describe('A fault rule', () => {
  const outcomes = async (rules: object[], count: number, to = USER) => {
    const account = await freshAccount()
    const set = await account.control('PUT', '/settings', { faults: rules, limits: { pairBurst: 1_000 } })
    expect(set.status).toBe(200)
    const statuses: number[] = []
    for (let sent = 0; sent < count; sent += 1) statuses.push((await account.send(text(to))).status)
    return { account, statuses }
  }

  it('hits the next requests, as many as it says, after those it lets pass', async () => {
    const { account, statuses } = await outcomes([{ skip: 1, times: 2, fault: { kind: 'http', status: 503 } }], 5)
    expect(statuses).toEqual([200, 503, 503, 200, 200])
    expect(await json(account.control('GET', '/settings'))).toMatchObject({ faults: [] })
    expect(await account.received()).toMatchObject({ received: 5, accepted: 3 })
  })

  it('applies until it is removed if it has no count', async () => {
    const { account, statuses } = await outcomes([{ fault: { kind: 'error', code: 131016 } }], 3)
    expect(statuses).toEqual([500, 500, 500])
    await account.control('PUT', '/settings', { faults: [] })
    expect((await account.send(text())).status).toBe(200)
  })

  it('affects no other recipient', async () => {
    const rule = { to: '+49 151 00000001', fault: { kind: 'error', code: 131026, accepted: true } }
    const { account, statuses } = await outcomes([rule], 1, '4915100000001')
    expect(statuses).toEqual([400])
    expect((await account.send(text('4915100000002'))).status).toBe(200)
    expect((await account.received()).accepted).toBe(2)
  })

  it('affects no other callback data', async () => {
    const { account } = await outcomes([{ callbackData: 'a', fault: { kind: 'garbage', body: 'moved' } }], 0)
    expect(await (await account.send(text(USER, { biz_opaque_callback_data: 'a' }))).text()).toBe('moved')
    expect(await json(account.send(text(USER, { biz_opaque_callback_data: 'b' })))).toHaveProperty('messages')
  })

  it('does not save a message that would be refused anyway', async () => {
    const { account } = await outcomes([{ fault: { kind: 'http', accepted: true } }], 0)
    const response = await account.send(text(USER, { text: {} }))
    expect(await json<Refused>(response)).toMatchObject({ error: { code: 131008 } })
    expect(await account.received()).toMatchObject({ accepted: 0, data: [{ fault: null }] })
  })

  it('is refused as a whole if it is senseless', async () => {
    const account = await freshAccount()
    const response = await account.control('PUT', '/settings', { faults: [{ fault: { kind: 'lightning' } }] })
    expect(response.status).toBe(400)
  })
})

describe('A limit', () => {
  it('refuses what exceeds the throughput within a second, and nothing later', async () => {
    const account = await freshAccount({ settings: { limits: { throughputPerSecond: 3 }, webhooks: { hold: true } } })
    const codes: (number | undefined)[] = []
    for (let user = 1; user <= 5; user += 1)
      codes.push((await json<Partial<Refused>>(account.send(text(`4915100000${user}`)))).error?.code)
    expect(codes).toEqual([undefined, undefined, undefined, 130429, 130429])
    await scheduler.wait(1_050)
    expect((await account.send(text())).status).toBe(200)
  })

  it('lets a burst to one recipient through and then waits until it is paid for', async () => {
    const limits = { pairBurst: 3, pairIntervalMs: 400 }
    const account = await freshAccount({ settings: { limits, webhooks: { hold: true } } })
    const codes: (number | undefined)[] = []
    for (let sent = 0; sent < 4; sent += 1) codes.push((await json<Partial<Refused>>(account.send(text()))).error?.code)
    expect(codes).toEqual([undefined, undefined, undefined, 131056])
    expect((await account.send(text('4915100000009'))).status).toBe(200)
    await scheduler.wait(1_250)
    expect((await account.send(text())).status).toBe(200)
  })

  it('is by default 80 a second for a number and 45 at once for a pair', async () => {
    const account = await freshAccount()
    expect(await json(account.control('GET', '/settings'))).toMatchObject({
      limits: { throughputPerSecond: 80, pairBurst: 45, pairIntervalMs: 6_000 },
    })
    const answers = await Promise.all(Array.from({ length: 46 }, () => account.send(text())))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(45)
  })
})
