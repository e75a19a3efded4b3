import { type SQL, sql } from 'drizzle-orm'
import { IS_NOT_MERGED, selectSurvivor } from '../../customer-record/survivor.ts'
import { record } from '../../customer-record/table.ts'
import { assignments, replaceInto, returning, type Statement, statement } from '../../db/statement.ts'
import { lastSequence, lastTime } from '../../event/append.ts'
import type { Procedure } from '../../procedure/model.ts'
import type { Scope } from '../../scope.ts'
import { processRow, selectTrashedRow, type TrashedProcess } from '../row.ts'
import { process, processTrash } from '../table.ts'
import { insertDeletionEvent } from './append-events.ts'
import { deriveRemoved } from './derived.ts'
import { type Tag, type Target, whereTag, whereTarget } from './target.ts'

/** Copies processes to the trash, out of every index. Each takes three rows written, or two without a key. Events are appended before. */
export const copyToTrash = (which: SQL, { team, user }: Pick<Scope, 'team' | 'user'>): Statement =>
  statement(
    replaceInto(
      processTrash,
      {
        rid: sql`${process.rid}`,
        id: sql`${process.id}`,
        proc: sql`${process.proc}`,
        team: sql`${process.team}`,
        deletedAt: lastTime(team.no),
        deletedBy: user.id,
        primaryKey: sql`${process.primaryKey}`,
        record: sql`${process.record}`,
        row: sql`jsonb(${selectTrashedRow(lastSequence(team.no))})`,
      },
      sql`FROM ${process} WHERE ${which}`,
    ),
  )

/**
 * Moves a process to the trash, and returns it by the last statement. This writes five rows, or four without a key, however
 * many attributes are indexed.
 */
export function trashProcess(scope: Scope, procedure: Procedure, target: Target, ifTag: Tag | undefined) {
  const which = whereTagged(procedure, target, ifTag)
  return [
    ...deriveRemoved(procedure, which),
    insertDeletionEvent(scope, procedure, which),
    copyToTrash(which, scope),
    removeProcess(which),
  ] as const
}

/** Removes a process for good: if the database is full, the trash has no room for it. */
export function deleteOutright(procedure: Procedure, target: Target, ifTag: Tag | undefined) {
  const which = whereTagged(procedure, target, ifTag)
  return [...deriveRemoved(procedure, which), removeProcess(which)] as const
}

const removeProcess = (which: SQL) => returning(sql`DELETE FROM ${process} WHERE ${which}`, { row: processRow })

/** Matches the process if it is as the caller has seen it. */
export function whereTagged(procedure: Procedure, target: Target, ifTag: Tag | undefined): SQL {
  const at = whereTarget({ proc: procedure.no, ...target })
  return ifTag ? sql`${at} AND ${whereTag(ifTag)}` : at
}

/** Gives restored processes to the customer into whom theirs was merged meanwhile, and takes them from one who was erased. */
export const relinkToSurvivor = (which: SQL): Statement =>
  statement(
    sql`UPDATE ${process} SET ${assignments(process, { record: selectSurvivor(sql`${process.record}`) })}
      WHERE ${which} AND ${process.record} IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM ${record} WHERE ${record.rid} = ${process.record} AND ${IS_NOT_MERGED})`,
  )

/**
 * Removes a process from the trash if it is there as it was read: an erasure may have emptied it meanwhile, and has taken
 * its customer then.
 */
export const removeFromTrash = (
  procedure: Procedure,
  { rid, version, record: customer }: Pick<TrashedProcess, 'rid' | 'version' | 'record'>,
): Statement =>
  statement(
    sql`DELETE FROM ${processTrash} WHERE ${processTrash.rid} = ${rid} AND +${processTrash.proc} = ${procedure.no}
      AND ${processTrash.row} ->> '$.version' = ${version} AND ${processTrash.row} ->> '$.record.id' IS ${customer?.id ?? null}`,
  )
