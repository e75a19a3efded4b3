import { sql } from 'drizzle-orm'
import { assignments, returning, type Statement, select } from '../../db/statement.ts'
import { write } from '../../db/write.ts'
import { AppError } from '../../errors.ts'
import { packChunks } from '../accept/pack-chunks.ts'
import { insertChunk } from '../chunk-rows.ts'
import { toFailure } from '../entry.ts'
import { cancelledCounts, isJob, JOB_FIELDS, notBefore } from '../job-rows.ts'
import { type Found, getKind, StaleJobError } from '../kind.ts'
import type { JobRow } from '../rules.ts'
import { endJob } from '../run/end-run.ts'
import { type JobRun, moveOn } from '../run/job-run.ts'
import { guardNotCancelled, renewWakeAt, throwStale } from '../run/step-write.ts'
import { wasContended } from '../run/yield.ts'
import { backgroundJob as job } from '../table.ts'
import { type Collection, computeSizes, toMatchEntry } from './collection.ts'

/** Then what was found is written down, though it may fill no page. */
const STEP_MS = 2_000
const STEP_TRIPS_MAX = 100

/** Finds the next entries of a job and adds them to it. That takes effect once or not at all, as any step does. */
export async function collectStep(run: JobRun): Promise<void> {
  run.collection ??= await readCollection(run)
  const { collection, engine, job } = run
  try {
    const { pageEntries, entriesMax } = computeSizes(collection, engine.settings)
    const found = await findNext(run, collection, pageEntries)
    if (job.total + found.names.length > entriesMax) throw tooMany(entriesMax)
    await commitFound(run, collection, found)
  } catch (error) {
    // Others may be in the way now and not later; whatever else it is stays as it is.
    if (!(error instanceof AppError) || error.code === 'conflict') throw error
    await cancelCollecting(run, error)
  }
}

async function readCollection({ engine, team, job, cost }: JobRun): Promise<Collection> {
  const [[row]] = await engine.openDb(cost).read(selectCollection(team.no, job.no))
  // Another runner has found all, or the job was cancelled.
  if (!row?.collecting) throw new StaleJobError()
  return JSON.parse(row.collecting) as Collection
}

function findNext(
  { engine, job, cost, scope }: JobRun,
  { apiType, where, moment, consent }: Collection,
  limit: number,
): Promise<Found> {
  const kind = getKind(engine.kinds, apiType)
  if (!kind?.find) throw new AppError('invalid_request', `entries of the kind ${apiType} cannot be found by a query`)
  const startedAt = Date.now()
  const mostStatements = cost.statements + STEP_TRIPS_MAX
  let before = { ...cost }
  const makesWay = () => {
    const waited = wasContended(before, cost)
    before = { ...cost }
    return waited
  }
  return kind.find({
    scope: scope(),
    procedure: job.procedure ?? '',
    where,
    moment,
    consent,
    before: job.collectedTo,
    limit,
    mayGoOn: () => !makesWay() && Date.now() - startedAt < STEP_MS && cost.statements < mostStatements,
  })
}

async function commitFound(run: JobRun, collection: Collection, { names, rest }: Found): Promise<void> {
  const { engine, team, job, cost } = run
  const packing = packChunks(job.total, engine.settings)
  const closed = names.map(name => packing.add(toMatchEntry(collection, name)).closed)
  const chunks = [...closed, packing.close()].filter(chunk => chunk !== undefined)
  const now = Date.now()
  const update = addCollected(team.no, job.no, {
    ...{ rest, now, count: names.length },
    invalid: chunks.reduce((sum, { invalid }) => sum + invalid, 0),
    wakeAt: renewWakeAt(job, engine.settings.resendAfterMs, now),
  })
  const effect = [update, ...chunks.map(chunk => insertChunk(team.no, job.no, chunk))] as const
  const guards = [guardNotCancelled(team.no, job)]
  const writer = { db: engine.openDb(cost), idempotency: null }
  const [updated] = await write(writer, { guards, effect, outcome: null }).catch(throwStale)
  moveOn(run, updated.rows[0])
}

/** Nothing of the job was run: it ends as it is, and says why. */
export async function cancelCollecting(run: JobRun, error: AppError): Promise<void> {
  const { team, job } = run
  const ended = await endJob(run, cancelUncollected(team.no, job, toFailure(error).message, Date.now()))
  if (!ended) throw new StaleJobError()
  run.job = ended
}

const tooMany = (entriesMax: number): AppError =>
  new AppError('request_too_large', `more than ${entriesMax} processes match, and a job holds no more entries`)

const selectCollection = (team: number, no: number): Statement<{ collecting: string | null }> =>
  select({ collecting: job.collecting }, sql`FROM ${job} WHERE ${isJob(team, no)}`)

interface Collected {
  count: number
  invalid: number
  /** Where the next step goes on; null: all are found, and the job begins at its first entry. */
  rest: number | null
  wakeAt: number | undefined
  now: number
}

/** What a collecting step writes besides the chunks. */
const addCollected = (team: number, no: number, step: Collected): Statement<JobRow> =>
  returning(
    sql`UPDATE ${job} SET ${assignments(job, {
      ...(step.rest === null ? { collecting: null, cursor: 0 } : {}),
      ...(step.wakeAt === undefined ? {} : { wakeAt: step.wakeAt }),
      collectedTo: step.rest,
      total: sql`${job.total} + ${step.count}`,
      invalid: sql`${job.invalid} + ${step.invalid}`,
      revision: sql`${job.revision} + 1`,
      updatedAt: notBefore(step.now),
    })} WHERE ${isJob(team, no)}`,
    JOB_FIELDS,
  )

/** Cancels a job whose entries cannot all be found. It changes nothing if the job is not where the runner believes it to be. */
const cancelUncollected = (
  team: number,
  { no, revision }: Pick<JobRow, 'no' | 'revision'>,
  because: string,
  now: number,
): Statement<JobRow> =>
  returning(
    sql`UPDATE ${job} SET ${assignments(job, {
      completionStatus: 'CANCELLED',
      ...cancelledCounts(now),
      cancelledBecause: because,
      revision: sql`${job.revision} + 1`,
    })} WHERE ${isJob(team, no)} AND ${job.completedAt} = 0 AND ${job.revision} = ${revision}`,
    JOB_FIELDS,
  )
