import { noCost } from '../../db/cost.ts'
import { StatementBudgetError, StorageError } from '../../db/storage-error.ts'
import { AppError } from '../../errors.ts'
import { teamScope } from '../../scope.ts'
import { withTimeout } from '../../timeout.ts'
import { cancelCollecting, collectStep } from '../collect/collect-step.ts'
import { outcomeOf } from '../entry.ts'
import { type Decision, kindOf, StaleJobError } from '../kind.ts'
import { hasQueueOfKind } from '../queue.ts'
import { hasEnded, isCancelled, isCollecting, isDone, stepEntriesMax } from '../rules.ts'
import { endTurn } from './end-turn.ts'
import type { JobEngine } from './engine.ts'
import { failureReasonOf, isPermanent, isTooMuchAtOnce } from './failure.ts'
import { loadJob } from './load.ts'
import { logTurn } from './log.ts'
import type { JobMessage } from './message.ts'
import { progressTimeLimitMs } from './report.ts'
import { chooseStep, hasRoom, mayDefer } from './step/choose-step.ts'
import { commitStep, dispatchEntries } from './step/commit-step.ts'
import { detachStep, isTimeForNext, settleDetached } from './step/detached.ts'
import type { Turn } from './step/running-job.ts'
import { sharedStepEntries, yieldToOthers } from './yield.ts'

/** D1 lets an invocation run 1,000; what has to be written down in any case gets the rest. */
const STATEMENTS_PER_INVOCATION_MAX = 900
/** A step takes a dozen as a rule, and some hundreds if every entry changes other attributes. */
const STATEMENTS_PER_TURN_MAX = 300
/** A job with a queue of its own holds up no other: its turns end less often, because nothing is under way in between. */
const OWN_QUEUE_STATEMENTS_MAX = 600
const OWN_QUEUE_TURN_MS = 60_000

/** Runs some steps of a job; the rest gets another message, so that other jobs have their turn. */
export async function runTurn(engine: JobEngine, message: JobMessage, attempts: number): Promise<void> {
  const startedAt = Date.now()
  const turn = await startTurn(engine, message)
  if (!turn || hasEnded(turn.job) || (turn.job.startAt ?? 0) > startedAt) return
  if (attempts === 1 && turn.job.revision !== message.revision) return
  if (!turn.isInTurn) return
  const { chunkEntries } = engine.settings
  const { cursor } = turn.job
  try {
    for (;;) {
      if (!(await isTimeForNext(turn))) {
        await settleDetached(turn, 1)
        continue
      }
      if (turn.wait || isDone(turn.job) || hasEnded(turn.job)) break
      const isLast = isLastStep(turn, Date.now() - startedAt)
      const before = { ...turn.cost, cursor: Math.max(0, turn.job.cursor) }
      // The steps of messages are small as they are.
      const shared = hasQueueOfKind(turn.job) ? chunkEntries : sharedStepEntries()
      if (isCollecting(turn.job)) await collectStep(turn)
      else await runStep(turn, Math.min(shared, stepEntriesMax(chunkEntries, attempts)), !isLast)
      turn.steps += 1
      // What is under way waits for nobody.
      if (!isDone(turn.job) && turn.detached.length === 0)
        await yieldToOthers([before, turn.cost], turn.job.cursor - before.cursor, engine.doPeopleWait)
      if (isLast) break
    }
    await settleDetached(turn)
  } catch (error) {
    // What is under way was sent, whatever went wrong besides.
    await settleDetached(turn).catch(() => undefined)
    if (error instanceof StaleJobError) return
    // What was done before stands. The rest gets an invocation of its own, which may run as many statements again.
    if (!(error instanceof StatementBudgetError && turn.steps > 0)) throw error
  } finally {
    await awaitReports(turn)
    logTurn(turn, cursor, Date.now() - startedAt)
  }
  await endTurn(turn)
}

/** How much of a job is run at a turn is said in chunks: entries that were run in smaller steps are counted together. */
function isLastStep({ engine, job, entries, cost }: Turn, ms: number): boolean {
  const { turnChunks, turnMs, chunkEntries } = engine.settings
  const isOwn = hasQueueOfKind(job)
  return (
    entries >= (turnChunks - 1) * chunkEntries ||
    ms > (isOwn ? Math.max(turnMs, OWN_QUEUE_TURN_MS) : turnMs) ||
    cost.statements > (isOwn ? OWN_QUEUE_STATEMENTS_MAX : STATEMENTS_PER_TURN_MAX)
  )
}

