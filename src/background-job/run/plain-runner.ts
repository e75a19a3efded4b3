import { sql } from 'drizzle-orm'
import { write } from '../../db/write.ts'
import { getChunkEnd } from '../chunk.ts'
import { runnableIn, selectChunkAt, selectChunkEnd, selectNoChunk } from '../chunk-rows.ts'
import { collectStep } from '../collect/collect-step.ts'
import { guardNobodyErased } from '../erasure/pending.ts'
import { type Decision, getEntryRunner } from '../kind.ts'
import { hasEnded, isCollecting, isDone } from '../rules.ts'
import { continueFromRow, isSliceOver, type JobRunner, type JobSlice, loadChunkAt } from './slice.ts'
import { guardNotCancelled, insertEnded, renewWakeAt, stepColumns, throwStale, updateJob } from './statements.ts'
import { type PlannedStep, planStep, runEntries } from './step.ts'
import { getStepEntries } from './step-size.ts'
import { yieldToOthers } from './yield.ts'

/** A step takes a dozen as a rule, and some hundreds if every entry changes other attributes. */
const STATEMENTS_PER_SLICE_MAX = 300

/** Runs what changes the database only: each step loads the next entries, has their kind decide, and writes once. */
export const plainRunner: JobRunner = {
  async runSlice(slice, entriesMax) {
    const limits = { ms: slice.engine.settings.sliceMs, statements: STATEMENTS_PER_SLICE_MAX }
    for (let isLast = false; !isLast && !isDone(slice.job) && !hasEnded(slice.job); ) {
      isLast = isSliceOver(slice, limits)
      const before = { ...slice.cost, cursor: Math.max(0, slice.job.cursor) }
      if (isCollecting(slice.job)) await collectStep(slice)
      else await runStep(slice, Math.min(entriesMax, getStepEntries()), !isLast)
      slice.steps += 1
      if (!isDone(slice.job))
        await yieldToOthers([before, slice.cost], slice.job.cursor - before.cursor, slice.engine.arePeopleWaiting)
    }
  },

  runStep: (slice, entriesMax) => runStep(slice, entriesMax, false),

  async endEntries(slice, entriesMax, toOutcome) {
    const plan = await loadStep(slice, entriesMax)
    const outcome = toOutcome(plan.entries[0] && getEntryRunner(slice.engine.kinds, slice.job, plan.entries[0]))
    const decision = { outcomes: plan.entries.map(() => outcome), statements: [] }
    await commitStep(slice, plan, decision, { goesOn: false, giveUpBatchSize: plan.entries.length })
  },
}

async function loadStep(slice: JobSlice, entriesMax: number): Promise<PlannedStep> {
  const { engine, job } = slice
  slice.chunk = await loadChunkAt(slice, job.cursor)
  const end = getChunkEnd(slice.chunk)
  const indexes = Array.from({ length: end - job.cursor }, (_, nth) => job.cursor + nth)
  return planStep(engine.kinds, job, slice.chunk, { indexes, end, entriesMax })
}

async function runStep(slice: JobSlice, entriesMax: number, goesOn: boolean): Promise<void> {
  const plan = await loadStep(slice, entriesMax)
  slice.entries += plan.entries.length
  await runEntries(slice, plan, {
    commit: decision => commitStep(slice, plan, decision, { goesOn, giveUpBatchSize: 0 }),
    tryFewer: fewer => runStep(slice, fewer, goesOn),
  })
}

async function commitStep(
  slice: JobSlice,
  { chunk, entries, next }: PlannedStep,
  { outcomes, statements, forLater = [] }: Decision,
  { goesOn, giveUpBatchSize }: { goesOn: boolean; giveUpBatchSize: number },
): Promise<void> {
  const { job, team, engine, cost } = slice
  if (outcomes.length > entries.length) throw new Error('each entry of a step has one outcome at most')
  const now = Date.now()
  const cursor = entries[outcomes.length]?.index ?? next
  const ended = outcomes.map((outcome, nth) => ({ index: entries[nth]?.index ?? -1, outcome }))
  const end = getChunkEnd(chunk)
  const update = updateJob(team.no, job, {
    ...stepColumns(job, {
      cursor,
      ended,
      giveUpBatchSize,
      now,
      wakeAt: renewWakeAt(job, engine.settings.resendAfterMs, now),
    }),
    // The entries of the chunk that begins at the cursor are in progress from now on, if this slice goes on to them.
    ...(goesOn
      ? {
          inProgress: sql`coalesce(${runnableIn(team.no, job.no, cursor)}, ${countRunnable(chunk, cursor)})`,
          inProgressTo: sql`coalesce(${selectChunkEnd(team.no, job.no, cursor)}, ${end})`,
        }
      : { inProgress: 0, inProgressTo: 0 }),
  })
  const effect = [
    update,
    cursor >= end && cursor < job.total ? selectChunkAt(team.no, job.no, cursor) : selectNoChunk,
    ...insertEnded(team.no, job, chunk, { ended, now }),
    ...statements,
    ...(cursor < job.total ? forLater : []),
  ] as const
  const writer = { db: engine.openDb(cost), idempotency: null }
  const guards = [guardNotCancelled(team.no, job), guardNobodyErased(team.no, slice.lastErasureAt)]
  const [updated, nextChunk] = await write(writer, { guards, effect, outcome: null }).catch(throwStale)
  // Reading the next chunk may fail: what was written is reported before that.
  continueFromRow(slice, updated.rows[0])
  if (nextChunk.rows[0]) slice.chunk = await slice.readChunk(engine.openDb(cost), nextChunk.rows[0])
}

/** Counts the entries of a chunk from the cursor on that can be run. */
const countRunnable = ({ entries, first }: PlannedStep['chunk'], cursor: number): number =>
  entries.filter((entry, offset) => !entry.invalid && first + offset >= cursor).length
