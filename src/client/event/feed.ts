import type { Call, CallOptions } from '../call/call.ts'
import type { Operations } from '../generated/operations.ts'

export type EventsQuery = NonNullable<Operations['listEvents']['query']>

export const eventFeedOf = (call: Call) => ({
  /** Whether the feed is on, and the numbers of its first and last event. */
  get: async (options?: CallOptions) => (await call('getEventFeed', {}, options)).data,
  /** Switches the feed on or off. */
  set: async (enabled: boolean, options?: CallOptions) =>
    (await call('switchEventFeed', { body: { enabled } }, options)).data,
  /** One page, oldest first. `next` is the `after` of the next one, also where `hasMore` is false. */
  page: async (query: EventsQuery = {}, options?: CallOptions) => {
    const { data, meta } = await call('listEvents', { query }, options)
    return { events: data, latest: meta.latest, hasMore: meta.hasMore, next: meta.next }
  },
})
