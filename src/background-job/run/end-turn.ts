import type { Cost } from '../../db/cost.ts'
import { write } from '../../db/write.ts'
import { withTimeout } from '../../timeout.ts'
import { finishJob } from '../job-rows.ts'
import type { Wait } from '../kind.ts'
import { queueOf } from '../queue.ts'
import { deferredOf, hasEnded, isDone, type JobRow } from '../rules.ts'
import type { JobEngine } from './engine.ts'
import { messageOf } from './message.ts'
import { reportProgress } from './report.ts'

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
  if (isDone(job)) return completeJob(engine, team.no, job.no, cost)
  // A paused job is woken when it can go on.
  if (wait?.pause) return
  const [soonest] = job.cursor === job.total ? deferredOf(job) : []
  const ms = wait?.ms ?? (soonest ? soonest.at - Date.now() : 0)
  const options = ms > 0 ? { delaySeconds: Math.ceil(ms / SECOND_MS) } : {}
  await withTimeout(engine.settings.timeLimitMs, engine.queues[queueOf(job)].send(messageOf(team.no, job), options))
}

/** Completes the job, and reports it to its object. Only one runner gets the row: of a completed job there is none. */
async function completeJob({ settings, openDb, progress }: JobEngine, team: number, no: number, cost: Cost) {
  const writer = { db: openDb(cost), idempotency: null }
  const [{ rows }] = await write(writer, { effect: [finishJob(team, no, Date.now())], outcome: null })
  const [completed] = rows
  if (completed) await reportProgress(settings, () => progress(team, no), completed)
}
