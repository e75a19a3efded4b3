import * as z from 'zod'
import { EVENT_EXAMPLES, TeamEventSchema } from '../event-docs.ts'
import type { RouteDocs } from '../http/openapi/route-docs.ts'
import { HAS_MORE } from '../http/request/paging.ts'
import { EventFeed } from './schema.ts'

const tag = 'Events'

const EXAMPLE: EventFeed = { enabled: true, since: 1795276206000, oldest: 1, latest: 5_017 }

export const feedDocs = {
  listEvents: {
    tag,
    description: `Everything that happened in the team, in its order, each event once and none left out: \`sequence\` has no gaps. Send \`_meta.next\` as \`after\` to go on; it is always there, and grows also where \`type\` leaves all events out. With \`waitSeconds\` the response waits for the next event, if there is none yet. A page may have fewer events than \`limit\` although there are more: so many that processes, customers and messages in them have about 4 MB. \`_meta.hasMore\` says so.

\`data.process\` is the process as it is when the event is read; \`changes\` are those of the event. Handle an event by its \`id\` once, whether it comes from the feed or by a webhook.

Events are kept for 30 days (a setting of the installation). A request for older ones is refused with \`sequence_expired\`, which names the oldest one that is kept. The feed must be on: \`PUT /v1/ext/event-feed\`.`,
    queryExample: { after: 0 },
    responses: {
      200: {
        description: 'One page of events, oldest first.',
        data: z.array(TeamEventSchema),
        headers: ['Link'],
        meta: {
          latest: z.int().describe("The number of the team's last event; 0 before the first."),
          hasMore: HAS_MORE,
          next: z.int().describe('The `after` of the next page. The last page has it, too: more events may come.'),
        },
        example: { data: [EVENT_EXAMPLES['process.updated']], meta: { latest: 5_017, hasMore: false, next: 5_017 } },
      },
    },
    errors: ['event_feed_off', 'sequence_expired'],
  },
  getEventFeed: {
    tag,
    description:
      'Whether the feed is on, and the first and the last event that it has. `latest` is the `after` of a reader that wants only what happens from now on.',
    responses: { 200: { description: 'The feed.', data: EventFeed, example: { data: EXAMPLE } } },
  },
  switchEventFeed: {
    tag,
    description: `The first webhook switches the feed on, too. While it is off only changes of processes and customers are kept, which history needs: what happens to messages, jobs, plugins and templates has no event then, and never gets one. The feed can't be switched off while a webhook is enabled.`,
    example: { enabled: true },
    responses: { 200: { description: 'The feed.', data: EventFeed, example: { data: EXAMPLE } } },
    errors: ['conflict'],
  },
} satisfies Record<string, RouteDocs>
