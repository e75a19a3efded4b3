import { env } from 'cloudflare:workers'
import { expect } from 'vitest'
import { openDatabase } from '../../src/db/databases.ts'
import { readEvents } from '../../src/event/read.ts'
import type { StoredEvent } from '../../src/event/stored-event.ts'
import { viewEvents } from '../../src/feed/view.ts'
import { DELIVERY_STATUSES } from '../../src/message/rules.ts'
import type { Team } from './api.ts'

/** Switches a team's feed on, or off again. */
export const switchFeed = (team: Pick<Team, 'no'>, since: number | null = 1) =>
  env.DB.prepare('UPDATE team SET event_feed_since = ?2 WHERE no = ?1').bind(team.no, since).run()

const getScope = ({ no, id }: Pick<Team, 'no' | 'id'>) => ({
  db: openDatabase(env),
  team: { no, id, shortId: 'acme', name: 'Acme', eventFeedSince: 1 },
})

const PAGE = 500

/** Loads the events of these types from the log of a team. */
export async function loadEvents(team: Pick<Team, 'no' | 'id'>, ...types: string[]): Promise<StoredEvent[]> {
  const events: StoredEvent[] = []
  for (let after = 0; ; ) {
    const page = await readEvents(getScope(team), { after, limit: PAGE })
    events.push(...page.events)
    if (page.lookedTo === after) return events.filter(({ type }) => types.length === 0 || types.includes(type))
    after = page.lookedTo
  }
}

/** The same as the feed shows them. */
export async function loadShownEvents(team: Pick<Team, 'no' | 'id'>, ...types: string[]) {
  const stored = await loadEvents(team, ...types)
  const { events: shown } = await viewEvents(getScope(team), { events: stored, lookedTo: 0 })
  // biome-ignore lint/suspicious/noExplicitAny: the test says what it expects of it
  return shown as (Omit<(typeof shown)[number], 'data'> & { data: any })[]
}

/** Counts the rows of the log that hold events of a type. */
export const loadEventRows = async ({ no }: Pick<Team, 'no'>, type: string) =>
  (await env.DB.prepare('SELECT count(*) AS rows FROM event WHERE team = ? AND type = ?').bind(no, type).first())
    ?.rows as number

/**
 * Expects the events that the state of a team implies: each message went from status to status as its events say, each
 * received message has one event, and so has each job that has ended. The feed must have been on all the time.
 */
export async function expectEventsOfAll(team: Pick<Team, 'no' | 'id'>): Promise<void> {
  const events = await loadEvents(team)
  expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, nth) => nth + 1))
  const of = (type: string) => events.filter(event => event.type === type)
  const { results: messages } = await env.DB.prepare(
    'SELECT id, delivery, received IS NOT NULL AS is_received FROM message WHERE team = ? ORDER BY rid',
  )
    .bind(team.no)
    .all<{ id: string; delivery: number; is_received: number }>()
  const steps = of('message.status_changed').map(({ after }) => after as { id: string; from: number; to: number })
  const getPath = (id: string) => steps.filter(step => step.id === id).flatMap(({ from, to }) => [[from, to]])
  for (const { id, delivery, is_received } of messages) {
    const path = is_received === 1 ? [] : getPath(id)
    const ends = [DELIVERY_STATUSES.indexOf('PENDING'), ...path.map(([, to]) => to)]
    expect(path, id).toEqual(path.map((_, nth) => [ends[nth], ends[nth + 1]]))
    for (const [from = 0, to = 0] of path) expect(to).toBeGreaterThan(from)
    if (is_received === 0) expect(ends.at(-1), id).toBe(delivery)
  }
  expect(steps.filter(({ id }) => !messages.some(each => each.id === id))).toEqual([])
  const listIds = (type: string) => of(type).map(({ after }) => (after as { id: string }).id)
  expect(listIds('message.received').sort()).toEqual(
    messages.flatMap(each => (each.is_received === 1 ? [each.id] : [])).sort(),
  )
  const { results: jobs } = await env.DB.prepare('SELECT id FROM background_job WHERE team = ? AND completed_at <> 0')
    .bind(team.no)
    .all<{ id: string }>()
  expect(listIds('background_job.completed').sort()).toEqual(jobs.map(({ id }) => id).sort())
}
