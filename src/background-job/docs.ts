import { z } from 'zod'
import type { ResponseDocs, RouteDocs } from '../http/openapi/route-docs.ts'
import { Warnings } from '../http/response/warnings.ts'
import { ENTRY_STATUSES, JobEntry, JobShown } from './schema.ts'

export const JOBS_TAG = 'Background jobs'
const tag = JOBS_TAG
const JSON_BODY = 'application/json'

type JobExample = NonNullable<ResponseDocs['example']>

const JOB: JobShown = {
  id: '01935c1e-5a00-7008-8a9b-7c8d9eafb0c1',
  createdAt: 1795276206000,
  updatedAt: 1795276206000,
  startedAt: 1795276206000,
  completedAt: 0,
  completionStatus: 'IN_PROGRESS',
  statusMessage: 'Of 1 entry 0 succeeded, 1 to go',
  team: '01935c1e-5a00-7000-8a4b-1c2d3e4f5a6b',
  type: 'bulk_api_job',
  createdBy: '01935c1e-5a00-7005-9d7e-4f5a6b7c8d9e',
  procedure: '01935c1e-5a00-7003-9b5c-2d3e4f5a6b7c',
  total: 1,
  startAt: null,
  retryOf: null,
}
const COUNTS = { INVALID: 0, NOT_STARTED: 1, IN_PROGRESS: 0, SUCCESS: 0, ERROR: 0, CANCELLED: 0 }
const END = { updatedAt: 1795276206900, completedAt: 1795276206900 }
const DONE: JobExample = {
  data: { ...JOB, ...END, completionStatus: 'SUCCESS', statusMessage: 'All of 1 entry succeeded' },
  meta: { bjEntryCompletionStatusVsCount: { ...COUNTS, NOT_STARTED: 0, SUCCESS: 1 } },
}
const CANCELLED: JobExample = {
  data: {
    ...JOB,
    ...END,
    completionStatus: 'CANCELLED',
    statusMessage: 'Cancelled: of 1 entry 0 succeeded, 1 not run',
  },
  meta: { bjEntryCompletionStatusVsCount: { ...COUNTS, NOT_STARTED: 0, CANCELLED: 1 } },
}
const OF_ENTRIES: JobExample = {
  data: { ...JOB, type: 'scheduled_job', procedure: null },
  meta: { bjEntryCompletionStatusVsCount: COUNTS },
}
const AGAIN: JobExample = {
  data: { ...JOB, id: '01935c1e-5a00-700e-8a9b-7c8d9eafb0c1', retryOf: JOB.id },
  meta: { bjEntryCompletionStatusVsCount: COUNTS },
}
const ACCEPTED: JobExample = { data: JOB, meta: { bjEntryCompletionStatusVsCount: COUNTS } }

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

const shown = (
  description: string,
  headers: ResponseDocs['headers'],
  example: JobExample = ACCEPTED,
): ResponseDocs => ({
  description,
  data: JobShown,
  meta: { bjEntryCompletionStatusVsCount: counts },
  headers: headers ?? [],
  example,
})
const accepted = shown('The job. Its entries are stored, or are found from now on, and it will end.', [
  'Location',
  'Retry-After',
])
export const jobAccepted = { 202: { ...accepted, meta: { ...accepted.meta, warnings: Warnings } } }
const present = {
  200: shown('The job. While it runs, `retry-after` says when to poll again.', ['Retry-After'], DONE),
}

const scheduleBody = (apiTypes: readonly string[]) =>
  z.strictObject({
    entries: z.array(z.strictObject({ apiType: z.enum(apiTypes), apiData: z.looseObject({}) })).min(1),
    startAt: z.int().optional().describe('When the job starts, in epoch milliseconds. The default is now.'),
  })

export const scheduleDocs = (apiTypes: readonly string[]): RouteDocs => ({
  id: 'scheduleJob',
  tag,
  description: 'Entries of any kind, processed now or at a time in the future.',
  responses: { 202: { ...jobAccepted[202], example: OF_ENTRIES } },
  body: { contentType: JSON_BODY, schema: scheduleBody(apiTypes) },
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
})

export const listJobsDocs: RouteDocs = {
  id: 'listJobs',
  tag,
  description: 'Newest first, optionally filtered by status. `_meta.next` is the path of the next page.',
  responses: {
    200: {
      description: 'One page of jobs.',
      data: z.array(JobShown),
      meta: { hasMore: z.boolean(), next: z.string().nullable() },
      headers: ['Link'],
      example: { data: [JOB], meta: { hasMore: false, next: null } },
    },
  },
}

export const getJobDocs: RouteDocs = {
  id: 'getJob',
  tag,
  description:
    'With the number of entries in each status. A job that sends messages also has `deliveryStatusVsCount`: how many of its messages have each delivery status now.',
  responses: {
    200: {
      ...present[200],
      meta: { ...present[200].meta, deliveryStatusVsCount: z.record(z.string(), z.int().min(0)).optional() },
    },
  },
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
      meta: { hasMore: z.boolean(), total: z.int().min(0), next: z.string().nullable() },
      headers: ['Link'],
      example: { data: [ENTRY], meta: { hasMore: false, total: 1, next: null } },
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
    'Entries that have not started become CANCELLED, and no further ones are found; the others keep their results. The job waits for messages that were already handed to the provider; until then `completedAt` is 0.',
  responses: { 200: shown('The job, cancelled.', ['Retry-After'], CANCELLED) },
  errors: ['not_found', 'conflict'],
}

export const retryDocs: RouteDocs = {
  id: 'retryJob',
  tag,
  description:
    'Creates a job with the ERROR entries; `retryOf` links it to the first one. Refused while the job runs, and if no entry ended with ERROR. A message is sent again only if it is known to have failed.',
  responses: { 202: { ...jobAccepted[202], example: AGAIN } },
  errors: ['not_found', 'conflict'],
}
