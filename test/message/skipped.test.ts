import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { getRateLimiter } from '../../src/message/send/rate-limiter.ts'
import { newTeam, type Team } from '../support/api.ts'
import { chooseCalls, survivesFaults, twice } from '../support/faults.ts'
import { type Call, type Fault, type FaultInjection, Harness, type Kind, type Message } from '../support/harness.ts'
import { JOBS, listEntries } from '../support/jobs.ts'
import { addNumber, type Connected, connectPlugin, newNumber } from '../support/provider.ts'

// One of two numbers is blocked for half a minute: the job skips its entries, sends those of the other one, and comes
// back.

const VARS = {
  JOB_TUNING: { chunkEntries: 3, sliceChunks: 3, timeLimitMs: 250 },
  PROVIDER_TUNING: { timeoutMs: 200 },
  WHATSAPP_MESSAGES_PER_SECOND: '1000',
}
const COUNT = 8
let team: Team
let whatsapp: Connected
let other: { id: string; displayNumber: string }

beforeEach(async () => {
  team = await newTeam()
  whatsapp = await connectPlugin(team)
  other = await addNumber(team, whatsapp)
  vi.useFakeTimers({ toFake: ['Date'] })
  vi.spyOn(scheduler, 'wait').mockImplementation(async ms => void vi.setSystemTime(Date.now() + Number(ms)))
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

/** Runs the job, and looks whether what is told of each entry is what the provider knows. */
async function survives(injection: FaultInjection, during?: (id: string) => void) {
  await getRateLimiter(env, team.no, whatsapp.phone.id).block(30_000)
  const phones = Array.from({ length: COUNT }, newNumber)
  const entries = phones.map((phoneNumber, index) => ({
    apiType: 'TEMPLATE_MESSAGE',
    apiData: {
      pluginId: whatsapp.id,
      whatsappPhoneNumberId: index % 2 === 0 ? whatsapp.phone.id : other.id,
      templateName: 'hello_world',
      phoneNumber,
    },
  }))
  const calm = new Harness(VARS)
  const accepted = await calm.request(team, 'POST', JOBS, { entries })
  const { id } = accepted.body._data
  during?.(id)
  const harness = new Harness(VARS, injection)
  harness.messages = calm.messages
  await harness.settle(team)
  const { data, meta } = await team.call('GET', `${JOBS}/${id}`)
  const counts = meta.bjEntryCompletionStatusVsCount as Record<string, number>
  expect(data.completedAt).toBeGreaterThan(0)
  expect(counts).toMatchObject({ NOT_STARTED: 0, IN_PROGRESS: 0 })
  const statuses = (await listEntries(team, id)).map((each: { completionStatus: string }) => each.completionStatus)
  for (const [status, count] of Object.entries(counts))
    expect(statuses.filter((each: string) => each === status).length, status).toBe(count)
  for (const [index, phone] of phones.entries()) {
    const { accepted: count } = await whatsapp.received(`to=${phone}`)
    const told = `${index} ${statuses[index]}`
    expect(count, told).toBeLessThanOrEqual(1)
    if (statuses[index] === 'SUCCESS') expect(count, told).toBe(1)
    if (statuses[index] === 'CANCELLED') expect(count, told).toBe(0)
  }
  return { harness, counts }
}

const isOfTurn = ({ kind, trigger }: Call) => trigger === 'message' && (kind === 'database' || kind === 'sender')
const told = (what: string) => (error: Error) => {
  throw new Error(`${what}: ${error.message}`, { cause: error })
}

describe('entries that were skipped are sent once, and have their outcomes,', () => {
  it('with a fault of any call of the runner', async () => {
    const { harness, counts } = await survives({})
    expect(counts).toMatchObject({ SUCCESS: COUNT })
    expect(harness.log.some(({ about }) => about.includes('"from":0'))).toBe(true)
    const [ofDatabase, ofSenders] = (['database', 'sender'] as const).map(of =>
      harness.log.filter(call => isOfTurn(call) && call.kind === of),
    ) as [Call[], Call[]]
    await survivesFaults(ofDatabase, async injection =>
      expect((await survives(injection)).counts).toMatchObject({ SUCCESS: COUNT }),
    )
    // A dispatched message may be unknown, if the response was lost.
    await survivesFaults(ofSenders, injection => survives(injection))
  }, 900_000)

  it('if the runner dies at any call', async () => {
    const calls = (await survives({})).harness.log.filter(isOfTurn)
    for (const call of chooseCalls(calls)) {
      const nth = calls.indexOf(call) + 1
      let [count, isDead] = [0, false]
      const fault = (_: Kind, __: number, ___: string, call: Call): Fault | undefined => {
        if (isOfTurn(call) && ++count === nth) isDead = true
        return isDead && call.trigger === 'message' ? (nth % 8 < 4 ? 'fails before' : 'fails after') : undefined
      }
      const deliver = (messages: Message[]) => {
        if (isDead) count = Number.NEGATIVE_INFINITY
        isDead = false
        return messages
      }
      const { counts } = await survives({ fault, deliver }).catch(told(`dead at call ${nth}`))
      expect(counts.SUCCESS, `dead at call ${nth}`).toBeGreaterThanOrEqual(COUNT - 3)
    }
  })

  it('if the job is cancelled at any call', async () => {
    const calls = (await survives({})).harness.log.filter(isOfTurn)
    for (const call of chooseCalls(calls)) {
      const nth = calls.indexOf(call) + 1
      let [count, id, cancelling] = [0, '', Promise.resolve<unknown>(undefined)]
      const fault = (_: Kind, __: number, ___: string, call: Call): undefined => {
        if (isOfTurn(call) && ++count === nth) cancelling = new Harness().request(team, 'POST', `${JOBS}/${id}/cancel`)
      }
      await survives({ fault }, job => {
        id = job
      }).catch(told(`cancelled at call ${nth}`))
      await cancelling
    }
  })

  it('if each message of the queue comes twice, one after the other or at once', async () => {
    for (const atOnce of [false, true])
      expect((await survives({ deliver: twice, atOnce })).counts).toMatchObject({ SUCCESS: COUNT })
  })
})
