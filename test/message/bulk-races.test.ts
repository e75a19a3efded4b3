import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createResumeTask } from '../../src/background-job/maintenance/wake.ts'
import { connect } from '../../src/db/client.ts'
import { createCost } from '../../src/db/cost.ts'
import { getRateLimiter } from '../../src/message/send/rate-limiter.ts'
import { wherePluginStopped } from '../../src/plugin/stop.ts'
import { newTeam, type Team } from '../support/api.ts'
import { twice } from '../support/faults.ts'
import { type Call, type FaultInjection, Harness, type HarnessVars } from '../support/harness.ts'
import { JOBS } from '../support/jobs.ts'
import { type Connected, connectPlugin, newNumber, refusedNumber } from '../support/provider.ts'

const TUNING = { timeLimitMs: 5_000 }
const VARS = { PROVIDER_TUNING: { timeoutMs: 5_000 }, WHATSAPP_MESSAGES_PER_SECOND: '1000' }
const HOLD_MS = 30_000
let team: Team
let whatsapp: Connected

beforeEach(async () => {
  team = await newTeam()
  whatsapp = await connectPlugin(team)
  vi.useFakeTimers({ toFake: ['Date'] })
})
afterEach(() => void vi.useRealTimers())

interface Outside {
  vars?: HarnessVars
  injection?: FaultInjection
  /** Runs before a runner reserves starts with the rate limiter; `nth` counts from 1. */
  asking?: (nth: number) => Promise<unknown>
  /** Runs before the provider receives a message. */
  provider?: (nth: number) => Promise<unknown>
  /** Runs when the provider has decided, before its response arrives. */
  answered?: (nth: number) => Promise<unknown>
}

/** The Worker; between its calls the test acts. */
function harnessWith({ vars = {}, injection = {}, asking, provider, answered }: Outside): Harness {
  let asked = 0
  const before = async ({ kind, about, nth }: Call) => {
    if (kind === 'limiter' && about.startsWith('reserve ')) await asking?.(++asked)
    if (kind === 'provider') await provider?.(nth)
  }
  const after = async ({ kind, nth }: Call) => {
    if (kind === 'provider') await answered?.(nth)
  }
  return new Harness(
    { ...VARS, ...vars, JOB_TUNING: { ...TUNING, ...vars.JOB_TUNING } },
    { before, after, ...injection },
  )
}

/** Blocks the number for so long. */
const holdSender = (ms: number) => getRateLimiter(env, team.no, whatsapp.phone.id).block(ms)

async function accepted(harness: Harness, phones: string[]): Promise<string> {
  const reply = await harness.request(team, 'POST', JOBS, { entries: phones.map(whatsapp.entry) })
  expect(reply.status, JSON.stringify(reply.body)).toBe(202)
  return reply.body._data.id
}

const getNumbers = (count: number) => Array.from({ length: count }, newNumber)
const cancel = (id: string) => new Harness().request(team, 'POST', `${JOBS}/${id}/cancel`)

/**
 * Returns the outcomes of the entries, and expects what holds for every job: the counts add up, and no sent message is
 * shown as unsent.
 */
async function loadStatuses(id: string, phones: string[]): Promise<string[]> {
  const calm = new Harness()
  const { body } = await calm.request(team, 'GET', `${JOBS}/${id}`)
  const page = await calm.request(team, 'GET', `${JOBS}/${id}/entries?limit=100`)
  const statuses = page.body._data.map((each: { completionStatus: string }) => each.completionStatus) as string[]
  const counts = body._meta.bjEntryCompletionStatusVsCount as Record<string, number>
  for (const [status, count] of Object.entries(counts))
    expect(statuses.filter(each => each === status).length, `${status} of ${JSON.stringify(counts)}`).toBe(count)
  for (const [index, phone] of phones.entries()) {
    const { accepted: count } = await whatsapp.received(`to=${phone}`)
    const isCancelled = ['CANCELLED', 'NOT_STARTED'].includes(statuses[index] ?? '')
    expect([phone, count <= 1, isCancelled && count > 0], `${index} ${statuses}`).toEqual([phone, true, false])
  }
  return statuses
}

