import { beforeEach, expect, it } from 'vitest'
import { newTeam, type Team } from '../support/api.ts'
import { advanceTo } from '../support/clock.ts'
import { Harness } from '../support/harness.ts'
import { bulk, LEADS, leadProcedure } from '../support/jobs.ts'
import { loadLoggedEvents } from '../support/logged-events.ts'

// A request reads the time when it begins, and changes something later: meanwhile others may have changed the same.

/** The time for which the first request waits for the database. */
const LATE_MS = 40

let team: Team

beforeEach(async () => {
  team = await newTeam()
  await leadProcedure(team)
})

/** A request whose transaction has to wait until something else has happened. */
async function overtakenBy(act: () => Promise<unknown>, method: string, path: string, body: object) {
  let isOvertaken = false
  const harness = new Harness(
    {},
    {
      async before({ kind, sql }) {
        if (isOvertaken || kind !== 'database' || !/INSERT INTO "event"/.test(sql)) return
        isOvertaken = true
        advanceTo(Date.now() + LATE_MS)
        await act()
      },
    },
  )
  const reply = await harness.request(team, method, path, body)
  expect(reply.body._errors).toEqual([])
  expect(isOvertaken).toBe(true)
  return reply.body._data
}

const lead = async (leadId: string) => (await team.call('POST', LEADS, { data: { lead_id: leadId, score: 0 } })).data
const setScore = (id: string, score: number) => team.call('PUT', `${LEADS}/${id}`, { data: { score } })
const scoreAt = async (id: string, time: number) =>
  (await team.call('GET', `${LEADS}/${id}?asOf=${time}`)).data.data.score
const loadTimes = async () => (await loadLoggedEvents(team)).map(({ at }) => at)
const sortTimes = (times: readonly number[]) => times.toSorted((one, other) => one - other)

it('an event never has an earlier time after a later one', async () => {
  const { id } = await lead('A')
  let first: { updatedAt: number } | undefined
  const second = await overtakenBy(
    async () => {
      first = (await setScore(id, 1)).data
    },
    'PUT',
    `${LEADS}/${id}`,
    { data: { score: 2 } },
  )
  expect(second.updatedAt).toBeGreaterThanOrEqual(first?.updatedAt ?? Number.NaN)
  expect(await loadTimes()).toEqual(sortTimes(await loadTimes()))
})

it('history shows the value that was set at the time of each change', async () => {
  const { id, createdAt } = await lead('A')
  const times: number[] = []
  const second = await overtakenBy(
    async () => {
      times.push((await setScore(id, 1)).data.updatedAt)
    },
    'PUT',
    `${LEADS}/${id}`,
    { status: 'COMPLETED', data: { score: 2 } },
  )
  const [first = 0] = times
  expect(await scoreAt(id, createdAt)).toBe(0)
  expect(await scoreAt(id, first - 1)).toBe(0)
  expect(await scoreAt(id, second.updatedAt)).toBe(2)
  expect(second.completedAt).toBe(second.updatedAt)
  const { data: history } = await team.call('GET', `${LEADS}/${id}/history`)
  expect(history.map(({ at }: { at: number }) => at)).toEqual([second.updatedAt, first, createdAt])
})

it('the log has one order of times for changes of different processes, by jobs and by calls', async () => {
  const { id } = await lead('A')
  const other = await lead('B')
  const late = await overtakenBy(() => setScore(other.id, 1), 'PUT', `${LEADS}/${id}`, { data: { score: 2 } })
  const made = await overtakenBy(() => setScore(other.id, 2), 'POST', LEADS, { data: { lead_id: 'C' } })
  await overtakenBy(() => setScore(other.id, 3), 'DELETE', `${LEADS}/${id}`, {})
  await bulk(team, 'PATCH', { processes: [{ lead_id: 'B', update: { data: { score: 5 } } }] })
  expect(await loadTimes()).toEqual(sortTimes(await loadTimes()))
  const { data: others } = await team.call('GET', `${LEADS}/${other.id}/history?limit=10`)
  const ofScore1 = others.at(-2)
  expect(late.updatedAt).toBe(ofScore1.at)
  // A process exists from its creation on.
  const { data } = await team.call('GET', `${LEADS}/${made.id}?asOf=${made.createdAt}`)
  expect(data.data.lead_id).toBe('C')
})

it('an event of a customer has no earlier time either', async () => {
  const { data: process } = await team.call('POST', LEADS, { data: { lead_id: 'A' }, record: { data: { name: 'A' } } })
  const path = `/v1/ext/record/${process.record.id}`
  const times: number[] = []
  const second = await overtakenBy(
    async () => {
      times.push((await team.call('PUT', path, { data: { name: 'B' } })).data.updatedAt)
    },
    'PUT',
    path,
    { data: { name: 'C' } },
  )
  expect(second.updatedAt).toBeGreaterThanOrEqual(times[0] ?? Number.NaN)
  expect(await loadTimes()).toEqual(sortTimes(await loadTimes()))
})
