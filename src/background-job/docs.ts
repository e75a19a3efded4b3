import * as z from 'zod'
import type { DocsByType } from '../event/docs.ts'
import type { ResponseDocs, RouteDocs } from '../http/openapi/route-docs.ts'
import { HAS_MORE, NEXT_PATH } from '../http/request/paging.ts'
import { Warnings } from '../http/response/warnings.ts'
import { EpochMs } from '../http/shapes.ts'
import type { jobEvents } from './events.ts'
import {
  ENTRY_EXAMPLE,
  FAILURES_EXAMPLE,
  JOB_EXAMPLE,
  JOB_EXAMPLES,
  type JobExample,
  RUNNER_EXAMPLE,
} from './examples.ts'
import { EntryCountsShown, JOB_STATUSES, JobEntry, JobFailures, JobShown, RetriesShown } from './schema.ts'

export const JOBS_TAG = 'Background jobs'
const tag = JOBS_TAG
const JSON_BODY = 'application/json'

const shown = (
  description: string,
  headers: ResponseDocs['headers'],
  example: JobExample = JOB_EXAMPLES.accepted,
): ResponseDocs => ({
  description,
  data: JobShown,
  meta: { bjEntryCompletionStatusVsCount: EntryCountsShown },
  headers: headers ?? [],
  example,
})
const accepted = shown('The job. Its entries are stored, or are found from now on, and it will end.', [
  'Location',
  'Retry-After',
])
export const jobAccepted = { 202: { ...accepted, meta: { ...accepted.meta, warnings: Warnings } } }

/** The same, of a request whose job does something else than that of the example. */
export const jobAcceptedTo = (title: string) => ({
  202: { ...jobAccepted[202], example: { ...JOB_EXAMPLES.accepted, data: { ...JOB_EXAMPLE, title } } },
})
const DELIVERY_COUNTS = z
  .record(z.string(), z.int().min(0))
  .optional()
  .describe('Of a job that sends messages: how many of its entries have a newest message with each delivery status.')
const DeliveryFailure = z
  .object({
    code: z.int().nullable().describe("The provider's code; null if the provider was not asked."),
    title: z.string().nullable().describe("The provider's words for it."),
    advice: z.string().nullable().describe('What to do about it.'),
    count: z.int().min(1).describe('How many messages.'),
  })
  .meta({ id: 'DeliveryFailure' })
const present = {
  200: shown('The job. While it runs, `retry-after` says when to poll again.', ['Retry-After'], JOB_EXAMPLES.done),
}

const SCHEDULED = {
  procedureId: 'lead',
  primaryKeyShortId: 'lead_id',
  primaryKeyValue: 'LEAD-7',
  processUpdate: { state: 'CONTACTED' },
}
const scheduleBody = (apiTypes: readonly string[]) =>
  z.strictObject({
    entries: z
      .array(
        z.strictObject({
          apiType: z.enum(apiTypes).meta({ description: 'What the entry does.', examples: ['PROCESS_UPDATE'] }),
          apiData: z.looseObject({}).meta({
            description: 'The process, and what is changed or sent; see [bulk jobs](/docs/bulk).',
            examples: [SCHEDULED],
          }),
        }),
      )
      .min(1)
      .describe('They are processed in this order.'),
    startAt: EpochMs.nullable()
      .optional()
      .meta({
        description:
          'When the job starts: epoch milliseconds, as a number or as its digits, or ISO 8601 with an offset. The default is now.',
        examples: [1795362606000],
      }),
  })

const JobCount = z
  .object({
    completionStatus: z.enum(JOB_STATUSES).describe('The status of the jobs.'),
    count: z.int().describe('How many jobs.'),
  })
  .meta({ id: 'JobCount' })

