import { type SQL, sql } from 'drizzle-orm'
import { backgroundJob as job } from '../background-job/table.ts'
import { recordErasure } from '../customer/erasure/table.ts'
import { guardChanges } from '../db/guard.ts'
import { assignments, insertInto, type RowOf, type Statement, select, statement } from '../db/statement.ts'
import { whereTeamNumber } from '../db/team-numbers.ts'
import { whereMoved } from '../event/object/statements.ts'
import { team } from '../team/table.ts'
import { erasedProcess, erasureSweep } from './table.ts'

const FIELDS = {
  id: erasureSweep.id,
  team: erasureSweep.team,
  at: erasureSweep.at,
  names: erasureSweep.names,
  erasure: erasureSweep.erasure,
  process: erasureSweep.process,
  event: erasureSweep.event,
  /** 1: the event is in an object. */
  isMoved: whereMoved(sql`${erasureSweep.team}`, sql`${erasureSweep.event}`),
  webhook: erasureSweep.webhook,
  delivery: erasureSweep.delivery,
  lastJob: erasureSweep.lastJob,
  job: erasureSweep.job,
  entry: erasureSweep.entry,
}
export type SweepRow = RowOf<typeof FIELDS>

/** By its name: what sends to webhooks imports what is shown of processes, and purging one comes here. */
const DELIVERIES = sql.identifier('webhook_delivery')
const whereHasDeliveries = (no: number): SQL =>
  sql`EXISTS (SELECT 1 FROM ${DELIVERIES} WHERE ${whereTeamNumber(sql`${DELIVERIES}.webhook`, no)})`

interface NewSweep {
  team: number
  id: string
  at: number
  /** A JSON list. */
  names: SQL
  /** The row number of the record, where a customer is erased everywhere. */
  erasure?: number | undefined
  /** The row number of a process, and the event from which on the log has values of it. */
  process?: { rid: number; event: SQL }
}

/**
 * What an erasure goes through after its transaction. The first statement keeps answers of receivers to what was sent
 * before it from being written down, and what jobs have read before it from being run. The second inserts nothing where
 * there is nothing to go through.
 */
export function beginSweep({ team: no, id, at, names, erasure, process }: NewSweep) {
  const event = process?.event ?? sql`NULL`
  return [
    statement(
      sql`UPDATE ${team} SET ${assignments(team, { lastErasureAt: sql`max(${at}, ifnull(${team.lastErasureAt}, 0) + 1)` })}
        WHERE ${team.no} = ${no}`,
    ),
    statement(
      insertInto(
        erasureSweep,
        {
          id,
          team: no,
          at,
          names,
          erasure: erasure ?? null,
          process: process?.rid ?? null,
          event: sql`event.sequence`,
          webhook: 0,
          lastJob: sql`ifnull(jobs.last, 0)`,
        },
        sql`FROM (SELECT ${event} AS sequence) event,
          (SELECT max(${job.no}) AS last FROM ${job} INDEXED BY background_job_team WHERE ${job.team} = ${no}) jobs
          WHERE event.sequence IS NOT NULL OR jobs.last IS NOT NULL OR ${whereHasDeliveries(no)}`,
      ),
    ),
  ] as const
}

export const selectSweep = (teamNo: number, id: string): Statement<SweepRow> =>
  select(
    FIELDS,
    sql`FROM ${erasureSweep} WHERE ${erasureSweep.id} = ${id.toLowerCase()} AND ${erasureSweep.team} = ${teamNo}`,
  )

/** Whether the processes of the person have yet to be listed. */
const IS_WAITING = sql`(${erasureSweep.erasure} IS NOT NULL AND EXISTS (
  SELECT 1 FROM ${recordErasure} WHERE ${recordErasure.record} = ${erasureSweep.erasure}))`

/** Selects from all teams, the oldest first: an id begins with its time. */
export const selectNextSweep = (isFailing: (id: SQL) => SQL): Statement<SweepRow> =>
  select(
    FIELDS,
    sql`FROM ${erasureSweep} WHERE NOT ${IS_WAITING} AND NOT ${isFailing(sql`${erasureSweep.id}`)}
      ORDER BY ${erasureSweep.id} LIMIT 1`,
  )

export const countSweeps = (max: number): Statement<{ left: number }> =>
  select(
    { left: sql<number>`count(*)` },
    sql`FROM (SELECT 1 FROM ${erasureSweep} WHERE NOT ${IS_WAITING} LIMIT ${max})`,
  )

/** Moves on with what a step did, unless another run of the task was faster: then the transaction fails. */
export const moveSweep = (
  row: SweepRow,
  to: Partial<Record<'event' | 'webhook' | 'delivery' | 'job' | 'entry', SQL | number | null>>,
): readonly Statement[] => [
  statement(
    sql`UPDATE ${erasureSweep} SET ${assignments(erasureSweep, to)} WHERE ${erasureSweep.id} = ${row.id}
      AND ${erasureSweep.event} IS ${row.event} AND ${erasureSweep.webhook} IS ${row.webhook}
      AND ${erasureSweep.delivery} = ${row.delivery} AND ${erasureSweep.job} = ${row.job} AND ${erasureSweep.entry} = ${row.entry}`,
  ),
  guardChanges('another run of the sweep was faster', 1),
]

/** Ends once the processes of the person are not listed any more. */
export const endSweep = ({ id, team: no, erasure }: SweepRow): Statement =>
  statement(sql`DELETE FROM ${erasureSweep} WHERE ${erasureSweep.id} = ${id}
    AND NOT EXISTS (SELECT 1 FROM ${erasedProcess} WHERE ${erasedProcess.team} = ${no} AND ${erasedProcess.erasure} = ${erasure})`)

/** The next processes that were listed for an erasure, so many at most. */
export const removeListed = ({ team: no, erasure }: { team: number; erasure: number }, max: number): Statement => {
  const listed = sql`${erasedProcess.team} = ${no} AND ${erasedProcess.erasure} = ${erasure}`
  return statement(sql`DELETE FROM ${erasedProcess} WHERE ${listed} AND ${erasedProcess.process} IN (
    SELECT ${erasedProcess.process} FROM ${erasedProcess} WHERE ${listed} LIMIT ${max})`)
}
