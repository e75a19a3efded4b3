import { type SQL, sql } from 'drizzle-orm'
import { select } from '../db/statement.ts'
import { toRowNo, UUID } from '../ids.ts'
import type { Scope } from '../scope.ts'
import { record } from './table.ts'

/** The customer was not merged into another. */
export const IS_NOT_MERGED: SQL = sql`${record.mergedInto} = 0`

/** The row of the table that an id or a row number names; `record` is the one that it leads to. */
const NAMED = sql`${record} AS named`

/** The row number that a named row leads to: its own, or that of the customer whom it was merged into. */
const SURVIVOR = sql`iif(named.merged_into = 0, named.rid, named.merged_into)`

/** What a query over customers who are named by row numbers knows of the name. */
export const NAMED_RID = sql<number>`named.rid`
export const NAMED_ID = sql<string>`named.id`

/** Each of some row numbers with the customer whom it leads to: one row read more than the customer's own. */
export const fromNamed = ({ team }: Pick<Scope, 'team'>, rids: SQL): SQL =>
  sql`FROM ${NAMED} CROSS JOIN ${record} ON ${record.rid} = ${SURVIVOR} WHERE named.rid IN ${rids} AND +named.team = ${team.no}`

/** The id of the customer whom somebody was merged into; undefined: they were not, or nobody has the id. */
export async function findSurvivor({ db, team }: Pick<Scope, 'db' | 'team'>, id: string): Promise<string | undefined> {
  const [[found]] = await db.read(
    select(
      { id: record.id },
      sql`FROM ${NAMED} CROSS JOIN ${record} ON ${record.rid} = named.merged_into
        WHERE named.rid = ${UUID.test(id) ? toRowNo(id) : -1} AND named.id = ${id.toLowerCase()} AND +named.team = ${team.no}`,
    ),
  )
  return found?.id
}

/** The row number that a stored one leads to; null where the customer was erased. */
export const selectSurvivor = (rid: SQL): SQL<number | null> =>
  sql`(SELECT ${SURVIVOR} FROM ${NAMED} WHERE named.rid = ${rid})`
