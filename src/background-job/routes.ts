import type { Context } from 'hono'
import type { Db } from '../db/client.ts'
import type { AppEnv } from '../http/context.ts'
import type { StreamedBody } from '../http/request/streamed-body.ts'
import { getCompressionHeader } from '../http/response/compression.ts'
import { jsonResponse } from '../http/response/envelope.ts'
import { changeAddress, linkToNext } from '../http/response/next-page.ts'
import { route } from '../http/route.ts'
import {
  BULK_BODY_BYTES_MAX,
  JOBS,
  respondAccepted,
  respondWithJob,
  sendJobMessage,
  sendNextJobMessage,
  startJob,
  toJobRequest,
} from './accept/request.ts'
import { applyJob } from './follow-up/apply.ts'
import { retryJob } from './follow-up/retry.ts'
import { undoJob } from './follow-up/undo.ts'
import type { EntryKinds } from './kind.ts'
import { cancelJob, getJob, readJob, reportJob, scheduleJob } from './operations.ts'
import { readEntriesPage } from './read/entries.ts'
import { streamEvents } from './read/events.ts'
import { groupJobFailures, requireGroup } from './read/failure-groups.ts'
import { countJobRows, listJobs, type NameChecks } from './read/list.ts'
import { csvFormat, isCsvPreferred, NDJSON, streamResults } from './read/results.ts'
import { viewJob } from './read/view.ts'
import type { JobRow } from './rules.ts'
import { getProgress, reportProgress } from './run/report-progress.ts'
import { DryRunQuery, EntriesQuery, FailuresQuery, JobPath, JobsQuery, ResultsQuery, RetryBody } from './schema.ts'
import { loadColumns } from './sender-columns.ts'
import { readJobSettings } from './settings.ts'

const JOB = `${JOBS}/:backgroundJobId`

/** A stream outlives the time limit of its request: each of its reads has a connection of its own. */
const connection = (c: Context<AppEnv>) => (): Db => c.var.db.reconnect()

/** The registry of `src/kinds.ts`. */
type GetKinds = (env: Env) => EntryKinds

export const scheduleRoutes = (getKinds: GetKinds) => [
  route<unknown, DryRunQuery, StreamedBody, JobRow, 'scheduleJob'>({
    id: 'scheduleJob',
    method: 'post',
    path: JOBS,
    summary: 'Schedule a job',
    permission: 'job:write',
    query: DryRunQuery,
    bodyAs: 'json stream',
    bodyBytesMax: BULK_BODY_BYTES_MAX,
    perform: ({ c, scope, query, body }) =>
      startJob(c, scope, scheduleJob(scope, getKinds(c.env), body, toJobRequest(c, query))),
    respond: respondAccepted,
  }),
]

