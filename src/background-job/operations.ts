import { AppError, notFound } from '../errors.ts'
import type { Receipt } from '../http/idempotency/record.ts'
import type { Bytes } from '../http/route.ts'
import { taskOf } from '../kinds.ts'
import { readMessages } from '../message/bulk/entries.ts'
import { withProcedure } from '../procedure/catalogue.ts'
import type { Procedure } from '../procedure/model.ts'
import { guardDefinition } from '../procedure/stale.ts'
import { readUpdateWhere } from '../process/bulk/where.ts'
import type { Scope } from '../scope.ts'
import { acceptJob, type Draft, type Source } from './accept/accept-job.ts'
import {
  createEntries,
  handmadeEntries,
  itemsOf,
  type May,
  permitted,
  scanMembers,
  startAtOf,
  updateEntries,
} from './accept/body.ts'
import { cancelStatement, findJob, finishStatement, type JobPage, listJobRows, selectJob } from './job-rows.ts'
import { entriesOfStatus } from './read/entries.ts'
import { hasEnded, type JobRow } from './rules.ts'
import type { Settings } from './settings.ts'

const BULK_TYPE = 'bulk_api_job'
const SCHEDULED_TYPE = 'scheduled_job'

const draft = (type: string, more: Partial<Draft> = {}): Draft => ({
  type,
  procedure: null,
  startAt: null,
  retryOf: null,
  ...more,
})

export async function getJob(scope: Scope, id: string): Promise<JobRow> {
  const job = await findJob(scope, id)
  if (!job) throw notFound(`background job ${id}`)
  return job
}

export const listJobs = (scope: Scope, page: JobPage): Promise<JobRow[]> => listJobRows(scope, page)

/** What a request came with, beside its body. */
export interface Asked {
  settings: Settings
  may: May
  receipt: Receipt
}

export const bulkUpdate = (scope: Scope, reference: string, bytes: Bytes, { settings, may, receipt }: Asked) =>
  withProcedure(scope, reference, async procedure => {
    const source = {
      draft: draft(BULK_TYPE, { procedure: procedure.id }),
      entries: await updatesOf(scope, procedure, bytes, may),
      guards: [guardDefinition(procedure)],
    }
    return acceptJob(scope, settings, source, receipt)
  })

async function updatesOf(scope: Scope, procedure: Procedure, bytes: Bytes, may: May): Promise<Source['entries']> {
  const scanned = scanMembers(bytes, 'processes', ['where', 'update'])
  if (scanned.members.has('where') || scanned.members.has('update'))
    return readUpdateWhere(scope, procedure, bytes, scanned, may)
  const items = itemsOf(scanned, 'processes')
  return () => updateEntries(procedure, bytes, items, may)
}

export const bulkCreate = (scope: Scope, reference: string, bytes: Bytes, { settings, receipt }: Asked) =>
  withProcedure(scope, reference, procedure => {
    const items = itemsOf(scanMembers(bytes, 'processes'), 'processes')
    const source = {
      draft: draft(BULK_TYPE, { procedure: procedure.id }),
      entries: () => createEntries(procedure, bytes, items),
      guards: [guardDefinition(procedure)],
    }
    return acceptJob(scope, settings, source, receipt)
  })

/** One message to each of many processes. */
export const bulkSend = (
  scope: Scope,
  { plugin, procedure: reference }: { plugin: string; procedure: string },
  bytes: Bytes,
  { settings, receipt }: Asked,
) =>
  withProcedure(scope, reference, async procedure => {
    const source = {
      draft: draft(BULK_TYPE, { procedure: procedure.id }),
      entries: await readMessages(scope, procedure, plugin, bytes),
      guards: [guardDefinition(procedure)],
    }
    return acceptJob(scope, settings, source, receipt)
  })

export function schedule(scope: Scope, bytes: Bytes, { settings, may, receipt }: Asked): Promise<JobRow> {
  const scanned = scanMembers(bytes, 'entries', ['startAt'])
  const items = itemsOf(scanned, 'entries')
  const source = {
    draft: draft(SCHEDULED_TYPE, { startAt: startAtOf(bytes, scanned) }),
    entries: () => handmadeEntries(bytes, items, may),
    guards: [],
  }
  return acceptJob(scope, settings, source, receipt)
}

/** Stops what has not started; what is done stays done. A step that is under way finds out and takes no effect. */
export async function cancelJob(scope: Scope, id: string, receipt: Receipt): Promise<JobRow> {
  const job = await getJob(scope, id)
  const [team, now] = [scope.team.no, scope.now]
  const [, , found] = await scope.db.batch([
    finishStatement(team, job.no, now),
    cancelStatement(team, job.no, now),
    selectJob(team, job.no),
  ])
  const after = found?.rows[0] as unknown as JobRow
  if (after.completionStatus !== 'CANCELLED')
    throw new AppError('conflict', `background job ${id} has ended already: ${after.completionStatus}`)
  const kept = receipt.of({ json: JSON.stringify(after) })
  if (kept.length > 0) await scope.db.batch(kept)
  return after
}

/** The ERROR entries of a job that has ended, once more, as a job of its own. */
export async function retryJob(scope: Scope, id: string, { settings, may, receipt }: Asked): Promise<JobRow> {
  const job = await getJob(scope, id)
  if (!hasEnded(job))
    throw new AppError('conflict', `background job ${id} is still running; it can be retried once it has ended`)
  if (job.error === 0) throw new AppError('conflict', `background job ${id} has no entry with ERROR to retry`)
  const source = {
    draft: draft(job.type, { procedure: job.procedure, retryOf: job.id }),
    entries: async function* () {
      for await (const { apiType, apiData, index } of entriesOfStatus(scope, job, 'ERROR')) {
        const retryOf = apiData.retryOf ?? { backgroundJob: job.id, index }
        const named = taskOf(apiType)?.retriesByName ? { ...apiData, retryOf } : apiData
        yield permitted({ apiType, apiData: named }, may)
      }
    },
    guards: [],
  }
  return acceptJob(scope, settings, source, receipt)
}
