import { sql } from 'drizzle-orm'
import { replaceInto, type Statement, select, statement } from './statement.ts'
import { maintenanceState } from './table.ts'

// State that is stored by name beside the positions of walks: the lock of rows of a log (`event/object/move-lock.ts`), the time of
// the last restore (`background-job/maintenance/restored.ts`), the progress of repeating its erasures (`maintenance/replayed.ts`),
// and alerts that have begun (`maintenance/alerts.ts`). Erasures and merges that fail have statements
// of their own (`maintenance-round.ts`).

export const selectState = (name: string): Statement<{ value: string }> =>
  select({ value: maintenanceState.value }, sql`FROM ${maintenanceState} WHERE ${maintenanceState.name} = ${name}`)

/** Stores a value by name. `team` is 0 if it belongs to no team. */
export const saveState = (name: string, value: string, team = 0): Statement =>
  statement(replaceInto(maintenanceState, { name, team, value, restUntil: 0 }))

export const removeState = (name: string): Statement =>
  statement(sql`DELETE FROM ${maintenanceState} WHERE ${maintenanceState.name} = ${name}`)
