import { connect } from '../../db/client.ts'
import type { Cost } from '../../db/cost.ts'
import { isGuardFailure } from '../../db/guard.ts'
import type { TextStatement } from '../../db/text-statement.ts'
import { AppError } from '../../errors.ts'
import { teamScope } from '../../scope.ts'
import { readChunk } from '../chunk.ts'
import { outcomeOf } from '../entry.ts'
import { loadChunk, loadTurn, type Turn } from '../job-rows.ts'
import { type Decision, type EntryKind, type EntryKinds, kindOf, StaleJobError, type Step, type Wait } from '../kind.ts'
import { deferredOf, type JobRow } from '../rules.ts'
import type { JobSettings } from '../settings.ts'
import { advance, type Planned, planDeferred, planStep } from './advance.ts'
import type { Position } from './position.ts'
import { claimStatements, isOut, JOB_MOVED_ON, stepStatements } from './step-rows.ts'

/** So many entries of a job may be put off at the same time: they stand in its row. */
const PUT_OFF_MAX = 500

/** One runner's hold on a job: what it works with, and where it is. */
export interface Run {
  env: Env
  kinds: EntryKinds
  cost: Cost
  settings: JobSettings
  turn: Turn
  /** Why the last step could not get further. */
  wait?: Wait | undefined
  /** Of all its batches so far: one invocation of a Worker may run a thousand. */
  statements: number
  /** Told of each step that took effect. */
  onProgress: (job: JobRow) => void
}

type Connected = Pick<Run, 'env' | 'cost' | 'settings'>

export const dbOf = ({ env, cost, settings }: Connected) => connect(env.DB, cost, settings.patienceMs)

export const load = (run: Connected, team: number, no: number): Promise<Turn | undefined> =>
  loadTurn(dbOf(run), team, no)

/** What there is to do next: what was put off and is due, else what comes at the cursor; or how long there is nothing. */
async function chooseStep(run: Run, entriesMax: number): Promise<{ position: Position; planned: Planned } | number> {
  const { job, chunk } = run.turn
  const isCancelled = job.completionStatus === 'CANCELLED'
  const now = Date.now()
  const [soonest, ...later] = deferredOf(job)
  if (soonest && (soonest.at <= now || isCancelled) && !(isCancelled && job.claimed > 0)) {
    const its = await loadChunk(dbOf(run), job.no, soonest.index)
    if (!its) throw new Error(`job ${job.id} has no entry ${soonest.index}`)
    const due = [soonest, ...later.filter(({ at }) => at <= now || isCancelled)]
    return { position: { job, chunk: its }, planned: planDeferred(run.kinds, { job, chunk: its }, due, entriesMax) }
  }
  if (job.cursor === job.total && soonest) return soonest.at - now
  if (!chunk) throw new Error(`job ${job.id} has no entry ${job.cursor}`)
  // Each takes its place, so there is an end to what can be put off.
  if (soonest && later.length >= PUT_OFF_MAX - 1 && !isCancelled) return soonest.at - now
  const max = isCancelled ? Math.min(job.claimed, entriesMax) : entriesMax
  return { position: { job, chunk }, planned: planStep(run.kinds, { job, chunk }, max) }
}

/** Runs the next entries. Effects and outcomes take effect together, and only if the job is still where it was. */
export async function takeStep(run: Run, entriesMax: number, goesOn: boolean): Promise<void> {
  const chosen = await chooseStep(run, entriesMax)
  if (typeof chosen === 'number') {
    run.wait = { ms: chosen }
    return
  }
  const { position, planned } = chosen
  const { entries, procedure } = planned
  const { id: jobId, claimed, completionStatus } = position.job
  const now = Date.now()
  const scope = teamScope(dbOf(run), run.turn.team, { id: run.turn.job.createdBy }, now)
  const dispatch: Step['dispatch'] = async (count, statements, wasWritten) => {
    position.job = await handOut(run, position.job, planned, { count, marks: statements, wasWritten })
  }
  const commit = (decision: Decision) => write(run, position, planned, decision, { goesOn, now: Date.now() })
  const kind = kindOf(run.kinds, entries[0]?.apiType ?? '')
  if (!kind) return commit({ outcomes: entries.map(() => unknownKind), statements: [] })
  const step = {
    ...{ scope, jobId, procedure, entries, commit, dispatch },
    dispatched: isBehind(position, planned) ? 0 : claimed,
    isDeferred: isBehind(position, planned) && position.job.cursor < position.job.total,
    isCancelled: completionStatus === 'CANCELLED',
  }
  try {
    await kind.run(step)
  } catch (error) {
    if (error instanceof StaleJobError) throw error
    if (error instanceof AppError) return commit({ outcomes: entries.map(() => outcomeOf(error)), statements: [] })
    if (!isLasting(kind, error)) throw error
    if (entries.length > 1) return takeStep(run, Math.ceil(entries.length / 4), goesOn)
    console.error(JSON.stringify({ job: jobId, entry: entries[0]?.index, cause: String(error) }))
    return commit({ outcomes: [outcomeOf(reasonOf(error, kind))], statements: [] })
  }
}

/** Whether the entries had been put off, and the cursor is beyond them. */
const isBehind = ({ job }: Position, { cursor }: Planned): boolean => cursor === job.cursor

const unknownKind = outcomeOf(new AppError('invalid_request', 'entries of this kind can not be run'))

type WasWritten = Parameters<Step['dispatch']>[2]

