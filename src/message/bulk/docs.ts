import * as z from 'zod'
import { JOBS_TAG, jobAcceptedTo } from '../../background-job/docs.ts'
import type { RouteDocs } from '../../http/openapi/route-docs.ts'
import { Confirmations } from '../../process/bulk/docs.ts'
import { Query } from '../../process/query/schema.ts'
import { BulkTemplate } from './schema.ts'

const Recipients = z
  .array(
    z.looseObject({
      id: z
        .string()
        .optional()
        .meta({ description: 'The id of the process, or the value of its primary key.', examples: ['LEAD-000001'] }),
    }),
  )
  .min(1)
  .describe(
    "Each item names a process by `id` or by the primary key's short id. Its own `mapping`, media and other fields replace the shared ones.",
  )
const BulkSend = z.union([
  BulkTemplate.extend({ processes: Recipients }),
  BulkTemplate.extend({ where: Query, ...Confirmations }),
])

export const bulkMessageDocs = {
  bulkSendTemplateMessage: {
    tag: JOBS_TAG,
    description: `Sends one message for each process, as a job of \`TEMPLATE_MESSAGE\` entries; see [messages](/docs/messages). The processes are a list, or all that match a query. Messages are sent in order, at a limited rate, each at most once. A value may be an attribute of the process: \`{"schemaPropertyName": "1", "attribute": "city"}\`.

The fields next to the list apply to all messages. They are validated before the job is accepted.`,
    responses: jobAcceptedTo('Send order_update for 1 process of Lead'),
    errors: ['not_found', 'plugin_stopped'],
    body: { contentType: 'application/json', schema: BulkSend },
    example: {
      whatsappPhoneNumberId: '200000000000001',
      templateName: 'order_update',
      language: 'en_US',
      mapping: [
        { schemaPropertyName: '1', attribute: 'name' },
        { schemaPropertyName: '2', schemaPropertyValue: 'A17' },
      ],
      processes: [{ lead_id: 'LEAD-000002' }],
    },
  },
} satisfies Record<string, RouteDocs>
