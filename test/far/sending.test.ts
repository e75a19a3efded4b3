import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { SECOND_MS } from '../../src/time-units.ts'
import { newNumber } from '../support/provider.ts'
import { LIMITS } from '../whatsapp/defaults.ts'
import { admit, nothingSent } from '../whatsapp/limits.ts'
import { type FarTeam, far, type Place } from './far.ts'
import type { FarOptions } from './platform/options.ts'
import { connectSender } from './sender.ts'

const JOBS = '/v1/ext/background-job'

type Sender = Awaited<ReturnType<typeof connectSender>>

async function accept(team: FarTeam, entries: object[]): Promise<string> {
  const { data, errors } = await team.call('POST', JOBS, { entries })
  expect(errors).toEqual([])
  return data.id
}

const loadCounts = async (team: FarTeam, id: string) =>
  (await team.call('GET', `${JOBS}/${id}`)).meta.bjEntryCompletionStatusVsCount

/** Returns the times at which messages came to the provider, by their sender's number. */
function arrivals({ platform }: Place): number[][] {
  const arrived = platform.calls.flatMap(({ kind, about, startedAt }) => {
    const number = kind === 'provider' ? /\/(\d+)\/messages /.exec(about)?.[1] : undefined
    return number === undefined ? [] : [{ number, at: startedAt + platform.options.providerMs / 2 }]
  })
  return [...Map.groupBy(arrived, ({ number }) => number).values()].map(all => all.map(({ at }) => at))
}

/** Counts the calls that the provider would have refused, if they came at these times from one number. */
function countRefused(times: readonly number[]): number {
  const recent = nothingSent()
  return times.toSorted((one, other) => one - other).filter((time, nth) => admit(recent, `${nth}`, time, LIMITS)).length
}

/** Messages a second, from the first one to the last. */
function measureRate(times: readonly number[]): number {
  const [first, last] = [Math.min(...times), Math.max(...times)]
  return ((times.length - 1) / (last - first)) * SECOND_MS
}

async function start(options: Partial<FarOptions>, numbers: number) {
  // The signal that ends a call is not of this place's time, and the machine may be slow.
  const vars: object = { PROVIDER_TUNING: { timeoutMs: 50_000 } }
  const place = far(options, vars)
  const team = await place.newTeam()
  // The emulator's own clock is a real one; `countRefused` holds the times of this place against its rules.
  const limits = { throughputPerSecond: 1_000_000, pairBurst: 45, pairIntervalMs: 6_000 }
  const sender = await connectSender(team, { numbers, settings: { limits } })
  place.platform.calls = []
  return { place, team, sender }
}

const messages = (sender: Sender, count: number, number = 0) =>
  Array.from({ length: count }, () => sender.entry(newNumber(), sender.phones[number]))

/** Runs one job for each of some numbers, all at the same time. */
async function rateOfJobs(options: Partial<FarOptions>, { numbers, each }: { numbers: number; each: number }) {
  const { place, team, sender } = await start(options, numbers)
  const ids: string[] = []
  place.broker.paused = true
  for (let number = 0; number < numbers; number++) ids.push(await accept(team, messages(sender, each, number)))
  place.broker.resume()
  await place.rest()
  for (const id of ids) expect(await loadCounts(team, id)).toMatchObject({ SUCCESS: each })
  const times = arrivals(place)
  console.log(
    JSON.stringify({
      ...options,
      numbers,
      rate: Math.round(measureRate(times.flat()) * 10) / 10,
      refused: times.map(countRefused),
    }),
  )
  expect(times.map(({ length }) => length)).toEqual(Array(numbers).fill(each))
  expect(times.map(countRefused)).toEqual(Array(numbers).fill(0))
  return measureRate(times.flat())
}

describe("a job sends at the provider's rate for a number, 80 a second,", () => {
  it.each([
    [300, 20],
    [300, 50],
    [1_000, 20],
  ])(
    'with a provider that takes %i ms, and a database %i ms away',
    async (providerMs, databaseMs) => {
      const rate = await rateOfJobs({ providerMs, databaseMs }, { numbers: 1, each: 480 })
      expect(rate).toBeGreaterThan(75)
    },
    120_000,
  )
})

describe('ten numbers at the same time', () => {
  it('send 600 messages a second', async () => {
    const rate = await rateOfJobs({ providerMs: 300, databaseMs: 20 }, { numbers: 10, each: 120 })
    expect(rate).toBeGreaterThan(600)
  })
})

/** Runs one job for all of the numbers, its entries in this order. */
async function rateOfOneJob(orderOf: (numbers: object[][]) => object[]) {
  const [numbers, each] = [10, 120]
  const { place, team, sender } = await start({ providerMs: 300, databaseMs: 20 }, numbers)
  const entries = Array.from({ length: numbers }, (_, number) => messages(sender, each, number))
  const id = await accept(team, orderOf(entries))
  await place.rest()
  expect(await loadCounts(team, id)).toMatchObject({ SUCCESS: numbers * each })
  const times = arrivals(place)
  expect(times.map(countRefused)).toEqual(Array(numbers).fill(0))
  const rate = measureRate(times.flat())
  console.log(JSON.stringify({ oneJob: numbers, rate: Math.round(rate * 10) / 10 }))
  return rate
}

describe('one job of ten numbers', () => {
  it('sends 600 messages a second where the numbers take turns', async () => {
    const interleave = (numbers: object[][]) =>
      numbers[0]?.flatMap((_, nth) => numbers.map(all => all[nth] ?? {})) ?? []
    expect(await rateOfOneJob(interleave)).toBeGreaterThan(600)
  })

  it('sends at the rate of a number where one number follows another', async () => {
    expect(await rateOfOneJob(numbers => numbers.flat())).toBeGreaterThan(60)
  })
})

describe('a job of two numbers, one of which is held for half a minute', () => {
  it('sends from the other one at its full rate, then what waited at the rate of the first, each once', async () => {
    const each = 400
    const { place, team, sender } = await start({ providerMs: 300, databaseMs: 20 }, 2)
    const held = sender.phones[0]?.id ?? ''
    const limiters = place.bindings().NUMBER_RATE_LIMITER
    await place.run(async () => limiters.get(limiters.idFromName(`${team.no}/${held}`)).block(30_000))
    const [some, others] = [messages(sender, each, 0), messages(sender, each, 1)]
    const id = await accept(
      team,
      some.flatMap((one, nth) => [one, others[nth] ?? {}]),
    )
    await place.rest({ cron: true })
    expect(await loadCounts(team, id)).toMatchObject({ SUCCESS: 2 * each, ERROR: 0 })
    const times = arrivals(place)
    expect(times.map(({ length }) => length)).toEqual([each, each])
    expect(times.map(countRefused)).toEqual([0, 0])
    const rates = times.map(measureRate)
    console.log(JSON.stringify({ held: rates.map(Math.round) }))
    for (const rate of rates) expect(rate).toBeGreaterThan(50)
    const [first, last] = [Math.min(...(times[1] ?? [])), Math.max(...(times[0] ?? []))]
    expect(first).toBeGreaterThan(last)
  })
})

/** `FAR=print` prints the table of `test/far/README.md`. */
const isPrinted = env.FAR === 'print'
const LATENCIES = [300, 1_000].flatMap(providerMs => [5, 20, 50].map(databaseMs => ({ providerMs, databaseMs })))

if (isPrinted)
  describe('the rates of sending', () => {
    it.each(LATENCIES)(
      'at %o',
      async options => {
        await rateOfJobs(options, { numbers: 1, each: 480 })
        await rateOfJobs(options, { numbers: 10, each: 120 })
      },
      400_000,
    )
  })
