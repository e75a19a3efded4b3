import { setTimeout as sleep } from 'node:timers/promises'
import { toRowNo } from '../src/ids.ts'
import type { Server } from './server.ts'

// The data of the benches: a procedure of 12 attributes, two of them indexed, and its processes.
export const COLLECTION = '/v1/ext/procedure/lead/process'
export const CITIES = 100
export const SCORES = 10_000
const PER_JOB = 10_000

const string = (shortId: string, indexed = false) => ({ shortId, type: 'string', indexed })

const PROCEDURE = {
  name: 'Lead',
  startState: 'NEW',
  completedState: 'WON',
  primaryKey: 'lead_id',
  states: [{ shortId: 'NEW' }, { shortId: 'WON' }],
  attributes: [
    string('lead_id'),
    string('city', true),
    { shortId: 'score', type: 'integer', indexed: true },
    { shortId: 'deal_value', type: 'float' },
    { shortId: 'source', type: 'stringEnum', values: ['web', 'referral', 'walk-in'] },
    { shortId: 'contact', type: 'email' },
    { shortId: 'is_hot', type: 'boolean' },
    { shortId: 'visit', type: 'date' },
    { shortId: 'tags', type: 'multiString' },
    string('product'),
    string('campaign'),
    { shortId: 'notes', type: 'text' },
  ],
}

export const leadData = (n: number) => ({
  lead_id: `L${n}`,
  city: `city ${n % CITIES}`,
  score: (n * 7919) % SCORES,
  deal_value: n * 1.5,
  source: 'referral',
  contact: `lead${n}@example.com`,
  is_hot: n % 7 === 0,
  visit: '2026-03-31',
  tags: ['north', 'returning'],
  product: 'two-room flat',
  campaign: 'spring',
  notes: 'Asks for a call. '.repeat(6),
})

export const customer = (n: number) => ({
  data: { name: `Customer ${n}`, phone: `91${String(7_000_000_000 + n)}`, email: `customer${n}@example.com` },
})

const POLL_MS = 100

/**
 * Sends a bulk request and waits for the end of its job: a query beside the API, whose own responses would be measured, too.
 * Resolves to the milliseconds until the job's own time of completion, not until a poll has found it.
 */
export async function runJob({ call, batch }: Server, method: string, path: string, body: unknown): Promise<number> {
  const startedAt = Date.now()
  const { _data } = (await call('api', method, path, body)) as { _data: { id: string } }
  const text =
    'SELECT completion_status AS status, completed_at AS completedAt FROM background_job WHERE no = ?1 AND completed_at > 0'
  for (;;) {
    const [found] = await batch({ text, params: [toRowNo(_data.id)] })
    const status = found?.rows[0]?.status
    if (status === 'SUCCESS') return Number(found?.rows[0]?.completedAt) - startedAt
    if (status !== undefined) throw new Error(`the job ${_data.id} ended with ${status}`)
    await sleep(POLL_MS)
  }
}

export interface Leads {
  /** The procedure's number. */
  proc: number
  processes: { rid: number; id: string }[]
}

/** Makes the procedure and `count` processes, through the API, so that the rows are what the Worker writes. */
export async function makeLeads(server: Server, count: number): Promise<Leads> {
  await server.call('api', 'PUT', '/v1/ext/procedure/lead', PROCEDURE)
  for (let from = 0; from < count; from += PER_JOB) {
    const length = Math.min(PER_JOB, count - from)
    const entries = Array.from({ length }, (_, index) => ({ data: leadData(from + index) }))
    await runJob(
      server,
      'POST',
      `${COLLECTION}/bulk-create`,
      entries.map(entry => ({ lead_id: entry.data.lead_id, ...entry })),
    )
  }
  const [procedures] = await server.batch({ text: 'SELECT no FROM procedure', params: [] })
  const proc = Number(procedures?.rows[0]?.no)
  const [found] = await server.batch({
    text: 'SELECT rid, id FROM process WHERE proc = ?1 ORDER BY rid',
    params: [proc],
  })
  return { proc, processes: (found?.rows ?? []) as unknown as Leads['processes'] }
}
