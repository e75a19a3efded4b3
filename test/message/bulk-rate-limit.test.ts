import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { getRateLimiter } from '../../src/message/send/rate-limiter.ts'
import { newTeam, type Team } from '../support/api.ts'
import { type Call, Harness } from '../support/harness.ts'
import { JOBS, listEntries } from '../support/jobs.ts'
import { addNumber, type Connected, connectPlugin, newNumber } from '../support/provider.ts'

let team: Team
let whatsapp: Connected
let other: { id: string; displayNumber: string }

beforeEach(async () => {
  team = await newTeam()
  whatsapp = await connectPlugin(team)
  other = await addNumber(team, whatsapp)
  vi.useFakeTimers({ toFake: ['Date'] })
})
afterEach(() => void vi.useRealTimers())

const getLimiter = (number: string) => getRateLimiter(env, team.no, number)

const entry = (number: string, phoneNumber: string) => ({
  apiType: 'TEMPLATE_MESSAGE',
  apiData: { pluginId: whatsapp.id, whatsappPhoneNumberId: number, templateName: 'hello_world', phoneNumber },
})

async function accepted(harness: Harness, entries: object[]): Promise<string> {
  const reply = await harness.request(team, 'POST', JOBS, { entries })
  expect(reply.status, JSON.stringify(reply.body)).toBe(202)
  return reply.body._data.id
}

const loadStatuses = async (id: string): Promise<string[]> =>
  (await listEntries(team, id)).map((each: { completionStatus: string }) => each.completionStatus)

/** A harness that keeps what the objects of numbers are asked. */
function listening() {
  const asked: string[] = []
  const harness = new Harness({}, { before: ({ kind, about }) => void (kind === 'limiter' && asked.push(about)) })
  return { harness, asked }
}

it('another team that names a number as its own delays nothing that is sent from it', async () => {
  const stranger = await newTeam()
  const named = await connectPlugin(stranger)
  const phoneNumbers = [{ ...whatsapp.phone, messagesPerSecond: 1 }]
  for (let nth = 0; nth < 8; nth++) {
    const change = { phoneNumbers, status: 'ACTIVE' }
    expect((await stranger.call('PUT', named.base, change)).errors).toEqual([])
    // The provider refuses it.
    expect((await named.send(newNumber(), { whatsappPhoneNumberId: whatsapp.phone.id })).status).not.toBe(200)
  }
  const harness = new Harness()
  const id = await accepted(harness, [entry(whatsapp.phone.id, newNumber()), entry(whatsapp.phone.id, newNumber())])
  await harness.deliver()
  expect(await loadStatuses(id)).toEqual(['SUCCESS', 'SUCCESS'])
})

