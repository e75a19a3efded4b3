import { AppError, invalid } from '../errors.ts'
import { toFaults } from '../http/request/faults.ts'
import type { Warning } from '../http/response/warnings.ts'
import { isObject } from '../http/shapes.ts'
import type { Scope } from '../scope.ts'
import type { AcceptedJob } from './accept/accept-job.ts'
import { acceptFollowUp } from './accept/follow-up.ts'
import type { JobRequest } from './accept/request.ts'
import { type Entry, toFailure } from './entry.ts'
import type { FailedStatus } from './failure-rules.ts'
import { type EntryKind, type EntryKinds, findQueueKind, getKind } from './kind.ts'
import { readRestoredAt } from './maintenance/interrupt.ts'
import { getJob } from './operations.ts'
import { withoutPlannedFailure } from './planned-changes.ts'
import { entriesWith } from './read/entries.ts'
import { copyColumns } from './result-columns.ts'
import { countEntries, hasEnded, type JobRow, type RetrySelection } from './rules.ts'
import type { RetryBody } from './schema.ts'

/** Failed entries of a job that has ended, once more, as a job of its own: as they were sent, or with an update. */
export async function retryJob(
  scope: Scope,
  kinds: EntryKinds,
  id: string,
  body: RetryBody,
  request: JobRequest,
): Promise<AcceptedJob> {
  const job = await getJob(scope, id)
  const { group, update } = body
  const statuses = body.statuses ?? (group === undefined ? ['ERROR'] : undefined)
  await requireRetryable(scope, kinds, job, body)
  const correct = newCorrector(scope, kinds, job, update)
  let taken: RetrySelection['taken'] = {}
  return acceptFollowUp(scope, kinds, request, job, {
    columns: () => copyColumns(scope.team.no, job.no, correct.names()),
    links: () => ({
      retryOf: job.id,
      firstJob: job.firstJob ?? job.id,
      retrySelection: JSON.stringify({ group: group ?? null, taken } satisfies RetrySelection),
      // What a retry of an undo takes back is of the same job.
      undoOf: job.undoOf,
      isDryRun: Boolean(job.isDryRun),
    }),
    entries: async function* (erase) {
      taken = {}
      const failures = entriesWith(scope, request.archive, job, { group, statuses, erase })
      for await (const { index, status, ...entry } of failures) {
        const failed = status as FailedStatus
        taken[failed] = (taken[failed] ?? 0) + 1
        const { apiType, apiData, invalid: refused } = await correct(entry)
        const retryOf = apiData.retryOf ?? { backgroundJob: job.id, index }
        // A dry run has sent nothing.
        const isNamed = getKind(kinds, apiType)?.retriesByName && !job.isDryRun
        const named = isNamed ? { ...apiData, retryOf } : apiData
        yield { apiType, apiData: withoutPlannedFailure(named), ...(refused ? { invalid: refused } : {}) }
      }
      if (Object.keys(taken).length === 0) throw noneInGroup(job, body)
    },
    warnings: correct.warnings,
  })
}

async function requireRetryable(
  scope: Scope,
  kinds: EntryKinds,
  job: JobRow,
  { group, statuses = ['ERROR'] }: RetryBody,
): Promise<void> {
  const { id } = job
  if (!hasEnded(job))
    throw new AppError('conflict', `background job ${id} is still running; it can be retried once it has ended`)
  const counts = countEntries(job)
  if (group === undefined && statuses.every(status => counts[status] === 0))
    throw new AppError('conflict', `background job ${id} has no entry with ${statuses.join(' or ')} to retry`)
  if (findQueueKind(kinds, job.queue) && job.completedAt <= (await readRestoredAt(scope.db)))
    throw new AppError(
      'conflict',
      `the database was restored after background job ${id} had ended: whether its failed entries were sent since is not known, so they are not sent again`,
    )
}

function noneInGroup({ id }: JobRow, { group = '', statuses }: RetryBody): AppError {
  const which = statuses ? ` with ${statuses.join(' or ')}` : ''
  const message = `no failed entry of background job ${id}${which} is in the group ${JSON.stringify(group)}`
  const hint = `GET /v1/ext/background-job/${id}/errors lists the groups`
  return invalid([{ message, path: '/body/group', hint }])
}

/** Merges an update into entries, and reads again those that were refused at acceptance. */
function newCorrector(scope: Scope, kinds: EntryKinds, job: JobRow, update: RetryBody['update']) {
  const checked = new Map<string, readonly Warning[]>()
  const names = new Set<string>()
  const merge = async (kind: EntryKind | undefined, { apiType, apiData }: Entry): Promise<Entry['apiData']> => {
    if (update === undefined) return apiData
    if (!kind?.withUpdate) {
      const message = `there is nothing in an entry of the kind ${apiType} that an update could be merged into`
      throw invalid([
        { message, path: '/body/update', hint: 'retry a group that has no such entries, or leave "update" out' },
      ])
    }
    const procedure = job.procedure ?? String(apiData.procedureId ?? '')
    if (!checked.has(procedure)) checked.set(procedure, await kind.withUpdate.require(scope, procedure, update))
    for (const name of kind.withUpdate.listNames(update)) names.add(name)
    return kind.withUpdate.merge(apiData, update)
  }
  const correct = async (entry: Entry): Promise<Entry> => {
    const { apiType, invalid: refused } = entry
    const kind = getKind(kinds, apiType)
    const apiData = await merge(kind, entry)
    return refused && kind
      ? readAgain(kind, job, { apiType, apiData, invalid: refused }, apiData !== entry.apiData)
      : { apiType, apiData }
  }
  const warnings = () => [...checked.values()].flat()
  return Object.assign(correct, { warnings, names: () => [...names] })
}

/**
 * An entry that was refused at acceptance is read again by the form of its kind; all else is looked at when it is run. One
 * of which not all was kept stays as it is, and one whose form is as wrong as before keeps what was said of it.
 */
function readAgain(kind: EntryKind, { procedure }: JobRow, entry: Entry, isChanged: boolean): Entry {
  const { apiType, apiData } = entry
  const { retryOf, line, ...sent } = apiData
  const read = kind.schema?.safeParse(
    { ...(procedure === null ? {} : { procedureId: procedure }), ...sent },
    { reportInput: true },
  )
  if (read === undefined) return entry
  if (read.success) {
    const { procedureId, ...rest } = read.data as Entry['apiData']
    const named = { ...(line === undefined ? {} : { line }), ...(retryOf === undefined ? {} : { retryOf }) }
    return { apiType, apiData: { ...(procedure === null ? { procedureId } : {}), ...rest, ...named } }
  }
  if (!isChanged) return entry
  const faults = toFaults('body', read.error.issues).map(fault => ({ ...fault, path: inItem(apiData, fault.path) }))
  return { apiType, apiData, invalid: toFailure(invalid(faults)) }
}

/** Where a place of an entry is in the item that it was made of. */
function inItem(apiData: Entry['apiData'], path = '/body'): string {
  const [, body, member = '', ...rest] = path.split('/')
  return isObject(apiData[member]) ? ['', body, ...rest].join('/') : path
}