/** The turn of a dead letter: one entry is tried alone; if it fails again, it ends with an error. */
export async function runLastTurn(engine: JobEngine, message: JobMessage): Promise<void> {
  const turn = await startTurn(engine, message)
  if (!turn || hasEnded(turn.job)) return
  try {
    if (isCollecting(turn.job)) await collectStep(turn)
    else if (!isDone(turn.job)) await runStep(turn, 1, false)
    await settleDetached(turn)
  } catch (error) {
    if (error instanceof StaleJobError) return
    // The entries are not to blame for the database: they are tried again when it works.
    if (error instanceof StorageError && !isTooMuchAtOnce(error)) throw error
    if (isCollecting(turn.job)) await cancelCollecting(turn, failureReasonOf(error, undefined))
    else await giveUp(turn, error)
  }
  await awaitReports(turn)
  await endTurn(turn)
}

const awaitReports = ({ engine, reports }: Turn): Promise<unknown> =>
  withTimeout(progressTimeLimitMs(engine.settings), Promise.allSettled(reports)).catch(() => {})

async function startTurn(engine: JobEngine, { team, job }: JobMessage): Promise<Turn | undefined> {
  const cost = noCost()
  cost.statementsMax = STATEMENTS_PER_INVOCATION_MAX
  const loaded = await loadJob(engine.openDb(cost), team, job, engine.settings.teamJobs)
  if (!loaded) return undefined
  const by = { team: loaded.team, user: { id: loaded.job.createdBy }, origin: { job: loaded.job.id } }
  const scope = () => teamScope(engine.openDb(cost), by, Date.now())
  return { ...loaded, engine, cost, scope, steps: 0, entries: 0, detached: [], reports: [] }
}

/** Runs the next entries. Effects and outcomes take effect together, and only if the job is still where it was. */
async function runStep(turn: Turn, entriesMax: number, goesOn: boolean): Promise<void> {
  const plan = await chooseStep(turn, entriesMax)
  if (typeof plan === 'number') {
    if (turn.detached.length > 0) return settleDetached(turn)
    turn.wait = { ms: plan }
    return
  }
  const { engine, job } = turn
  const { entries, procedure } = plan
  turn.entries += entries.length
  // What an earlier step under way waits for, the job waits for.
  const commit = ({ wait = turn.wait, ...decision }: Decision) =>
    commitStep(turn, plan, { ...decision, ...(wait ? { wait } : {}) }, { goesOn, giveUpBatchSize: 0 })
  const kind = kindOf(engine.kinds, entries[0]?.apiType ?? '')
  if (!kind) return commit({ outcomes: entries.map(() => UNKNOWN_KIND), statements: [] })
  try {
    await kind.run({
      scope: turn.scope(),
      jobId: job.id,
      procedure,
      entries,
      isCancelled: isCancelled(job),
      commit,
      source: plan.source,
      mayDefer: mayDefer(turn, plan),
      hasRoom: hasRoom(turn),
      behind: plan.source === 'cursor' ? plan.chunk.entries.slice(plan.next - plan.chunk.first) : [],
      dispatch: (outcomes, statements, wasWritten) =>
        dispatchEntries(turn, plan, { outcomes, statements, wasWritten }),
      detach: rest => detachStep(turn, plan, rest, commit),
    })
  } catch (error) {
    const isLasting = error instanceof AppError || isPermanent(error, kind)
    if (error instanceof StaleJobError) throw error
    if (error instanceof AppError) return commit({ outcomes: entries.map(() => outcomeOf(error)), statements: [] })
    // What may have taken effect is thrown, too: the message comes back, and finds the job where it is by then.
    if (!isLasting) throw error
    if (entries.length > 1) return runStep(turn, Math.ceil(entries.length / 4), goesOn)
    console.error(JSON.stringify({ job: job.id, entry: entries[0]?.index, cause: String(error) }))
    await commit({ outcomes: [outcomeOf(failureReasonOf(error, kind))], statements: [] })
  }
}

const UNKNOWN_KIND = outcomeOf(new AppError('invalid_request', 'entries of this kind cannot be processed'))

/** Ends entries that have failed again and again, twice as many each time, so that the job can go on. */
async function giveUp(turn: Turn, error: unknown): Promise<void> {
  const plan = await chooseStep(turn, Math.max(1, turn.job.giveUpBatchSize * 2))
  if (typeof plan === 'number') return
  const outcome = outcomeOf(failureReasonOf(error, kindOf(turn.engine.kinds, plan.entries[0]?.apiType ?? '')))
  const decision = { outcomes: plan.entries.map(() => outcome), statements: [] }
  await commitStep(turn, plan, decision, { goesOn: false, giveUpBatchSize: plan.entries.length })
}
