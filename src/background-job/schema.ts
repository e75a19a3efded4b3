import * as z from 'zod'
import { LIST_LIMIT_MAX, limitQuery, SkipQuery } from '../http/request/paging.ts'
import { EpochMs, Id, Time } from '../http/shapes.ts'
import { RETRIED_STATUSES } from './failure-rules.ts'

/**
 * A job:
 *
 *     accepted ──┬──► IN_PROGRESS ──┬──► SUCCESS    every entry is SUCCESS
 *                │         ▲        ├──► ERROR      an entry is ERROR or INVALID
 *                │      startAt     └──► CANCELLED  by a user or a restore, or not all entries could be collected
 *                └──► NOT_STARTED ─────► CANCELLED
 */
export const JOB_STATUSES = ['NOT_STARTED', 'IN_PROGRESS', 'SUCCESS', 'ERROR', 'CANCELLED'] as const
export type JobStatus = (typeof JOB_STATUSES)[number]

/**
 * An entry:
 *
 *     accepted ──┬──► NOT_STARTED ──┬──► SUCCESS      it took effect
 *                │                  ├──► ERROR        it could not be done, for example because of a conflict
 *                ▼                  ├──► INVALID      the rules refuse it
 *             INVALID               ├──► CANCELLED    with its job
 *                                   └──► IN_PROGRESS  its step is next, or its message was claimed or delayed;
 *                                                     it ends as SUCCESS, ERROR, INVALID or CANCELLED
 */
export const ENTRY_STATUSES = ['INVALID', 'NOT_STARTED', 'IN_PROGRESS', 'SUCCESS', 'ERROR', 'CANCELLED'] as const
export type EntryStatus = (typeof ENTRY_STATUSES)[number]

/** More than the entries of any job: the chunks that are skipped are counted, not read. */
const ENTRIES_SKIP_MAX = 10_000_000

const FAILURES_LIMIT = 20

const whole = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, { error: 'must be a whole number' })
    .transform(Number)
    .pipe(z.number().min(min).max(max))
    .meta({ type: 'integer', minimum: min, maximum: max, pattern: undefined })

const Limit = whole(1, LIST_LIMIT_MAX)
  .default(LIST_LIMIT_MAX)
  .meta({ description: 'How many to return at most.', examples: [20] })
const EntriesSkip = whole(0, ENTRIES_SKIP_MAX)
  .default(0)
  .meta({ description: 'How many to skip.', examples: [20] })
const OfStatus = z
  .enum(ENTRY_STATUSES)
  .optional()
  .meta({ description: 'Only entries with this status.', examples: ['ERROR'] })

export const JobPath = z.object({
  backgroundJobId: z
    .string()
    .meta({ description: 'The id of the job.', examples: ['01935c1e-5a00-7008-8a9b-7c8d9eafb0c1'] }),
})

export const DryRunQuery = z.object({
  dryRun: z
    .enum(['true', 'false'])
    .optional()
    .meta({
      description:
        'With `true` the job changes nothing: its entries end as they would, and tell what they would change. It can be applied then.',
      examples: ['true'],
    }),
})
export type DryRunQuery = z.output<typeof DryRunQuery>

export const EntriesQuery = z.strictObject({
  completionStatus: OfStatus,
  limit: Limit,
  skip: EntriesSkip,
})
export type EntriesQuery = z.output<typeof EntriesQuery>

export const FailuresQuery = z.strictObject({ limit: limitQuery(FAILURES_LIMIT), skip: SkipQuery })
export type FailuresQuery = z.output<typeof FailuresQuery>

/** A code and a place, which is as long as the name of an attribute may be. */
const GROUP_LENGTH_MAX = 2_000
const FailureGroupName = z.string().min(1).max(GROUP_LENGTH_MAX)

