import { z } from 'zod'
import type { ResponseDocs, RouteDocs } from '../http/route-docs.ts'
import { BulkTemplate } from '../message/bulk/schema.ts'
import { Query } from '../process/query/schema.ts'
import { CreateProcess, UpdateProcess } from '../process/schema.ts'
import { API_TYPES, ENTRY_STATUSES, JobEntry, JobShown } from './schema.ts'

const tag = 'Background jobs'
const JSON_BODY = 'application/json'

const JOB: JobShown = {
  id: '01935c1e-5a00-7008-8a9b-7c8d9eafb0c1',
  createdAt: 1795276206000,
  updatedAt: 1795276206900,
  startedAt: 1795276206000,
  completedAt: 0,
  completionStatus: 'IN_PROGRESS',
  statusMessage: 'Of 2 entries 1 succeeded, 1 to go',
  team: '01935c1e-5a00-7000-8a4b-1c2d3e4f5a6b',
  type: 'bulk_api_job',
  createdBy: '01935c1e-5a00-7005-9d7e-4f5a6b7c8d9e',
  procedure: 'lead',
  total: 2,
  startAt: null,
  retryOf: null,
}
const COUNTS = { INVALID: 0, NOT_STARTED: 1, IN_PROGRESS: 0, SUCCESS: 1, ERROR: 0, CANCELLED: 0 }

const ENTRY: JobEntry = {
  id: '01935c1e-5a00-7009-8a9b-7c8d9eafb0c1',
  index: 0,
  createdAt: 1795276206000,
  updatedAt: 1795276206900,
  data: {
    apiType: 'PROCESS_UPDATE',
    apiData: {
      procedureId: 'lead',
      primaryKeyShortId: 'lead_id',
      primaryKeyValue: 'LEAD-7',
      processUpdate: { data: { score: 85 } },
    },
  },
  validationStatus: 'SUCCESS',
  validationMessage: '',
  validationResult: null,
  completionStatus: 'SUCCESS',
  completionMessage: '',
  completionResult: { id: '01935c1e-5a00-7a3c-9d1e-6f2b8c4d0e1f', primaryKey: 'LEAD-7' },
  team: '01935c1e-5a00-7000-8a4b-1c2d3e4f5a6b',
  backgroundJob: '01935c1e-5a00-7008-8a9b-7c8d9eafb0c1',
  createdBy: '01935c1e-5a00-7005-9d7e-4f5a6b7c8d9e',
}

const counts = z.object(Object.fromEntries(ENTRY_STATUSES.map(status => [status, z.int().min(0)]))).meta({
  id: 'EntryCounts',
  description: 'The number of entries in each status. They always add up to the number of entries.',
})

const shown = (description: string, headers: ResponseDocs['headers']): ResponseDocs => ({
  description,
  data: JobShown,
  meta: { bjEntryCompletionStatusVsCount: counts },
  headers: headers ?? [],
  example: { data: JOB, meta: { bjEntryCompletionStatusVsCount: COUNTS } },
})
const accepted = { 202: shown('The job. Its entries are stored, and it will end.', ['Location', 'Retry-After']) }
const present = { 200: shown('The job. While it runs, `retry-after` says when to poll again.', ['Retry-After']) }

const Item = z.looseObject({
  id: z.string().optional(),
  update: UpdateProcess.extend({ isDeleted: z.boolean().optional() }).optional(),
})
const BulkUpdate = z.union([
  z.strictObject({
    processes: z
      .array(Item)
      .min(1)
      .describe(
        "Each item names a process by `id` (a UUID or a primary-key value) or by the primary key's short id. The fields to change are in `update` or next to the identifier. `isDeleted: true` deletes the process.",
      ),
  }),
  z.strictObject({ where: Query, update: UpdateProcess }),
])
const Creations = z.array(CreateProcess.loose()).min(1)
const Schedule = z.strictObject({
  entries: z.array(z.strictObject({ apiType: z.enum(API_TYPES), apiData: z.looseObject({}) })).min(1),
  startAt: z.int().optional().describe('When the job starts, in epoch milliseconds. The default is now.'),
})

export const bulkUpdateDocs: RouteDocs = {
  id: 'bulkUpdateProcesses',
  tag,
  description: `Returns a job whose entries are processed in order, each exactly once; see [bulk jobs](/docs/bulk).

The body is a list of processes with their updates, or one update for all processes that match a query. A malformed item becomes an INVALID entry; the others are processed.`,
  responses: accepted,
  errors: ['not_found'],
  body: { contentType: JSON_BODY, schema: BulkUpdate },
  example: { processes: [{ lead_id: 'LEAD-7', update: { data: { score: 85 } } }] },
}

