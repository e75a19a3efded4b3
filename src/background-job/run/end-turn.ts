import type { Cost } from '../../db/cost.ts'
import type { Statement } from '../../db/statement.ts'
import { write } from '../../db/write.ts'
import { withTimeout } from '../../timeout.ts'
import { eventIfEnded } from '../completed/events.ts'
import { type NextJob, selectNextInTurn } from '../in-turn.ts'
import { finishJob } from '../job-rows.ts'
import type { Wait } from '../kind.ts'
import { queueOf } from '../queue.ts'
import { hasEnded, isDone, type JobRow } from '../rules.ts'
import { nextTryAt, parseUnfinished } from '../unfinished.ts'
import type { CommittedTeam, JobEngine } from './engine.ts'
import { messageOf } from './message.ts'
import { reportProgress } from './report.ts'

const SECOND_MS = 1000

interface TurnEnd {
  engine: JobEngine
  team: CommittedTeam
  job: JobRow
  wait?: Wait | undefined
  cost: Cost
}

/** After a turn: completes the job, or sends the message of its next turn. */
export async function endTurn({ engine, team, job, wait, cost }: TurnEnd): Promise<void> {
  if (hasEnded(job)) return
  if (isDone(job)) {
    await endJob({ engine, team, job, cost }, finishJob(team.no, job.no, Date.now()))
    return
  }
  // A paused job is woken when it can go on.
  if (wait?.pause) return
  const nextAt = job.cursor === job.total ? nextTryAt(parseUnfinished(job)) : undefined
  const ms = wait?.ms ?? (nextAt === undefined ? 0 : nextAt - Date.now())
  const options = ms > 0 ? { delaySeconds: Math.ceil(ms / SECOND_MS) } : {}
  await withTimeout(engine.settings.timeLimitMs, engine.queues[queueOf(job)].send(messageOf(team.no, job), options))
}

/**
 * Ends the job, reports it to its object, and gives the next job of the team its turn. Only one runner gets the row: of a
 * job that has ended there is none.
 */
export async function endJob(
  { engine, team: of, job, cost }: Omit<TurnEnd, 'wait'>,
  end: Statement<JobRow>,
): Promise<JobRow | undefined> {
  const { settings, openDb, progress } = engine
  const team = of.no
  const writer = { db: openDb(cost), idempotency: null }
  const told = eventIfEnded(team, job.no, Date.now())
  const effect = [end, told, selectNextInTurn(team, job, settings.teamJobs)] as const
  const [{ rows }, , next] = await write(writer, { effect, outcome: null })
  const [ended] = rows
  if (!ended) return undefined
  await Promise.all([
    reportProgress(settings, () => progress(team, job.no), ended),
    engine.committed(of),
    ...next.rows.map(each => sendNextMessage(engine, team, each)),
  ])
  return ended
}

/** If it does not get through, the cron sends it. */
export const sendNextMessage = (
  { queues, settings }: Pick<JobEngine, 'queues' | 'settings'>,
  team: number,
  next: NextJob,
): Promise<unknown> =>
  withTimeout(settings.timeLimitMs, (async () => queues[queueOf(next)].send(messageOf(team, next)))()).catch(
    (error: unknown) => console.warn(JSON.stringify({ job: next.no, unsent: String(error) })),
  )
