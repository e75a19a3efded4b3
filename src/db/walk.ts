import { sql } from 'drizzle-orm'
import { DAY_MS } from '../time-units.ts'
import { replaceInto, type Statement, select, statement } from './statement.ts'
import { maintenanceState } from './table.ts'

/** The key after which a walk goes on, empty at its beginning, and the time until which it rests. */
interface WalkPosition {
  position: string
  restUntil: number
}
export const WALK_START: WalkPosition = { position: '', restUntil: 0 }

export const selectWalk = (task: string): Statement<WalkPosition> =>
  select(
    { position: maintenanceState.value, restUntil: maintenanceState.restUntil },
    sql`FROM ${maintenanceState} WHERE ${maintenanceState.name} = ${task}`,
  )

/** Moves a walk, in the transaction of its step. `next` is null at its end: the next one begins a day later. */
export const moveWalk = (task: string, next: string | null, now: number): Statement =>
  next === null
    ? restWalk(task, now + DAY_MS)
    : statement(replaceInto(maintenanceState, { name: task, team: 0, value: next, restUntil: 0 }))

/** Lets the next walk begin at a time, and at the beginning. */
export const restWalk = (task: string, until: number): Statement =>
  statement(replaceInto(maintenanceState, { name: task, team: 0, value: '', restUntil: until }))
