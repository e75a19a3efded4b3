import { type SQL, sql } from 'drizzle-orm'
import { NO_VALUES } from '../../db/document/values-at.ts'
import { assignments, type Statement, statement } from '../../db/statement.ts'
import { insertEvents, setByLastEvent, toMembers } from '../../event/append.ts'
import { process } from '../table.ts'
import { selectProcessBefore } from './append-events.ts'

/** A move of processes from one customer to another. */
interface ProcessMove {
  team: number
  at: number
  /** The author, as events store it. */
  by: string
  from: number
  /** A row number. If it is null, the processes stay where they are. */
  to: SQL
  proc: number
  max: number
}

/**
 * Gives processes of one procedure to another customer, as an update of each would: with a new version and an event. The
 * events of a step share a row of the log, so each process takes two rows written, and all together one more.
 */
export function moveProcesses({ team, at, by, from, to, proc, max }: ProcessMove): Statement[] {
  const moved = sql`SELECT ${process.rid} FROM ${process} INDEXED BY process_record
    WHERE ${process.record} = ${from} AND ${process.proc} = ${proc} ORDER BY ${process.rid} LIMIT ${max}`
  const which = sql`${process.rid} IN (${moved}) AND ${to} IS NOT NULL`
  const rid = sql`CAST(${process.rid} AS TEXT)`
  return [
    statement(
      insertEvents(
        { team: sql`${team}`, at: sql`${at}`, type: sql`'process.updated'`, proc: sql`${proc}`, by: sql`${by}` },
        {
          ...toMembers(process.rid.getSQL(), sql`json_object('id', ${process.id}, 'record', ${to})`),
          before: sql`jsonb_group_object(${rid}, ${selectProcessBefore(['record'], NO_VALUES)})`,
        },
        sql`FROM ${process} WHERE ${which} HAVING count(*) > 0`,
      ),
    ),
    statement(
      sql`UPDATE ${process} SET ${assignments(process, {
        record: to,
        version: sql`${process.version} + 1`,
        ...setByLastEvent(process, team),
      })} WHERE ${which}`,
    ),
  ]
}
