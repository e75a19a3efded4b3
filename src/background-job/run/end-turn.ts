import type { Cost } from '../../db/cost.ts'
import { write } from '../../db/write.ts'
import { withTimeout } from '../../timeout.ts'
import { finishJob } from '../job-rows.ts'
import type { Wait } from '../kind.ts'
import { deferredOf, hasEnded, isDone, type JobRow } from '../rules.ts'
import type { JobEngine } from './engine.ts'
import { messageOf } from './message.ts'
import { progressTimeLimitMs } from './report.ts'

const SECOND_MS = 1000

interface TurnEnd {
  engine: JobEngine
  team: { no: number }
  job: JobRow
  wait?: Wait | undefined
  cost: Cost
}

/** After a turn: completes the job, or sends the message of its next turn. */
export async function endTurn({ engine, team, job, wait, cost }: TurnEnd): Promise<void> {
  if (hasEnded(job)) return
  if (isDone(job)) return completeJob(engine, team.no, job, cost)
  // A paused job is woken when it can go on.
  if (wait?.pause) return
  const [soonest] = job.cursor === job.total ? deferredOf(job) : []
  const ms = wait?.ms ?? (soonest ? soonest.at - Date.now() : 0)
  const options = ms > 0 ? { delaySeconds: Math.ceil(ms / SECOND_MS) } : {}
  await withTimeout(engine.settings.timeLimitMs, engine.queue.send(messageOf(team.no, job), options))
}

/** The job's object completes it and tells it. If it can't be reached, the same statement is run without it. */
async function completeJob(engine: JobEngine, team: number, { no, id }: JobRow, cost: Cost): Promise<void> {
  try {
    await withTimeout(
      progressTimeLimitMs(engine.settings),
      (async () => engine.progress(team, no).complete(team, no))(),
    )
  } catch (error) {
    console.warn(JSON.stringify({ job: id, unreported: String(error) }))
    const writer = { db: engine.openDb(cost), idempotency: null }
    await write(writer, { effect: [finishJob(team, no, Date.now())], outcome: null })
  }
}
