import { type SQL, sql } from 'drizzle-orm'
import { ridList } from '../db/document/values-by-row.ts'
import { select } from '../db/statement.ts'
import { AppError } from '../errors.ts'
import { toRowNo, UUID } from '../ids.ts'
import type { Scope } from '../scope.ts'
import { record } from './table.ts'

/** The condition that a customer was not merged into another. */
export const IS_NOT_MERGED: SQL = sql`${record.mergedInto} = 0`

/** The row that an id or a row number names. `record` is the row to which it leads. */
const NAMED = sql`${record} AS named`

/** The row number to which a named row leads: its own, or that of the customer into whom it was merged. */
const SURVIVOR = sql`iif(named.merged_into = 0, named.rid, named.merged_into)`

/** The row number and the id of the name, in a query over customers who are named by row numbers. */
export const NAMED_RID = sql<number>`named.rid`
export const NAMED_ID = sql<string>`named.id`

/** Joins row numbers with the customers to whom they lead. This reads one row more than the customer's own. */
export const fromSurvivors = ({ team }: Pick<Scope, 'team'>, rids: SQL): SQL =>
  sql`FROM ${NAMED} CROSS JOIN ${record} ON ${record.rid} = ${SURVIVOR} WHERE named.rid IN ${rids} AND +named.team = ${team.no}`

/** Finds the id of the customer into whom another was merged; undefined if they were not, or nobody has the id. */
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

/**
 * Acts on the customer of an id. If there is none, acts on the one to whom it leads after a merge. So only callers who still
 * use the id of a merged customer pay for merges.
 */
export async function withSurvivor<T>(scope: Scope, id: string, act: (id: string) => Promise<T>): Promise<T> {
  try {
    return await act(id)
  } catch (error) {
    const isUnknown = error instanceof AppError && error.code === 'not_found'
    const survivor = isUnknown ? await findSurvivor(scope, id) : undefined
    if (survivor === undefined) throw error
    return act(survivor)
  }
}

/** Finds the row numbers to which stored ones lead; null where the customer was erased. */
export async function findSurvivorNos(
  scope: Pick<Scope, 'db' | 'team'>,
  rids: readonly number[],
): Promise<Map<number, number | null>> {
  if (rids.length === 0) return new Map()
  const [found] = await scope.db.read(
    select({ named: NAMED_RID, rid: record.rid }, fromSurvivors(scope, ridList(rids))),
  )
  const survivors = new Map(found.map(({ named, rid }) => [named, rid]))
  return new Map(rids.map(rid => [rid, survivors.get(rid) ?? null]))
}

/** Selects the row number to which a stored one leads; null if the customer was erased. */
export const selectSurvivor = (rid: SQL): SQL<number | null> =>
  sql`(SELECT ${SURVIVOR} FROM ${NAMED} WHERE named.rid = ${rid})`
