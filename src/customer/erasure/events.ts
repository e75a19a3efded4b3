import { type SQL, sql } from 'drizzle-orm'
import { assignments, type Statement, statement } from '../../db/statement.ts'
import { event } from '../../event/table.ts'
import { record } from '../../record/table.ts'

/** Of a record that is still there. */
export const lastEventOf = (rid: number): SQL =>
  sql`(SELECT ${record.lastEvent} FROM ${record} WHERE ${record.rid} = ${rid})`

interface EventsOfRecord {
  team: number
  rid: number
  /** The last of them. */
  from: SQL
  max: number
}

/** The member of the record in the JSON of an event. */
const memberOf = (rid: number, rest: string): string => `$."${rid}"${rest}`

/** The numbers of a record's events from one backwards: each names the one before. The log may not go back to the first. */
const chainOf = ({ team, rid, from, max }: EventsOfRecord): SQL =>
  sql`WITH RECURSIVE chain(sequence, nth) AS (SELECT ${from}, 1 UNION ALL
    SELECT ${event.was} ->> ${memberOf(rid, '[1]')}, chain.nth + 1 FROM chain
      CROSS JOIN ${event} ON ${event.team} = ${team} AND ${event.sequence} = chain.sequence
      WHERE chain.nth < ${max})`

/**
 * The values go, after and before each change, and the names of the attributes. That there was a change stays, by whom and
 * when: the numbers of events have no gap.
 */
export const eraseValues = (events: EventsOfRecord): Statement =>
  statement(sql`UPDATE ${event} SET ${assignments(event, {
    given: sql`jsonb_remove(${event.given}, ${memberOf(events.rid, '.set')}, ${memberOf(events.rid, '.unset')})`,
    was: sql`jsonb_remove(${event.was}, ${memberOf(events.rid, '[3]')})`,
  })} WHERE ${event.team} = ${events.team} AND ${event.sequence} IN (
    ${chainOf(events)} SELECT sequence FROM chain WHERE sequence IS NOT NULL)`)

/** The event after so many, or null. */
export const eventBefore = (events: EventsOfRecord): SQL =>
  sql`(${chainOf({ ...events, max: events.max + 1 })} SELECT sequence FROM chain WHERE nth = ${events.max + 1})`
