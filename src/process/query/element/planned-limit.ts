import { type SQL, sql } from 'drizzle-orm'
import { guardValue, isGuardFailure } from '../../../db/guard.ts'
import { guardLimit } from '../../../procedure/definition-guard.ts'
import { getSlotColumn, process } from '../../table.ts'
import { planParts, type QueryPlan } from '../plan/plan.ts'

const LISTS_INCOMPLETE = 'lists are incomplete'

/** Lists the numbers of the slots on whose elements a plan relies. */
function listSlots({ indexScans, rangeScan }: QueryPlan): number[] {
  const columns = [...indexScans.flatMap(({ keys }) => keys.map(({ column }) => column)), rangeScan?.column]
  return [...new Set(columns.flatMap(column => column?.slot ?? []))]
}

/**
 * Builds a LIMIT that raises an error if a process has a list in the column of its slot: older code wrote it there, and its
 * elements would be missing in `process_value` (`rows/updated-columns.ts`).
 */
export function guardPlan(plan: QueryPlan, limit: SQL): SQL {
  const held = guardLimit(plan.procedure, limit)
  const slots = listSlots(plan)
  if (slots.length === 0) return held
  const complete = slots.map(slot => {
    const index = sql.identifier(`process_s${slot}`)
    return sql`NOT EXISTS (SELECT 1 FROM ${process} INDEXED BY ${index} WHERE ${process.proc} = ${plan.procedure.no} AND ${getSlotColumn(slot)} IS NOT NULL)`
  })
  return guardValue(LISTS_INCOMPLETE, sql.join(complete, sql` AND `), held)
}

export const areListsIncomplete = (error: unknown): boolean => isGuardFailure(error, LISTS_INCOMPLETE)

/** Plans the same query without the elements of lists. */
export function planWithoutLists(plan: QueryPlan): QueryPlan {
  const { procedure, parts, from, before } = plan
  const slots = Object.fromEntries(Object.entries(procedure.slots).filter(([, { listPath }]) => !listPath))
  return { ...planParts(parts, { ...procedure, slots }), from, before }
}