export const RetryBody = z.strictObject({
  group: FailureGroupName.exactOptional().meta({
    description: 'Only entries that failed for this reason: the `group` of one of `…/errors`. The default is all.',
    examples: ['not_found'],
  }),
  statuses: z
    .array(z.enum(RETRIED_STATUSES))
    .min(1)
    .exactOptional()
    .meta({
      description:
        'Only entries with one of these statuses. The default is ERROR; with a `group`, ERROR and INVALID. INVALID entries are read and checked again. CANCELLED are those that a cancelled job has not run; one retry takes them.',
      examples: [['ERROR', 'INVALID']],
    }),
  update: z
    .looseObject({})
    .exactOptional()
    .meta({
      description:
        'Is merged into each entry, with the fields of an update: `data` member by member, where `null` takes a member out of the entry; the other fields replace those of the entry.',
      examples: [{ data: { score: 40 } }],
    }),
})
export type RetryBody = z.output<typeof RetryBody>

export const ResultsQuery = z.strictObject({
  completionStatus: OfStatus,
  group: FailureGroupName.optional().meta({
    description: 'Only entries that failed for this reason: the `group` of one of `…/errors`.',
    examples: ['not_found'],
  }),
  fromIndex: whole(0, ENTRIES_SKIP_MAX)
    .default(0)
    .meta({
      description: 'Only entries with this `index` or a later one: what a download that broke off lacks.',
      examples: [20],
    }),
})

const ofId = (noun: string) =>
  z
    .uuid({ error: `must be the id of a ${noun} (a UUID)` })
    .transform(id => id.toLowerCase())
    .exactOptional()

/** Filters that no index finds jobs by. */
const PASSING = ['createdBy', 'procedure', 'retryOf'] as const

export const JobsQuery = z
  .strictObject({
    completionStatus: z
      .enum(JOB_STATUSES)
      .optional()
      .meta({ description: 'Only jobs with this status.', examples: ['IN_PROGRESS'] }),
    createdBy: ofId('user').meta({
      description: 'Only jobs of this user.',
      examples: ['01935c1e-5a00-7003-8a9b-7c8d9eafb0c1'],
    }),
    procedure: ofId('procedure').meta({
      description: 'Only jobs all of whose entries are about this procedure: its id.',
      examples: ['01935c1e-5a00-7005-8a9b-7c8d9eafb0c1'],
    }),
    retryOf: ofId('job').meta({
      description: 'Only jobs that retry the failed entries of this one.',
      examples: ['01935c1e-5a00-7008-8a9b-7c8d9eafb0c1'],
    }),
    from: EpochMs.exactOptional().meta({
      description: 'Only jobs that were created from this time on.',
      examples: ['2026-11-01T00:00:00Z'],
    }),
    to: EpochMs.exactOptional().meta({
      description: 'Only jobs that were created before this time.',
      examples: ['2026-12-01T00:00:00Z'],
    }),
    limit: Limit,
    skip: SkipQuery,
    cursor: z
      .string()
      .max(100)
      .optional()
      .meta({
        description: 'Where the page starts. `_meta.next` of the previous page is an address that has it.',
        examples: ['3rd'],
      }),
  })
  .superRefine((query, ctx) => {
    if (query.skip > 0 && PASSING.some(name => query[name] !== undefined))
      ctx.addIssue({
        code: 'custom',
        path: ['skip'],
        message: `a list by ${PASSING.join(', ')} has no skip; send the cursor`,
      })
  })
export type JobsQuery = z.output<typeof JobsQuery>

/** What a job that has not ended waits for. */
const LIMITS = ['schedule', 'team-share', 'paused', 'sender-pace', 'provider'] as const

const JobProgress = z
  .object({
    done: z.int().min(0).describe('How many entries have ended, in whatever way.'),
    total: z.int().min(0).describe('How many entries there are.'),
    perSecond: z
      .number()
      .nullable()
      .describe('How many entries ended in a second, on average; null before there is a basis, and after the end.'),
    etaAt: Time.nullable().describe(
      'When the job will have ended if it goes on like that; null where that is not known.',
    ),
    limitedBy: z
      .enum(LIMITS)
      .nullable()
      .describe(
        'What holds it up: its `startAt`, other jobs of the team that were started before it, the pause that `pausedBecause` tells of, the pace that its sender number has, or the provider, who has put messages off. Null: nothing that is known.',
      ),
  })
  .meta({ id: 'JobProgress', description: 'How far a job is.' })
