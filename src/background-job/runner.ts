import { connect } from '../db/client.ts'
import type { Cost } from '../db/cost.ts'
import { isGuardFailure } from '../db/guard.ts'
import { AppError } from '../errors.ts'
import { isStale } from '../procedure/stale.ts'
import { isRace } from '../process/bulk-race.ts'
import { teamScope } from '../scope.ts'
import { advance, type Planned, type Position, planStep } from './advance.ts'
import { readChunk } from './chunk.ts'
import { type Outcome, outcomeOf } from './entry.ts'
import type { JobRow } from './rules.ts'
import type { Settings } from './settings.ts'
import type { Decision } from './step.ts'
import { JOB_MOVED_ON, loadTurn, stepStatements, type Turn } from './store.ts'
import { taskOf } from './tasks.ts'

/** One runner's hold on a job: what it works with, and where it is. */
export interface Run {
  binding: D1Database
  cost: Cost
  settings: Settings
  turn: Turn
  /** Told of each step that took effect. */
  onProgress: (job: JobRow) => void
}

export const dbOf = ({ binding, cost, settings }: Pick<Run, 'binding' | 'cost' | 'settings'>) =>
  connect(binding, cost, settings.patienceMs)

export const load = async (
  run: Pick<Run, 'binding' | 'cost' | 'settings'>,
  team: number,
  no: number,
): Promise<Turn | undefined> => loadTurn(dbOf(run), team, no)

/** Another runner took the step: this one has nothing more to do. */
export class MovedOn extends Error {
  override readonly name = 'MovedOn'
}

/** Runs the next entries. Effects and outcomes take effect together, and only if the job is still where it was. */
export async function takeStep(run: Run, entriesMax: number, goesOn: boolean): Promise<void> {
  const { turn } = run
  if (!turn.chunk) throw new Error(`job ${turn.job.id} has no entry ${turn.job.cursor}`)
  const position: Position = { job: turn.job, chunk: turn.chunk }
  const planned = planStep(position, entriesMax)
  const { entries, procedure } = planned
  const now = Date.now()
  const scope = teamScope(dbOf(run), turn.team, { id: turn.job.createdBy }, now)
  const commit = ({ outcomes, statements }: Decision) =>
    write(run, position, planned, outcomes, statements, { goesOn, now })
  const task = taskOf(entries[0]?.apiType ?? '')
  if (!task) return commit({ outcomes: entries.map(() => unknownKind), statements: [] })
  try {
    await task.run({ scope, jobId: turn.job.id, procedure, entries, commit })
  } catch (error) {
    if (error instanceof MovedOn) throw error
    if (error instanceof AppError) return commit({ outcomes: entries.map(() => outcomeOf(error)), statements: [] })
    if (!isLasting(error)) throw error
    if (entries.length > 1) return takeStep(run, Math.ceil(entries.length / 4), goesOn)
    console.error(JSON.stringify({ job: turn.job.id, entry: turn.job.cursor, cause: String(error) }))
    return commit({ outcomes: [outcomeOf(reasonOf(error))], statements: [] })
  }
}

const unknownKind = outcomeOf(new AppError('invalid_request', 'entries of this kind can not be run'))

async function write(
  run: Run,
  before: Position,
  planned: Planned,
  outcomes: Outcome[],
  effects: Decision['statements'],
  { goesOn, now, givenUp = 0 }: { goesOn: boolean; now: number; givenUp?: number },
): Promise<void> {
  const { silenceMs } = run.settings
  const after = advance(before, planned, outcomes, now)
  after.job.givenUp = givenUp
  if (before.job.wakeAt < now + silenceMs / 2) after.job.wakeAt = now + silenceMs
  if (before.job.completionStatus === 'NOT_STARTED') {
    after.job.completionStatus = 'IN_PROGRESS'
    after.job.startedAt = now
  }
  const { first, last } = stepStatements(run.turn.team.no, before.job, after, goesOn)
  const results = await dbOf(run)
    .batch([first, ...effects, ...last])
    .catch((error: unknown) => {
      throw isGuardFailure(error, JOB_MOVED_ON) ? new MovedOn() : error
    })
  const row = results.at(-1)?.rows[0]
  const chunk = row && readChunk(row)
  if (goesOn && chunk) after.job.inProgress = chunk.count - chunk.invalid - chunk.success - chunk.error
  else after.job.inProgress = 0
  run.turn = { ...run.turn, job: after.job, chunk }
  run.onProgress(after.job)
}

/** Ends entries that have failed again and again, so that the job can go on. */
export async function giveUp(run: Run, entriesMax: number, error: unknown): Promise<void> {
  const { job, chunk } = run.turn
  if (!chunk) return
  const now = Date.now()
  const planned = planStep({ job, chunk }, entriesMax)
  const outcomes = planned.entries.map(() => outcomeOf(reasonOf(error)))
  await write(run, { job, chunk }, planned, outcomes, [], { goesOn: false, now, givenUp: outcomes.length })
}

/** Faults that come back however often the same thing is tried: of what was asked, or of our own making. */
export const isLasting = (error: unknown): boolean => {
  if (!(error instanceof Error) || isStale(error)) return false
  return isRace(error) || error instanceof TypeError || error instanceof RangeError || LASTING.test(error.message)
}

const LASTING = /SQLITE_(ERROR|TOOBIG|CONSTRAINT|MISMATCH|RANGE)|too big|too long/

const reasonOf = (error: unknown): AppError =>
  isRace(error)
    ? new AppError('conflict', 'the process is being changed by others at the same time; try again')
    : new AppError('internal_error', `it failed again and again: ${publicReason(error)}`)

/** Our own words only: what a database says may hold values and SQL. */
const publicReason = (error: unknown): string =>
  error instanceof Error && error.name === 'StorageTrouble' ? error.message : 'something went wrong on our side'
