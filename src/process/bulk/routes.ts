import { accepted, asked, JOBS, started } from '../../background-job/accept/respond.ts'
import { bulkCreateDocs, bulkSendDocs, bulkUpdateDocs, scheduleDocs } from '../../background-job/docs.ts'
import { bulkCreate, bulkSend, bulkUpdate, schedule } from '../../background-job/operations.ts'
import type { JobRow } from '../../background-job/rules.ts'
import { BulkSendPath } from '../../background-job/schema.ts'
import { type Bytes, route } from '../../http/route.ts'
import { ProcedurePath } from '../../procedure/schema.ts'

export const BULK_BODY_BYTES_MAX = 32 * 1024 * 1024

const COLLECTION = '/v1/ext/procedure/:procedureShortId/process'

/** Requests that are accepted as a job. */
export const bulkRoutes = [
  route<{ procedureShortId: string }, unknown, Bytes, JobRow>({
    method: 'patch',
    path: COLLECTION,
    summary: 'Update processes in bulk',
    docs: bulkUpdateDocs,
    permission: 'process:write',
    params: ProcedurePath,
    bodyAs: 'bytes',
    bodyBytesMax: BULK_BODY_BYTES_MAX,
    perform: ({ c, scope, params, body, receipt }) =>
      started(c, scope, bulkUpdate(scope, params.procedureShortId, body, asked(c, receipt))),
    respond: accepted,
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
    perform: ({ c, scope, params, body, receipt }) =>
      started(c, scope, bulkCreate(scope, params.procedureShortId, body, asked(c, receipt))),
    respond: accepted,
  }),
  route<unknown, unknown, Bytes, JobRow>({
    method: 'post',
    path: JOBS,
    summary: 'Schedule a background job',
    docs: scheduleDocs,
    permission: 'job:write',
    bodyAs: 'bytes',
    bodyBytesMax: BULK_BODY_BYTES_MAX,
    perform: ({ c, scope, body, receipt }) => started(c, scope, schedule(scope, body, asked(c, receipt))),
    respond: accepted,
  }),
  route<{ pluginId: string; procedureShortId: string }, unknown, Bytes, JobRow>({
    method: 'post',
    path: '/v1/ext/plugin/whatsapp/:pluginId/process/:procedureShortId/bulk-send-template-message',
    summary: 'Send a template message in bulk',
    docs: bulkSendDocs,
    permission: 'message:send',
    params: BulkSendPath,
    bodyAs: 'bytes',
    bodyBytesMax: BULK_BODY_BYTES_MAX,
    perform: ({ c, scope, params: { pluginId, procedureShortId }, body, receipt }) => {
      const address = { plugin: pluginId, procedure: procedureShortId }
      return started(c, scope, bulkSend(scope, address, body, asked(c, receipt)))
    },
    respond: accepted,
  }),
]
