import type { Statement } from '../../../db/statement.ts'
import { write } from '../../../db/write.ts'
import { decodeChunk, endOfChunk } from '../../chunk.ts'
import { eventOfEnded } from '../../completed/events.ts'
import { selectJob } from '../../job-rows.ts'
import { type Decision, StaleJobError, type Step } from '../../kind.ts'
import type { JobRow } from '../../rules.ts'
import { endLongPause, wakeAtOf } from '../pause.ts'
import { reportProgress } from '../report.ts'
import type { Turn } from './running-job.ts'
import { changeOf, type PlannedStep, takeFlight } from './step-rules.ts'
import { flightStatements, isStaleJob, stepStatements } from './step-write.ts'

/** Writes that the entries of a step are in flight, with the statements that keep other runners from sending them again. */
export async function dispatchEntries(
  turn: Turn,
  plan: PlannedStep,
  {
    outcomes,
    statements,
    wasWritten,
  }: {
    outcomes: Decision['outcomes']
    statements: Statement[]
    wasWritten: Parameters<Step['dispatch']>[2]
  },
): Promise<void> {
  const { job, team, engine, cost } = turn
  const now = Date.now()
  const { kept, change } = takeFlight(engine.kinds, job, plan, { outcomes, now })
  const wakeAt = now + engine.settings.resendAfterMs
  const { guards, update } = flightStatements(team.no, job, change, { wakeAt, now })
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
  plan.inFlight = kept
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
  const change = changeOf(engine.kinds, job, plan, outcomes)
  const hasMore = goesOn && !wait && job.outstanding === 0 && change.outstanding === 0
  const step = stepStatements(team.no, job, {
    ...{ change, plan, wait, giveUpBatchSize, now },
    goesOn: hasMore,
    holdsNextChunk: turn.chunk !== undefined && turn.chunk.first >= endOfChunk(plan.chunk),
    pausedAt: decision.wait?.pause ? (job.pausedAt ?? now) : isStillStopped(decision) ? job.pausedAt : null,
    wakeAt: wakeAtOf(job, wait, engine.settings.resendAfterMs, now),
  })
  // Of a cancelled job this may be what it waited for.
  const told = job.outstanding > 0 ? [eventOfEnded(team.no, job.no, now)] : []
  const effect = [step.update, step.updateCancelled, step.nextChunk, ...step.outcomes, ...statements, ...told] as const
  const writer = { db: engine.openDb(cost), idempotency: null }
  const [updated, cancelledRow, next] = await write(writer, { guards: step.guards, effect, outcome: null }).catch(
    throwStale,
  )
  if (next.rows[0]) turn.chunk = decodeChunk(next.rows[0])
  // A cancelled job only receives the outcomes of what is outstanding: it waits for nothing else.
  turn.wait = cancelledRow.rows[0] ? undefined : wait
  moveOn(turn, cancelledRow.rows[0] ?? updated.rows[0])
}

/** Another look at what is stopped does not end the pause of a job. */
const isStillStopped = ({ outcomes }: Decision): boolean =>
  outcomes.length > 0 && outcomes.every(outcome => outcome?.status === 'DEFERRED' && outcome.isStopped)

/** The turn goes on from the row that was written, and reports it to the job's object. */
export function moveOn(turn: Turn, row: JobRow | undefined): void {
  if (!row) throw new StaleJobError()
  const { engine, team } = turn
  turn.job = row
  turn.reports.push(
    reportProgress(engine.settings, () => engine.progress(team.no, row.no), row),
    engine.committed(team),
  )
}

export function throwStale(error: unknown): never {
  throw isStaleJob(error) ? new StaleJobError() : error
}
