import { jsonResponse } from '../../http/response/envelope.ts'
import { changeAddress, linkToNext } from '../../http/response/next-page.ts'
import { route } from '../../http/route.ts'
import { sumMessages } from './operations.ts'
import { MessageCountQuery } from './schema.ts'

/** To stand before the route that takes the id of a message in this place. */
export const messageCountRoutes = [
  route({
    id: 'countMessages',
    method: 'get',
    path: '/v1/ext/message/count',
    summary: 'Count messages',
    permission: 'message:read',
    query: MessageCountQuery,
    perform: ({ scope, query }) => sumMessages(scope, query),
    respond: ({ counts, next }, { c }) =>
      jsonResponse(200, counts, {
        meta: { hasMore: next !== null, next },
        headers: linkToNext(c, next === null ? null : changeAddress(c, { cursor: next })),
      }),
  }),
]
