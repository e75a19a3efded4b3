import type { Call, CallOptions } from './call/call.ts'
import { CaseworkerError } from './call/error.ts'
import { getWaitMs, isRetryable } from './call/retry-rules.ts'
import { sleep } from './call/sleep.ts'
import type { Operations } from './generated/operations.ts'
import type { TeamEvent } from './generated/shapes.ts'

type EventsQuery = NonNullable<Operations['listEvents']['query']>

export const createEventFeedClient = (call: Call) => ({
  /** Returns whether the feed is on, and the numbers of its first and last event. */
  get: async (options?: CallOptions) => (await call('getEventFeed', {}, options)).data,
  /** Switches the feed on or off. */
  set: async (enabled: boolean, options?: CallOptions) =>
    (await call('switchEventFeed', { body: { enabled } }, options)).data,
  /** Returns one page, oldest first. `next` is the `after` of the next page, also if `hasMore` is false. */
  page: async (query: EventsQuery = {}, options?: CallOptions) => {
    const { data, meta } = await call('listEvents', { query }, options)
    return { events: data, latest: meta.latest, hasMore: meta.hasMore, next: meta.next }
  },
})

/** The events of a type, or of some. */
export type EventOf<Type extends TeamEvent['type']> = Extract<TeamEvent, { type: Type }>

export interface EventsOptions<Type extends TeamEvent['type'] = TeamEvent['type']> {
  /**
   * The position to start at: the `sequence` of the last event that was handled, or the `next` of a page. `latest`
   * starts with new events. The default is the oldest event that is kept.
   */
  after?: number | 'latest' | undefined
  /** Only events of these types. */
  types?: readonly Type[] | undefined
  /** The most events of one request: 1 to 100, default 100. */
  pageSize?: number | undefined
  /** The time for which one request waits for an event. */
  waitSeconds?: number | undefined
  /** Ends the loop, without an error. */
  signal?: AbortSignal | undefined
  /** Called when a request has failed, all its tries, and is sent again after a pause. */
  onError?: ((error: CaseworkerError, pauseMs: number) => void) | undefined
}

export interface EventPage<Event> {
  /** The events in order. Empty if none since `after` is of the `types`. */
  events: Event[]
  /** The position after these events: store it when they are handled, and begin there the next time. */
  next: number
  /** The number of the last event of the team. */
  latest: number
}

/** Events as they happen: `for await` never ends by itself. */
export interface Events<Event> extends AsyncIterable<Event> {
  /** Page by page, for those who store their position: it grows also where no event is of the types. */
  pages: () => AsyncGenerator<EventPage<Event>, void, undefined>
}

/** Proxies end a request that is silent for a minute. */
const WAIT_SECONDS = 30
/** The delay of a response that is tolerated. */
const GRACE_MS = 20_000
/** Between requests that were answered at once and with nothing. */
const PAUSE_MS = 1_000

/**
 * Asks for the events after a position, again and again. The position grows only with a response, so that nothing is
 * missed whatever fails.
 */
export function followEvents<Type extends TeamEvent['type']>(
  call: Call,
  { after, types, pageSize, waitSeconds = WAIT_SECONDS, signal, onError = () => {} }: EventsOptions<Type>,
): Events<EventOf<Type>> {
  const timeoutMs = waitSeconds * 1_000 + GRACE_MS

  /** Retries while failures are temporary, however long they last. Undefined once the signal is aborted. */
  async function untilItWorks<Value>(run: () => Promise<Value>): Promise<Value | undefined> {
    for (let failures = 1; !signal?.aborted; failures++)
      try {
        return await run()
      } catch (error) {
        if (signal?.aborted) break
        if (!(error instanceof CaseworkerError && isTransient(error))) throw error
        const pauseMs = getWaitMs(failures, PAUSE_MS, error.retryAfterMs, Math.random())
        onError(error, pauseMs)
        await sleep(pauseMs, signal).catch(() => {})
      }
    return undefined
  }

  const findStart = async (): Promise<Position> =>
    after === 'latest' ? { after: (await call('getEventFeed', {}, { signal })).data.latest } : { after }

  async function fetchPage(position: Position): Promise<EventPage<EventOf<Type>>> {
    const query = { ...position, type: types?.join(','), limit: pageSize, waitSeconds }
    const { data, meta } = await call('listEvents', { query }, { signal, timeoutMs })
    return { events: data as EventOf<Type>[], next: meta.next, latest: meta.latest }
  }

  async function* pages(): AsyncGenerator<EventPage<EventOf<Type>>, void, undefined> {
    let position = await untilItWorks(findStart)
    while (position !== undefined) {
      const { after: before }: Position = position
      const startedAt = Date.now()
      const page: EventPage<EventOf<Type>> | undefined = await untilItWorks(() => fetchPage({ after: before }))
      if (page === undefined) return
      position = { after: page.next }
      if (page.next !== before) yield page
      else await sleep(Math.max(0, PAUSE_MS - (Date.now() - startedAt)), signal).catch(() => {})
    }
  }

  return {
    pages,
    async *[Symbol.asyncIterator]() {
      for await (const { events } of pages())
        for (const event of events) {
          if (signal?.aborted) return
          yield event
        }
    },
  }
}

interface Position {
  after: number | undefined
}

/** Tells whether a failure may pass. Who follows events waits for as long as the API asks. */
const isTransient = ({ code, status }: CaseworkerError): boolean => isRetryable({ code, status }, 'safe')
