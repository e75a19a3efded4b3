import { ENTRIES_MAX, STREAM_ENTRIES_MAX } from '../background-job/accept/pack-chunks.ts'
import { BULK_BODY_BYTES_MAX, STREAM_BODY_BYTES_MAX } from '../background-job/accept/request.ts'
import { LIST_LIMIT_MAX } from '../http/request/paging.ts'
import { jsonResponse } from '../http/response/envelope.ts'
import { route } from '../http/route.ts'
import { getCaller } from './operations.ts'
import { viewCaller } from './view.ts'

export const callerRoutes = [
  route({
    id: 'getMe',
    method: 'get',
    path: '/v1/ext/me',
    summary: 'Fetch the caller',
    permission: 'config:read',
    perform: ({ c, scope }) => getCaller(scope, c.get('callerId')),
    respond: (caller, { c, scope }) =>
      jsonResponse(
        200,
        viewCaller(caller, scope.team, {
          may: c.get('may'),
          limits: {
            callsPerMinute: c.env.CALLS_PER_MINUTE[caller.role.shortId],
            listLimit: LIST_LIMIT_MAX,
            bulkEntries: ENTRIES_MAX,
            bulkBytes: BULK_BODY_BYTES_MAX,
            bulkLines: STREAM_ENTRIES_MAX,
            bulkLinesBytes: STREAM_BODY_BYTES_MAX,
          },
        }),
      ),
  }),
]
