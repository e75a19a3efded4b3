import { expect, it } from 'vitest'
import { newToken } from '../../src/auth/token.ts'
import { definition } from '../support/procedures.ts'
import { type FarTeam, far, type Place } from './far.ts'
import { LEADS, teamWithLeads } from './leads.ts'

const GOOD_TEAMS = 20
const EVERY_MS = 250
const ALONE_MS = 20_000
const BURST_MS = 10_000
const ABUSE_MS = 30_000
const PROCESSES = 5_000
const TICKETS = '/v1/ext/procedure/ticket/process'

interface Measured {
  ms: number
  at: number
  status: number
}

const sleep = (ms: number) => new Promise(resolve => setTimeout(resolve, ms))

/** What a person does: opens processes, and changes one now and then. */
async function work(
  team: FarTeam,
  id: string,
  { until, first }: { until: number; first: number },
): Promise<Measured[]> {
  const measured: Measured[] = []
  const calls: Promise<unknown>[] = []
  await sleep(first)
  for (let nth = 0; Date.now() < until; nth++) {
    const at = Date.now()
    const call =
      nth % 4 === 3
        ? team.call('PUT', `${LEADS}/${id}`, { data: { note: `${nth}` } })
        : team.call('GET', `${LEADS}/${id}`)
    calls.push(call.then(({ ms, status }) => measured.push({ ms, at, status })))
    await sleep(EVERY_MS)
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
      if (status === 429) await sleep(100)
    }
  }
  await Promise.all(Array.from({ length: 30 }, loop))
  return statuses
}

async function strangers(place: Place, until: number): Promise<number[]> {
  const statuses: number[] = []
  const loop = async (_: unknown, nth: number) => {
    while (Date.now() < until) {
      const headers = { authorization: `Bearer ${newToken()}`, 'cf-connecting-ip': `198.51.100.${nth}` }
      statuses.push((await place.fetch('/v1/ext/users', { headers })).status)
      await sleep(20)
    }
  }
  await Promise.all(Array.from({ length: 5 }, loop))
  return statuses
}

async function submitJobs(team: FarTeam): Promise<void> {
  const newLeads = (count: number) => ({ processes: Array.from({ length: count }, () => ({ data: { note: 'x' } })) })
  await Promise.all(Array.from({ length: 500 }, () => team.call('POST', `${TICKETS}/bulk-create`, newLeads(1))))
  await Promise.all(Array.from({ length: 3 }, () => team.call('POST', `${TICKETS}/bulk-create`, newLeads(5_000))))
}

function quantile(measured: readonly Measured[], share: number): number {
  const sorted = measured.map(({ ms }) => ms).sort((one, other) => one - other)
  return sorted[Math.ceil(sorted.length * share) - 1] ?? 0
}

const rowOf = (phase: string, measured: readonly Measured[]) => ({
  phase,
  calls: measured.length,
  p50: quantile(measured, 0.5),
  p90: quantile(measured, 0.9),
  p99: quantile(measured, 0.99),
  failed: measured.filter(({ status }) => status !== 200).length,
})

