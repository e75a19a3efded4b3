import { env } from 'cloudflare:workers'
import type { RecordAfter, StoredRecordBefore } from '../../src/customer-record/append-events.ts'
import type { ProcessAfter, StoredProcessBefore } from '../../src/process/rows/append-events.ts'
import type { Team } from './api.ts'

type LoggedAfter = ProcessAfter & RecordAfter

/** A row of the log, as the database holds it. */
interface LoggedEvents {
  sequence: number
  count: number
  at: number
  type: string
  proc: number | null
  by: { user?: string; apiKey?: string; job?: string }
  after: Record<string, LoggedAfter>
  before: Record<string, StoredProcessBefore | StoredRecordBefore> | null
}

/** The log of a team, from its beginning. */
export async function loadLoggedEvents({ no }: Pick<Team, 'no'>): Promise<LoggedEvents[]> {
  const { results } = await env.DB.prepare(
    'SELECT sequence, count, at, type, proc, json(by) AS by, json(after) AS after, json(before) AS before FROM event WHERE team = ? ORDER BY sequence',
  )
    .bind(no)
    .all<Omit<LoggedEvents, 'by' | 'after' | 'before'> & Record<'by' | 'after' | 'before', string>>()
  return results.map(row => ({
    ...row,
    by: JSON.parse(row.by),
    after: JSON.parse(row.after),
    before: JSON.parse(row.before ?? 'null'),
  }))
}
