import { sql } from 'drizzle-orm'
import { insertInto, type Statement, statement } from '../db/statement.ts'
import { team } from '../team/table.ts'
import { IS_NOT_BEING_ERASED } from '../team-status/present-team.ts'
import { usageDay } from './table.ts'

/** The figures of a team's requests on a day. */
export interface CollectedUsage {
  team: number
  day: number
  requests: number
  failed: number
  rowsRead: number
  rowsWritten: number
  databaseMicros: number
}

/** The days that are retained. In three years a month can be compared with the years before. */
const USAGE_DAYS_MAX = 1_096

/** Removes older days together with the insertion of new ones, so that the rows of a team do not grow without end. */
export function removeOldUsage(collected: readonly CollectedUsage[]): Statement {
  const newest = Math.max(...collected.map(({ day }) => day))
  const teams = JSON.stringify([...new Set(collected.map(({ team }) => team))])
  return statement(sql`DELETE FROM ${usageDay} WHERE ${usageDay.team} IN (SELECT value FROM json_each(${teams}))
    AND ${usageDay.day} <= ${newest - USAGE_DAYS_MAX}`)
}

/** Adds the figures that isolates have collected. A team that is being erased gets nothing. */
export function addUsage(collected: readonly CollectedUsage[]): Statement {
  const member = (name: keyof CollectedUsage) => sql`collected_usage.value ->> ${`$.${name}`}`
  const sums = ['requests', 'failed', 'rowsRead', 'rowsWritten', 'databaseMicros'] as const
  const inserted = insertInto(
    usageDay,
    {
      team: team.no.getSQL(),
      day: member('day'),
      ...Object.fromEntries(sums.map(name => [name, member(name)])),
    },
    sql`FROM json_each(${JSON.stringify(collected)}) AS collected_usage CROSS JOIN ${team} ON ${team.no} = collected_usage.value ->> '$.team' WHERE ${IS_NOT_BEING_ERASED}`,
  )
  return statement(sql`${inserted} ON CONFLICT DO UPDATE SET
    requests = requests + excluded.requests, failed = failed + excluded.failed,
    rows_read = rows_read + excluded.rows_read, rows_written = rows_written + excluded.rows_written,
    database_micros = database_micros + excluded.database_micros`)
}
