import { type SQL, sql } from 'drizzle-orm'
import { ridList } from '../db/document/values-by-row.ts'
import { type Statement, select, statement } from '../db/statement.ts'
import type { Team } from '../scope.ts'
import { team } from '../team/table.ts'
import { IS_NOT_BEING_ERASED } from '../team-status/present-team.ts'
import { insertEvents, toMembers } from './append.ts'

/** Joins teams that want events which are not about processes. */
const WANTS_FEED: SQL = sql`${team.eventFeedSince} IS NOT NULL AND ${IS_NOT_BEING_ERASED}`

interface FeedEvents {
  type: string
  at: number
  /** The author as JSON. The default is nobody, as for what the provider reports. */
  by?: SQL | undefined
  /** The name of an event's member. */
  key: SQL
  after: SQL
}

/** The author of events that nobody of the team caused. */
export const NOBODY: SQL = sql`'{}'`

/**
 * One row for each team that wants them, of what a join finds: `from` begins with FROM, and has a place for the join of
 * `team`, which comes before whatever is read for the events. Where the feed is off nothing but the team is read.
 */
export const insertForFeeds = (
  { type, at, by = NOBODY, key, after }: FeedEvents,
  from: (joinTeam: (number: SQL) => SQL) => SQL,
): Statement => {
  const join = (number: SQL) => sql`CROSS JOIN ${team} ON ${team.no} = ${number} AND ${WANTS_FEED}`
  return statement(
    insertEvents(
      { team: sql`${team.no}`, at: sql`${at}`, type: sql`${type}`, proc: sql`NULL`, by },
      toMembers(key, after),
      sql`${from(join)} GROUP BY ${team.no}`,
    ),
  )
}

/** Selects those of some teams that want such events: they are signalled after the transaction that this is read in. */
export const selectFeedTeams = (numbers: readonly number[]): Statement<FeedTeam> =>
  selectFeedTeamsAmong(ridList([...new Set(numbers)]))

/** Selects the same for teams of a list or a query in brackets. */
export const selectFeedTeamsAmong = (numbers: SQL): Statement<FeedTeam> =>
  select(
    { no: team.no, eventFeedSince: team.eventFeedSince },
    sql`FROM ${team} WHERE ${team.no} IN ${numbers} AND ${WANTS_FEED}`,
  )
export type FeedTeam = Pick<Team, 'no' | 'eventFeedSince'>
