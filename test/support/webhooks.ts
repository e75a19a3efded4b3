import { env } from 'cloudflare:workers'
import { expect } from 'vitest'
import { fetchWorker, newTeam, type Reply, type Team } from './api.ts'
import { advanceTo } from './clock.ts'
import type { Harness } from './harness.ts'
import { LEADS } from './jobs.ts'
import type { Receiver } from './receiver.ts'

/** Objects that are never reached. */
export const SILENT = {
  idFromName: (name: string) => name,
  get: () => ({ wake: async () => {}, committed: async () => {} }),
}

/**
 * A team whose changes wake no object, so that the only one that sends is the harness's: the runtime's own would send in
 * real time as well.
 */
export async function newQuietTeam(): Promise<Team> {
  const team = await newTeam()
  const bindings = { ...env, TEAM_EVENTS: SILENT, WEBHOOK_ENDPOINT: SILENT } as unknown as Env
  const call = async (method: string, path: string, body?: unknown): Promise<Reply> => {
    const headers = { authorization: `Bearer ${team.token}`, 'content-type': 'application/json' }
    const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }
    const response = await fetchWorker(path, init, bindings)
    const { _data: data, _meta: meta, _errors: errors } = JSON.parse(await response.text())
    return {
      status: response.status,
      headers: response.headers,
      data,
      meta,
      errors,
      cost: { trips: 0, read: 0, written: 0 },
    }
  }
  return { ...team, call }
}

/** A webhook to a receiver, which verifies from now on what arrives. */
export async function newWebhook(team: Team, receiver: Receiver, more: object = {}): Promise<string> {
  const reply = await team.call('POST', '/v1/ext/webhook', { url: receiver.url, ...more })
  expect(reply.errors).toEqual([])
  receiver.secret = reply.data.secret
  return reply.data.id
}

/** Makes `count` events of one team. */
export async function makeEvents(team: Team, count: number): Promise<void> {
  for (let nth = 0; nth < count; nth++) {
    const reply = await team.call('POST', LEADS, { data: { lead_id: `${nth}-${crypto.randomUUID()}` } })
    expect(reply.errors).toEqual([])
  }
}

export async function loadLastSequence(team: Team): Promise<number> {
  const row = await env.DB.prepare('SELECT max(sequence) AS n FROM event WHERE team = ?')
    .bind(team.no)
    .first<{ n: number }>()
  return row?.n ?? 0
}

interface StoredWebhook {
  enabled: number
  position: number
  waiting: string
  disabled_at: number | null
  disabled_reason: string | null
  failing_since: number | null
}

export async function loadWebhook(id: string): Promise<StoredWebhook> {
  const row = await env.DB.prepare('SELECT * FROM webhook JOIN webhook_progress ON webhook = no WHERE id = ?')
    .bind(id)
    .first<StoredWebhook>()
  if (!row) throw new Error(`there is no webhook ${id}`)
  return row
}

/** Loads the attempts of deliveries, in order. */
export async function loadAttempts(id: string) {
  const { results } = await env.DB.prepare(
    `SELECT json(attempts) AS attempts FROM webhook_delivery JOIN webhook ON webhook = no WHERE id = ? ORDER BY number`,
  )
    .bind(id)
    .all<{ attempts: string }>()
  // biome-ignore lint/suspicious/noExplicitAny: the test says what it expects
  return results.flatMap(({ attempts }) => JSON.parse(attempts) as any[])
}

/** Lets time go on, alarm by alarm, up to a moment; without one until nothing is planned any more. */
export async function deliverUntil(harness: Harness, until = Number.POSITIVE_INFINITY): Promise<void> {
  for (let round = 0; round < 500; round++) {
    const next = harness.endpoints.nextAlarmAt()
    if (next === undefined || next > until) break
    advanceTo(next)
    await harness.endpoints.ringDue()
  }
  if (until !== Number.POSITIVE_INFINITY) advanceTo(until)
}