describe('two runners of a job', () => {
  it.each(['before', 'after'])(
    'leave dispatched entries alone, where one of them has dispatched and the other may not send yet; cancelled %s that',
    async moment => {
      const [bothAsk, sending, rested] = [1, 2, 3].map(() => Promise.withResolvers<void>())
      const phones = getNumbers(3)
      let id = ''
      const harness = harnessWith({
        injection: { deliver: twice, atOnce: true },
        asking: async nth => {
          if (nth === 1) await bothAsk?.promise
          if (nth !== 2) return
          bothAsk?.resolve()
          await sending?.promise
          if (moment === 'before') await cancel(id)
          // The runner stores that it waits, and the other one learns the provider's response only then.
          setTimeout(async () => {
            if (moment === 'after') await cancel(id)
            rested?.resolve()
          }, 300)
          await holdSender(HOLD_MS)
        },
        provider: async () => {
          sending?.resolve()
          await rested?.promise
        },
      })
      id = await accepted(harness, phones)
      await harness.deliver()
      await harness.settle(team)
      expect(await loadStatuses(id, phones)).toEqual(['SUCCESS', 'SUCCESS', 'SUCCESS'])
    },
  )
})

describe('a dispatched message', () => {
  const withFourth = (status: string) => ['SUCCESS', 'SUCCESS', 'SUCCESS', status, 'SUCCESS', 'SUCCESS']

  /** Sends six, of which the first and the fourth are deferred; the others are sent. */
  async function twoPutOff(asking?: Outside['asking'], vars: HarnessVars = {}) {
    const phones = getNumbers(6)
    const putOff = [phones[0], phones[3]]
    await whatsapp.faults(...putOff.map(to => ({ to, times: 1, fault: { kind: 'error', code: 131056 } })))
    const harness = harnessWith({ vars, ...(asking ? { asking } : {}) })
    const id = await accepted(harness, phones)
    await harness.deliver()
    expect(await whatsapp.received()).toMatchObject({ received: 6, accepted: 4 })
    return { phones, harness, id }
  }
  const nextTurn = async (harness: Harness) => {
    // A customer takes a message in six seconds.
    vi.setSystemTime(Math.max(Date.now() + 6_500, ...harness.messages.map(({ dueAt }) => dueAt)))
    await harness.deliver()
  }

  it('stays dispatched while it waits for its start: a cancelled job shows its real outcome', async () => {
    // Six are granted at once. Of those, others take five before the number is asked again, and then it is held.
    const perSecond = 3
    const others = getNumbers(5)
    const asking = async (nth: number) => {
      if (nth === 2) await getRateLimiter(env, team.no, whatsapp.phone.id).reserve(others, perSecond)
      if (nth === 3) await holdSender(HOLD_MS)
    }
    const { phones, harness, id } = await twoPutOff(asking, { WHATSAPP_MESSAGES_PER_SECOND: String(perSecond) })
    await nextTurn(harness)
    expect(await loadStatuses(id, phones)).toEqual(withFourth('IN_PROGRESS'))
    expect((await cancel(id)).body._meta.bjEntryCompletionStatusVsCount).toMatchObject({ CANCELLED: 0, IN_PROGRESS: 1 })
    await harness.settle(team)
    expect(await loadStatuses(id, phones)).toEqual(withFourth('ERROR'))
  })

  it('stays dispatched where a message that failed before tries less at once', async () => {
    const { phones, harness, id } = await twoPutOff(undefined, { JOB_TUNING: { sliceChunks: 1 } })
    // The message has failed so often that one entry is tried at a time.
    harness.messages = harness.messages.map(each => ({ ...each, attempts: 6 }))
    await nextTurn(harness)
    expect(await loadStatuses(id, phones)).toEqual(withFourth('IN_PROGRESS'))
    await cancel(id)
    await harness.settle(team)
    expect(await loadStatuses(id, phones)).toEqual(withFourth('ERROR'))
  })
})

