import * as z from 'zod'
import type { RouteDocs } from '../../http/openapi/route-docs.ts'
import { HAS_MORE, NEXT_CURSOR } from '../../http/request/paging.ts'
import { COUNTED_DAYS_MAX, MessageCount } from './schema.ts'

const NONE = { status: null, plugin: null, template: null }

export const messageCountDocs = {
  countMessages: {
    tag: 'Messages',
    queryExample: { by: 'day', timeZone: 'Asia/Kolkata' },
    description: `Counts messages by delivery status, plugin or template, and by day if asked for, of the last 30 days or between \`from\` and \`to\`: at most ${COUNTED_DAYS_MAX} days. Messages are read in the order of time, those of other teams of the installation as well, so counting a million takes seconds. After three seconds the response has what was counted so far, and \`_meta.next\` goes on: add up the counts of all pages.`,
    responses: {
      200: {
        description: 'The counts, the first day first. A day and a group without messages are left out.',
        data: z.array(MessageCount),
        meta: { hasMore: HAS_MORE, next: NEXT_CURSOR },
        headers: ['Link'],
        example: {
          data: [
            { ...NONE, day: '2026-11-21', status: 'READ', count: 31 },
            { ...NONE, day: '2026-11-21', status: 'FAILED', count: 2 },
          ],
          meta: { hasMore: false, next: null },
        },
      },
    },
  },
} satisfies Record<string, RouteDocs>
