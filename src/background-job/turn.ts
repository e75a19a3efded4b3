import { noCost } from '../db/cost.ts'
import { finish, report, settle } from './progress.ts'
import { hasEnded, type JobRow, stepEntriesMax } from './rules.ts'
import { giveUp, load, MovedOn, type Run, takeStep } from './runner.ts'
import { settingsOf } from './settings.ts'
import { within } from './within.ts'

/** What a message says: there is something to do for this job. What it is, the database says. */
export interface JobMessage {
  team: number
  job: number
  /** Where the job was when the message was sent: one that has gone on since has another message on its way. */
  cursor: number
}

export const messageOf = (team: number, { no, cursor }: Pick<JobRow, 'no' | 'cursor'>): JobMessage => ({
  team,
  job: no,
  cursor,
})

/** Runs a job for a while, then lets others have their turn: the rest of it is another message. */
export async function takeTurn(env: Env, { team, job: no, cursor }: JobMessage, attempts: number): Promise<void> {
  const startedAt = Date.now()
  const settings = settingsOf(env)
  const base = { binding: env.DB, cost: noCost(), settings }
  const turn = await load(base, team, no)
  if (!turn || hasEnded(turn.job) || (turn.job.startAt ?? 0) > startedAt) return
  if (attempts === 1 && turn.job.cursor !== cursor) return
  const reports: Promise<unknown>[] = []
  const run: Run = { ...base, turn, onProgress: job => reports.push(report(env, settings, team, job)) }
  const entriesMax = stepEntriesMax(settings.chunkEntries, attempts)
  try {
    for (let step = 1; run.turn.job.cursor < run.turn.job.total; step++) {
      const isLast = step === settings.turnChunks || Date.now() - startedAt > settings.turnMs
      await takeStep(run, entriesMax, !isLast)
      if (isLast) break
    }
  } catch (error) {
    if (!(error instanceof MovedOn)) throw error
    return
  } finally {
    await settle(settings, reports)
    logTurn(run, cursor, Date.now() - startedAt)
  }
  await goOn(env, run, team)
}

/** What was tried as often as it may be: it is tried once more, and if that fails, too, the entries in the way end. */
export async function takeLastTurn(env: Env, { team, job: no }: JobMessage): Promise<void> {
  const settings = settingsOf(env)
  const base = { binding: env.DB, cost: noCost(), settings }
  const turn = await load(base, team, no)
  if (!turn || hasEnded(turn.job)) return
  const run: Run = { ...base, turn, onProgress: () => {} }
  try {
    if (turn.job.cursor < turn.job.total) await takeStep(run, 1, false)
  } catch (error) {
    if (error instanceof MovedOn) return
    const givenUp = Math.max(1, turn.job.givenUp * 2)
    await giveUp(run, givenUp, error)
  }
  await report(env, settings, team, run.turn.job)
  await goOn(env, run, team)
}

async function goOn(env: Env, run: Run, team: number): Promise<void> {
  const { job } = run.turn
  if (job.cursor === job.total) await finish(env, run, team, job.no)
  else await within(run.settings.patienceMs, env.JOBS.send(messageOf(team, job)))
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
