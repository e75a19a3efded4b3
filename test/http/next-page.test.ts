import { describe, expect, it } from 'vitest'
import { newTeam, ORIGIN, type Reply, type Team } from '../support/api.ts'
import { bulk, JOBS, LEADS, newLeadTeam } from '../support/jobs.ts'

const getNext = ({ headers }: Reply): URL | null => {
  const link = headers.get('link')
  return link === null ? null : new URL(/^<([^>]+)>; rel="next"$/.exec(link)?.[1] ?? 'wrong')
}

/** Follows `link` to the end, with the same method and body. */
async function follow(team: Team, method: string, path: string, body?: unknown): Promise<string[]> {
  const ids: string[] = []
  for (let at: string | null = path; at !== null; ) {
    const reply: Reply = await team.call(method, at, body)
    expect(reply.errors).toEqual([])
    ids.push(...reply.data.map(({ id }: { id: string }) => id))
    const next: URL | null = getNext(reply)
    expect(next !== null).toBe(reply.meta.hasMore)
    at = next === null ? null : next.pathname + next.search
  }
  return ids
}

describe('the Link header', () => {
  it('leads through every paged list, with whole addresses and the same body', async () => {
    const team = await newLeadTeam()
    const items = Array.from({ length: 7 }, (_, index) => ({ data: { lead_id: `L${index}`, score: index } }))
    const job = await bulk(team, 'POST', items)
    for (let more = 0; more < 2; more++) await bulk(team, 'PATCH', [{ lead_id: 'L1', state: 'NEW' }])
    for (let more = 0; more < 4; more++)
      await team.call('POST', '/v1/ext/user', { username: `u${more}`, role: 'agent' })
    const lists: [string, string, unknown, number][] = [
      ['GET', `${LEADS}?limit=3&status=OPEN`, undefined, 7],
      ['GET', `${LEADS}?limit=3&skip=2`, undefined, 5],
      ['POST', `${LEADS}/list`, { where: { score: { '>': 0 } }, limit: 2 }, 6],
      ['POST', `${LEADS}/list`, { sort: [{ field: 'city' }], limit: 2, skip: 2 }, 5],
      ['GET', `${JOBS}?limit=2`, undefined, 3],
      ['GET', `${JOBS}/${job.data.id}/entries?limit=3`, undefined, 7],
      ['GET', '/v1/ext/users?limit=2', undefined, 5],
      ['GET', '/v2/ext/users?limit=2&skip=1', undefined, 4],
      ['GET', '/v1/ext/users', undefined, 5],
    ]
    for (const [method, path, body, count] of lists) {
      const ids = await follow(team, method, path, body)
      expect([path, ids.length, new Set(ids).size]).toEqual([path, count, count])
    }
    const first = await team.call('GET', `${LEADS}?limit=3`)
    expect(getNext(first)?.origin).toBe(ORIGIN)
  })

  it('takes the cursor of its own query only, and says where it is wrong', async () => {
    const team = await newLeadTeam()
    for (const lead_id of ['A', 'B']) await team.call('POST', LEADS, { data: { lead_id } })
    const next = getNext(await team.call('POST', `${LEADS}/list`, { limit: 1 }))
    const other = await team.call('POST', `${LEADS}/list${next?.search}`, { where: { city: 'Goa' }, limit: 1 })
    expect([other.status, other.meta.errors[0].path]).toEqual([400, '/query/cursor'])
  })
})

it('the list of users can be skipped without a limit', async () => {
  const team = await newTeam()
  const all = (await team.call('GET', '/v1/ext/users')).data
  await team.call('POST', '/v1/ext/user', { username: 'asha', role: 'agent' })
  const rest = await team.call('GET', `/v1/ext/users?skip=${all.length}`)
  expect(rest.data).toMatchObject([{ username: 'asha' }])
})
