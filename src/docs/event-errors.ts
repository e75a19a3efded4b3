import { z } from 'zod'
import type { Explained } from './explained.ts'

/** The errors of the event feed. */
export const EVENT_ERRORS = {
  event_feed_off: {
    title: 'The event feed is off',
    cause: 'The team has not switched its event feed on, so not every event is kept.',
    remedy:
      'Switch it on with `PUT /v1/ext/event-feed` and the body `{"enabled": true}`. The first webhook does so, too.',
    retry: 'no',
    example: {
      message: 'the event feed is off',
      hint: 'switch it on with PUT /v1/ext/event-feed {"enabled": true}',
    },
  },
  sequence_expired: {
    title: 'The events are not kept any more',
    cause:
      'Events after the number in `after`, or of a replay, are older than the feed keeps them (30 days). `oldest` is the number of the oldest one that is kept.',
    remedy:
      'Read what you need anew, with lists for example. Then go on with `after` as `hint` says: from there on the feed has everything. A replay begins with `oldest`.',
    retry: 'no',
    example: {
      message: 'events after 4820 are not kept any more; the oldest one that is kept is 5017',
      path: '/query/after',
      hint: 'go on with after=5016',
      detail: { oldest: 5_017, latest: 5_340 },
    },
    detail: {
      oldest: z.int().describe('The number of the oldest event that is kept; one more than `latest` if none is.'),
      latest: z.int().describe("The number of the team's last event."),
    },
  },
} as const satisfies Record<string, Explained>
