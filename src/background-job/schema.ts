import { z } from 'zod'
import { LIST_LIMIT_MAX } from '../http/request/paging.ts'
import { Id, Time } from '../http/shapes.ts'

const JOB_STATUSES = ['NOT_STARTED', 'IN_PROGRESS', 'SUCCESS', 'ERROR', 'CANCELLED'] as const
export type JobStatus = (typeof JOB_STATUSES)[number]

export const ENTRY_STATUSES = ['INVALID', 'NOT_STARTED', 'IN_PROGRESS', 'SUCCESS', 'ERROR', 'CANCELLED'] as const
export type EntryStatus = (typeof ENTRY_STATUSES)[number]

/** Beyond this, a page by `skip` costs more than anybody wants to wait for. */
const SKIP_MAX = 10_000_000

const whole = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, { error: 'must be a whole number' })
    .transform(Number)
    .pipe(z.number().min(min).max(max))
    .meta({ type: 'integer', minimum: min, maximum: max, pattern: undefined })

export const JobPath = z.object({
  backgroundJobId: z
    .string()
    .meta({ description: 'The id of the job.', examples: ['01935c1e-5a00-7008-8a9b-7c8d9eafb0c1'] }),
})

export const EntriesQuery = z.strictObject({
  completionStatus: z.enum(ENTRY_STATUSES).optional(),
  limit: whole(1, LIST_LIMIT_MAX).default(LIST_LIMIT_MAX),
  skip: whole(0, SKIP_MAX).default(0),
})
export type EntriesQuery = z.output<typeof EntriesQuery>

export const ResultsQuery = z.strictObject({ completionStatus: z.enum(ENTRY_STATUSES).optional() })

export const JobsQuery = z.strictObject({
  completionStatus: z.enum(JOB_STATUSES).optional(),
  limit: whole(1, LIST_LIMIT_MAX).default(LIST_LIMIT_MAX),
  skip: whole(0, SKIP_MAX).default(0),
  cursor: z.string().max(100).optional(),
})
export type JobsQuery = z.output<typeof JobsQuery>

export const JobShown = z
  .object({
    id: Id,
    createdAt: Time,
    updatedAt: Time,
    startedAt: Time,
    completedAt: Time.meta({ description: 'Epoch milliseconds; 0 until the job has ended.' }),
    completionStatus: z.enum(JOB_STATUSES),
    statusMessage: z.string().nullable(),
    team: Id,
    type: z.string(),
    createdBy: Id,
    procedure: z.string().nullable(),
    total: z.int().min(0).meta({ description: 'The number of entries; while `isCollecting`, of those found so far.' }),
    startAt: Time.nullable(),
    retryOf: Id.nullable().meta({ description: 'The job whose failed entries this one retries.' }),
    isCollecting: z.literal(true).exactOptional().meta({
      description:
        'Only there while entries are still being found, in a job for all processes that match a query: `total` grows, and no entry is processed yet.',
    }),
  })
  .meta({ id: 'BackgroundJob' })
export type JobShown = z.infer<typeof JobShown>

export const JobEntry = z
  .object({
    id: Id,
    index: z.int().min(0).meta({ description: 'The position in the request, starting at 0.' }),
    createdAt: Time,
    updatedAt: Time,
    data: z.object({ apiType: z.string(), apiData: z.looseObject({}) }),
    validationStatus: z.enum(['SUCCESS', 'ERROR']),
    validationMessage: z.string(),
    validationResult: z.unknown(),
    completionStatus: z.enum(ENTRY_STATUSES),
    completionMessage: z.string(),
    completionResult: z.unknown().meta({
      description:
        'The id of the process if the entry succeeded, otherwise the error of the corresponding single request.',
    }),
    team: Id,
    backgroundJob: Id,
    createdBy: Id,
  })
  .meta({ id: 'BackgroundJobEntry' })
export type JobEntry = z.infer<typeof JobEntry>