describe('a job that is cancelled while it waits for the rate limit', () => {
  it('sends nothing', async () => {
    const phones = getNumbers(3)
    let id = ''
    const harness = harnessWith({ asking: async nth => (nth === 1 ? cancel(id) : undefined) })
    id = await accepted(harness, phones)
    await harness.settle(team)
    expect(await whatsapp.received()).toMatchObject({ received: 0 })
    expect(await loadStatuses(id, phones)).toEqual(Array(3).fill('CANCELLED'))
  })
})

describe('a job that is cancelled while it sends', () => {
  it('ends at once, also where the provider stops the plugin meanwhile', async () => {
    const phones = getNumbers(3)
    await whatsapp.faults({ to: phones[1], fault: { kind: 'error', code: 190 } })
    let [id, cancelling] = ['', Promise.resolve<Awaited<ReturnType<typeof cancel>> | undefined>(undefined)]
    const harness = harnessWith({
      provider: async nth => {
        if (nth === 1) cancelling = cancel(id)
        await cancelling
      },
    })
    id = await accepted(harness, phones)
    const before = Date.now()
    await harness.deliver()
    await harness.deliver()
    const counts = (await cancelling)?.body._meta.bjEntryCompletionStatusVsCount
    expect(counts).toMatchObject({ NOT_STARTED: 0, IN_PROGRESS: 3, CANCELLED: 0 })
    const { body } = await harness.request(team, 'GET', `${JOBS}/${id}`)
    expect(body._data).toMatchObject({ completionStatus: 'CANCELLED', completedAt: expect.any(Number) })
    expect(body._data.completedAt).toBeGreaterThanOrEqual(before)
    expect(await loadStatuses(id, phones)).toEqual(['SUCCESS', 'ERROR', 'SUCCESS'])
  })
})

describe('a job whose plugin changes while a runner waits for the rate limit', () => {
  async function changed(change: () => Promise<unknown>) {
    const phones = getNumbers(3)
    const harness = harnessWith({
      asking: async nth => {
        if (nth === 1) await change()
      },
    })
    const id = await accepted(harness, phones)
    await harness.deliver()
    return { harness, id, phones }
  }

  it('sends nothing more if it is removed', async () => {
    const { harness, id, phones } = await changed(() => team.call('DELETE', whatsapp.base))
    await harness.settle(team)
    expect(await whatsapp.received()).toMatchObject({ received: 0 })
    expect(await loadStatuses(id, phones)).toEqual(Array(3).fill('ERROR'))
  })

  it('pauses if it is stopped, and sends once it works again', async () => {
    const other = newNumber()
    await whatsapp.faults({ to: other, times: 1, fault: { kind: 'error', code: 190 } })
    const { harness, id, phones } = await changed(() => whatsapp.send(other))
    expect(await whatsapp.received()).toMatchObject({ received: 1 })
    const { body } = await harness.request(team, 'GET', `${JOBS}/${id}`)
    expect(body._data.statusMessage).toContain('Paused')
    await team.call('PUT', whatsapp.base, { status: 'ACTIVE' })
    await harness.settle(team)
    expect(await loadStatuses(id, phones)).toEqual(Array(3).fill('SUCCESS'))
  })

  it('sends with the new token if it gets one', async () => {
    const accessToken = `rotated-${whatsapp.account}`
    const { phones, id } = await changed(async () => {
      await whatsapp.control('PUT', `/accounts/${whatsapp.account}`, {
        ...whatsapp.secrets,
        accessToken,
        callbackUrl: `https://example.com${whatsapp.webhookPath}`,
        phoneNumbers: [whatsapp.phone],
      })
      await team.call('PUT', whatsapp.base, { accessToken })
    })
    expect(await loadStatuses(id, phones)).toEqual(Array(3).fill('SUCCESS'))
  })
})

