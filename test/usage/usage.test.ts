import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { computeCost } from '../../src/usage/cost-rules.ts'
import { getMonthDays } from '../../src/usage/days.ts'
import { newTeam } from '../support/api.ts'
import { waitForJob } from '../support/jobs.ts'
import { makeLoggedRequest } from '../support/logged-request.ts'
import { newProcedure } from '../support/procedures.ts'

const month = new Date().toISOString().slice(0, 7)

it('the usage of a team adds up the requests of a day, with jobs and events, and their cost', async () => {
  const team = await newTeam()
  const leads = await newProcedure(team)
  for (let nth = 0; nth < 3; nth++) await makeLoggedRequest(team)
  await leads.create({ data: { lead_id: 'a' } })
  const job = await team.call('POST', `${leads.path}/bulk-create`, [
    { data: { lead_id: 'b' } },
    { data: { lead_id: 'c' } },
  ])
  await waitForJob(team, job.data.id)
  const { status, data } = await team.call('GET', '/v1/ext/usage')
  expect(status).toBe(200)
  expect(data).toMatchObject({ month, isComplete: true })
  expect(data.total).toMatchObject({ requests: 3, failed: 3, jobs: 1, jobEntries: 2, events: 3, webhookDeliveries: 0 })
  expect(data.days.at(-1)).toMatchObject({ requests: 3, jobs: 1, jobEntries: 2, events: 3 })
  expect(data.days).toHaveLength(new Date().getUTCDate())
  const item = data.cost.items.find((each: { item: string }) => each.item === 'jobEntries')
  expect(item).toEqual({ item: 'jobEntries', count: 2, dollars: 0.00001, isEstimate: true })
  expect(data.limits).toEqual({ callsPerMinute: env.CALLS_PER_MINUTE, databaseMsPerSecond: expect.any(Number) })
  const other = await newTeam()
  expect((await other.call('GET', '/v1/ext/usage')).data.total).toMatchObject({ requests: 0, jobs: 0, events: 0 })
})

it('the usage of a team is kept for three years', async () => {
  const [team, other] = [await newTeam(), await newTeam()]
  const today = Math.floor(Date.now() / 86_400_000)
  const insert = env.DB.prepare('INSERT INTO usage_day (team, day, requests) VALUES (?, ?, 1)')
  const days = [today - 1_097, today - 1_096, today - 1_095]
  await env.DB.batch([team, other].flatMap(({ no }) => days.map(day => insert.bind(no, day))))
  await makeLoggedRequest(team)
  const kept = async ({ no }: { no: number }) => {
    const rows = env.DB.prepare('SELECT day FROM usage_day WHERE team = ? ORDER BY day').bind(no)
    return (await rows.all<{ day: number }>()).results.map(({ day }) => day)
  }
  expect(await kept(team)).toEqual([today - 1_095, today])
  expect(await kept(other)).toEqual(days)
})

it('the usage of a team has the number of events of each day of a month, by bisection of the log', async () => {
  const team = await newTeam()
  const { first, end } = getMonthDays('2026-02')
  const DAY_MS = 86_400_000
  let sequence = 0
  const perDay = Array.from({ length: end - first }, (_, nth) => (nth * 7 + 3) % 5)
  const insert = env.DB.prepare(
    "INSERT INTO event (team, sequence, count, at, type, by, after) VALUES (?1, ?2, ?3, ?4, 'process.updated', jsonb('{}'), jsonb('{}'))",
  )
  // The times are in the first and in the last millisecond of a day, and in those beside the month.
  const at = (nth: number) => (first + nth) * DAY_MS + (nth % 2 === 0 ? 0 : DAY_MS - 1)
  await env.DB.batch(
    [2, ...perDay, 4].flatMap((count, place) => {
      sequence += count
      return count === 0 ? [] : [insert.bind(team.no, sequence, count, at(place - 1))]
    }),
  )
  const { data } = await team.call('GET', '/v1/ext/usage?month=2026-02')
  expect(data.days.map((each: { events: number }) => each.events)).toEqual(perDay)
  expect(data.days[0].day).toBe('2026-02-01')
})

it('the usage of a team is of one month, which has to be one', async () => {
  const team = await newTeam()
  for (const wrong of ['2026-13', '2026', 'now', '2026-1'])
    expect((await team.call('GET', `/v1/ext/usage?month=${wrong}`)).status, wrong).toBe(400)
  expect((await team.call('GET', '/v1/ext/usage?month=2099-01')).data.days).toEqual([])
  expect((await (await team.as('manager')).call('GET', '/v1/ext/usage')).status).toBe(403)
})

it('the usage of a team distinguishes counts from estimates', () => {
  const messages = { PENDING: 0, UNKNOWN: 0, SENT: 0, FAILED: 0, DELIVERED: 0, READ: 1_000_000 }
  const figures = { requests: 1_000_000, failed: 0, rowsRead: 1_000_000_000, rowsWritten: 1_000_000, databaseMs: 0 }
  const { dollars, items } = computeCost({
    ...figures,
    jobs: 1,
    jobEntries: 0,
    messages,
    events: 0,
    webhookDeliveries: 0,
  })
  expect(items.filter(({ isEstimate }) => !isEstimate).map(({ item, dollars: each }) => [item, each])).toEqual([
    ['requests', 0.3],
    ['rowsRead', 1],
    ['rowsWritten', 1],
  ])
  expect(dollars).toBeCloseTo(0.3 + 0.04 + 1 + 1 + 6.375)
})
