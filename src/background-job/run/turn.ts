import { type Cost, noCost } from '../../db/cost.ts'
import type { Statement } from '../../db/statement.ts'
import { StatementBudgetError, StorageError } from '../../db/storage-error.ts'
import { write } from '../../db/write.ts'
import { AppError } from '../../errors.ts'
import { teamScope } from '../../scope.ts'
import { withTimeout } from '../../timeout.ts'
import { type Chunk, decodeChunk, endOfChunk } from '../chunk.ts'
import { selectChunkAt } from '../chunk-rows.ts'
import { outcomeOf } from '../entry.ts'
import { selectJob } from '../job-rows.ts'
import { type Decision, kindOf, StaleJobError, type Step, type Wait } from '../kind.ts'
import { deferredOf, hasEnded, isCancelled, isDispatched, isDone, type JobRow, stepEntriesMax } from '../rules.ts'
import { endTurn } from './end-turn.ts'
import type { JobEngine } from './engine.ts'
import { failureReasonOf, isPermanent, isTooMuchAtOnce } from './failure.ts'
import { type LoadedJob, loadJob } from './load.ts'
import { logTurn } from './log.ts'
import type { JobMessage } from './message.ts'
import { endLongPause, wakeAtOf } from './pause.ts'
import { progressTimeLimitMs, reportProgress } from './report.ts'
import { changeOf, type PlannedStep, planDeferred, planStep } from './step-rules.ts'
import { dispatchStatements, isStaleJob, stepStatements } from './step-write.ts'

/** D1 lets an invocation run 1,000; what has to be written down in any case gets the rest. */
const STATEMENTS_PER_INVOCATION_MAX = 900
/** A step takes a dozen as a rule, and some hundreds if every entry changes other attributes. */
const STATEMENTS_PER_TURN_MAX = 300
/** Of the entries of a step, as they are stored: what the database does with them takes a multiple of it. */
const STEP_BYTES_MAX = 400_000
/** So many entries of a job may be deferred at the same time: they stand in its row. */
const DEFERRED_ENTRIES_MAX = 500

/** A job in the hands of a runner. */
interface Turn extends LoadedJob {
  engine: JobEngine
  cost: Cost
  /** Why the last step could not get further. */
  wait?: Wait | undefined
  steps: number
  reports: Promise<unknown>[]
}

/** Runs some steps of a job; the rest gets another message, so that other jobs have their turn. */
export async function runTurn(engine: JobEngine, message: JobMessage, attempts: number): Promise<void> {
  const startedAt = Date.now()
  const turn = await startTurn(engine, message)
  if (!turn || hasEnded(turn.job) || (turn.job.startAt ?? 0) > startedAt) return
  if (attempts === 1 && turn.job.revision !== message.revision) return
  const { turnChunks, turnMs, chunkEntries } = engine.settings
  const { cursor } = turn.job
  try {
    while (!turn.wait && !isDone(turn.job) && !hasEnded(turn.job)) {
      const isLast =
        turn.steps + 1 >= turnChunks ||
        Date.now() - startedAt > turnMs ||
        turn.cost.statements > STATEMENTS_PER_TURN_MAX
      await runStep(turn, stepEntriesMax(chunkEntries, attempts), !isLast)
      turn.steps += 1
      if (isLast) break
    }
  } catch (error) {
    if (error instanceof StaleJobError) return
    // What was done before stands. The rest gets an invocation of its own, which may run as many statements again.
    if (!(error instanceof StatementBudgetError && turn.steps > 0)) throw error
  } finally {
    await awaitReports(turn)
    logTurn(turn, cursor, Date.now() - startedAt)
  }
  await endTurn(turn)
}

/** The turn of a dead letter: one entry is tried alone; if it fails again, it ends with an error. */
export async function runLastTurn(engine: JobEngine, message: JobMessage): Promise<void> {
  const turn = await startTurn(engine, message)
  if (!turn || hasEnded(turn.job)) return
  try {
    if (!isDone(turn.job)) await runStep(turn, 1, false)
  } catch (error) {
    if (error instanceof StaleJobError) return
    // The entries are not to blame for the database: they are tried again when it works.
    if (error instanceof StorageError && !isTooMuchAtOnce(error)) throw error
    await giveUp(turn, error)
  }
  await awaitReports(turn)
  await endTurn(turn)
}

const awaitReports = ({ engine, reports }: Turn): Promise<unknown> =>
  withTimeout(progressTimeLimitMs(engine.settings), Promise.allSettled(reports)).catch(() => {})

async function startTurn(engine: JobEngine, { team, job }: JobMessage): Promise<Turn | undefined> {
  const cost = noCost()
  cost.statementsMax = STATEMENTS_PER_INVOCATION_MAX
  const loaded = await loadJob(engine.openDb(cost), team, job)
  return loaded && { ...loaded, engine, cost, steps: 0, reports: [] }
}