/** The write that claims messages: their starts are reserved by then. */
const isClaim = (sql: string) => /INSERT INTO "?message"?\W/i.test(sql)

describe('a job of which a customer opts out after it was planned', () => {
  it('sends that customer nothing, and the others their messages', async () => {
    const optingOut = refusedNumber(131050)
    const phones = [newNumber(), optingOut, newNumber()]
    let refused: Awaited<ReturnType<typeof whatsapp.send>> | undefined
    const before = async ({ kind, sql }: Call) => {
      if (refused || kind !== 'database' || !isClaim(sql)) return
      refused = await whatsapp.send(optingOut)
    }
    const harness = harnessWith({ injection: { before } })
    const id = await accepted(harness, phones)
    await harness.settle(team)
    expect(refused?.meta.errors).toMatchObject([{ code: 'provider_refused' }])
    expect(await loadStatuses(id, phones)).toEqual(['SUCCESS', 'ERROR', 'SUCCESS'])
    expect((await whatsapp.received(`to=${optingOut}`)).received).toBe(1)
    const [, entry] = (await team.call('GET', `${JOBS}/${id}/entries?limit=100`)).data
    expect(entry.completionResult).toMatchObject({ code: 'opted_out', errors: [{ phoneNumber: optingOut }] })
  })
})

describe('concurrent steps of a job', () => {
  it('have outcomes entry by entry, also where they are of several chunks', async () => {
    const phones = getNumbers(9)
    let [id, told] = ['', '']
    const answered = Promise.withResolvers<void>()
    const provider = async (nth: number) => {
      if (nth === 6) {
        const calm = new Harness()
        const loadPage = async (query = '') =>
          (await calm.request(team, 'GET', `${JOBS}/${id}/entries${query}`)).body._data as {
            index: number
            completionStatus: string
          }[]
        const all = await loadPage()
        for (const status of ['IN_PROGRESS', 'NOT_STARTED', 'SUCCESS']) {
          const expected = all.filter(each => each.completionStatus === status).map(({ index }) => index)
          const paged = (await loadPage(`?completionStatus=${status}`)).map(({ index }) => index)
          expect([status, ...paged]).toEqual([status, ...expected])
        }
        told = all.map(each => each.completionStatus).join()
        answered.resolve()
      }
      await answered.promise
    }
    const harness = harnessWith({ vars: { JOB_TUNING: { chunkEntries: 2 } }, provider })
    id = await accepted(harness, phones)
    await harness.deliver()
    await harness.settle(team)
    expect(told).toBe([...Array(8).fill('IN_PROGRESS'), 'NOT_STARTED'].join())
    expect(await loadStatuses(id, phones)).toEqual(Array(9).fill('SUCCESS'))
  })
})

describe('a slow provider', () => {
  it('keeps some of a step from being started: what was not dispatched goes out later, and nothing twice', async () => {
    const phones = getNumbers(12)
    const harness = harnessWith({
      provider: async nth => {
        // Six at a time; the others would begin when there is too little left of the minute.
        if (nth === 6) vi.setSystemTime(Date.now() + 56_000)
      },
    })
    const id = await accepted(harness, phones)
    await harness.deliver()
    const { received } = await whatsapp.received()
    expect(received).toBeLessThan(12)
    await harness.settle(team)
    expect(await whatsapp.received()).toMatchObject({ received: 12, accepted: 12 })
    expect(await loadStatuses(id, phones)).toEqual(Array(12).fill('SUCCESS'))
  })
})

