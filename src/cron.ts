import { queuesOf } from './background-job/queue.ts'
import { expireJobs, removeChunks } from './background-job/run/expire.ts'
import { resumeJobs, wakeJobs } from './background-job/run/wake.ts'
import { settingsOf } from './background-job/settings.ts'
import { noCost } from './db/cost.ts'
import { openDatabase } from './db/databases.ts'
import { expireIdempotencyRecords } from './http/idempotency/expire.ts'
import { describeError } from './http/request-log.ts'
import { sweepPendingMessages } from './message/ledger/sweep.ts'
import { isPluginStopped } from './plugin/is-stopped.ts'
import { buildIndexes, findUnfinishedBuilds } from './procedure/index/build.ts'

type Chore = (env: Env, now: number) => Promise<unknown>

const db = (env: Env) => openDatabase(env, noCost(), settingsOf(env).timeLimitMs)

/** What has to be looked after once a minute. Each chore is bounded, and none depends on another. */
const CHORES: Record<string, Chore> = {
  'resume jobs': (env, now) => resumeJobs(db(env), isPluginStopped, now),
  'wake jobs': (env, now) => wakeJobs(db(env), queuesOf(env), settingsOf(env), now),
  'expire jobs': (env, now) => expireJobs(db(env), settingsOf(env), now),
  'remove chunks': (env, now) => removeChunks(db(env), now),
  'forget idempotency keys': (env, now) => expireIdempotencyRecords(db(env), now),
  'settle interrupted messages': (env, now) => sweepPendingMessages(db(env), now),
  'build indexes': buildUnfinishedIndexes,
}

/** One build that fails, or takes long, holds up no other: it comes last in a later minute. */
async function buildUnfinishedIndexes(env: Env, now: number): Promise<void> {
  for (const procedure of await findUnfinishedBuilds(db(env), now))
    await buildIndexes(db(env), procedure).catch((error: unknown) =>
      reportFailure('build indexes', error, { procedure }),
    )
}

const reportFailure = (chore: string, error: unknown, about: object = {}): void =>
  console.error(JSON.stringify({ chore, ...about, cause: describeError(error) }))

export async function sweep(controller: Pick<ScheduledController, 'scheduledTime'>, env: Env): Promise<void> {
  for (const [chore, run] of Object.entries(CHORES))
    try {
      const result = await run(env, controller.scheduledTime)
      if (hasMore(result)) console.warn(JSON.stringify({ chore, backlog: true, ...result }))
    } catch (error) {
      reportFailure(chore, error)
    }
}

/** Whether a chore has left something for the next minute. */
const hasMore = (result: unknown): result is object =>
  typeof result === 'object' && result !== null && Reflect.get(result, 'hasMore') === true
