import { BULK_BODY_BYTES_MAX, jobRequestOf, respondAccepted, startJob } from '../../background-job/accept/request.ts'
import type { JobRow } from '../../background-job/rules.ts'
import { type Bytes, route } from '../../http/route.ts'
import { ProcedurePath } from '../../procedure/schema.ts'
import { bulkCreateDocs, bulkUpdateDocs } from './docs.ts'
import { bulkCreate, bulkUpdate } from './operations.ts'

const COLLECTION = '/v1/ext/procedure/:procedureShortId/process'

/** Many processes at once, accepted as a job. */
export const bulkProcessRoutes = [
  route<{ procedureShortId: string }, unknown, Bytes, JobRow>({
    method: 'patch',
    path: COLLECTION,
    summary: 'Update processes in bulk',
    docs: bulkUpdateDocs,
    permission: 'process:write',
    params: ProcedurePath,
    bodyAs: 'bytes',
    bodyBytesMax: BULK_BODY_BYTES_MAX,
    perform: ({ c, scope, params, body }) =>
      startJob(c, scope, bulkUpdate(scope, params.procedureShortId, body, jobRequestOf(c))),
    respond: respondAccepted,
  }),
  route<{ procedureShortId: string }, unknown, Bytes, JobRow>({
    method: 'post',
    path: `${COLLECTION}/bulk-create`,
    summary: 'Create processes in bulk',
    docs: bulkCreateDocs,
    permission: 'process:write',
    params: ProcedurePath,
    bodyAs: 'bytes',
    bodyBytesMax: BULK_BODY_BYTES_MAX,
    perform: ({ c, scope, params, body }) =>
      startJob(c, scope, bulkCreate(scope, params.procedureShortId, body, jobRequestOf(c))),
    respond: respondAccepted,
  }),
]