export type JobProgress = z.infer<typeof JobProgress>

export const JobShown = z
  .object({
    id: Id.describe('The id of the job.'),
    createdAt: Time,
    updatedAt: Time,
    startedAt: Time,
    completedAt: Time.meta({ description: 'Epoch milliseconds; 0 until the job has ended.' }),
    completionStatus: z
      .enum(JOB_STATUSES)
      .describe('SUCCESS if every entry succeeded, ERROR if one is INVALID or ERROR.'),
    title: z
      .string()
      .describe(
        'What the job does, in a line for people: `Assignee → Meera on 125 processes of Enquiry`. Names are as they were when it was accepted. Free text of its entries is not in it.',
      ),
    statusMessage: z.string().nullable().describe('What the job has done, as a sentence; null before it has started.'),
    team: Id.describe('The id of the team.'),
    type: z.string().describe('Always `bulk_api_job`.'),
    createdBy: Id.describe('The id of the user who created it.'),
    procedure: z.string().nullable().describe('The id of the procedure; null if its entries name theirs.'),
    total: z.int().min(0).meta({ description: 'The number of entries; while `isCollecting`, of those found so far.' }),
    startAt: Time.nullable().describe('When the job is to start, in epoch milliseconds; null if it started at once.'),
    retryOf: Id.nullable().meta({
      description: 'The job whose failed entries this one retries; null if it is no retry.',
    }),
    dryRun: z.boolean().describe('Whether it only says what it would do, and changes nothing.'),
    applyOf: Id.nullable().describe('The dry run whose entries this job applies; null if it applies none.'),
    undoOf: Id.nullable().describe('The job whose changes this one takes back; null if it takes back none.'),
    progress: JobProgress,
    isCollecting: z.literal(true).exactOptional().meta({
      description:
        'Only there while entries are still being found, in a job for all processes that match a query, or in a retry, an undo or the application of a large job: `total` grows, and no entry is processed yet.',
    }),
    pausedBecause: z
      .string()
      .exactOptional()
      .meta({ description: 'Only there while the job waits for something that has to work again: what it is.' }),
  })
  .meta({ id: 'BackgroundJob' })
export type JobShown = z.infer<typeof JobShown>

const count = (which: string) => z.int().min(0).describe(`Entries that are ${which}.`)
const OF_STATUS: Record<EntryStatus, z.ZodInt> = {
  INVALID: count('malformed, and not processed'),
  NOT_STARTED: count('not started'),
  IN_PROGRESS: count('begun, such as a message that waits for its turn'),
  SUCCESS: count('successful'),
  ERROR: count('failed'),
  CANCELLED: count('cancelled before they started'),
}
export const EntryCountsShown = z.object(OF_STATUS).meta({
  id: 'EntryCounts',
  description: 'The number of entries in each status. They always add up to the number of entries.',
})

export const RetriesShown = z
  .object({
    jobs: z.int().min(1).describe('How many jobs retried this one, or one of its retries.'),
    entries: z.int().min(0).describe('How many entries of this job were retried.'),
    newest: Id.describe('The id of the last of these jobs.'),
    succeeded: z.int().min(0).describe('How many entries of these jobs succeeded.'),
    undoFirst: z
      .array(Id)
      .describe(
        'The ids of those of these jobs that an undo takes something back of, newest first: an undo of this job leaves what they have done. Whoever wants all back undoes them in this order, and this job last.',
      ),
    bjEntryCompletionStatusVsCount: EntryCountsShown.exactOptional().describe(
      'The entries of this job, each with what its newest try came to. Not there where a later retry took a part of the entries of an earlier one: their counts do not tell it.',
    ),
  })
  .meta({ id: 'JobRetries', description: 'What the retries of a job came to. Only there if it was retried.' })

