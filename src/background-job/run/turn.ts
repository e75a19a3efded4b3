import { noCost } from '../../db/cost.ts'
import { withTimeout } from '../../timeout.ts'
import { type EntryKinds, StaleJobError } from '../kind.ts'
import { deferredOf, hasEnded, isDone, type JobRow, stepEntriesMax } from '../rules.ts'
import { settingsOf } from '../settings.ts'
import { finish, report, settle } from './progress.ts'
import { giveUp, load, type Run, takeStep } from './runner.ts'

const SECOND_MS = 1000
/** A chunk takes a dozen as a rule, and some hundreds if every entry changes other attributes. */
const STATEMENTS_PER_TURN_MAX = 300

/** What a message says: there is something to do for this job. What it is, the database says. */
export interface JobMessage {
  team: number
  job: number
  /** Where the job was when the message was sent: one that has gone on since has another message on its way. */
  step: number
}

export const messageOf = (team: number, { no, step }: Pick<JobRow, 'no' | 'step'>): JobMessage => ({
  team,
  job: no,
  step,
})

/** Runs a job for a while, then lets others have their turn: the rest of it is another message. */
export async function takeTurn(
  env: Env,
  kinds: EntryKinds,
  { team, job: no, step: from }: JobMessage,
  attempts: number,
): Promise<void> {
  const startedAt = Date.now()
  const settings = settingsOf(env)
  const base = { env, kinds, cost: noCost(), settings, statements: 0 }
  const turn = await load(base, team, no)
  if (!turn || hasEnded(turn.job) || (turn.job.startAt ?? 0) > startedAt) return
  if (attempts === 1 && turn.job.step !== from) return
  const { cursor } = turn.job
  const reports: Promise<unknown>[] = []
  const run: Run = { ...base, turn, onProgress: job => reports.push(report(env, settings, team, job)) }
  const entriesMax = stepEntriesMax(settings.chunkEntries, attempts)
  try {
    for (let step = 1; !run.wait && !isDone(run.turn.job) && !hasEnded(run.turn.job); step++) {
      const isLast =
        step === settings.turnChunks ||
        Date.now() - startedAt > settings.turnMs ||
        run.statements > STATEMENTS_PER_TURN_MAX
      await takeStep(run, entriesMax, !isLast)
      if (isLast) break
    }
  } catch (error) {
    if (!(error instanceof StaleJobError)) throw error
    return
  } finally {
    await settle(settings, reports)
    logTurn(run, cursor, Date.now() - startedAt)
  }
  await goOn(env, run, team)
}

/** What was tried as often as it may be: it is tried once more, and if that fails, too, the entries in the way end. */
export async function takeLastTurn(env: Env, kinds: EntryKinds, { team, job: no }: JobMessage): Promise<void> {
  const settings = settingsOf(env)
  const base = { env, kinds, cost: noCost(), settings, statements: 0 }
  const turn = await load(base, team, no)
  if (!turn || hasEnded(turn.job)) return
  const run: Run = { ...base, turn, onProgress: () => {} }
  try {
    if (!isDone(turn.job)) await takeStep(run, 1, false)
  } catch (error) {
    if (error instanceof StaleJobError) return
    const givenUp = Math.max(1, turn.job.givenUp * 2)
    await giveUp(run, givenUp, error)
  }
  await report(env, settings, team, run.turn.job)
  await goOn(env, run, team)
}

async function goOn(env: Env, run: Run, team: number): Promise<void> {
  const { job } = run.turn
  if (hasEnded(job)) return
  if (isDone(job)) return finish(env, run, team, job.no)
  // Its plugin's coming back wakes a paused job, not time.
  if (run.wait?.pause) return
  const [soonest] = job.cursor === job.total ? deferredOf(job) : []
  const ms = run.wait?.ms ?? (soonest ? soonest.at - Date.now() : 0)
  const options = ms > 0 ? { delaySeconds: Math.ceil(ms / SECOND_MS) } : {}
  await withTimeout(run.settings.patienceMs, env.JOBS.send(messageOf(team, job), options))
}

function logTurn({ turn, cost }: Run, from: number, ms: number): void {
  const { id, cursor, total } = turn.job
  const { trips, rowsRead, rowsWritten } = cost
  console.info(
    JSON.stringify({
      job: id,
      team: turn.team.id,
      from,
      to: cursor,
      total,
      ms,
      cost: { trips, rowsRead, rowsWritten },
    }),
  )
}
