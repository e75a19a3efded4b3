import type { Chunk } from '../../background-job/chunk.ts'
import { collectStep } from '../../background-job/collect/collect-step.ts'
import { getEntryRunner } from '../../background-job/kind.ts'
import { hasEnded, isCancelled, isCollecting, isDone } from '../../background-job/rules.ts'
import { isSliceOver, type JobRunner, type JobSlice, loadChunkAt } from '../../background-job/run/slice.ts'
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
import type { Batch, BulkSender, EntryDecision } from './batch.ts'
import { commitBatch } from './batch-write.ts'
import { type Flight, sendBatch } from './send-batch.ts'
import { SLICE_MS_MIN } from './slice-time.ts'
import { planAtCursor, planOutstanding, planSkipped } from './step-rules.ts'

/** A slice also ends when another job of the team waits for it. */
const STATEMENTS_PER_SLICE_MAX = 600
/** A job has at most so many batches in flight: each may keep a connection. */
const FLIGHTS_MAX = 4
/** A job has at most so many delayed entries, which stand in its row: more than all batches in flight have. */
const DELAYED_ENTRIES_MAX = 800

/** A job in the hands of a runner that sends, with the batches that are in flight. */
interface SendSlice {
  slice: JobSlice
  sender: BulkSender
  flights: Flight[]
}

/**
 * Runs jobs that send. Up to four batches are in flight at once: the cursor moves behind a batch when its messages are
 * claimed, and what becomes of it is written when the provider has answered. What a number waits for holds up no other.
 */
export const createSendRunner = (sender: BulkSender): JobRunner => ({
  async runSlice(slice, entriesMax) {
    const sends: SendSlice = { slice, sender, flights: [] }
    await runAndSettle(sends, () => runBatches(sends, entriesMax))
  },

  async runStep(slice, entriesMax) {
    const sends: SendSlice = { slice, sender, flights: [] }
    await runAndSettle(sends, () => runNext(sends, entriesMax))
  },

  async endEntries(slice, entriesMax, toOutcome) {
    const batch = await chooseBatch({ slice, sender, flights: [] }, entriesMax)
    if (typeof batch === 'number') return
    const outcome = toOutcome(batch.entries[0] && getEntryRunner(slice.engine.kinds, slice.job, batch.entries[0]))
    const decisions = batch.entries.map((): EntryDecision => ({ mode: 'ended', outcome }))
    await commitBatch(slice, batch, { decisions, statements: [] }, batch.entries.length)
  },
})

/** Whatever goes wrong, what is in flight was sent: its results are written. */
async function runAndSettle(sends: SendSlice, act: () => Promise<void>): Promise<void> {
  try {
    await act()
  } catch (error) {
    await settleAll(sends).catch(() => undefined)
    throw error
  }
  await settleAll(sends)
}

async function runBatches(sends: SendSlice, entriesMax: number): Promise<void> {
  const { slice } = sends
  const limits = { ms: Math.max(slice.engine.settings.sliceMs, SLICE_MS_MIN), statements: STATEMENTS_PER_SLICE_MAX }
  while (!slice.isAwaited) {
    const flight = await waitForNext(sends)
    if (flight) {
      await settleFlight(sends, flight)
      continue
    }
    if (slice.wait || isDone(slice.job) || hasEnded(slice.job)) return
    const isLast = isSliceOver(slice, limits)
    const before = { ...slice.cost, cursor: Math.max(0, slice.job.cursor) }
    await runNext(sends, entriesMax)
    slice.steps += 1
    // What is in flight waits for nobody.
    if (!isDone(slice.job) && sends.flights.length === 0)
      await yieldToOthers([before, slice.cost], slice.job.cursor - before.cursor, slice.engine.arePeopleWaiting)
    if (isLast) return
  }
}

