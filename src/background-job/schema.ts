import { z } from 'zod'

export const JOB_STATUSES = ['NOT_STARTED', 'IN_PROGRESS', 'SUCCESS', 'ERROR', 'CANCELLED'] as const
export type JobStatus = (typeof JOB_STATUSES)[number]

export const ENTRY_STATUSES = ['INVALID', 'NOT_STARTED', 'IN_PROGRESS', 'SUCCESS', 'ERROR', 'CANCELLED'] as const
export type EntryStatus = (typeof ENTRY_STATUSES)[number]

export const API_TYPES = ['PROCESS_UPDATE', 'PROCESS_CREATE', 'PROCESS_DELETE', 'TEMPLATE_MESSAGE'] as const
export type ApiType = (typeof API_TYPES)[number]

export const PAGE_MAX = 100
/** Beyond this, a page by `skip` costs more than anybody wants to wait for. */
const SKIP_MAX = 10_000_000

const whole = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, { error: 'must be a whole number' })
    .transform(Number)
    .pipe(z.number().min(min).max(max))

export const JobPath = z.object({ backgroundJobId: z.string() })

export const EntriesQuery = z.strictObject({
  completionStatus: z.enum(ENTRY_STATUSES).optional(),
  limit: whole(1, PAGE_MAX).default(PAGE_MAX),
  skip: whole(0, SKIP_MAX).default(0),
})
export type EntriesQuery = z.output<typeof EntriesQuery>

export const ResultsQuery = z.strictObject({ completionStatus: z.enum(ENTRY_STATUSES).optional() })

export const JobsQuery = z.strictObject({
  completionStatus: z.enum(JOB_STATUSES).optional(),
  limit: whole(1, PAGE_MAX).default(PAGE_MAX),
  skip: whole(0, SKIP_MAX).default(0),
  cursor: z.string().max(100).optional(),
})
export type JobsQuery = z.output<typeof JobsQuery>