/** Runs the next entries. Effects and outcomes take effect together, and only if the job is still where it was. */
async function runStep(turn: Turn, entriesMax: number, goesOn: boolean): Promise<void> {
  const plan = await chooseStep(turn, entriesMax)
  if (typeof plan === 'number') {
    turn.wait = { ms: plan }
    return
  }
  const { engine, team, job } = turn
  const { entries, procedure } = plan
  const commit = (decision: Decision) => commitStep(turn, plan, decision, { goesOn, giveUpBatchSize: 0 })
  const kind = kindOf(engine.kinds, entries[0]?.apiType ?? '')
  if (!kind) return commit({ outcomes: entries.map(() => UNKNOWN_KIND), statements: [] })
  try {
    await kind.run({
      scope: teamScope(engine.openDb(turn.cost), team, { id: job.createdBy }, Date.now()),
      jobId: job.id,
      procedure,
      entries,
      dispatched: plan.isDeferred ? 0 : job.dispatched,
      isCancelled: isCancelled(job),
      commit,
      isDeferred: plan.isDeferred && job.cursor < job.total,
      dispatch: (count, statements, wasWritten) => dispatchEntries(turn, plan, { count, statements, wasWritten }),
    })
  } catch (error) {
    if (error instanceof StaleJobError) throw error
    if (error instanceof AppError) return commit({ outcomes: entries.map(() => outcomeOf(error)), statements: [] })
    // What may have taken effect is thrown, too: the message comes back, and finds the job where it is by then.
    if (!isPermanent(error, kind)) throw error
    if (entries.length > 1) return runStep(turn, Math.ceil(entries.length / 4), goesOn)
    console.error(JSON.stringify({ job: job.id, entry: entries[0]?.index, cause: String(error) }))
    await commit({ outcomes: [outcomeOf(failureReasonOf(error, kind))], statements: [] })
  }
}

const UNKNOWN_KIND = outcomeOf(new AppError('invalid_request', 'entries of this kind cannot be processed'))

/** What comes next: what was deferred and is due, else what is at the cursor; or for how many ms there is nothing. */
async function chooseStep(turn: Turn, entriesMax: number): Promise<PlannedStep | number> {
  const { job, engine } = turn
  const isEnding = isCancelled(job)
  const now = Date.now()
  const deferred = deferredOf(job)
  const [soonest] = deferred
  const limits = { entries: entriesMax, bytes: STEP_BYTES_MAX }
  // A cancelled job waits for no time, and takes in first what was dispatched at the cursor.
  if (soonest && (isEnding ? job.dispatched === 0 : soonest.at <= now)) {
    const due = deferred.filter(({ at }) => at <= now || isEnding)
    return planDeferred(engine.kinds, job, await chunkAt(turn, soonest.index), due, limits)
  }
  if (soonest && job.cursor === job.total) return soonest.at - now
  // Each takes its place in the row of the job, so there is an end to what can be deferred.
  if (soonest && deferred.length >= DEFERRED_ENTRIES_MAX && !isEnding) return soonest.at - now
  const entries = isEnding ? Math.min(job.dispatched, entriesMax) : entriesMax
  return planStep(engine.kinds, job, await chunkAt(turn, job.cursor), { ...limits, entries })
}

async function chunkAt(turn: Turn, index: number): Promise<Chunk> {
  const { chunk, team, job, engine, cost } = turn
  if (chunk && chunk.first <= index && index < endOfChunk(chunk)) return chunk
  const [[row]] = await engine.openDb(cost).read(selectChunkAt(team.no, job.no, index))
  if (!row) throw new Error(`job ${job.id} has no entry ${index}`)
  return decodeChunk(row)
}

/** Writes down that so many entries are dispatched, with the statements that keep other runners from dispatching them again. */
async function dispatchEntries(
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
    : { dispatched: count, inProgressTo: (plan.entries[count - 1]?.index ?? job.inProgressTo - 1) + 1 }
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

async function commitStep(
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

/** Ends entries that have failed again and again, twice as many each time, so that the job can go on. */
async function giveUp(turn: Turn, error: unknown): Promise<void> {
  const plan = await chooseStep(turn, Math.max(1, turn.job.giveUpBatchSize * 2))
  if (typeof plan === 'number') return
  const outcome = outcomeOf(failureReasonOf(error, kindOf(turn.engine.kinds, plan.entries[0]?.apiType ?? '')))
  const decision = { outcomes: plan.entries.map(() => outcome), statements: [] }
  await commitStep(turn, plan, decision, { goesOn: false, giveUpBatchSize: plan.entries.length })
}

/** The turn goes on from the row that was written, and reports it to the job's object. */
function moveOn(turn: Turn, row: JobRow | undefined): void {
  if (!row) throw new StaleJobError()
  const { engine, team } = turn
  turn.job = row
  turn.reports.push(reportProgress(engine.settings, () => engine.progress(team.no, row.no), row))
}

function throwStale(error: unknown): never {
  throw isStaleJob(error) ? new StaleJobError() : error
}
