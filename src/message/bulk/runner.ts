import type { Chunk } from '../../background-job/chunk.ts'
import { collectStep } from '../../background-job/collect/collect-step.ts'
import { getEntryRunner } from '../../background-job/kind.ts'
import { hasEnded, isCancelled, isCollecting, isDone } from '../../background-job/rules.ts'
import { isSliceOver, type JobRun, type JobRunner, loadChunkAt } from '../../background-job/run/job-run.ts'
import { runEntries } from '../../background-job/run/step.ts'
import { yieldToOthers } from '../../background-job/run/yield.ts'
import {
  listOutstanding,
  listSkipped,
  nextTryAt,
  type OutstandingEntry,
  type SkippedEntries,
  type UnfinishedEntries,
} from '../../background-job/unfinished.ts'
import { commitBatch } from './batch-write.ts'
import { type Flight, sendBatch } from './send.ts'
import type { Batch, BulkSender, EntryDecision } from './step.ts'
import { planAtCursor, planOutstanding, planSkipped } from './step-rules.ts'

/**
 * Nothing is in flight between two slices of a job, so they end less often than those of others: a number would be idle.
 * One also ends when another job of the team waits for it.
 */
const STATEMENTS_PER_SLICE_MAX = 600
const SLICE_MS_MIN = 60_000
/** A job has at most so many batches in flight: each may keep a connection. */
const FLIGHTS_MAX = 4
/** A job has at most so many delayed entries, which stand in its row: more than all batches in flight have. */
const DELAYED_ENTRIES_MAX = 800

/** A job in the hands of a runner that sends, with the batches that are in flight. */
interface SendRun {
  run: JobRun
  sender: BulkSender
  flights: Flight[]
}

/**
 * Runs jobs that send. Up to four batches are in flight at once: the cursor moves behind a batch when its messages are
 * claimed, and what becomes of it is written when the provider has answered. What a number waits for holds up no other.
 */
export const createSendRunner = (sender: BulkSender): JobRunner => ({
  async runSlice(run, entriesMax) {
    const sends: SendRun = { run, sender, flights: [] }
    await runAndSettle(sends, () => runBatches(sends, entriesMax))
  },

  async runStep(run, entriesMax) {
    const sends: SendRun = { run, sender, flights: [] }
    await runAndSettle(sends, () => runNext(sends, entriesMax))
  },

  async endEntries(run, entriesMax, toOutcome) {
    const batch = await chooseBatch({ run, sender, flights: [] }, entriesMax)
    if (typeof batch === 'number') return
    const outcome = toOutcome(batch.entries[0] && getEntryRunner(run.engine.kinds, run.job, batch.entries[0]))
    const decisions = batch.entries.map((): EntryDecision => ({ mode: 'ended', outcome }))
    await commitBatch(run, batch, { decisions, statements: [] }, batch.entries.length)
  },
})

/** Whatever goes wrong, what is in flight was sent: its results are written. */
async function runAndSettle(sends: SendRun, act: () => Promise<void>): Promise<void> {
  try {
    await act()
  } catch (error) {
    await settleAll(sends).catch(() => undefined)
    throw error
  }
  await settleAll(sends)
}

async function runBatches(sends: SendRun, entriesMax: number): Promise<void> {
  const { run } = sends
  const limits = { ms: Math.max(run.engine.settings.sliceMs, SLICE_MS_MIN), statements: STATEMENTS_PER_SLICE_MAX }
  while (!run.isAwaited) {
    const flight = await waitForNext(sends)
    if (flight) {
      await settleFlight(sends, flight)
      continue
    }
    if (run.wait || isDone(run.job) || hasEnded(run.job)) return
    const isLast = isSliceOver(run, limits)
    const before = { ...run.cost, cursor: Math.max(0, run.job.cursor) }
    await runNext(sends, entriesMax)
    run.steps += 1
    // What is in flight waits for nobody.
    if (!isDone(run.job) && sends.flights.length === 0)
      await yieldToOthers([before, run.cost], run.job.cursor - before.cursor, run.engine.arePeopleWaiting)
    if (isLast) return
  }
}

async function runNext(sends: SendRun, entriesMax: number): Promise<void> {
  const { run, sender } = sends
  if (isCollecting(run.job)) return collectStep(run)
  const batch = await chooseBatch(sends, entriesMax)
  if (typeof batch === 'number') {
    const [first] = sends.flights
    if (first) await settleFlight(sends, first)
    else run.wait = { ms: batch }
    return
  }
  run.entries += batch.entries.length
  const { job } = run
  await runEntries(run, batch, {
    commit: ({ outcomes, statements }) =>
      commitBatch(run, batch, { decisions: outcomes.map(outcome => ({ mode: 'ended', outcome })), statements }),
    tryFewer: fewer => runNext(sends, fewer),
    async send() {
      const flight = await sendBatch(run, batch, {
        sender,
        scope: run.scope(),
        jobId: job.id,
        procedure: batch.procedure,
        entries: batch.entries,
        source: batch.source,
        isCancelled: isCancelled(job),
        othersRemain: doOthersRemain(sends, batch),
        mayDelay: mayDelay(sends),
        entriesAfter: batch.source === 'cursor' ? batch.chunk.entries.slice(batch.next - batch.chunk.first) : [],
      })
      if (flight) sends.flights.push(flight)
    },
  })
}

