import { sql } from 'drizzle-orm'
import { select } from '../../db/statement.ts'
import type { Scope } from '../../scope.ts'
import { backgroundJob } from '../table.ts'

/** An entry of the index is read for each job that is kept. */
export async function countJobRows(scope: Scope) {
  const [rows] = await scope.db.read(
    select(
      { completionStatus: backgroundJob.completionStatus, count: sql<number>`count(*)` },
      sql`FROM ${backgroundJob} INDEXED BY background_job_status WHERE ${backgroundJob.team} = ${scope.team.no}
        GROUP BY ${backgroundJob.completionStatus}`,
    ),
  )
  return rows
}