export const JobEntry = z
  .object({
    id: Id.describe('The id of the entry.'),
    index: z.int().min(0).meta({ description: 'The position in the request, starting at 0.' }),
    createdAt: Time,
    updatedAt: Time,
    data: z
      .object({
        apiType: z.string().describe('What the entry does, such as `PROCESS_UPDATE`.'),
        apiData: z.looseObject({}).describe('The process, and what is changed or sent.'),
      })
      .describe('What was asked for.'),
    validationStatus: z
      .enum(['SUCCESS', 'ERROR'])
      .describe('Whether the entry was well-formed when the job was accepted.'),
    validationMessage: z.string().describe('What is wrong with it; empty if nothing is.'),
    validationResult: z.unknown().describe('The same for programs; null if nothing is wrong.'),
    primaryKey: z
      .string()
      .nullable()
      .describe('The primary key of its process, where one is known: as it was named, or as it was found.'),
    completionStatus: z.enum(ENTRY_STATUSES).describe('What became of the entry.'),
    completionMessage: z.string().describe('Why the entry failed; empty if it did not.'),
    completionResult: z.unknown().meta({
      description:
        'The id and primary key of the process if the entry succeeded, and `unchanged: true` if there was nothing to change; in a dry run with `changes`; otherwise the error of the corresponding single request, with both where there is such a process. An entry of an undo that is left because of `changed_since`, or because the definition no longer holds a former value, has in `changes` what it would have put back, of fields that nobody has changed since (`from` is the present value, `to` the former one), and in `overwritten` the same of the others.',
    }),
    team: Id.describe('The id of the team.'),
    backgroundJob: Id.describe('The id of the job.'),
    createdBy: Id.describe('The id of the user who created the job.'),
  })
  .meta({ id: 'BackgroundJobEntry' })
export type JobEntry = z.infer<typeof JobEntry>

const FAILURE_HINT = z
  .string()
  .nullable()
  .describe('How to correct it, if that is plain, and the same for all of them.')
const FAILURE_SAMPLES = z.array(
  z.object({
    index: z.int().min(0).describe('The position in the request, starting at 0.'),
    id: Id.describe('The id of the entry.'),
    primaryKey: z.string().nullable().describe('The primary key of its process, where one is known.'),
    line: z.int().min(1).nullable().describe('Its line in the body, if that was a table or lines of JSON.'),
    message: z.string().describe('What is wrong with it.'),
  }),
)

export const JobFailures = z
  .object({
    group: z.string().describe('Names the group in the body of a retry. To be sent as it is.'),
    code: z.string().describe('The error code that its entries have in common.'),
    path: z
      .string()
      .nullable()
      .meta({
        description:
          'The place of the error in an item, which its entries have in common: a JSON Pointer with `*` for any position of a list. Null if the error is about the whole.',
        examples: ['/body/data/score'],
      }),
    providerCode: z.int().nullable().describe("The provider's code, if it refused the messages; otherwise null."),
    message: z
      .string()
      .describe(
        'What is wrong with its entries: where their messages differ in some words, these are left out as `…`.',
      ),
    hint: FAILURE_HINT,
    count: z.int().min(1).describe('How many entries are in the group.'),
    statuses: z
      .object({
        ERROR: z.int().min(0).describe('How many of them failed when they were processed.'),
        INVALID: z.int().min(0).describe('How many of them were malformed.'),
      })
      .describe('How many of them have which status.'),
    entries: FAILURE_SAMPLES.describe('The first of its entries.'),
    reasons: z
      .array(
        z.object({
          message: z.string().describe('What is wrong with these entries, with `…` where their messages differ.'),
          hint: FAILURE_HINT,
          count: z.int().min(1).describe('How many entries say so.'),
          entries: FAILURE_SAMPLES.describe('The first three of them.'),
        }),
      )
      .describe(
        'The different things that are wrong at the same place, the most frequent first: one as a rule. At most ten are told apart.',
      ),
  })
  .meta({ id: 'JobFailures', description: 'Entries that failed for the same reason.' })