describe('the numbers of a step', () => {
  it('do not wait for each other: entries of a limited number are delayed, and those behind them go out', async () => {
    await getLimiter(whatsapp.phone.id).block(30_000)
    const harness = new Harness()
    const [held, free] = [newNumber(), newNumber()]
    const id = await accepted(harness, [entry(whatsapp.phone.id, held), entry(other.id, free)])
    await harness.deliver()
    expect(await whatsapp.received()).toMatchObject({ received: 1 })
    expect(await whatsapp.received(`to=${free}`)).toMatchObject({ received: 1 })
    expect(await loadStatuses(id)).toEqual(['IN_PROGRESS', 'SUCCESS'])
    await harness.settle(team)
    expect(await loadStatuses(id)).toEqual(['SUCCESS', 'SUCCESS'])
  })

  it('do not wait for each other where a whole step has to wait', async () => {
    await getLimiter(whatsapp.phone.id).block(30_000)
    const harness = new Harness()
    const held = Array.from({ length: 200 }, () => entry(whatsapp.phone.id, newNumber()))
    const free = newNumber()
    await accepted(harness, [...held, entry(other.id, free)])
    await harness.deliver()
    expect(await whatsapp.received(`to=${free}`)).toMatchObject({ received: 1 })
    expect(await whatsapp.received()).toMatchObject({ received: 1 })
  })

  it('wait if there is no other: a job of one number delays nothing', async () => {
    await getLimiter(whatsapp.phone.id).block(30_000)
    const harness = new Harness()
    const id = await accepted(harness, [entry(whatsapp.phone.id, newNumber()), entry(whatsapp.phone.id, newNumber())])
    await harness.deliver()
    expect(await loadStatuses(id)).toEqual(['NOT_STARTED', 'NOT_STARTED'])
    await harness.settle(team)
    expect(await loadStatuses(id)).toEqual(['SUCCESS', 'SUCCESS'])
  })

  it('get back their reserved starts where the token of the plugin cannot be decrypted', async () => {
    const asked: string[] = []
    const before = ({ kind, about }: Call) => void (kind === 'limiter' && asked.push(about.split(' ', 1)[0] ?? ''))
    const harness = new Harness({ SECRETS_KEY: btoa('o'.repeat(32)) }, { before })
    const id = await accepted(harness, [entry(whatsapp.phone.id, newNumber())])
    await harness.deliver()
    expect(asked.slice(0, 2)).toEqual(['reserve', 'release'])
    await new Harness().request(team, 'POST', `${JOBS}/${id}/cancel`)
    expect(await whatsapp.received()).toMatchObject({ received: 0 })
  })

  it('get back their reserved starts where the plugin was changed before anything was sent', async () => {
    let isChanged = false
    const harness = new Harness(
      {},
      {
        after: async ({ kind, about }) => {
          if (kind !== 'limiter' || isChanged || !about.startsWith('reserve')) return
          isChanged = true
          await team.call('PUT', whatsapp.base, { name: 'Changed' })
        },
      },
    )
    const to = newNumber()
    const id = await accepted(harness, [entry(whatsapp.phone.id, to)])
    await harness.deliver()
    expect(await loadStatuses(id)).toEqual(['SUCCESS'])
    expect((await getLimiter(whatsapp.phone.id).reserve(Array(5).fill(to), 60)).waits).toEqual([
      0,
      0,
      0,
      0,
      expect.any(Number),
    ])
  })
})

it('a number that the provider has throttled is blocked at each refusal, also at the last', async () => {
  const to = newNumber()
  await whatsapp.faults({ to, times: 9, fault: { kind: 'error', code: 130429 } })
  const { harness, asked } = listening()
  const id = await accepted(harness, [entry(whatsapp.phone.id, to)])
  await harness.settle(team)
  expect(await loadStatuses(id)).toEqual(['ERROR'])
  const holds = asked.flatMap(each => (each.startsWith('block') ? [JSON.parse(each.slice(6))[0]] : []))
  expect(holds).toEqual([1_000, 4_000, 16_000, 60_000, 60_000])
})

describe('a retry of messages', () => {
  it('is CANCELLED if it is cancelled before it has sent anything, whatever became of the first job', async () => {
    const to = newNumber()
    await whatsapp.faults({ to, times: 1, fault: { kind: 'error', code: 131026 } })
    const harness = new Harness()
    const first = await accepted(harness, [entry(whatsapp.phone.id, to)])
    await harness.settle(team)
    expect(await loadStatuses(first)).toEqual(['ERROR'])
    // The customer has had as many as may be sent at once: the retry is delayed.
    await getLimiter(whatsapp.phone.id).reserve(Array(5).fill(to), 60)
    const retry = (await harness.request(team, 'POST', `${JOBS}/${first}/retry`)).body._data.id
    await harness.deliver()
    await harness.request(team, 'POST', `${JOBS}/${retry}/cancel`)
    await harness.settle(team)
    expect(await loadStatuses(retry)).toEqual(['CANCELLED'])
    expect(await whatsapp.received(`to=${to}`)).toMatchObject({ received: 1, accepted: 0 })
  })
})

it('a paused template is known to be paused, also where a retried message says so', async () => {
  const to = newNumber()
  await whatsapp.faults(
    { to, times: 1, fault: { kind: 'error', code: 131026 } },
    { to, times: 1, fault: { kind: 'error', code: 132015 } },
  )
  const { messageId } = (await whatsapp.send(to)).meta.errors[0]
  await whatsapp.faults({ to, times: 1, fault: { kind: 'error', code: 132015 } })
  expect((await team.call('POST', `/v1/ext/message/${messageId}/resend`)).status).toBe(502)
  const { data } = await team.call('GET', `${whatsapp.base}/templates`)
  expect(data.find((each: { name: string }) => each.name === 'hello_world')).toMatchObject({ status: 'PAUSED' })
})
