import { sql } from 'drizzle-orm'
import { BULK_SHARE_MAX, getUsedShare } from '../background-job/accept/storage-limit.ts'
import type { JobStatus } from '../background-job/schema.ts'
import { readJobSettings } from '../background-job/settings.ts'
import { backgroundJob as job } from '../background-job/table.ts'
import { MERGER_TASK } from '../customer/merger/task.ts'
import { type Cost, createCost } from '../db/cost.ts'
import { openDatabase } from '../db/databases.ts'
import { select } from '../db/statement.ts'
import { describeError } from '../describe-error.ts'
import { getFirstRid } from '../ids.ts'
import { type FailingWork, selectFailing } from '../maintenance-round.ts'
import { DELIVERY_STATUSES } from '../message/rules.ts'
import { message } from '../message/table.ts'
import { selectUsedAllowances } from '../team-status/allowance.ts'
import { MINUTE_MS } from '../time-units.ts'
import { selectLagOfAll } from '../webhook/lag.ts'
import { MAINTENANCE_TASKS } from './tasks.ts'

/** Rows of each kind that are counted at most: the line is written every minute, however busy it is. */
const COUNTED_MAX = 1_000
/** From then on an alert says that a team comes to the end of what it may write on a day; so many teams are told of. */
const ALLOWANCE_SHARE_TOLD = 0.8
const ALLOWANCES_MAX = 20
/** By then the provider has told of most messages what became of them. */
const MESSAGES_OF_MINUTES_AGO = 10

interface CronRun {
  now: number
  cost: Cost
  unfinished: readonly string[]
  failed: readonly string[]
}

export type Metrics = Awaited<ReturnType<typeof measure>>

/** One line a minute: a warning where bulk requests are refused already. Undefined where the database does not answer. */
export async function reportMetrics(env: Env, run: CronRun): Promise<Metrics | undefined> {
  try {
    const metrics = await measure(env, run)
    const line = JSON.stringify({ metrics })
    if (metrics.databaseShare < BULK_SHARE_MAX) console.info(line)
    else console.warn(line)
    return metrics
  } catch (error) {
    console.error(JSON.stringify({ metrics: null, cause: describeError(error) }))
    return undefined
  }
}

async function measure(env: Env, { now, cost, unfinished, failed }: CronRun) {
  const { trips, statements, rowsRead, rowsWritten, ms } = cost
  const own = createCost()
  const settings = readJobSettings(env)
  const db = openDatabase(env, own, settings.timeLimitMs)
  const [jobs, messages, [lag], failing, allowances] = await db.read(
    OPEN_JOBS,
    selectMessages(now - MESSAGES_OF_MINUTES_AGO * MINUTE_MS),
    selectLagOfAll(now),
    selectFailing(COUNTED_MAX),
    selectUsedAllowances(now, ALLOWANCE_SHARE_TOLD, ALLOWANCES_MAX),
  )
  // What a task that has failed has left is not asked: that may be what fails.
  const backlog: Record<string, number> = Object.fromEntries(failed.map(name => [name, 1]))
  // The others have nothing left: counting that, too, would cost rows each minute.
  for (const name of unfinished) {
    const left = await MAINTENANCE_TASKS[name]?.({ env, db: () => db.reconnect(), now }).backlog?.()
    backlog[name] = left?.left ?? 1
  }
  const merges = failing.filter(({ task }) => task === MERGER_TASK)
  const erasures = failing.filter(({ task }) => task !== MERGER_TASK)
  const oldestWakeAt = Math.min(...jobs.map(each => each.oldestWakeAt))
  return {
    version: env.VERSION_METADATA?.id,
    openJobs: Object.fromEntries(jobs.map(each => [each.status, each.jobs])),
    jobsWithDeadLetters: jobs.reduce((sum, each) => sum + each.deadLetters, 0),
    // How long the job that waits longest is overdue; below 0 where none is.
    oldestWakeMs: jobs.length === 0 ? null : now - oldestWakeAt,
    messages: Object.fromEntries(messages.map(each => [DELIVERY_STATUSES[each.delivery] ?? '', each.messages])),
    webhooks: {
      behind: lag?.behind ?? 0,
      oldestWaitingMs: lag?.oldestWaitingSince ? now - lag.oldestWaitingSince : null,
      stalled: lag?.stalled ?? 0,
    },
    failingErasures: describeFailing(erasures),
    failingMerges: describeFailing(merges),
    allowances,
    backlog,
    databaseBytes: db.size.bytes,
    databaseShare: Number(getUsedShare(db, settings).toFixed(4)),
    cron: {
      ms: Math.round(ms + own.ms),
      trips: trips + own.trips,
      statements: statements + own.statements,
      rowsRead: rowsRead + own.rowsRead,
      rowsWritten: rowsWritten + own.rowsWritten,
    },
  }
}

const describeFailing = (failing: readonly FailingWork[]) => ({ count: failing.length, ...failing[0] })

const OPEN_JOBS = select(
  {
    status: sql<JobStatus>`status`,
    jobs: sql<number>`count(*)`,
    deadLetters: sql<number>`sum(is_dead_letter)`,
    oldestWakeAt: sql<number>`min(wake_at)`,
  },
  sql`FROM (SELECT ${job.completionStatus} AS status, ${job.giveUpBatchSize} > 0 AS is_dead_letter, ${job.wakeAt} AS wake_at
    FROM ${job} INDEXED BY background_job_wake WHERE ${job.completedAt} = 0
    ORDER BY ${job.wakeAt} LIMIT ${COUNTED_MAX}) GROUP BY status`,
)

/** The first ones of a minute that were sent, by a range of the primary key. */
const selectMessages = (from: number) =>
  select(
    { delivery: sql<number>`delivery`, messages: sql<number>`count(*)` },
    sql`FROM (SELECT ${message.delivery} AS delivery FROM ${message}
      WHERE ${message.rid} >= ${getFirstRid(from)} AND ${message.rid} < ${getFirstRid(from + MINUTE_MS)}
        AND ${message.received} IS NULL
      LIMIT ${COUNTED_MAX}) GROUP BY delivery`,
  )
