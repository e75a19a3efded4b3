import { write } from '../../db/write.ts'
import { AppError } from '../../errors.ts'
import { packChunks } from '../accept/pack-chunks.ts'
import { insertChunk } from '../chunk-rows.ts'
import { failureOf } from '../entry.ts'
import { type Found, kindOf, StaleJobError } from '../kind.ts'
import { endJob } from '../run/end-turn.ts'
import { wakeAtOf } from '../run/pause.ts'
import { moveOn, throwStale } from '../run/step/commit-step.ts'
import type { Turn } from '../run/step/running-job.ts'
import { guardNotCancelled } from '../run/step/step-write.ts'
import { waitedForOthers } from '../run/yield.ts'
import { addCollected, cancelUncollected, selectCollection } from './collect-rows.ts'
import { type Collection, entryOfMatch, sizesOf } from './collection.ts'

/** Then what was found is written down, though it may fill no page. */
const STEP_MS = 2_000
const STEP_TRIPS_MAX = 100

/** Finds the next entries of a job and adds them to it. That takes effect once or not at all, as any step does. */
export async function collectStep(turn: Turn): Promise<void> {
  turn.collection ??= await readCollection(turn)
  const { collection, engine, job } = turn
  try {
    const { pageEntries, entriesMax } = sizesOf(collection, engine.settings)
    const found = await findNext(turn, collection, pageEntries)
    if (job.total + found.names.length > entriesMax) throw tooMany(entriesMax)
    await commitFound(turn, collection, found)
  } catch (error) {
    // Others may be in the way now and not later; whatever else it is stays as it is.
    if (!(error instanceof AppError) || error.code === 'conflict') throw error
    await cancelCollecting(turn, error)
  }
}

async function readCollection({ engine, team, job, cost }: Turn): Promise<Collection> {
  const [[row]] = await engine.openDb(cost).read(selectCollection(team.no, job.no))
  // Another runner has found all, or the job was cancelled.
  if (!row?.collecting) throw new StaleJobError()
  return JSON.parse(row.collecting) as Collection
}

function findNext(
  { engine, job, cost, scope }: Turn,
  { apiType, where, moment, consent }: Collection,
  limit: number,
): Promise<Found> {
  const kind = kindOf(engine.kinds, apiType)
  if (!kind?.find) throw new AppError('invalid_request', `entries of the kind ${apiType} cannot be found by a query`)
  const startedAt = Date.now()
  const mostStatements = cost.statements + STEP_TRIPS_MAX
  let before = { ...cost }
  const makesWay = () => {
    const waited = waitedForOthers(before, cost)
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

async function commitFound(turn: Turn, collection: Collection, { names, rest }: Found): Promise<void> {
  const { engine, team, job, cost } = turn
  const packing = packChunks(job.total, engine.settings)
  const closed = names.map(name => packing.add(entryOfMatch(collection, name)).closed)
  const chunks = [...closed, packing.close()].filter(chunk => chunk !== undefined)
  const now = Date.now()
  const update = addCollected(team.no, job.no, {
    ...{ rest, now, count: names.length },
    invalid: chunks.reduce((sum, { invalid }) => sum + invalid, 0),
    wakeAt: wakeAtOf(job, undefined, engine.settings.resendAfterMs, now),
  })
  const effect = [update, ...chunks.map(chunk => insertChunk(team.no, job.no, chunk))] as const
  const guards = [guardNotCancelled(team.no, job)]
  const writer = { db: engine.openDb(cost), idempotency: null }
  const [updated] = await write(writer, { guards, effect, outcome: null }).catch(throwStale)
  moveOn(turn, updated.rows[0])
}

/** Nothing of the job was run: it ends as it is, and says why. */
export async function cancelCollecting(turn: Turn, error: AppError): Promise<void> {
  const { team, job } = turn
  const ended = await endJob(turn, cancelUncollected(team.no, job, failureOf(error).message, Date.now()))
  if (!ended) throw new StaleJobError()
  turn.job = ended
}

const tooMany = (entriesMax: number): AppError =>
  new AppError('request_too_large', `more than ${entriesMax} processes match, and a job holds no more entries`)
