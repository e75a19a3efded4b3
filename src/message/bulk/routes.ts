import type { AcceptedRow } from '../../background-job/accept/accept-job.ts'
import { BULK_BODY_BYTES_MAX, respondAccepted, startJob, toJobRequest } from '../../background-job/accept/request.ts'
import { DryRunQuery } from '../../background-job/schema.ts'
import type { StreamedBody } from '../../http/request/streamed-body.ts'
import { route } from '../../http/route.ts'
import { bulkSend } from './operations.ts'
import { BulkSendPath } from './schema.ts'

export const bulkMessageRoutes = [
  route<
    { pluginId: string; procedureShortId: string },
    DryRunQuery,
    StreamedBody,
    AcceptedRow,
    'bulkSendTemplateMessage'
  >({
    id: 'bulkSendTemplateMessage',
    method: 'post',
    path: '/v1/ext/plugin/whatsapp/:pluginId/process/:procedureShortId/bulk-send-template-message',
    summary: 'Send a template in bulk',
    permission: 'message:send',
    params: BulkSendPath,
    query: DryRunQuery,
    bodyAs: 'json stream',
    bodyBytesMax: BULK_BODY_BYTES_MAX,
    perform: ({ c, scope, params: { pluginId, procedureShortId }, query, body }) => {
      const address = { plugin: pluginId, procedure: procedureShortId }
      return startJob(c, scope, bulkSend(scope, address, body, toJobRequest(c, query)))
    },
    respond: respondAccepted,
  }),
]