export const bulkCreateDocs: RouteDocs = {
  id: 'bulkCreateProcesses',
  tag,
  description:
    'A list of create bodies. The primary key may also be given next to `data`. Returns a job; see [bulk jobs](/docs/bulk).',
  responses: accepted,
  errors: ['not_found'],
  body: { contentType: JSON_BODY, schema: z.union([Creations, z.strictObject({ processes: Creations })]) },
  example: { processes: [{ data: { lead_id: 'LEAD-9', city: 'Pune' } }] },
}

const Recipients = z
  .array(z.looseObject({ id: z.string().optional() }))
  .min(1)
  .describe(
    "Each item names a process by `id` or by the primary key's short id. Its own `mapping`, media and other fields replace the shared ones.",
  )
const BulkSend = z.union([BulkTemplate.extend({ processes: Recipients }), BulkTemplate.extend({ where: Query })])

export const bulkSendDocs: RouteDocs = {
  id: 'bulkSendTemplateMessage',
  tag,
  description: `Sends one message for each process, as a job of \`TEMPLATE_MESSAGE\` entries; see [messages](/docs/messages). Messages are sent in order, at a limited rate, each at most once. A value may be an attribute of the process: \`{"schemaPropertyName": "1", "attribute": "city"}\`.

The fields next to the list apply to all messages. They are validated before the job is accepted.`,
  responses: accepted,
  errors: ['not_found', 'plugin_stopped'],
  body: { contentType: JSON_BODY, schema: BulkSend },
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
}

export const scheduleDocs: RouteDocs = {
  id: 'scheduleJob',
  tag,
  description: 'Entries of any kind, processed now or at a time in the future.',
  responses: accepted,
  body: { contentType: JSON_BODY, schema: Schedule },
  example: {
    entries: [
      {
        apiType: 'PROCESS_UPDATE',
        apiData: {
          procedureId: 'lead',
          primaryKeyShortId: 'lead_id',
          primaryKeyValue: 'LEAD-7',
          processUpdate: { state: 'CONTACTED' },
        },
      },
    ],
  },
}

export const listDocs: RouteDocs = {
  id: 'listJobs',
  tag,
  description: 'Newest first, optionally filtered by status. `_meta.next` is the path of the next page.',
  responses: {
    200: {
      description: 'One page of jobs.',
      data: z.array(JobShown),
      meta: { hasMore: z.boolean(), next: z.string().nullable() },
      example: { data: [JOB], meta: { hasMore: false, next: null } },
    },
  },
}

export const getDocs: RouteDocs = {
  id: 'getJob',
  tag,
  description: 'With the number of entries in each status.',
  responses: present,
  errors: ['not_found'],
}

export const entriesDocs: RouteDocs = {
  id: 'listJobEntries',
  tag,
  description:
    'In the order of the request, optionally filtered by status. `_meta.total` is the number of matching entries; `_meta.next` is the path of the next page.',
  responses: {
    200: {
      description: 'One page of entries.',
      data: z.array(JobEntry),
      meta: { total: z.int().min(0), next: z.string().nullable() },
      example: { data: [ENTRY], meta: { total: 1, next: null } },
    },
  },
  errors: ['not_found'],
}

export const resultsDocs: RouteDocs = {
  id: 'getJobResults',
  tag,
  description:
    'All entries in the order of the request, as NDJSON, or as CSV with `accept: text/csv`. Compressed for clients that accept gzip.',
  responses: {
    200: {
      description: 'The entries, one per line.',
      content: {
        'application/x-ndjson': { schema: z.string(), example: `${JSON.stringify(ENTRY)}\n` },
        'text/csv': { schema: z.string(), example: 'index,id,apiType,completionStatus,…\r\n' },
      },
    },
  },
  errors: ['not_found'],
}

export const eventsDocs: RouteDocs = {
  id: 'watchJob',
  tag,
  description:
    'Server-sent events. Each has the same content as the response of fetching the job. The stream ends with the job.',
  responses: {
    200: {
      description: 'Server-sent events.',
      content: { 'text/event-stream': { schema: z.string(), example: 'event: progress\ndata: {"_data": {…}, …}\n\n' } },
    },
  },
  errors: ['not_found'],
}

export const cancelDocs: RouteDocs = {
  id: 'cancelJob',
  tag,
  description:
    'Entries that have not started become CANCELLED; the others keep their results. The job waits for messages that were already handed to the provider; until then `completedAt` is 0.',
  responses: { 200: shown('The job, cancelled.', ['Retry-After']) },
  errors: ['not_found', 'conflict'],
}

export const retryDocs: RouteDocs = {
  id: 'retryJob',
  tag,
  description:
    'Creates a job with the ERROR entries; `retryOf` links it to the first one. Refused while the job runs, and if no entry ended with ERROR. A message is sent again only if it is known to have failed.',
  responses: accepted,
  errors: ['not_found', 'conflict'],
}