describe('a provider report', () => {
  it("is not overwritten by the provider's response if it comes before it, or in its place", async () => {
    const phones = getNumbers(2)
    const harness = harnessWith({
      answered: async nth => {
        await whatsapp.flush()
        if (nth === 2) throw new Error('Network connection lost')
      },
    })
    const id = await accepted(harness, phones)
    await harness.settle(team)
    expect(await loadStatuses(id, phones)).toEqual(['SUCCESS', 'SUCCESS'])
    for (const phone of phones) {
      const { body } = await harness.request(team, 'GET', `/v1/ext/message?phoneNumber=${phone}`)
      expect(body._data).toMatchObject([{ deliveryStatus: 'READ', externalId: expect.any(String) }])
      const { history } = (await team.call('GET', `/v1/ext/message/${body._data[0].id}`)).data
      expect(history.map(({ status }: { status: string }) => status)).not.toContain('UNKNOWN')
    }
    expect(await whatsapp.received()).toMatchObject({ received: 2, accepted: 2 })
  })
})

/** The write that pauses a job. */
const isPause = (sql: string) => /UPDATE "?background_job"?[^;]*paused_by/i.test(sql)

describe('a message that the provider defers each time', () => {
  it('is tried five times, and then its entry ends', async () => {
    const [phone = ''] = getNumbers(1)
    await whatsapp.faults({ to: phone, times: 99, fault: { kind: 'error', code: 131056 } })
    const harness = harnessWith({})
    const id = await accepted(harness, [phone])
    await harness.settle(team)
    expect(await loadStatuses(id, [phone])).toEqual(['ERROR'])
    expect(await whatsapp.received()).toMatchObject({ received: 5, accepted: 0 })
  })
})

describe('a paused job', () => {
  it('resumes although it is paused once more while its plugin is put right', async () => {
    const phones = getNumbers(2)
    await whatsapp.faults({ to: phones[0], times: 1, fault: { kind: 'error', code: 190 } })
    let mended = false
    let isLookedAtAgain = false
    const before = async ({ kind, sql }: Call) => {
      if (!isLookedAtAgain || mended || kind !== 'database' || !isPause(sql)) return
      mended = true
      await team.call('PUT', whatsapp.base, { status: 'ACTIVE' })
      await createResumeTask(() => connect(env.DB, createCost()), wherePluginStopped, Date.now()).step()
    }
    const harness = harnessWith({ injection: { before } })
    const id = await accepted(harness, phones)
    await harness.deliver()
    expect(harness.messages).toEqual([])
    // Somebody looks at it all the same, and sees the plugin stopped; before that is written down it is mended.
    vi.setSystemTime(Date.now() + 61 * 60_000)
    await harness.runCron()
    // Other teams' jobs are none of this test's business.
    harness.messages = harness.messages.filter(({ body }) => (body as { team: number }).team === team.no)
    expect(harness.messages).toHaveLength(1)
    isLookedAtAgain = true
    await harness.deliver()
    expect(mended).toBe(true)
    for (let minute = 1; minute <= 2; minute++) {
      vi.setSystemTime(Date.now() + 60_000)
      await harness.runCron()
      await harness.deliver()
    }
    expect(await loadStatuses(id, phones)).toEqual(['SUCCESS', 'SUCCESS'])
  })
})

describe("a sender's object that is gone", () => {
  it("leaves the provider's response to be stored all the same, and soon", async () => {
    const phones = getNumbers(12)
    await whatsapp.faults({ times: 12, fault: { kind: 'error', code: 130429 } })
    const isHold = ({ kind, about }: Call) => kind === 'limiter' && about.startsWith('block ')
    const harness = new Harness(
      { ...VARS, JOB_TUNING: TUNING },
      { fault: (_, __, ___, call) => (isHold(call) ? 'hangs before' : undefined) },
    )
    const id = await accepted(harness, phones)
    vi.useRealTimers()
    const before = Date.now()
    await harness.deliver()
    expect([harness.log.filter(isHold).length, Date.now() - before < 8_000]).toEqual([1, true])
    vi.useFakeTimers({ toFake: ['Date'] })
    await harness.settle(team)
    expect(await loadStatuses(id, phones)).toEqual(Array(12).fill('SUCCESS'))
  })
})
