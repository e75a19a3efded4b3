import type { Statement } from '../../../db/statement.ts'
import { write } from '../../../db/write.ts'
import { decodeChunk, endOfChunk } from '../../chunk.ts'
import { selectJob } from '../../job-rows.ts'
import { type Decision, StaleJobError, type Step } from '../../kind.ts'
import { isDispatched, type JobRow } from '../../rules.ts'
import { endLongPause, wakeAtOf } from '../pause.ts'
import { reportProgress } from '../report.ts'
import { dispatchedBefore } from './detached.ts'
import type { Turn } from './running-job.ts'
import { changeOf, type PlannedStep } from './step-rules.ts'
import { dispatchStatements, isStaleJob, stepStatements } from './step-write.ts'

/** Writes down that so many entries are dispatched, with the statements that keep other runners from dispatching them again. */
export async function dispatchEntries(
  turn: Turn,
  plan: PlannedStep,
  {
    count,
    statements,
    wasWritten,
  }: { count: number; statements: Statement[]; wasWritten: Parameters<Step['dispatch']>[2] },
): Promise<void> {
  const { job, team, engine, cost } = turn
  const now = Date.now()
  // A cancellation ends deferred entries by themselves. And fewer may be looked at than were dispatched before.
  const dispatchedCounts = plan.isDeferred
    ? { dispatched: job.dispatched, inProgressTo: job.inProgressTo }
    : {
        dispatched: dispatchedBefore(turn) + count,
        inProgressTo: (plan.entries[count - 1]?.index ?? job.inProgressTo - 1) + 1,
      }
  const wakeAt = now + engine.settings.resendAfterMs
  const { guards, update } = dispatchStatements(team.no, job, { ...dispatchedCounts, wakeAt, now })
  const writer = { db: engine.openDb(cost), idempotency: null }
  const effect = [update, ...statements] as const
  const row = await write(writer, { guards, effect, outcome: null }).then(
    ([updated]) => updated.rows[0],
    async (error: unknown) => {
      if (isStaleJob(error) || !(await wasWritten(error))) return throwStale(error)
      const [[found]] = await engine.openDb(cost).read(selectJob(team.no, job.no))
      return found?.revision === job.revision + 1 ? found : undefined
    },
  )
  moveOn(turn, row)
}

export async function commitStep(
  turn: Turn,
  plan: PlannedStep,
  decision: Decision,
  { goesOn, giveUpBatchSize }: { goesOn: boolean; giveUpBatchSize: number },
): Promise<void> {
  const { job, team, engine, cost } = turn
  const now = Date.now()
  const { outcomes, statements, wait } = endLongPause(job, plan, decision, {
    pauseMsMax: engine.settings.pauseMsMax,
    now,
  })
  const change = changeOf(job, plan, outcomes)
  const hasMore = goesOn && !wait && !isDispatched(job) && !isDispatched(change)
  const step = stepStatements(team.no, job, {
    ...{ change, plan, wait, giveUpBatchSize, now },
    goesOn: hasMore,
    holdsNextChunk: turn.chunk !== undefined && turn.chunk.first >= endOfChunk(plan.chunk),
    pausedAt: decision.wait?.pause ? (job.pausedAt ?? now) : null,
    wakeAt: wakeAtOf(job, wait, engine.settings.resendAfterMs, now),
  })
  const effect = [step.update, step.updateCancelled, step.nextChunk, ...step.outcomes, ...statements] as const
  const writer = { db: engine.openDb(cost), idempotency: null }
  const [updated, cancelledRow, next] = await write(writer, { guards: step.guards, effect, outcome: null }).catch(
    throwStale,
  )
  if (next.rows[0]) turn.chunk = decodeChunk(next.rows[0])
  // A cancelled job only receives the outcomes of what was dispatched: it waits for nothing else.
  turn.wait = cancelledRow.rows[0] ? undefined : wait
  moveOn(turn, cancelledRow.rows[0] ?? updated.rows[0])
}

/** The turn goes on from the row that was written, and reports it to the job's object. */
export function moveOn(turn: Turn, row: JobRow | undefined): void {
  if (!row) throw new StaleJobError()
  const { engine, team } = turn
  turn.job = row
  turn.reports.push(reportProgress(engine.settings, () => engine.progress(team.no, row.no), row))
}

export function throwStale(error: unknown): never {
  throw isStaleJob(error) ? new StaleJobError() : error
}