/** What comes next: what is outstanding or was skipped and is due, else what is at the cursor; or for how many ms there is nothing. */
async function chooseBatch(sends: SendRun, entriesMax: number): Promise<Batch | number> {
  const { run } = sends
  const { job, engine } = run
  const planning = (chunk: Chunk) => ({ kinds: engine.kinds, job, chunk, entriesMax })
  const now = Date.now()
  const outstanding = listNotInFlight(sends)
  const [soonest] = outstanding
  // A cancelled job waits for no time.
  const isEnding = isCancelled(job)
  if (soonest && (isEnding || soonest.at <= now)) {
    const due = outstanding.filter(({ at }) => at <= now || isEnding)
    return planOutstanding(planning(await loadChunkAt(run, soonest.index)), due)
  }
  if (isEnding) return 0
  const room = mayDelay(sends)
  const skipped = room ? findSkipped(sends) : undefined
  if (skipped) return planSkipped(planning(await loadChunkAt(run, skipped.from)), skipped)
  const nextAt = nextTryAt([...outstanding, ...listSkipped(job)])
  if (nextAt !== undefined && job.cursor === job.total) return nextAt - now
  // Each takes its place in the row of the job, so there is an end to what can be delayed.
  if (soonest && !room) return soonest.at - now
  run.chunk = await loadChunkAt(run, job.cursor)
  return planAtCursor(planning(run.chunk))
}

/** The outstanding entries that are in none of our flights. */
function listNotInFlight({ run, flights }: SendRun): OutstandingEntry[] {
  const inFlight = new Set(flights.flatMap(({ batch }) => [...(batch.inFlight ?? [])]))
  return listOutstanding(run.job).filter(({ index }) => !inFlight.has(index))
}

const mayDelay = (sends: SendRun): boolean => listNotInFlight(sends).length < DELAYED_ENTRIES_MAX

/**
 * Whether entries remain that may be run before these. What is known to be stopped is none of them, until it is to be
 * looked at again.
 */
function doOthersRemain(sends: SendRun, { source, number, next, entries }: Batch): boolean {
  const { job } = sends.run
  if ((source === 'cursor' ? next : job.cursor) < job.total) return true
  const now = Date.now()
  const isOpen = ({ at, isStopped }: Pick<UnfinishedEntries, 'at' | 'isStopped'>) => !isStopped || at <= now
  const own = new Set(entries.map(({ index }) => index))
  return (
    listNotInFlight(sends).some(each => !own.has(each.index) && isOpen(each)) ||
    listSkipped(job).some(each => each.waitsFor !== number && isOpen(each))
  )
}

/** Waits until the next batch may be run, or one of those in flight is answered: that one is settled first. */
async function waitForNext(sends: SendRun): Promise<Flight | undefined> {
  const { run, flights } = sends
  if (flights.length === 0) return undefined
  const answered = flights.map(flight => flight.answered.then(() => flight))
  if (run.wait || isCancelled(run.job) || flights.length >= FLIGHTS_MAX) return Promise.race(answered)
  const due = listNextNumbers(sends).map(number => findLastFlight(sends, number)?.due ?? Promise.resolve())
  return Promise.race([...due.map(each => each.then(() => undefined)), ...answered])
}

/** What the next batch may be of: a number that was skipped and is due, or the rest (undefined). */
function listNextNumbers(sends: SendRun): (string | undefined)[] {
  const { job } = sends.run
  const isDue = ({ at }: { at: number }) => at <= Date.now()
  const hasRest = job.cursor < job.total || listNotInFlight(sends).some(isDue)
  const skipped = listSkipped(job).filter(isDue)
  return [...skipped.map(({ waitsFor }) => waitsFor), ...(hasRest ? [undefined] : [])]
}

const findLastFlight = ({ flights }: SendRun, number: string | undefined): Flight | undefined =>
  flights.findLast(({ batch }) => batch.number === number)

/** Entries that were skipped and may be tried again, and of whose number no batch is in flight that is to be waited for. */
function findSkipped(sends: SendRun): SkippedEntries | undefined {
  const now = Date.now()
  return listSkipped(sends.run.job).find(
    ({ waitsFor, at }) => at <= now && (findLastFlight(sends, waitsFor)?.dueAt ?? 0) <= now,
  )
}

/** Writes what became of a batch. */
async function settleFlight(sends: SendRun, flight: Flight): Promise<void> {
  sends.flights = sends.flights.filter(each => each !== flight)
  await flight.settle()
}

/** If one can't be committed, the others can't be either: then only what the provider said is kept. */
async function settleAll(sends: SendRun): Promise<void> {
  for (let [flight] = sends.flights; flight; [flight] = sends.flights) {
    try {
      await settleFlight(sends, flight)
    } catch (error) {
      await Promise.all(sends.flights.map(each => each.keepResults()))
      sends.flights = []
      throw error
    }
  }
}