it('twenty good teams beside one that abuses the service, and strangers', { timeout: 600_000 }, async () => {
  const place = far()
  const good: [FarTeam, string][] = []
  for (let nth = 1; nth <= GOOD_TEAMS; nth++) {
    const team = await teamWithLeads(place)
    good.push([team, (await team.call('POST', LEADS, { data: { note: 'a' } })).data.id])
  }
  const abusive = await teamWithLeads(place, 'ABUSIVE')
  await abusive.call('PUT', '/v1/ext/procedure/ticket', definition())
  const processes = Array.from({ length: PROCESSES }, () => ({ data: { note: 'x' } }))
  await abusive.call('POST', `${LEADS}/bulk-create`, { processes })
  await place.rest()
  await place.pass(10_000)
  const workAll = async (ms: number) => {
    const until = Date.now() + ms
    const all = await Promise.all(
      good.map(([team, id], nth) => work(team, id, { until, first: (nth * EVERY_MS) / GOOD_TEAMS })),
    )
    return all.flat()
  }
  const inTime = <T>(act: () => Promise<T>) =>
    place.run(async () => {
      await sleep(1)
      return act()
    })
  await inTime(() => workAll(1_000))
  const alone = await inTime(() => workAll(ALONE_MS))
  const startedAt = Date.now()
  place.platform.database.held = []
  const [beside, scans, unknown] = await inTime(() =>
    Promise.all([
      workAll(ABUSE_MS),
      scan(abusive, startedAt + ABUSE_MS),
      strangers(place, startedAt + ABUSE_MS),
      submitJobs(abusive),
    ]),
  )
  if (true) {
    const held = place.platform.database.held ?? []
    const report = (from: number, to: number, least: number) => {
      const slow = beside.filter(({ ms, at }) => ms > least && at >= from && at < to)
      const byWho = new Map<string, number[]>()
      for (const { at, ms } of slow) {
        const seen = new Map<string, number>()
        for (const h of held) {
          const o = Math.min(h.endedAt, at + ms - 10) - Math.max(h.startedAt, at + 10)
          if (o <= 0) continue
          const who = h.by.replace(/Far [0-9a-f-]+/, 'good').replace(/process\/[0-9a-f-]{20,}/, 'process/x')
          seen.set(who, (seen.get(who) ?? 0) + o)
        }
        for (const [who, o] of seen) byWho.set(who, [...(byWho.get(who) ?? []), o])
      }
      console.info(from - startedAt, to - startedAt, 'slow', slow.length, [...byWho].map(([who, os]) => [who, os.length, Math.round(os.reduce((a, b) => a + b, 0)), Math.round(Math.max(...os))]).sort((a, b) => (b[2] as number) - (a[2] as number)).slice(0, 14).map(x => x.join(' | ')).join('\n  '))
      const inWindow = held.filter(h => h.startedAt >= from && h.startedAt < to)
      const use = Map.groupBy(inWindow, h => h.by.replace(/Far [0-9a-f-]+/, 'good').replace(/process\/[0-9a-f-]{20,}/, 'process/x'))
      console.info('use', [...use].map(([who, hs]) => { const ds = hs.map(h => h.endedAt - h.startedAt).sort((a, b) => a - b); const sum = ds.reduce((a, b) => a + b, 0); return [who, hs.length, `${(100 * sum / (to - from)).toFixed(1)}%`, 'median', ds[ds.length >> 1]?.toFixed(1), 'max', ds.at(-1)?.toFixed(1)] }).sort((a, b) => parseFloat(b[2] as string) - parseFloat(a[2] as string)).slice(0, 12).map(x => x.join(' | ')).join('\n  '))
    }
    for (const [a, b] of [[0, 1000], [1000, 3000], [3000, 10000], [10000, 30000]] as const) report(startedAt + a, startedAt + b, 42)
  }
  const later = beside.filter(({ at }) => at > startedAt + BURST_MS)
  const rows = [
    rowOf('alone', alone),
    rowOf(
      'first 10 s',
      beside.filter(({ at }) => at <= startedAt + BURST_MS),
    ),
    rowOf('after that', later),
  ]
  const countOf = (statuses: number[]) =>
    Object.fromEntries([...Map.groupBy(statuses, status => status)].map(([status, all]) => [status, all.length]))
  console.info(
    `${rows.map(row => JSON.stringify(row)).join('\n')}\nlists of the abusive team ${JSON.stringify(countOf(scans))}, strangers ${JSON.stringify(countOf(unknown))}`,
  )
  expect([rows[0]?.failed, rows[2]?.failed]).toEqual([0, 0])
  expect(quantile(later, 0.5)).toBeLessThanOrEqual(2 * quantile(alone, 0.5))
  expect(quantile(later, 0.9)).toBeLessThanOrEqual(2 * quantile(alone, 0.9))
  // A list of the abusive team, or a step of one of its jobs, may be before a call: what each takes is bounded.
  expect(quantile(later, 0.99)).toBeLessThanOrEqual(3 * quantile(alone, 0.99))
})
