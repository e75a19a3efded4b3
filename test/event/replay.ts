import { env } from 'cloudflare:workers'
import { expect } from 'vitest'
import { openDatabase } from '../../src/db/databases.ts'
import { readEvents } from '../../src/event/read.ts'
import type { TeamEvent } from '../../src/event-types.ts'
import { viewEvents } from '../../src/feed/view.ts'
import type { Team } from '../support/api.ts'
import { loadLoggedEvents } from '../support/logged-events.ts'
import type { Random } from '../support/random.ts'

/** The log of a team from zero, as the feed shows it, in pages of any size. */
export async function readFeed({ no, id }: Team, random: Random): Promise<TeamEvent[]> {
  const scope = { db: openDatabase(env), team: { no, id, shortId: 'acme', name: 'Acme', eventFeedSince: 1 } }
  const events: TeamEvent[] = []
  for (let after = 0; ; ) {
    const page = await viewEvents(scope, await readEvents(scope, { after, limit: random.whole(1, 60) }))
    events.push(...page.events)
    if (page.events.length === 0) return events
    after = page.lookedTo
  }
}

export interface Replayed {
  id: string
  data: Record<string, unknown>
  status: string
  state: string
  record: string | null
  version: number
  isDeleted: boolean
}

interface Told {
  version: number
  changes: { field: string; from: unknown; to: unknown }[]
}

/**
 * Applies what each event says it changed to what a process was made with. `from` must be what is there; of a record that
 * was erased later it is not told any more.
 */
export function replayChanges(
  events: readonly TeamEvent[],
  madeWith: ReadonlyMap<string, Omit<Replayed, 'version' | 'isDeleted'>>,
  erased: ReadonlySet<string>,
): Map<string, Replayed> {
  const processes = new Map<string, Replayed>()
  for (const event of events) {
    const { type, sequence } = event
    if (type === 'record.erased') {
      const { id } = event.data as { id: string }
      for (const each of processes.values()) if (each.record === id) each.record = null
      continue
    }
    if (!type.startsWith('process.')) continue
    const { process, version, changes } = event.data as unknown as Told & { process: { id: string } | null }
    const id = process?.id ?? ''
    const now = processes.get(id)
    if (type === 'process.created') {
      const made = madeWith.get(id)
      expect([sequence, now, version, made?.id], `event ${sequence}`).toEqual([sequence, undefined, 1, id])
      if (made) processes.set(id, { ...structuredClone(made), version: 1, isDeleted: false })
      continue
    }
    if (!now) throw new Error(`event ${sequence} is of a process that was not created`)
    expect([sequence, now.isDeleted]).toEqual([sequence, type === 'process.restored'])
    expect([sequence, version]).toEqual([sequence, now.version + (type === 'process.deleted' ? 0 : 1)])
    applyChanges(now, changes, { sequence, erased })
    Object.assign(now, { version, isDeleted: type === 'process.deleted' })
  }
  return processes
}

function applyChanges(
  process: Replayed,
  changes: Told['changes'],
  { sequence, erased }: { sequence: number; erased: ReadonlySet<string> },
): void {
  for (const { field, from, to } of changes) {
    const name = field.startsWith('data.') ? field.slice('data.'.length) : null
    if (name === null) {
      const known = process[field as 'status']
      if (field in process && !(field === 'record' && erased.has(String(known))))
        expect([sequence, field, from]).toEqual([sequence, field, known])
      Object.assign(process, field in process ? { [field]: to } : {})
    } else {
      expect([sequence, field, from]).toEqual([sequence, field, process.data[name] ?? null])
      if (to === null) delete process.data[name]
      else process.data[name] = to
    }
  }
}

/** Undoes what was told of customers: each change leads to what is there, and nothing is told of who was erased. */
export function expectRecordChanges(
  events: readonly TeamEvent[],
  customers: readonly { id: string; data: Record<string, unknown>; isErased: boolean }[],
): void {
  const known = new Map(customers.map(({ data, ...rest }) => [rest.id, { ...rest, data: { ...data } }]))
  for (const { type, sequence, data } of [...events].reverse()) {
    if (type !== 'record.updated') continue
    const { id, record, changes } = data as unknown as Told & { id: string; record: object | null }
    const customer = known.get(id)
    if (!customer || customer.isErased) {
      expect([sequence, record, changes]).toEqual([sequence, null, []])
      continue
    }
    for (const { field, from, to } of changes) {
      const name = field.slice('data.'.length)
      expect([sequence, field, to]).toEqual([sequence, field, customer.data[name] ?? null])
      customer.data[name] = from
    }
  }
}

/** The rows have no gap; each process and each customer leads from its last event to its first, and passes each of them. */
export async function expectChains({ no }: Team): Promise<void> {
  const rows = await loadLoggedEvents({ no })
  const chains = new Map<string, { version: number; sequence: number }[]>()
  let last = 0
  for (const { sequence, count, after, before, type } of rows) {
    expect([sequence - count, Object.keys(after).length], `row ${sequence}`).toEqual([last, count])
    last = sequence
    if (type === 'record.erased') continue
    for (const [rid, { version, last: previous }] of Object.entries(after)) {
      const chain = chains.get(rid) ?? []
      chains.set(rid, chain)
      const told = before?.[rid]
      // A new customer has no event.
      if (!type.startsWith('record.') || chain.length > 0)
        expect(told ? told[1] : (previous ?? null), `row ${sequence}`).toBe(chain.at(-1)?.sequence ?? null)
      const isKept = type === 'process.deleted'
      const next = told ? told[0] + (isKept ? 0 : 1) : (version ?? 1)
      const known = chain.at(-1)?.version ?? (type.startsWith('record.') ? 1 : 0)
      expect([sequence, next]).toEqual([sequence, known + (isKept ? 0 : 1)])
      chain.push({ version: next, sequence })
    }
  }
  const { results } = await env.DB.prepare(
    `SELECT rid, version, last_event AS last FROM process WHERE team = ?1
      UNION ALL SELECT rid, row ->> '$.version', row ->> '$.lastEvent' FROM process_trash WHERE team = ?1
      UNION ALL SELECT rid, version, last_event FROM record WHERE team = ?1 AND last_event IS NOT NULL`,
  )
    .bind(no)
    .all<{ rid: number; version: number; last: number }>()
  for (const { rid, version, last: sequence } of results)
    expect([rid, chains.get(String(rid))?.at(-1)]).toEqual([rid, { version, sequence }])
}
