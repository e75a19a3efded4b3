import { type SQL, sql } from 'drizzle-orm'
import * as z from 'zod'
import { ridList } from '../db/document/values-by-row.ts'
import { IF_CHANGED } from '../db/guard.ts'
import { type Statement, select } from '../db/statement.ts'
import { insertForFeeds } from '../event/feed-rows.ts'
import { declareEvents, listEventKeys, toWholeReferent } from '../event/noun-events.ts'
import { Id } from '../http/shapes.ts'
import { whereOutstanding } from './cancelled-counts.ts'
import { JOB_FIELDS, whereJob } from './job-rows.ts'
import { toJobMeta, viewJob } from './read/view.ts'
import { EntryCountsShown, JobShown } from './schema.ts'
import { backgroundJob as job } from './table.ts'

const JobEventData = z
  .object({
    id: Id.describe('The id of the job.'),
    backgroundJob: JobShown.nullable().describe('The job; null once it was removed for its age.'),
    bjEntryCompletionStatusVsCount: EntryCountsShown.exactOptional().describe(
      'How many of its entries ended in which way. Not there once the job was removed.',
    ),
  })
  .describe('The job that has ended.')

/** What the event keeps of a job that has ended, by the job's number. A retry is a job of its own, with its own end. */
interface JobEventDetails {
  id: string
}

/** The author of what a runner does. */
const RUNNER = sql`json_object('user', ${job.createdBy}, 'job', ${job.id})`

const insertCompleted = (at: number, which: SQL, by: SQL = RUNNER): Statement =>
  insertForFeeds(
    // One row for each team: of those that end together, any may stand for who did it.
    { type: 'background_job.completed', at, by, key: job.no.getSQL(), after: sql`json_object('id', ${job.id})` },
    join => sql`FROM ${job} ${join(job.team.getSQL())} WHERE ${which}`,
  )

/** Follows an UPDATE of one job that changes it only while it has not ended, and may have ended it. */
export const insertEventIfEnded = (team: number, no: number, at: number, author?: string): Statement =>
  insertCompleted(
    at,
    sql`${IF_CHANGED} AND ${whereJob(team, no)} AND ${job.completedAt} <> 0`,
    author === undefined ? RUNNER : sql`${author}`,
  )

/** The same where a guard of the transaction says that the job had not ended before. */
export const insertEndedEvent = (team: number, no: number, at: number, author?: string): Statement =>
  insertCompleted(
    at,
    sql`${whereJob(team, no)} AND ${job.completedAt} <> 0`,
    author === undefined ? RUNNER : sql`${author}`,
  )

/** Comes before an UPDATE that cancels the jobs of a condition: those that wait for nothing end by it. Nobody caused it. */
export const insertCancelledEvents = (which: SQL, at: number): Statement =>
  insertCompleted(at, sql`${which} AND NOT ${whereOutstanding}`, sql`'{}'`)

/** The job, and how many of its entries ended in which way. A job that has ended does not change. */
export const jobEvents = declareEvents({
  data: { 'background_job.completed': JobEventData },
  async show({ db, team }, events) {
    const [rows] = await db.read(
      select(
        JOB_FIELDS,
        sql`FROM ${job} WHERE ${job.no} IN ${ridList(listEventKeys(events))} AND +${job.team} = ${team.no}`,
      ),
    )
    const shown = new Map(rows.map(row => [row.id, { backgroundJob: viewJob(team, row), ...toJobMeta(row) }]))
    return new Map(
      events.map(({ sequence, after }) => {
        const { id } = after as JobEventDetails
        return [sequence, toWholeReferent({ id, ...(shown.get(id) ?? { backgroundJob: null }) })] as const
      }),
    )
  },
})