/** What a scheduled job may have as entries, the registry of `src/kinds.ts` says. */
export const describeJobs = (apiTypes: readonly string[]) =>
  ({
    scheduleJob: {
      tag,
      description: 'Entries of any kind, processed now or at a time in the future.',
      responses: { 202: { ...jobAccepted[202], example: JOB_EXAMPLES.ofEntries } },
      body: { contentType: JSON_BODY, schema: scheduleBody(apiTypes) },
      example: { entries: [{ apiType: 'PROCESS_UPDATE', apiData: SCHEDULED }] },
    },
    listJobs: {
      tag,
      description:
        'Newest first, optionally filtered by status, creator, procedure and time, or those that retry one. `_meta.next` is the path of the next page. With `createdBy`, `procedure` or `retryOf` a page may have fewer jobs than `limit`, or none, and a next page.',
      queryExample: { limit: 20 },
      responses: {
        200: {
          description: 'One page of jobs.',
          data: z.array(JobShown),
          meta: { hasMore: HAS_MORE, next: NEXT_PATH },
          headers: ['Link'],
          example: { data: [JOB_EXAMPLE], meta: { hasMore: false, next: null } },
        },
      },
    },
    getJob: {
      tag,
      description:
        'With the number of entries in each status, as this job left them. If failed entries were retried, `retries` follows them: it counts each entry with its newest try. A job that sends messages also has `deliveryStatusVsCount` and `deliveryFailures`, which count the newest message of each entry, whichever retry sent it.',
      responses: {
        200: {
          ...present[200],
          meta: {
            ...present[200].meta,
            retries: RetriesShown.optional(),
            undoneBy: z
              .string()
              .optional()
              .describe(
                'The id of the newest job that undoes it. Only there if it was undone, and that was not undone since.',
              ),
            appliedBy: z
              .string()
              .optional()
              .describe('The id of the job that makes the changes of this dry run. Only there if it was applied.'),
            continuedBy: z
              .string()
              .optional()
              .describe(
                'The id of the retry that runs what this job, cancelled, has not run. Only there if there is one.',
              ),
            deliveryStatusVsCount: DELIVERY_COUNTS,
            deliveryFailures: z
              .array(DeliveryFailure)
              .optional()
              .describe('Of a job that sends messages: why messages are FAILED, the most frequent reason first.'),
            isDeliveryCountComplete: z
              .literal(false)
              .optional()
              .describe(
                'False: there was no time to count the messages of all entries. Those of the first ones are counted.',
              ),
          },
        },
      },
      errors: ['not_found'],
    },
    listJobEntries: {
      tag,
      description:
        'In the order of the request, optionally filtered by status. `_meta.total` is the number of matching entries; `_meta.next` is the path of the next page. A page has about 4 MB, and one entry at least: of large entries it holds fewer than `limit`.',
      responses: {
        200: {
          description: 'One page of entries.',
          data: z.array(JobEntry),
          meta: {
            hasMore: HAS_MORE,
            total: z.int().min(0).describe('The number of entries that match.'),
            next: NEXT_PATH,
          },
          headers: ['Link'],
          example: { data: [ENTRY_EXAMPLE], meta: { hasMore: false, total: 1, next: null } },
        },
      },
      errors: ['not_found', 'storage_damaged'],
    },
    getJobResults: {
      tag,
      description:
        'All entries in the order of the request, as NDJSON, or as CSV with `accept: text/csv`: in the columns of the sender, then `_status`, `_error`, `_hint`, `_id` and `_line`, so that [it can be mended and sent again](/docs/bulk#mend-and-send-again). Those of an undo have further columns, which say [what it has left](/docs/bulk#undo). A `group` that the job does not have is refused with those that it has. Compressed for clients that accept gzip.',
      responses: {
        200: {
          description: 'The entries, one per line.',
          content: {
            'application/x-ndjson': { schema: z.string(), example: `${JSON.stringify(ENTRY_EXAMPLE)}\n` },
            'text/csv': {
              schema: z.string(),
              example:
                'lead_id,score,_status,_error,_hint,_id,_line\r\nLEAD-7,many,INVALID,"""score"" must be a number",,,2\r\n',
            },
          },
        },
      },
      errors: ['not_found', 'not_acceptable'],
    },
    listJobErrors: {
      tag,
      description:
        'Why entries failed: those with the same code at the same place are a group, whatever their values; an entry with several errors is in the group of the first. The largest group comes first. While the job runs, the groups are those of the entries so far. `…/retry` takes the `group`.',
      queryExample: { limit: 20 },
      responses: {
        200: {
          description: 'One page of groups.',
          data: z.array(JobFailures),
          meta: {
            hasMore: HAS_MORE,
            next: NEXT_PATH,
            total: z.int().min(0).describe('The number of groups.'),
            failed: z.int().min(0).describe('How many entries of the job have failed.'),
            grouped: z.int().min(0).describe('How many of them are in a group.'),
            isComplete: z
              .boolean()
              .describe(
                'False: there was no time for all failures, or they have more than 500 reasons. The groups are those of the first ones.',
              ),
          },
          headers: ['Link'],
          example: {
            data: [FAILURES_EXAMPLE],
            meta: { hasMore: false, next: null, total: 1, failed: 1, grouped: 1, isComplete: true },
          },
        },
      },
      errors: ['not_found', 'storage_damaged'],
    },
    watchJob: {
      tag,
      description:
        'Server-sent events. Each has the same content as the response of fetching the job. The stream ends with the job.',
      responses: {
        200: {
          description: 'Server-sent events.',
          content: {
            'text/event-stream': { schema: z.string(), example: 'event: progress\ndata: {"_data": {…}, …}\n\n' },
          },
        },
      },
      errors: ['not_found'],
    },
    cancelJob: {
      tag,
      description:
        'Entries that have not started become CANCELLED, and no further ones are found; the others keep their results. A retry of those with CANCELLED runs them later. The job waits for messages that were already handed to the provider; until then `completedAt` is 0.',
      responses: { 200: shown('The job, cancelled.', ['Retry-After'], JOB_EXAMPLES.cancelled) },
      errors: ['not_found', 'conflict'],
    },
    applyJob: {
      tag,
      description:
        'Makes the changes of a dry run that has ended, as a job with the same entries; `applyOf` links it to the dry run. An entry whose process has changed since ends with `changed_since`, and is not run. Those that failed in the dry run end as they did there. A dry run is applied once.',
      responses: { 202: { ...jobAccepted[202], example: JOB_EXAMPLES.applied } },
      errors: ['not_found', 'conflict', 'storage_damaged'],
    },
    retryJob: {
      tag,
      description:
        'Creates a job with the failed entries; `retryOf` links it to the first one. Without a body, those with ERROR; `group`, `statuses` and `update` choose and correct them. What a cancelled job has not run has CANCELLED: one retry takes it, and another one is refused with the id of the first. What another retry has is left out, while that runs and if any of it succeeded: what failed again is retried from there. Refused with the id of that retry if nothing is left, and while the job runs, and if there is no such entry; an `update` that is wrong, or that some of the entries have nothing to do with, refuses the request. A message is sent again only if it is known to have failed; so a job that sends, and ended before [a restore of the database](/docs/running#pause-and-restore-a-backup), is not retried.',
      responses: { 202: { ...jobAccepted[202], example: JOB_EXAMPLES.again } },
      example: { statuses: ['ERROR', 'INVALID'], update: { data: { score: 40 } } },
      errors: ['not_found', 'conflict', 'storage_damaged'],
    },
    undoJob: {
      tag,
      description:
        'Creates a job that takes back what each successful entry has changed, the last one first; `undoOf` links it to the one that it undoes. What was changed gets its former values, what was created is deleted, what was deleted is restored. A process that somebody has changed since stays as it is: its entry ends with `changed_since`, which tells who it was. An undo is undone like any other job. Refused while the job runs, or another undo of it, or an undo of one; of a dry run, if it has changed nothing, and if it has sent messages: nothing takes them back. See [undo](/docs/bulk#undo).',
      responses: { 202: { ...jobAccepted[202], example: JOB_EXAMPLES.undo } },
      errors: ['not_found', 'conflict', 'storage_damaged'],
    },
    countJobs: {
      tag,
      description:
        'The number of jobs of each status, up to 20,000: if a status has more, `_meta.isComplete` is false. Jobs are kept for 30 days after their end (a setting of the installation).',
      responses: {
        200: {
          description: 'Each status, also without jobs.',
          data: z.array(JobCount),
          meta: { isComplete: z.boolean().describe('False: a status has more jobs than are counted.') },
          example: {
            meta: { isComplete: true },
            data: JOB_STATUSES.map(completionStatus => ({
              completionStatus,
              count: completionStatus === 'SUCCESS' ? 12 : 0,
            })),
          },
        },
      },
    },
  }) satisfies Record<string, RouteDocs>

export const jobEventDocs: DocsByType<typeof jobEvents> = {
  'background_job.completed': {
    description: 'A job has ended.',
    sequence: 5_023,
    data: {
      id: JOB_EXAMPLE.id,
      backgroundJob: {
        ...JOB_EXAMPLE,
        updatedAt: 1795276206900,
        completedAt: 1795276206900,
        completionStatus: 'SUCCESS',
        statusMessage: '1 entry succeeded',
      },
      bjEntryCompletionStatusVsCount: {
        INVALID: 0,
        NOT_STARTED: 0,
        IN_PROGRESS: 0,
        SUCCESS: 1,
        ERROR: 0,
        CANCELLED: 0,
      },
    },
    by: RUNNER_EXAMPLE,
  },
}
