import { beforeEach, describe, expect, it } from 'vitest'
import { fetchWorker, newTeam, type Reply, type Team } from '../support/api.ts'
import { Harness } from '../support/harness.ts'
import { JOBS, LEADS, leadProcedure } from '../support/jobs.ts'

let team: Team
let harness: Harness
beforeEach(async () => {
  team = await newTeam()
  await leadProcedure(team)
  harness = new Harness()
})

/** How many entries a small and a larger job have: each has a queue of its own. */
const [SMALL, LARGE] = [1, 101]

async function accept(entries: number): Promise<string> {
  const processes = Array.from({ length: entries }, () => ({ data: { city: 'Pune' } }))
  const { status, body } = await harness.request(team, 'POST', `${LEADS}/bulk-create`, { processes })
  expect(status).toBe(202)
  return body._data.id
}

const fetchJob = (id: string): Promise<Reply> => team.call('GET', `${JOBS}/${id}`)
const fetchLimit = async (id: string): Promise<string | null> => (await fetchJob(id)).data.progress.limitedBy

/** The first event of a stream of a job. */
async function fetchFirstEvent(id: string): Promise<Reply['data']> {
  const response = await fetchWorker(`${JOBS}/${id}/events`, { headers: { authorization: `Bearer ${team.token}` } })
  const reader = response.body?.getReader()
  const { value } = (await reader?.read()) ?? {}
  await reader?.cancel()
  return JSON.parse(/^data: (.*)$/m.exec(new TextDecoder().decode(value))?.[1] ?? '')._data
}

describe('a job beyond the share of its team', () => {
  it('says so wherever it is read, and no longer when it runs', async () => {
    const running = [await accept(SMALL), await accept(SMALL), await accept(LARGE), await accept(LARGE)]
    const [small, large] = [await accept(SMALL), await accept(LARGE)]
    for (const id of running) expect(await fetchLimit(id)).toBeNull()
    for (const id of [small, large]) {
      const { data } = await fetchJob(id)
      expect(data.completionStatus).toBe('IN_PROGRESS')
      expect(data.progress).toMatchObject({ done: 0, perSecond: null, etaAt: null, limitedBy: 'team-share' })
      expect((await fetchFirstEvent(id)).progress).toEqual(data.progress)
    }
    const listed = (await team.call('GET', JOBS)).data as { id: string; progress: { limitedBy: string | null } }[]
    const held = listed.filter(({ progress }) => progress.limitedBy === 'team-share').map(({ id }) => id)
    expect(held).toEqual([large, small])
    // A small one has ended: the next small one is let in, and the larger one waits for a larger one.
    await harness.request(team, 'POST', `${JOBS}/${running[1]}/cancel`)
    expect(await fetchLimit(small)).toBeNull()
    expect(await fetchLimit(large)).toBe('team-share')
    await harness.settle(team)
    for (const id of [small, large])
      expect((await fetchJob(id)).data).toMatchObject({ completionStatus: 'SUCCESS', progress: { limitedBy: null } })
  })

  it('says so of its own team alone', async () => {
    for (let nth = 0; nth < 3; nth++) await accept(SMALL)
    team = await newTeam()
    await leadProcedure(team)
    expect(await fetchLimit(await accept(SMALL))).toBeNull()
  })

  it('is told without another round trip, by as few rows as run at the same time', async () => {
    const first = await accept(SMALL)
    for (let nth = 0; nth < 8; nth++) await accept(SMALL)
    const last = await accept(SMALL)
    const ended = await accept(SMALL)
    await harness.request(team, 'POST', `${JOBS}/${ended}/cancel`)
    const { trips, read } = (await fetchJob(ended)).cost
    for (const id of [first, last]) {
      const { cost } = await fetchJob(id)
      expect(cost.trips).toBe(trips)
      expect(cost.read - read).toBeLessThanOrEqual(2)
    }
  })
})
