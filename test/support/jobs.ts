import { expect } from 'vitest'
import { newTeam, type Reply, type Team } from './api.ts'
import { sleep } from './sleep.ts'

export const LEADS = '/v1/ext/procedure/lead/process'
export const JOBS = '/v1/ext/background-job'

/** Returns a setting by turns: none, some, or all entries of a job are in rows. The others are in objects. */
export const rowEntriesBy = (turn: number): { rowEntries: number } => ({ rowEntries: [0, 2, 100_000][turn % 3] ?? 0 })

const WAIT_MS = 300_000

/** A team with a procedure that has a primary key, transitions, and attributes with and without an index. */
export async function leadProcedure(team: Team, more: object = {}): Promise<void> {
  const reply = await team.call('PUT', '/v1/ext/procedure/lead', {
    name: 'Lead',
    states: [
      { shortId: 'NEW' },
      { shortId: 'IN_PROGRESS' },
      { shortId: 'WON', next: ['NEW'] },
      { shortId: 'LOST', next: [] },
    ],
    startState: 'NEW',
    completedState: 'WON',
    attributes: [
      { shortId: 'lead_id', type: 'string' },
      { shortId: 'city', type: 'string', indexed: true },
      { shortId: 'score', type: 'integer' },
      { shortId: 'isHot', type: 'boolean' },
    ],
    primaryKey: 'lead_id',
    ...more,
  })
  expect(reply.errors).toEqual([])
}

/** A new team that has `leadProcedure`. */
export async function newLeadTeam(more: object = {}): Promise<Team> {
  const team = await newTeam()
  await leadProcedure(team, more)
  return team
}

/** Items of a bulk creation: every third one fails, every fifth is invalid at acceptance, and every seventh when it is run. */
export const buildMixedItems = (count: number) =>
  Array.from({ length: count }, (_, nth) => {
    if (nth % 5 === 4) return { data: 'none' }
    if (nth % 7 === 6) return { data: { score: 'high' } }
    const data = { lead_id: `A${nth}`, city: 'Zürich', note: `"${nth}", \n` }
    return nth % 3 === 2 ? { data: { lead_id: 'twice' } } : { data }
  })

/** Asks for a job until it has ended, as a caller would. */
export async function waitForJob(team: Team, jobId: string): Promise<Reply> {
  const until = Date.now() + WAIT_MS
  for (;;) {
    const reply = await team.call('GET', `${JOBS}/${jobId}`)
    const counts = Object.values(reply.meta.bjEntryCompletionStatusVsCount as Record<string, number>)
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(reply.data.total)
    if (reply.data.completedAt !== 0) return reply
    if (Date.now() > until) throw new Error(`job ${jobId} has not ended: ${JSON.stringify(reply.meta)}`)
    await sleep(20)
  }
}

/** Runs a bulk request to its end. */
export async function bulk(team: Team, method: 'PATCH' | 'POST' | 'UPSERT', body: unknown): Promise<Reply> {
  const path = { PATCH: LEADS, POST: `${LEADS}/bulk-create`, UPSERT: `${LEADS}/bulk-upsert` }[method]
  const reply = await team.call(method === 'PATCH' ? 'PATCH' : 'POST', path, body)
  expect(reply.errors).toEqual([])
  expect(reply.status).toBe(202)
  return waitForJob(team, reply.data.id)
}

export async function listEntries(team: Team, jobId: string, query = ''): Promise<Reply['data']> {
  const reply = await team.call('GET', `${JOBS}/${jobId}/entries${query}`)
  expect(reply.errors).toEqual([])
  return reply.data
}
