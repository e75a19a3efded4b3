import { sql } from 'drizzle-orm'
import { type RowOf, type Statement, select } from '../db/statement.ts'
import { team } from './table.ts'

const FIELDS = {
  no: team.no,
  id: team.id,
  shortId: team.shortId,
  name: team.name,
  eventFeedSince: team.eventFeedSince,
  suspendedAt: team.suspendedAt,
  erasingAt: team.erasingAt,
}
export type TeamRow = RowOf<typeof FIELDS>

/** The team that the operator names by id or short id. */
export const selectTeamByName = (name: string): Statement<TeamRow> =>
  select(FIELDS, sql`FROM ${team} WHERE ${team.id} = ${name} OR ${team.shortId} = ${name} LIMIT 1`)
