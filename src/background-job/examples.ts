import type { EventAuthor } from '../event/author.ts'
import { NOBODY_EXAMPLE } from '../event/docs.ts'
import type { ResponseDocs } from '../http/openapi/route-docs.ts'
import type { FailureGroup } from './failure-rules.ts'
import type { JobEntry, JobShown } from './schema.ts'

export type JobExample = NonNullable<ResponseDocs['example']>

export const JOB_EXAMPLE: JobShown = {
  id: '01935c1e-5a00-7008-8a9b-7c8d9eafb0c1',
  createdAt: 1795276206000,
  updatedAt: 1795276206000,
  startedAt: 1795276206000,
  completedAt: 0,
  completionStatus: 'IN_PROGRESS',
  title: 'Change Score of 1 process of Lead',
  statusMessage: 'Of 1 entry 0 succeeded, 1 to go',
  team: '01935c1e-5a00-7000-8a4b-1c2d3e4f5a6b',
  type: 'bulk_api_job',
  createdBy: '01935c1e-5a00-7005-9d7e-4f5a6b7c8d9e',
  procedure: '01935c1e-5a00-7003-9b5c-2d3e4f5a6b7c',
  total: 1,
  startAt: null,
  retryOf: null,
  dryRun: false,
  applyOf: null,
  undoOf: null,
  progress: { done: 0, total: 1, perSecond: null, etaAt: null, limitedBy: null },
}
/** Who did what a job does. */
export const RUNNER_EXAMPLE: EventAuthor = { ...NOBODY_EXAMPLE, user: JOB_EXAMPLE.createdBy, job: JOB_EXAMPLE.id }

const COUNTS = { INVALID: 0, NOT_STARTED: 1, IN_PROGRESS: 0, SUCCESS: 0, ERROR: 0, CANCELLED: 0 }
const END = {
  updatedAt: 1795276206900,
  completedAt: 1795276206900,
  progress: { ...JOB_EXAMPLE.progress, done: 1 },
}
const done: JobExample = {
  data: { ...JOB_EXAMPLE, ...END, completionStatus: 'SUCCESS', statusMessage: '1 entry succeeded' },
  meta: { bjEntryCompletionStatusVsCount: { ...COUNTS, NOT_STARTED: 0, SUCCESS: 1 } },
}
const cancelled: JobExample = {
  data: {
    ...JOB_EXAMPLE,
    ...END,
    completionStatus: 'CANCELLED',
    statusMessage: 'Cancelled: of 1 entry 0 succeeded, 1 not run',
  },
  meta: { bjEntryCompletionStatusVsCount: { ...COUNTS, NOT_STARTED: 0, CANCELLED: 1 } },
}
const ofEntries: JobExample = {
  data: { ...JOB_EXAMPLE, type: 'scheduled_job', procedure: null, title: 'Change 1 process' },
  meta: { bjEntryCompletionStatusVsCount: COUNTS },
}
const again: JobExample = {
  data: {
    ...JOB_EXAMPLE,
    id: '01935c1e-5a00-700e-8a9b-7c8d9eafb0c1',
    title: `Retry: ${JOB_EXAMPLE.title}`,
    retryOf: JOB_EXAMPLE.id,
  },
  meta: { bjEntryCompletionStatusVsCount: COUNTS },
}
const undo: JobExample = {
  data: {
    ...JOB_EXAMPLE,
    id: '01935c1e-5a00-700e-8a9b-7c8d9eafb0c2',
    title: `Undo: ${JOB_EXAMPLE.title}`,
    undoOf: JOB_EXAMPLE.id,
  },
  meta: { bjEntryCompletionStatusVsCount: COUNTS },
}
const applied: JobExample = {
  data: { ...JOB_EXAMPLE, id: '01935c1e-5a00-700f-8a9b-7c8d9eafb0c1', applyOf: JOB_EXAMPLE.id },
  meta: { bjEntryCompletionStatusVsCount: COUNTS },
}
const accepted: JobExample = { data: JOB_EXAMPLE, meta: { bjEntryCompletionStatusVsCount: COUNTS } }

export const ENTRY_EXAMPLE: JobEntry = {
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
  primaryKey: 'LEAD-7',
  completionStatus: 'SUCCESS',
  completionMessage: '',
  completionResult: { id: '01935c1e-5a00-7a3c-9d1e-6f2b8c4d0e1f', primaryKey: 'LEAD-7' },
  team: '01935c1e-5a00-7000-8a4b-1c2d3e4f5a6b',
  backgroundJob: '01935c1e-5a00-7008-8a9b-7c8d9eafb0c1',
  createdBy: '01935c1e-5a00-7005-9d7e-4f5a6b7c8d9e',
}

const FAILURE_SAMPLES = [
  {
    index: 0,
    id: '01935c1e-5a00-7009-8a9b-7c8d9eafb0c1',
    primaryKey: 'LEAD-7',
    line: null,
    message: 'process LEAD-7 not found',
  },
]

export const FAILURES_EXAMPLE: FailureGroup = {
  group: 'not_found',
  code: 'not_found',
  path: null,
  providerCode: null,
  message: 'process LEAD-7 not found',
  hint: null,
  count: 1,
  statuses: { ERROR: 1, INVALID: 0 },
  entries: FAILURE_SAMPLES,
  reasons: [{ message: 'process LEAD-7 not found', hint: null, count: 1, entries: FAILURE_SAMPLES }],
}

/** Responses of jobs, as their own requests are answered: `test/generators.check.ts` compares. */
export const JOB_EXAMPLES = { accepted, ofEntries, again, undo, applied, done, cancelled }