export const backgroundJobRoutes = (getKinds: GetKinds, known: NameChecks) => [
  route({
    id: 'listJobs',
    method: 'get',
    path: JOBS,
    summary: 'List jobs',
    permission: 'job:read',
    query: JobsQuery,
    perform: async ({ c, scope, query }) => {
      const { jobs, cursor } = await listJobs(scope, readJobSettings(c.env), query, known)
      return { jobs, next: cursor === null ? null : changeAddress(c, { limit: query.limit, cursor, skip: null }) }
    },
    respond: ({ jobs, next }, { c, scope }) =>
      jsonResponse(
        200,
        jobs.map(job => viewJob(scope.team, job)),
        { meta: { hasMore: next !== null, next }, headers: linkToNext(c, next) },
      ),
  }),
  route({
    id: 'getJob',
    method: 'get',
    path: JOB,
    summary: 'Fetch a job',
    permission: 'job:read',
    params: JobPath,
    perform: ({ c, scope, params }) =>
      reportJob(scope, getKinds(c.env), readJobSettings(c.env), params.backgroundJobId),
    respond: ({ job, meta }, { scope }) => respondWithJob(200, job, scope, meta),
  }),
  route({
    id: 'listJobEntries',
    method: 'get',
    path: `${JOB}/entries`,
    summary: 'List the entries of a job',
    permission: 'job:read',
    params: JobPath,
    query: EntriesQuery,
    perform: ({ c, scope, params, query }) => readEntriesPage(scope, c.env.ARCHIVE, params.backgroundJobId, query),
    respond: ({ entries, total, next }, { c }) =>
      jsonResponse(200, entries, { meta: { hasMore: next !== null, total, next }, headers: linkToNext(c, next) }),
  }),
  route({
    id: 'getJobResults',
    method: 'get',
    path: `${JOB}/results`,
    summary: 'Download the results of a job',
    permission: 'job:read',
    params: JobPath,
    query: ResultsQuery,
    perform: async ({ c, scope, params, query: { completionStatus, group, fromIndex } }) => {
      const job = await getJob(scope, params.backgroundJobId)
      const filter = { group, statuses: completionStatus && [completionStatus], from: fromIndex }
      const loadFormat = async () => csvFormat(getKinds(c.env), job, await loadColumns(scope, job.no))
      const format = isCsvPreferred(c.req.header('accept')) ? await loadFormat() : NDJSON
      const reader = { team: scope.team, connection: connection(c), archive: c.env.ARCHIVE }
      const requireFilteredGroup = () => requireGroup(scope, c.env.ARCHIVE, job, filter)
      return new Response(await streamResults(reader, job, format, filter, requireFilteredGroup), {
        headers: {
          'content-type': format.type,
          'content-disposition': `attachment; filename="${job.id}.${format.extension}"`,
          vary: 'accept, accept-encoding',
          ...getCompressionHeader(c.req.raw),
        },
      })
    },
    respond: stream => stream,
  }),
  route({
    id: 'listJobErrors',
    method: 'get',
    path: `${JOB}/errors`,
    summary: 'List the errors of a job',
    permission: 'job:read',
    params: JobPath,
    query: FailuresQuery,
    perform: async ({ c, scope, params, query: { skip, limit } }) => {
      const job = await getJob(scope, params.backgroundJobId)
      const { groups, grouped, isComplete } = await groupJobFailures(scope, c.env.ARCHIVE, job)
      const end = skip + limit
      const next = end < groups.length ? changeAddress(c, { skip: end, limit }) : null
      const meta = { hasMore: next !== null, next, total: groups.length, failed: job.error + job.invalid }
      return { groups: groups.slice(skip, end), meta: { ...meta, grouped, isComplete } }
    },
    respond: ({ groups, meta }, { c }) => jsonResponse(200, groups, { meta, headers: linkToNext(c, meta.next) }),
  }),
  route({
    id: 'watchJob',
    method: 'get',
    path: `${JOB}/events`,
    summary: 'Watch a job',
    permission: 'job:read',
    params: JobPath,
    perform: async ({ c, scope, params }) => {
      const job = await readJob(scope, readJobSettings(c.env), params.backgroundJobId)
      const { isStillAuthorized, withPermit } = c.var
      const watched = { env: c.env, connection: connection(c), scope, isStillAuthorized, withPermit }
      return new Response(await streamEvents(watched, job), {
        headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-store' },
      })
    },
    respond: stream => stream,
  }),
  route({
    id: 'cancelJob',
    method: 'post',
    path: `${JOB}/cancel`,
    summary: 'Cancel a job',
    permission: 'job:write',
    isBeyondAllowance: true,
    params: JobPath,
    perform: async ({ c, scope, params }) => {
      // A runner has to see to what is outstanding.
      const job = await cancelJob(scope, params.backgroundJobId)
      sendJobMessage(c, scope, job)
      sendNextJobMessage(c, scope, job)
      const progress = () => getProgress(c.env, scope.team.no, job.no)
      c.executionCtx.waitUntil(reportProgress(readJobSettings(c.env), progress, { team: scope.team, job }))
      return job
    },
    respond: (job, { scope }) => respondWithJob(200, job, scope),
  }),
  route({
    id: 'applyJob',
    method: 'post',
    path: `${JOB}/apply`,
    summary: 'Apply a dry run',
    permission: 'job:write',
    params: JobPath,
    perform: ({ c, scope, params }) =>
      startJob(c, scope, applyJob(scope, getKinds(c.env), params.backgroundJobId, toJobRequest(c))),
    respond: respondAccepted,
  }),
  route({
    id: 'retryJob',
    method: 'post',
    path: `${JOB}/retry`,
    body: RetryBody,
    isBodyOptional: true,
    summary: 'Retry the failed entries',
    permission: 'job:write',
    params: JobPath,
    perform: ({ c, scope, params, body }) =>
      startJob(c, scope, retryJob(scope, getKinds(c.env), params.backgroundJobId, body, toJobRequest(c))),
    respond: respondAccepted,
  }),
  route({
    id: 'undoJob',
    unknownParameterHint:
      'an undo has no dry run: it leaves what somebody has changed since, lists that, and can be undone itself',
    method: 'post',
    path: `${JOB}/undo`,
    summary: 'Undo a job',
    permission: 'job:write',
    params: JobPath,
    perform: ({ c, scope, params }) =>
      startJob(c, scope, undoJob(scope, getKinds(c.env), params.backgroundJobId, toJobRequest(c))),
    respond: respondAccepted,
  }),
]

/** To stand before the route that takes the id of a job in this place. */
export const jobCountRoutes = [
  route({
    id: 'countJobs',
    method: 'get',
    path: '/v1/ext/background-job/count',
    summary: 'Count jobs',
    permission: 'job:read',
    perform: ({ scope }) => countJobRows(scope),
    respond: ({ counts, isComplete }) => jsonResponse(200, counts, { meta: { isComplete } }),
  }),
]
