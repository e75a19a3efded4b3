import { sql } from 'drizzle-orm'
import { guard } from '../../db/guard.ts'
import { type Statement, statement } from '../../db/statement.ts'
import { beginSweep } from '../../erasure-sweep/statements.ts'
import { EVENTS_PER_STEP, eraseProcessValues, eventBefore } from '../../event/erase.ts'
import type { Procedure } from '../../procedure/model.ts'
import type { Scope } from '../../scope.ts'
import { process, processTrash } from '../table.ts'
import { insertDeletionEvent } from './append-events.ts'
import { deriveRemoved } from './derived.ts'
import type { Tag } from './target.ts'
import { whereTagged } from './trash.ts'

export const NOT_THERE = 'there is no such process'

/**
 * Purges a process that is as the caller has seen it, or in the trash. `sweep` is the index of the statement whose changes
 * say whether a maintenance task has more to remove.
 */
export function purgeStatements(
  scope: Scope,
  procedure: Procedure,
  { rid, id }: { rid: number; id: string },
  ifTag: Tag | undefined,
) {
  const which = whereTagged(procedure, { rid, id }, ifTag)
  const inTrash = sql`${processTrash.rid} = ${rid} AND ${processTrash.id} = ${id} AND +${processTrash.proc} = ${procedure.no}
    AND ${ifTag === undefined ? sql`1` : sql`0`}`
  const live = sql`SELECT ${process.lastEvent} AS last FROM ${process} WHERE ${which}`
  const trashed = sql`SELECT ${processTrash.row} ->> '$.lastEvent' FROM ${processTrash} WHERE ${inTrash}`
  const from = sql`(SELECT max(last) FROM (${live} UNION ALL ${trashed}))`
  const chain = { team: scope.team.no, rid, from, max: EVENTS_PER_STEP }
  const first: Statement[] = [
    eraseProcessValues(chain),
    ...beginSweep({
      team: scope.team.no,
      id,
      at: scope.now,
      names: sql`json_array(${id})`,
      process: { rid, event: eventBefore(chain) },
    }),
  ]
  return {
    guards: [guard(NOT_THERE, sql`EXISTS (${live}) OR EXISTS (${trashed})`)],
    sweep: first.length - 1,
    effect: [
      ...first,
      ...deriveRemoved(procedure, which),
      insertDeletionEvent(scope, procedure, which),
      statement(sql`DELETE FROM ${process} WHERE ${which}`),
      statement(sql`DELETE FROM ${processTrash} WHERE ${inTrash}`),
    ],
  }
}
