import { type SQL, sql } from 'drizzle-orm'
import { guard, isGuardFailure } from '../../db/guard.ts'
import { assignments, type Statement, select, statement } from '../../db/statement.ts'
import { team } from '../../team/table.ts'
import { whereProjected } from '../maintenance/projections.ts'
import { textLength, wherePointer } from '../object/pointer.ts'
import { backgroundJob as job, jobChunk, jobOutcome } from '../table.ts'

/** Whose rows they are. */
interface JobKey {
  team: number
  no: number
}

export interface SweptJob extends JobKey {
  id: string
  teamId: string
  /** The id of the procedure that all entries are about. */
  procedure: string | null
  isArchived: number
  /** It is a dry run that keeps processes as it would have left them. */
  hasProjected: number
}

/** Selects the next job of the team after a given one, up to the last job that was accepted before the erasure. */
export const selectNextJob = ({
  team: teamNo,
  after,
  last,
}: {
  team: number
  after: number
  last: number
}): Statement<SweptJob> =>
  select(
    {
      no: job.no,
      team: job.team,
      id: job.id,
      teamId: team.id,
      procedure: job.procedure,
      isArchived: sql<number>`${job.archivedAt} IS NOT NULL`,
      hasProjected: whereProjected,
    },
    sql`FROM ${job} INDEXED BY background_job_team CROSS JOIN ${team} ON ${team.no} = ${job.team}
      WHERE ${job.team} = ${teamNo} AND ${job.no} > ${after} AND ${job.no} <= ${last}
      ORDER BY ${job.no} LIMIT 1`,
  )

/** Selects where the next chunks of a job begin, and their bytes, whether they are in rows or in objects. */
export const selectNextChunks = ({ team: teamNo, no }: JobKey, from: number, max: number) =>
  select(
    { first: jobChunk.first, count: jobChunk.count, length: textLength(jobChunk.entries.getSQL()) },
    sql`FROM ${jobChunk} WHERE ${jobChunk.team} = ${teamNo} AND ${jobChunk.job} = ${no} AND ${jobChunk.first} >= ${from}
      ORDER BY ${jobChunk.first} LIMIT ${max}`,
  )

/** The rows of outcomes of some chunks: their key has the offset, which readers do not need. */
export const selectOutcomeRows = ({ team: teamNo, no }: JobKey, firsts: readonly number[]) =>
  select(
    { first: jobOutcome.first, offset: jobOutcome.offset, outcomes: jobOutcome.outcomes },
    sql`FROM ${jobOutcome} WHERE ${jobOutcome.team} = ${teamNo} AND ${jobOutcome.job} = ${no}
      AND ${jobOutcome.first} IN (SELECT value FROM json_each(${JSON.stringify(firsts)}))`,
  )

const OUTCOMES_ADDED = 'the entries that are looked at were run or moved meanwhile'
export const isRunMeanwhile = (error: unknown): boolean => isGuardFailure(error, OUTCOMES_ADDED)

/** Fails the transaction if a runner has written more outcomes of some chunks, or texts of theirs were moved to an object. */
export function guardRows(
  { team: teamNo, no }: JobKey,
  firsts: readonly number[],
  { outcomes, pointers }: { outcomes: number; pointers: number },
): Statement {
  const countRows = (table: typeof jobChunk | typeof jobOutcome, which: SQL): SQL =>
    sql`(SELECT count(*) FROM ${table} WHERE ${table.team} = ${teamNo} AND ${table.job} = ${no}
      AND ${table.first} IN (SELECT value FROM json_each(${JSON.stringify(firsts)})) AND ${which})`
  const moved = [
    countRows(jobOutcome, wherePointer(jobOutcome.outcomes.getSQL())),
    countRows(jobChunk, wherePointer(jobChunk.entries.getSQL())),
  ]
  return guard(
    OUTCOMES_ADDED,
    sql`${countRows(jobOutcome, sql`1`)} = ${outcomes} AND ${sql.join(moved, sql` + `)} = ${pointers}`,
  )
}

export const replaceEntries = ({ team: teamNo, no }: JobKey, first: number, entries: string): Statement =>
  statement(
    sql`UPDATE ${jobChunk} SET ${assignments(jobChunk, { entries })}
      WHERE ${jobChunk.team} = ${teamNo} AND ${jobChunk.job} = ${no} AND ${jobChunk.first} = ${first}`,
  )

export const replaceOutcomes = (
  { team: teamNo, no }: JobKey,
  { first, offset, outcomes }: { first: number; offset: number; outcomes: string },
): Statement =>
  statement(
    sql`UPDATE ${jobOutcome} SET ${assignments(jobOutcome, { outcomes })}
      WHERE ${jobOutcome.team} = ${teamNo} AND ${jobOutcome.job} = ${no} AND ${jobOutcome.first} = ${first}
        AND ${jobOutcome.offset} = ${offset}`,
  )

/**
 * Increments the revision of a job: whoever has read its entries before, to run or to archive them, writes nothing. Fails if
 * the entries were archived meanwhile, because then their object has to be changed.
 */
export const touchJob = (no: number): readonly Statement[] => [
  guard(
    'the job was archived meanwhile',
    sql`EXISTS (SELECT 1 FROM ${job} WHERE ${job.no} = ${no} AND ${job.archivedAt} IS NULL)`,
  ),
  statement(sql`UPDATE ${job} SET ${assignments(job, { revision: sql`${job.revision} + 1` })} WHERE ${job.no} = ${no}`),
]