/** From here on the entries can't be cancelled; with the marks that make sure that nobody else is handed them. */
async function handOut(
  run: Run,
  job: JobRow,
  { entries, cursor }: Planned,
  { count, marks, wasWritten }: { count: number; marks: TextStatement[]; wasWritten: WasWritten },
): Promise<JobRow> {
  const now = Date.now()
  const claimed: JobRow = {
    ...job,
    ...(job.completionStatus === 'NOT_STARTED' ? { completionStatus: 'IN_PROGRESS', startedAt: now } : {}),
    step: job.step + 1,
    // What was put off is not cancelled anyway. And fewer may be looked at than were handed out before.
    ...(cursor === job.cursor
      ? {}
      : { claimed: count, inProgress: count, inProgressTo: (entries[count - 1]?.index ?? job.inProgressTo - 1) + 1 }),
    pausedBy: null,
    pausedBecause: null,
    updatedAt: now,
    wakeAt: now + run.settings.silenceMs,
  }
  const [first, update] = claimStatements(run.turn.team.no, job, claimed)
  await batch(run, [first, ...marks, update]).catch(async (error: unknown) => {
    if (error instanceof StaleJobError || !(await wasWritten(error))) throw error
  })
  run.turn = { ...run.turn, job: claimed }
  run.onProgress(claimed)
  return claimed
}

async function batch(run: Run, statements: TextStatement[]) {
  run.statements += statements.length
  return dbOf(run)
    .batch(statements)
    .catch((error: unknown) => {
      throw isGuardFailure(error, JOB_MOVED_ON) ? new StaleJobError() : error
    })
}

/** Paused jobs are woken when their plugin sends again; this often somebody looks all the same. */
const PAUSE_MS = 60 * 60_000

async function write(
  run: Run,
  before: Position,
  planned: Planned,
  { outcomes, statements, wait }: Decision,
  { goesOn, now, givenUp = 0 }: { goesOn: boolean; now: number; givenUp?: number },
): Promise<void> {
  const { silenceMs } = run.settings
  const { job, chunk } = advance(before, planned, outcomes, now)
  // What was handed out and has no outcome yet stays handed out, whatever this step was able to look at.
  const claimed = isBehind(before, planned) ? before.job.claimed : Math.max(0, before.job.claimed - outcomes.length)
  const after: JobRow = {
    ...job,
    givenUp,
    claimed,
    inProgressTo: claimed > 0 ? before.job.inProgressTo : 0,
    pausedBy: wait?.pause?.plugin ?? null,
    pausedBecause: wait?.pause?.because ?? null,
  }
  if (wait) after.wakeAt = now + (wait.pause ? PAUSE_MS : wait.ms + silenceMs)
  else if (job.wakeAt < now + silenceMs / 2) after.wakeAt = now + silenceMs
  if (job.completionStatus === 'NOT_STARTED') {
    after.completionStatus = 'IN_PROGRESS'
    after.startedAt = now
  }
  const isLast = !goesOn || wait !== undefined || isOut(before.job) || isOut(after)
  const { first, last } = stepStatements(run.turn.team.no, before.job, { job: after, chunk }, !isLast)
  const results = await batch(run, [first, ...statements, ...last])
  const row = results.at(-1)?.rows[0]
  const next = row && readChunk(row)
  if (isLast || !next) after.inProgress = after.claimed
  else {
    after.inProgress = next.count - next.invalid - next.success - next.error
    after.inProgressTo = next.first + next.count
  }
  // It may have been cancelled since it was loaded.
  const ended = isOut(before.job) ? (results.at(-2)?.rows[0] as Partial<JobRow> | undefined) : undefined
  run.turn = { ...run.turn, job: { ...after, ...ended }, chunk: next }
  // A cancelled job only takes in what came of the rest: that waits for nothing.
  run.wait = ended ? undefined : wait
  run.onProgress(run.turn.job)
}

/** Ends entries that have failed again and again, so that the job can go on. */
export async function giveUp(run: Run, entriesMax: number, error: unknown): Promise<void> {
  const chosen = await chooseStep(run, entriesMax)
  if (typeof chosen === 'number') return
  const { position, planned } = chosen
  const now = Date.now()
  const kind = kindOf(run.kinds, planned.entries[0]?.apiType ?? '')
  const outcomes = planned.entries.map(() => outcomeOf(reasonOf(error, kind)))
  const decision = { outcomes, statements: [] }
  await write(run, position, planned, decision, { goesOn: false, now, givenUp: outcomes.length })
}

/** Faults that come back however often the same thing is tried: of what was asked, or of our own making. */
const isLasting = (kind: EntryKind, error: unknown): boolean => {
  if (!(error instanceof Error) || kind.isStale?.(error)) return false
  return (
    kind.isConflict(error) || error instanceof TypeError || error instanceof RangeError || LASTING.test(error.message)
  )
}

const LASTING = /SQLITE_(ERROR|TOOBIG|CONSTRAINT|MISMATCH|RANGE)|too big|too long/

const reasonOf = (error: unknown, kind?: EntryKind): AppError =>
  kind?.isConflict(error)
    ? new AppError('conflict', 'the process is being changed by others at the same time; try again')
    : new AppError('internal_error', `it failed again and again: ${publicReason(error)}`)

/** Our own words only: what a database says may hold values and SQL. */
const publicReason = (error: unknown): string =>
  error instanceof Error && error.name === 'StorageError' ? error.message : 'something went wrong on our side'
