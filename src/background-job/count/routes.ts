import { jsonResponse } from '../../http/response/envelope.ts'
import { route } from '../../http/route.ts'
import { JOB_STATUSES } from '../schema.ts'
import { countJobsDocs } from './docs.ts'
import { countJobRows } from './statements.ts'

/** To stand before the route that takes the id of a job in this place. */
export const jobCountRoutes = [
  route({
    method: 'get',
    path: '/v1/ext/background-job/count',
    summary: 'Count jobs',
    docs: countJobsDocs,
    permission: 'job:read',
    perform: ({ scope }) => countJobRows(scope),
    respond: counted =>
      jsonResponse(
        200,
        JOB_STATUSES.map(completionStatus => ({
          completionStatus,
          count: counted.find(each => each.completionStatus === completionStatus)?.count ?? 0,
        })),
      ),
  }),
]
