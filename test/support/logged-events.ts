import { env } from 'cloudflare:workers'
import type { GivenOfProcess, WasOfProcess } from '../../src/process/rows/events.ts'
import type { GivenOfRecord, WasOfRecord } from '../../src/record/events.ts'
import type { Team } from './api.ts'

export type Given = GivenOfProcess & GivenOfRecord

/** A row of the log, as the database holds it. */
export interface LoggedEvents {
  sequence: number
  count: number
  at: number
  type: string
  proc: number | null
  by: { user?: string; apiKey?: string; job?: string }
  given: Record<string, Given>
  was: Record<string, WasOfProcess | WasOfRecord> | null
}

/** The log of a team, from its beginning. */
export async function loggedEvents({ no }: Pick<Team, 'no'>): Promise<LoggedEvents[]> {
  const { results } = await env.DB.prepare(
    'SELECT sequence, count, at, type, proc, json(by) AS by, json(given) AS given, json(was) AS was FROM event WHERE team = ? ORDER BY sequence',
  )
    .bind(no)
    .all<Omit<LoggedEvents, 'by' | 'given' | 'was'> & Record<'by' | 'given' | 'was', string>>()
  return results.map(row => ({
    ...row,
    by: JSON.parse(row.by),
    given: JSON.parse(row.given),
    was: JSON.parse(row.was ?? 'null'),
  }))
}
