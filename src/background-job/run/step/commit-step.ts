import type { Statement } from '../../../db/statement.ts'
import { write } from '../../../db/write.ts'
import { decodeChunk, endOfChunk } from '../../chunk.ts'
import { eventOfEnded } from '../../completed/events.ts'
import { selectJob } from '../../job-rows.ts'
import { type Decision, StaleJobError, type Step } from '../../kind.ts'
import { isDispatched, type JobRow } from '../../rules.ts'
import { endLongPause, wakeAtOf } from '../pause.ts'
import { reportProgress } from '../report.ts'
import { dispatchedBefore, settleDetached } from './detached.ts'
import { isOfAll } from './passed.ts'
import type { Turn } from './running-job.ts'
import { changeOf, isAtCursor, type PlannedStep, setAsideOf } from './step-rules.ts'
import { dispatchStatements, isStaleJob, stepStatements } from './step-write.ts'

/** Writes down that so many entries are dispatched, with the statements that keep other runners from dispatching them again. */
export async function dispatchEntries(
  turn: Turn,
  plan: PlannedStep,
  {
    count,
    outcomes,
    statements,
    wasWritten,
  }: {
    count: number
    outcomes: Decision['outcomes']
    statements: Statement[]
    wasWritten: Parameters<Step['dispatch']>[2]
  },
): Promise<void> {
  const isSetAside = plan.source === 'passed' || (plan.source === 'cursor' && passesSome(turn.job, outcomes))
  // The cursor moves now, so the steps that were to move it come first.
  if (isSetAside && turn.detached.some(step => isAtCursor(step.plan))) await settleDetached(turn)
  const { job, team, engine, cost } = turn
  const now = Date.now()
  const setAside = isSetAside ? setAsideOf(engine.kinds, job, plan, { outcomes, now }) : undefined
  const wakeAt = now + engine.settings.resendAfterMs
  const { guards, update } = dispatchStatements(team.no, job, {
    ...(setAside ? { ...setAside.dispatched, setAside: setAside.change } : dispatchedOf(turn, plan, count)),
    ...{ wakeAt, now },
  })
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
  if (setAside) plan.setAside = setAside.kept
  moveOn(turn, row)
}

const passesSome = (job: JobRow, outcomes: Decision['outcomes']): boolean =>
  job.passed !== '[]' || outcomes.some(isOfAll)

/** A cancellation ends deferred entries by themselves. And fewer may be looked at than were dispatched before. */
const dispatchedOf = (turn: Turn, { source, entries }: PlannedStep, count: number) =>
  source === 'cursor'
    ? {
        dispatched: dispatchedBefore(turn) + count,
        inProgressTo: (entries[count - 1]?.index ?? turn.job.inProgressTo - 1) + 1,
      }
    : { dispatched: turn.job.dispatched, inProgressTo: turn.job.inProgressTo }

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
  const hasMore = goesOn && !wait && !isDispatched(job) && !isDispatched(change)
  const step = stepStatements(team.no, job, {
    ...{ change, plan, wait, giveUpBatchSize, now },
    goesOn: hasMore,
    holdsNextChunk: turn.chunk !== undefined && turn.chunk.first >= endOfChunk(plan.chunk),
    pausedAt: decision.wait?.pause ? (job.pausedAt ?? now) : isStillStopped(decision) ? job.pausedAt : null,
    wakeAt: wakeAtOf(job, wait, engine.settings.resendAfterMs, now),
  })
  // Of a cancelled job this may be what it waited for.
  const told = isDispatched(job) ? [eventOfEnded(team.no, job.no, now)] : []
  const effect = [step.update, step.updateCancelled, step.nextChunk, ...step.outcomes, ...statements, ...told] as const
  const writer = { db: engine.openDb(cost), idempotency: null }
  const [updated, cancelledRow, next] = await write(writer, { guards: step.guards, effect, outcome: null }).catch(
    throwStale,
  )
  if (next.rows[0]) turn.chunk = decodeChunk(next.rows[0])
  // A cancelled job only receives the outcomes of what was dispatched: it waits for nothing else.
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
