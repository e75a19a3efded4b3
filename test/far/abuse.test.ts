import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { createToken } from '../../src/token.ts'
import { definition } from '../support/procedures.ts'
import { sleep } from '../support/sleep.ts'
import { type FarTeam, far, type Place } from './far.ts'
import { holdersDuring } from './holders.ts'
import { LEADS, teamWithLeads } from './leads.ts'

const GOOD_TEAMS = 20
const EVERY_MS = 250
const ALONE_MS = 8_000
const ABUSE_MS = 25_000
const PROCESSES = 5_000
const LARGE_JOBS = 2
const TICKETS = '/v1/ext/procedure/ticket/process'

interface Measured {
  ms: number
  at: number
  status: number
}

/** Numbers from 0 to 1, the same ones for the same seed. */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state / 2_147_483_648
  }
}

interface Work {
  until: number
  random: () => number
}

/** Acts as a person: opens processes, and changes one now and then. */
async function work(team: FarTeam, id: string, { until, random }: Work): Promise<Measured[]> {
  const measured: Measured[] = []
  const calls: Promise<unknown>[] = []
  await sleep(Math.floor(random() * EVERY_MS))
  for (let nth = Math.floor(random() * 4); Date.now() < until; nth++) {
    const at = Date.now()
    const call =
      nth % 4 === 3
        ? team.call('PUT', `${LEADS}/${id}`, { data: { note: `${nth}` } })
        : team.call('GET', `${LEADS}/${id}`)
    calls.push(call.then(({ ms, status }) => measured.push({ ms, at, status })))
    await sleep(Math.floor(EVERY_MS * (0.5 + random())))
  }
  await Promise.all(calls)
  return measured
}

/** Lists without an index, as fast as they are answered, from many connections. */
async function scan(team: FarTeam, until: number): Promise<number[]> {
  const statuses: number[] = []
  const loop = async () => {
    while (Date.now() < until) {
      const { status } = await team.call('POST', `${LEADS}/list`, { where: { note: 'nowhere' } })
      statuses.push(status)
      if (status === 429) await sleep(250)
    }
  }
  await Promise.all(Array.from({ length: 30 }, loop))
  return statuses
}

const newTickets = (count: number) => ({ processes: Array.from({ length: count }, () => ({ data: { note: 'x' } })) })

/** Hundreds of small jobs, each sent again until it is accepted. */
async function submitJobs(team: FarTeam, until: number): Promise<number[]> {
  const statuses: number[] = []
  const submit = async () => {
    while (Date.now() < until) {
      const { status } = await team.call('POST', `${TICKETS}/bulk-create`, newTickets(1))
      statuses.push(status)
      if (status !== 429) return
      await sleep(2_000)
    }
  }
  await Promise.all(Array.from({ length: 300 }, submit))
  return statuses
}

async function strangers(place: Place, until: number): Promise<number[]> {
  const statuses: number[] = []
  const loop = async (_: unknown, nth: number) => {
    while (Date.now() < until) {
      const headers = { authorization: `Bearer ${createToken(1)}`, 'cf-connecting-ip': `198.51.100.${nth}` }
      statuses.push((await place.fetch('/v1/ext/users', { headers })).status)
      await sleep(50)
    }
  }
  await Promise.all(Array.from({ length: 5 }, loop))
  return statuses
}

function quantile(measured: readonly Measured[], share: number): number {
  const sorted = measured.map(({ ms }) => ms).sort((one, other) => one - other)
  return sorted[Math.ceil(sorted.length * share) - 1] ?? 0
}

const getRow = (phase: string, measured: readonly Measured[]) => ({
  phase,
  calls: measured.length,
  p50: quantile(measured, 0.5),
  p90: quantile(measured, 0.9),
  p99: quantile(measured, 0.99),
  most: quantile(measured, 1),
  failed: measured.filter(({ status }) => status !== 200).length,
})

const getCount = (statuses: number[]) =>
  Object.fromEntries([...Map.groupBy(statuses, status => status)].map(([status, all]) => [status, all.length]))