async function runNext(sends: SendSlice, entriesMax: number): Promise<void> {
  const { slice, sender } = sends
  if (isCollecting(slice.job)) return collectStep(slice)
  const batch = await chooseBatch(sends, entriesMax)
  if (typeof batch === 'number') {
    const [first] = sends.flights
    if (first) await settleFlight(sends, first)
    else slice.wait = { ms: batch }
    return
  }
  slice.entries += batch.entries.length
  const { job } = slice
  await runEntries(slice, batch, {
    commit: ({ outcomes, statements }) =>
      commitBatch(slice, batch, { decisions: outcomes.map(outcome => ({ mode: 'ended', outcome })), statements }),
    tryFewer: fewer => runNext(sends, fewer),
    async send() {
      const flight = await sendBatch(slice, batch, {
        sender,
        scope: slice.scope(),
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
async function chooseBatch(sends: SendSlice, entriesMax: number): Promise<Batch | number> {
  const { slice } = sends
  const { job, engine } = slice
  const planning = (chunk: Chunk) => ({ kinds: engine.kinds, job, chunk, entriesMax })
  const now = Date.now()
  const outstanding = listNotInFlight(sends)
  const [soonest] = outstanding
  // A cancelled job waits for no time.
  const isEnding = isCancelled(job)
  if (soonest && (isEnding || soonest.at <= now)) {
    const due = outstanding.filter(({ at }) => at <= now || isEnding)
    return planOutstanding(planning(await loadChunkAt(slice, soonest.index)), due)
  }
  if (isEnding) return 0
  const room = mayDelay(sends)
  const skipped = room ? findSkipped(sends) : undefined
  if (skipped) return planSkipped(planning(await loadChunkAt(slice, skipped.from)), skipped)
  const nextAt = nextTryAt([...outstanding, ...listSkipped(job)])
  if (nextAt !== undefined && job.cursor === job.total) return nextAt - now
  // Each delayed entry is stored in the row of the job, so their number is bounded.
  if (soonest && !room) return soonest.at - now
  slice.chunk = await loadChunkAt(slice, job.cursor)
  return planAtCursor(planning(slice.chunk))
}

/** The outstanding entries that are in none of our flights. */
function listNotInFlight({ slice, flights }: SendSlice): OutstandingEntry[] {
  const inFlight = new Set(flights.flatMap(({ batch }) => [...(batch.inFlight ?? [])]))
  return listOutstanding(slice.job).filter(({ index }) => !inFlight.has(index))
}

const mayDelay = (sends: SendSlice): boolean => listNotInFlight(sends).length < DELAYED_ENTRIES_MAX

/**
 * Whether entries remain that may be run before these. What is known to be stopped is none of them, until it is to be
 * looked at again.
 */
function doOthersRemain(sends: SendSlice, { source, number, next, entries }: Batch): boolean {
  const { job } = sends.slice
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
async function waitForNext(sends: SendSlice): Promise<Flight | undefined> {
  const { slice, flights } = sends
  if (flights.length === 0) return undefined
  const answered = flights.map(flight => flight.answered.then(() => flight))
  if (slice.wait || isCancelled(slice.job) || flights.length >= FLIGHTS_MAX) return Promise.race(answered)
  const due = listNextNumbers(sends).map(number => findLastFlight(sends, number)?.due ?? Promise.resolve())
  return Promise.race([...due.map(each => each.then(() => undefined)), ...answered])
}

/** What the next batch may be of: a number that was skipped and is due, or the rest (undefined). */
function listNextNumbers(sends: SendSlice): (string | undefined)[] {
  const { job } = sends.slice
  const isDue = ({ at }: { at: number }) => at <= Date.now()
  const hasRest = job.cursor < job.total || listNotInFlight(sends).some(isDue)
  const skipped = listSkipped(job).filter(isDue)
  return [...skipped.map(({ waitsFor }) => waitsFor), ...(hasRest ? [undefined] : [])]
}

const findLastFlight = ({ flights }: SendSlice, number: string | undefined): Flight | undefined =>
  flights.findLast(({ batch }) => batch.number === number)

/** Entries that were skipped and may be tried again, and of whose number no batch is in flight that is to be waited for. */
function findSkipped(sends: SendSlice): SkippedEntries | undefined {
  const now = Date.now()
  return listSkipped(sends.slice.job).find(
    ({ waitsFor, at }) => at <= now && (findLastFlight(sends, waitsFor)?.dueAt ?? 0) <= now,
  )
}

/** Writes what became of a batch. */
async function settleFlight(sends: SendSlice, flight: Flight): Promise<void> {
  sends.flights = sends.flights.filter(each => each !== flight)
  await flight.settle()
}

/** If one can't be committed, the others can't be either: then only what the provider said is kept. */
async function settleAll(sends: SendSlice): Promise<void> {
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
