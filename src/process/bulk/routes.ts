import type { AcceptedRow } from '../../background-job/accept/accept-job.ts'
import {
  BULK_BODY_BYTES_MAX,
  respondAccepted,
  STREAM_BODY_BYTES_MAX,
  startJob,
  toJobRequest,
} from '../../background-job/accept/request.ts'
import type { StreamedBody } from '../../http/request/streamed-body.ts'
import { type Route, route } from '../../http/route.ts'
import { ProcedurePath } from '../../procedure/schema.ts'
import { LINE_TYPES } from './item-body.ts'
import { bulkCreate, bulkUpdate, bulkUpsert } from './operations.ts'
import { BulkQuery } from './schema.ts'

const COLLECTION = '/v1/ext/procedure/:procedureShortId/process'

/** A body of many processes, accepted as a job. */
const bulkRoute = <const Id extends string>(
  declared: Pick<Route, 'method' | 'path' | 'summary'> & { id: Id },
  accept: typeof bulkUpdate,
) =>
  route<{ procedureShortId: string }, BulkQuery, StreamedBody, AcceptedRow, Id>({
    ...declared,
    permission: 'process:write',
    params: ProcedurePath,
    query: BulkQuery,
    bodyAs: 'json stream',
    otherBodyTypes: LINE_TYPES,
    bodyBytesMax: BULK_BODY_BYTES_MAX,
    otherBodyBytesMax: STREAM_BODY_BYTES_MAX,
    perform: ({ c, scope, params, query: { dryRun, ...options }, body }) =>
      startJob(c, scope, accept(scope, params.procedureShortId, body, toJobRequest(c, { dryRun }), options)),
    respond: respondAccepted,
  })

export const bulkProcessRoutes = [
  bulkRoute(
    { id: 'bulkUpdateProcesses', method: 'patch', path: COLLECTION, summary: 'Update processes in bulk' },
    bulkUpdate,
  ),
  bulkRoute(
    {
      id: 'bulkCreateProcesses',
      method: 'post',
      path: `${COLLECTION}/bulk-create`,
      summary: 'Create processes in bulk',
    },
    bulkCreate,
  ),
  bulkRoute(
    {
      id: 'bulkUpsertProcesses',
      method: 'post',
      path: `${COLLECTION}/bulk-upsert`,
      summary: 'Upsert processes in bulk',
    },
    bulkUpsert,
  ),
]
