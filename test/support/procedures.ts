import type { Reply, Team } from './api.ts'

type Definition = Record<string, unknown>

/** A definition that is valid as it is; tests change the part they are about. */
export const definition = (changes: Definition = {}): Definition => ({
  name: 'Lead',
  states: [{ shortId: 'NEW' }, { shortId: 'BUSY' }, { shortId: 'WON' }],
  startState: 'NEW',
  completedState: 'WON',
  attributes: [
    { shortId: 'lead_id', type: 'string' },
    { shortId: 'city', type: 'string', indexed: true },
    { shortId: 'score', type: 'integer', indexed: true },
  ],
  primaryKey: 'lead_id',
  ...changes,
})

export const attribute = (shortId: string, type: string, more: Definition = {}): Definition => ({
  shortId,
  type,
  ...more,
})

export interface Processes {
  path: string
  create: (body?: unknown, headers?: Record<string, string>) => Promise<Reply>
  upsert: (body: unknown, headers?: Record<string, string>) => Promise<Reply>
  /** `at`: an id, or `key/value`. */
  fetch: (at: string, headers?: Record<string, string>) => Promise<Reply>
  update: (at: string, body: unknown, headers?: Record<string, string>) => Promise<Reply>
  remove: (at: string, headers?: Record<string, string>) => Promise<Reply>
  restore: (id: string, headers?: Record<string, string>) => Promise<Reply>
  define: (changes: Definition) => Promise<Reply>
}

/** A procedure of the team, and the short way to its processes. */
export async function newProcedure(team: Team, changes: Definition = {}, shortId = 'lead'): Promise<Processes> {
  const define = (next: Definition) => team.call('PUT', `/v1/ext/procedure/${shortId}`, definition(next))
  const made = await define(changes)
  if (made.status !== 201) throw new Error(`the procedure of a test was refused: ${made.errors.join('; ')}`)
  return { ...processesAt(team, shortId), define }
}

export function processesAt(team: Team, shortId: string): Omit<Processes, 'define'> {
  const path = `/v1/ext/procedure/${shortId}/process`
  return {
    path,
    create: (body = {}, headers) => team.call('POST', path, body, headers),
    upsert: (body, headers) => team.call('PUT', path, body, headers),
    fetch: (at, headers) => team.call('GET', `${path}/${at}`, undefined, headers),
    update: (at, body, headers) => team.call('PUT', `${path}/${at}`, body, headers),
    remove: (at, headers) => team.call('DELETE', `${path}/${at}`, undefined, headers),
    restore: (id, headers) => team.call('POST', `${path}/${id}/restore`, undefined, headers),
  }
}
