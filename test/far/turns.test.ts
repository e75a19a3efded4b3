import { describe, expect, it } from 'vitest'
import { definition } from '../support/procedures.ts'
import { type FarTeam, far, type Place } from './far.ts'

const LEADS = '/v1/ext/procedure/lead/process'
const JOBS = '/v1/ext/background-job'

async function teamWithLeads(place: Place): Promise<FarTeam> {
  const team = await place.newTeam()
  expect((await team.call('PUT', '/v1/ext/procedure/lead', definition())).errors).toEqual([])
  return team
}

const newLeads = (count: number) => ({
  processes: Array.from({ length: count }, (_, n) => ({ data: { city: `${n}` } })),
})

async function accept(team: FarTeam, count: number): Promise<string> {
  const { data, errors } = await team.call('POST', `${LEADS}/bulk-create`, newLeads(count))
  expect(errors).toEqual([])
  return data.id
}

const loadJob = async (team: FarTeam, id: string) => (await team.call('GET', `${JOBS}/${id}`)).data

/** Returns the time from a job's acceptance to the end of an entry. */
async function msToFirstEntry(place: Place, team: FarTeam, count: number): Promise<number> {
  const id = await accept(team, count)
  const acceptedAt = Date.now()
  for (;;) {
    const { meta } = await team.call('GET', `${JOBS}/${id}`)
    if (meta.bjEntryCompletionStatusVsCount.SUCCESS > 0) return Date.now() - acceptedAt
    if (Date.now() - acceptedAt > 60_000) return Number.POSITIVE_INFINITY
    await place.pass(50)
  }
}

describe('jobs of many teams', () => {
  it('are all run to their end, one after the other, without the cron', async () => {
    const place = far()
    const team = await teamWithLeads(place)
    const ids = await Promise.all(Array.from({ length: 12 }, (_, n) => accept(team, n % 2 ? 3 : 300)))
    await place.rest()
    for (const id of ids) expect((await loadJob(team, id)).completionStatus).toBe('SUCCESS')
  })

  it('go on where the queue message of the next one was lost', async () => {
    const place = far()
    const team = await teamWithLeads(place)
    place.faults.add({ kind: 'queue', fault: 'lost before', trigger: 'message', times: 3 })
    const ids = await Promise.all(Array.from({ length: 6 }, () => accept(team, 3)))
    for (let round = 1; round <= 3; round++) {
      await place.rest()
      await place.pass(100_000)
      await place.cron()
    }
    await place.rest()
    for (const id of ids) expect((await loadJob(team, id)).completionStatus).toBe('SUCCESS')
  })

  it('let the next one run when one is cancelled', async () => {
    const place = far()
    const team = await teamWithLeads(place)
    place.broker.paused = true
    const ids: string[] = []
    for (let nth = 1; nth <= 3; nth++) ids.push(await accept(team, 3))
    expect(place.broker.waiting.get('jobs-small')).toHaveLength(2)
    await team.call('POST', `${JOBS}/${ids[0]}/cancel`)
    await place.settled()
    expect(place.broker.waiting.get('jobs-small')).toHaveLength(3)
    place.broker.resume()
    await place.rest()
    const ends = await Promise.all(ids.map(async id => (await loadJob(team, id)).completionStatus))
    expect(ends).toEqual(['CANCELLED', 'SUCCESS', 'SUCCESS'])
  })

  it('take turns if they start at the same time, too', async () => {
    const place = far()
    const team = await teamWithLeads(place)
    const startAt = Date.now() + 60_000
    const entry = { apiType: 'PROCESS_CREATE', apiData: { procedureId: 'lead', processCreate: { data: {} } } }
    const schedule = async () => (await team.call('POST', JOBS, { entries: [entry], startAt })).data.id as string
    const ids = await Promise.all(Array.from({ length: 10 }, schedule))
    await place.pass(61_000)
    place.broker.paused = true
    await place.cron()
    expect(place.broker.waiting.get('jobs-small')).toHaveLength(2)
    place.broker.resume()
    await place.rest()
    for (const id of ids) expect((await loadJob(team, id)).completionStatus).toBe('SUCCESS')
  })

  // The last one: it leaves jobs behind.
  it('start within two seconds if they have 100 entries, beside 100,000 entries of one team and 520 jobs of another', async () => {
    // 500 requests at once are more than the database time of one team.
    const place = far({}, { TEAM_DATABASE_BURST_MS: '1000000' } as unknown as Partial<Env>)
    const [crowd, giant, small, large] = [
      await teamWithLeads(place),
      await teamWithLeads(place),
      await teamWithLeads(place),
      await teamWithLeads(place),
    ]
    place.broker.paused = true
    await accept(giant, 100_000)
    await Promise.all(Array.from({ length: 500 }, () => accept(crowd, 1)))
    await Promise.all(Array.from({ length: 20 }, () => accept(crowd, 101)))
    const waits = async (calls: number): Promise<number[]> => {
      const ms: number[] = []
      for (let nth = 1; nth <= calls; nth++) {
        ms.push((await large.call('GET', '/v1/ext/users')).ms)
        await place.pass(100)
      }
      return ms.sort((one, other) => one - other)
    }
    await waits(2)
    const alone = await waits(20)
    place.broker.resume()
    await place.pass(200)
    expect(await msToFirstEntry(place, small, 100)).toBeLessThan(2_000)
    expect(await msToFirstEntry(place, large, 101)).toBeLessThan(10_000)
    const beside = await waits(40)
    console.info(
      'calls of people, ms:',
      JSON.stringify({ alone: alone.at(-1), median: beside[20], most: beside.at(-1) }),
    )
    expect(beside.at(-1)).toBeLessThan(1_000)
  })
})