/** The calls of all good teams are the same for the test, and those of the abusive one are told apart. */
const getName = (by: string) => by.replace(/^Far \S+/, 'good').replace(/\/[0-9a-f-]{36}/, '/…')

it.each(env.CHAOS === 'full' ? [1, 2, 3] : [1])(
  'calls of twenty good teams take at most twice as long at p50, p90 and p99 beside an abusive team, from its first call on (seed %i)',
  { timeout: 900_000 },
  async seed => {
    const random = createRandom(seed)
    const place = far()
    const good: [FarTeam, string][] = []
    for (let nth = 1; nth <= GOOD_TEAMS; nth++) {
      const team = await teamWithLeads(place)
      good.push([team, (await team.call('POST', LEADS, { data: { note: 'a' } })).data.id])
    }
    const abusive = await teamWithLeads(place, `abusive ${seed}`)
    await abusive.call('PUT', '/v1/ext/procedure/ticket', definition())
    await abusive.call('POST', `${LEADS}/bulk-create`, newTickets(PROCESSES))
    await place.rest()
    // Large jobs that begin with the abuse.
    place.broker.paused = true
    for (let nth = 1; nth <= LARGE_JOBS; nth++)
      expect((await abusive.call('POST', `${TICKETS}/bulk-create`, newTickets(10_000))).status).toBe(202)
    await place.pass(10_000)
    const workAll = async (ms: number) => {
      const until = Date.now() + ms
      return (await Promise.all(good.map(([team, id]) => work(team, id, { until, random })))).flat()
    }
    const inTime = <T>(act: () => Promise<T>) =>
      place.run(async () => {
        await sleep(1)
        return act()
      })
    // Several isolates: what each of them allows adds up.
    place.vanish(3)
    await inTime(() => workAll(2_000))
    const alone = await inTime(() => workAll(ALONE_MS))
    const startedAt = Date.now()
    place.platform.database.held = []
    place.broker.resume()
    const [beside, scans, submitted, unknown] = await inTime(() =>
      Promise.all([
        workAll(ABUSE_MS),
        scan(abusive, startedAt + ABUSE_MS),
        submitJobs(abusive, startedAt + ABUSE_MS),
        strangers(place, startedAt + ABUSE_MS),
      ]),
    )
    const isFirst = ({ at }: Measured) => at < startedAt + 1_000
    const rows = [
      getRow('alone', alone),
      getRow('beside', beside),
      getRow('its first second', beside.filter(isFirst)),
      getRow(
        'after that',
        beside.filter(each => !isFirst(each)),
      ),
    ]
    const counts = { lists: getCount(scans), jobs: getCount(submitted), strangers: getCount(unknown) }
    console.info(`${rows.map(row => JSON.stringify(row)).join('\n')}\nabuse ${JSON.stringify(counts)}`)
    if (env.FAR) {
      const slow = beside.filter(({ ms }) => ms > 1.5 * quantile(alone, 0.99))
      console.info(holdersDuring(slow, place.platform.database.held, getName).slice(0, 12))
    }
    expect(rows.map(({ failed }) => failed)).toEqual([0, 0, 0, 0])
    for (const share of [0.5, 0.9, 0.99])
      expect(quantile(beside, share)).toBeLessThanOrEqual(2 * quantile(alone, share))
    // The isolates let these in before they have learned the cost of this team's calls.
    expect(quantile(beside, 1)).toBeLessThanOrEqual(250)
    // The abusive team is served, too: what is its share. And its large jobs go on.
    expect(counts.lists[200]).toBeGreaterThan(ABUSE_MS / 300)
    const stepsMs = place.platform.database.held
      .filter(({ by }) => by.startsWith('jobs:'))
      .reduce((sum, { startedAt: from, endedAt }) => sum + endedAt - from, 0)
    expect(stepsMs).toBeGreaterThan(0.1 * ABUSE_MS)
  },
)
