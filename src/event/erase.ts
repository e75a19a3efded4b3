import { type SQL, sql } from 'drizzle-orm'
import { assignments, type Statement, statement } from '../db/statement.ts'
import { whereMoved } from './object/statements.ts'
import { event } from './table.ts'

/** A step rewrites this many rows. The row of a job's step is as large as the step. */
export const EVENTS_PER_STEP = 50

/** The events of a process or a customer, from one backwards. */
interface ErasedChain {
  team: number
  rid: number
  /** The number of the row that has the last of them. */
  from: SQL
  max: number
}

/** Returns the JSON path of the member for a process or customer. */
const toMemberPath = (rid: number, rest: string): string => `$."${rid}"${rest}`

/** Walks the numbers of the rows: each event names the row before, that of a restored process in `after`. The log may not go back to the first. */
const withChain = ({ team, rid, from, max }: ErasedChain): SQL =>
  sql`WITH RECURSIVE chain(sequence, nth) AS (SELECT ${from}, 1 UNION ALL
    SELECT coalesce(${event.before} ->> ${toMemberPath(rid, '[1]')}, ${event.after} ->> ${toMemberPath(rid, '.last')}), chain.nth + 1 FROM chain
      CROSS JOIN ${event} ON ${event.team} = ${team} AND ${event.sequence} = chain.sequence
      WHERE chain.nth < ${max})`

const eraseEach = (chain: ErasedChain, values: { after: SQL; before: SQL }): Statement =>
  statement(sql`UPDATE ${event} SET ${assignments(event, values)}
    WHERE ${event.team} = ${chain.team} AND ${event.sequence} IN (
    ${withChain(chain)} SELECT sequence FROM chain WHERE sequence IS NOT NULL)`)

/**
 * Erases a customer: the values go, after and before each change, and the names of the attributes. That there was a change
 * stays, by whom and when: the numbers of events have no gap.
 */
export const eraseRecordValues = (chain: ErasedChain): Statement =>
  eraseEach(chain, {
    after: sql`jsonb_remove(${event.after}, ${toMemberPath(chain.rid, '.set')}, ${toMemberPath(chain.rid, '.unset')})`,
    before: sql`jsonb_remove(${event.before}, ${toMemberPath(chain.rid, '[3]')})`,
  })

/** The members that an event of a purged process keeps: its id, and what leads to the event before. */
const KEPT_MEMBERS = sql.raw(`'id', 'entry', 'version', 'last'`)

/** Erases a process likewise, with the values of its fields. */
export const eraseProcessValues = (chain: ErasedChain): Statement => {
  const path = toMemberPath(chain.rid, '')
  const kept = sql`(SELECT json_group_object(member.key, member.value) FROM json_each(${event.after}, ${path}) member
    WHERE member.key IN (${KEPT_MEMBERS}))`
  return eraseEach(chain, {
    after: sql`jsonb_replace(${event.after}, ${path}, jsonb(${kept}))`,
    before: sql`jsonb_replace(${event.before}, ${toMemberPath(chain.rid, '[4]')}, jsonb('{}'), ${toMemberPath(chain.rid, '[5]')}, jsonb('[]'))`,
  })
}

/** Selects the row after `max` ones, or the first one that was moved to R2; null if there is none. */
export const eventBefore = (chain: ErasedChain): SQL =>
  sql`(SELECT iif(last.nth > ${chain.max} OR ${whereMoved(chain.team, sql`last.sequence`)}, last.sequence, NULL)
    FROM (${withChain({ ...chain, max: chain.max + 1 })} SELECT max(nth) AS nth, sequence FROM chain) last
    WHERE last.sequence IS NOT NULL)`
