import { sql } from 'drizzle-orm'
import { replaceInto, type Statement, select, statement } from './statement.ts'
import { chorePosition } from './table.ts'

/** Between two walks over the same things. */
const REST_MS = 24 * 60 * 60_000

/** After which key a walk goes on; at its beginning after the empty one. */
export interface WalkPosition {
  position: string
  restUntil: number
}
export const WALK_START: WalkPosition = { position: '', restUntil: 0 }

export const selectWalk = (chore: string): Statement<WalkPosition> =>
  select(
    { position: chorePosition.position, restUntil: chorePosition.restUntil },
    sql`FROM ${chorePosition} WHERE ${chorePosition.chore} = ${chore}`,
  )

/** Written with what the step did. `next` is null at the end of a walk: the next one begins a day later. */
export const moveWalk = (chore: string, next: string | null, now: number): Statement =>
  statement(
    replaceInto(chorePosition, {
      chore,
      team: 0,
      position: next ?? '',
      restUntil: next === null ? now + REST_MS : 0,
    }),
  )
