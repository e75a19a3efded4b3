import type { Db } from '../../db/client.ts'
import { readEvents } from '../../event/read.ts'
import type { TeamEvent } from '../../event-types.ts'
import { viewEvents } from '../../feed/view.ts'
import { countFree, dueEvents, isUntried } from '../delivery-rules.ts'
import type { Endpoint } from './endpoint.ts'
import { type EventRange, findNewEvents, makeDue } from './sources.ts'

const PAGE_EVENTS = 100
/** The pages that a filter may leave empty in one call. */
const EMPTY_PAGES_MAX = 20

export interface QueuedEvent {
  event: TeamEvent
  /** The range that the event is from; null if it was tried before. */
  source: EventRange | null
}

/** A queue of the events that may be sent now, in their order. */
export interface Outbox {
  next: () => Promise<QueuedEvent | null>
  /** Whether the outbox had to stop although more may follow. */
  hasMore: () => boolean
}

interface OutboxContext {
  db: () => Db
  inFlight: ReadonlyMap<number, unknown>
  /** The time before which the feed shows no events. No replay sends them, whenever it was requested. */
  keptSince: number
  /** Reports that the events between two numbers can't be sent any more. */
  onGone: (first: number, last: number) => void
}

/** Makes an outbox. Due events that wait come first; then new and replayed ones take turns, a page of each. */
export function newOutbox(endpoint: Endpoint, { db, inFlight, keptSince, onGone }: OutboxContext): Outbox {
  const { team, filter, sources } = endpoint
  const { order } = endpoint.row
  const news = findNewEvents(sources)
  const queue: QueuedEvent[] = []
  let emptyPages = 0

  async function readWaiting(sequences: readonly number[]): Promise<void> {
    const [first = 0] = sequences
    const { events, lookedTo } = await readEvents({ db: db(), team }, { after: first - 1, limit: PAGE_EVENTS })
    const wanted = new Set(sequences)
    const untried = new Set(endpoint.state.waiting.filter(isUntried).map(({ sequence }) => sequence))
    const isShown = ({ sequence, at }: { sequence: number; at: number }) => !untried.has(sequence) || at >= keptSince
    const found = events.filter(each => wanted.has(each.sequence) && isShown(each))
    // They were removed for their age, or their customer was erased: there is nothing to send any more.
    const known = new Set(found.map(({ sequence }) => sequence))
    const isGone = (sequence: number) =>
      wanted.has(sequence) && sequence <= Math.max(lookedTo, first) && !known.has(sequence)
    for (const sequence of sequences) if (isGone(sequence)) onGone(sequence, sequence)
    endpoint.state = { ...endpoint.state, waiting: endpoint.state.waiting.filter(({ sequence }) => !isGone(sequence)) }
    // Events that do not fit the page stay due.
    const shown = await viewEvents({ db: db(), team }, { events: found, lookedTo })
    for (const event of shown.events) queue.push({ event, source: null })
  }

  /** Returns the end of a range. In strict order a replay does not pass new events. */
  const getEnd = ({ replay, last }: EventRange): number =>
    replay !== null && order === 'strict' ? Math.min(last, news?.readTo ?? last) : last

  /** Reports events between the range's position and the first one of the log: they were removed for their age. */
  function reportRemoved({ readTo, only }: EventRange, last: number): void {
    if (last <= readTo) return
    const named = only && [...only].filter(sequence => sequence > readTo && sequence <= last)
    if (named === null) onGone(readTo + 1, last)
    else for (const sequence of named) onGone(sequence, sequence)
  }

  /** Reads a page of a range. Returns whether the range has moved on. */
  async function readSource(source: EventRange, room: number): Promise<boolean> {
    const { readTo: after, only } = source
    const end = getEnd(source)
    if (after >= end) return false
    const page = { after, limit: Math.min(PAGE_EVENTS, room), ...(only === null ? filter : {}) }
    const read = await readEvents({ db: db(), team }, page)
    endpoint.lastRow = read.lastRow
    const waiting = new Set(endpoint.state.waiting.map(({ sequence }) => sequence))
    const isWithin = (sequence: number) => sequence <= end && (only?.has(sequence) ?? true)
    reportRemoved(source, Math.min(end, (read.first?.sequence ?? read.latest + 1) - 1))
    const isShown = ({ at }: { at: number }) => source.replay === null || at >= keptSince
    const within = read.events.filter(each => isWithin(each.sequence) && isShown(each))
    const hidden = read.events.filter(each => isWithin(each.sequence) && !isShown(each))
    if (hidden[0]) onGone(hidden[0].sequence, hidden.at(-1)?.sequence ?? 0)
    const wanted = within.filter(({ sequence }) => !waiting.has(sequence))
    const { events, lookedTo } = await viewEvents({ db: db(), team }, { events: wanted, lookedTo: read.lookedTo })
    // A replay does not wait for the next attempt of those that failed before.
    const failed = within.flatMap(({ sequence }) => (waiting.has(sequence) && sequence <= lookedTo ? [sequence] : []))
    if (source.replay !== null && failed.length > 0) endpoint.state = makeDue(endpoint.state, failed, Date.now())
    for (const event of events) {
      source.unsettled.add(event.sequence)
      queue.push({ event, source })
    }
    source.readTo = Math.min(lookedTo, end)
    return source.readTo > after
  }

  const due = (): number[] =>
    dueEvents(endpoint.state, order, Date.now()).flatMap(({ sequence }) => (inFlight.has(sequence) ? [] : sequence))

  async function refill(): Promise<void> {
    // Removed events wait no more, so the next due ones are read, and new ones after them.
    for (let first = due(); first.length > 0; first = due()) {
      const { length } = endpoint.state.waiting
      await readWaiting(first)
      if (queue.length > 0 || endpoint.state.waiting.length === length) return
    }
    for (const source of [...sources]) {
      const room = countFree(endpoint.state, order) - inFlight.size
      if (room <= 0) return
      while (queue.length === 0 && emptyPages < EMPTY_PAGES_MAX && (await readSource(source, room)))
        if (queue.length === 0) emptyPages += 1
      if (queue.length === 0) continue
      // The other ranges have their turn next.
      sources.splice(sources.indexOf(source), 1)
      sources.push(source)
      return
    }
  }

  return {
    async next() {
      if ((endpoint.state.heldUntil ?? 0) > Date.now()) return null
      if (queue.length === 0) await refill()
      return queue.shift() ?? null
    },
    hasMore: () =>
      queue.length > 0 ||
      emptyPages >= EMPTY_PAGES_MAX ||
      (order === 'strict' && sources.some(each => each !== news && each.readTo < getEnd(each))),
  }
}
