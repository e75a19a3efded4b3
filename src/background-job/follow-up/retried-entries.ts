import { type AppError, invalid } from '../../errors.ts'
import { toFaults } from '../../http/request/faults.ts'
import type { Warning } from '../../http/response/warnings.ts'
import { isObject } from '../../http/shapes.ts'
import { quoteValue } from '../../refusal-text.ts'
import type { Scope } from '../../scope.ts'
import { type Entry, quoteRefused, toFailure } from '../entry.ts'
import { listAskedStatuses, nameGroup, type RetriedStatus } from '../failure-rules.ts'
import { type EntryKind, type EntryKinds, getKind, type ValidCorrection } from '../kind.ts'
import { withoutPlannedFailure } from '../planned-changes.ts'
import { indexesWith } from '../read/entries.ts'
import { getFailure, getStatus, type ReadChunk } from '../read/view.ts'
import type { JobRow, RetrySelection } from '../rules.ts'
import type { SenderColumn } from '../sender-columns.ts'
import type { FollowUpRequest } from './request.ts'
import { isRetriedBefore } from './retried-before.ts'
import type { EntryTaker } from './take-entries.ts'

/** What is known once the first entries were corrected. */
export interface RetryTaker {
  warnings: () => readonly Warning[]
  /** The columns that the correction of entries adds. */
  columns: () => readonly SenderColumn[]
}

/** Entries that failed, or were not run, as they were sent, or with an update. `before`: how many were taken in earlier steps. */
export function takesToRetry(
  scope: Scope,
  kinds: EntryKinds,
  job: JobRow,
  { group, statuses, update, retried = [] }: FollowUpRequest,
  before: number,
): EntryTaker & RetryTaker {
  const correct = newCorrector(scope, kinds, job, { update, before })
  const filter = { group, statuses: listAskedStatuses({ group, statuses }) }
  return {
    statuses: filter.statuses,
    warnings: correct.warnings,
    columns: correct.columns,
    async take(chunk, state, erase) {
      const taken: RetrySelection['taken'] = {}
      const stored = await erase(chunk.entries)
      const entries: Entry[] = []
      for (const index of indexesWith(state, chunk, filter)) {
        const entry = stored[index - chunk.first]
        if (!entry) continue
        const status = getStatus(state, chunk, index) as RetriedStatus
        if (isRetriedBefore(status, () => groupAt(chunk, index), retried)) continue
        taken[status] = (taken[status] ?? 0) + 1
        const { apiType, apiData, invalid: refused } = await correct(entry, index)
        const retryOf = apiData.retryOf ?? { backgroundJob: job.id, index }
        // A dry run has sent nothing.
        const isNamed = getKind(kinds, apiType)?.retriesByName && !job.isDryRun
        const named = isNamed ? { ...apiData, retryOf } : apiData
        entries.push({ apiType, apiData: withoutPlannedFailure(named), ...(refused ? { invalid: refused } : {}) })
      }
      return { entries, taken }
    },
  }
}

const sharedKeyError = (key: string): AppError =>
  invalid([
    {
      message: `${quoteValue(key)} is the primary key: one value for several entries would make one process of them`,
      path: `/body/update/data/${key}`,
      hint: 'correct the rows of the results as CSV, each with its own, and send them',
    },
  ])

function groupAt(chunk: ReadChunk, index: number): string | undefined {
  const failed = getFailure(chunk, index)
  return failed && nameGroup(failed.result)
}

/** Corrects entries by an update, and reads again those that were refused at acceptance. */
function newCorrector(
  scope: Scope,
  kinds: EntryKinds,
  job: JobRow,
  { update, before }: Pick<FollowUpRequest, 'update'> & { before: number },
) {
  const checked = new Map<string, ValidCorrection>()
  /** The entry whose primary key the update sets, by procedure. Entries may be read again. */
  const keyed = new Map<string, number>()
  const requireOneOfKey = (procedure: string, index: number): void => {
    const key = checked.get(procedure)?.key ?? null
    if (key === null) return
    const first = keyed.get(procedure) ?? index
    keyed.set(procedure, first)
    if (first !== index || before > 0) throw sharedKeyError(key)
  }
  const applyUpdate = async (
    kind: EntryKind | undefined,
    { apiType, apiData }: Entry,
    index: number,
  ): Promise<Entry['apiData']> => {
    if (update === undefined) return apiData
    if (!kind?.correction) {
      const message = `there is nothing in an entry of the kind ${apiType} that an update could be merged into`
      throw invalid([
        { message, path: '/body/update', hint: 'retry a group that has no such entries, or leave "update" out' },
      ])
    }
    const procedure = job.procedure ?? String(apiData.procedureId ?? '')
    if (!checked.has(procedure)) checked.set(procedure, await kind.correction.validate(scope, procedure, update))
    const corrected = kind.correction.apply(apiData, update)
    if (corrected !== apiData) requireOneOfKey(procedure, index)
    return corrected
  }
  const correctEntry = async (entry: Entry, index: number): Promise<Entry> => {
    const { apiType, invalid: refused } = entry
    const kind = getKind(kinds, apiType)
    const apiData = await applyUpdate(kind, entry, index)
    return refused && kind
      ? readAgain(kind, job, { apiType, apiData, invalid: refused }, apiData !== entry.apiData)
      : { apiType, apiData }
  }
  const list = () => [...checked.values()]
  const columns = () => {
    const byTarget = list().flatMap(each => each.columns.map(column => [column.target, column] as const))
    return [...new Map(byTarget).values()]
  }
  return Object.assign(correctEntry, { warnings: () => list().flatMap(({ warnings }) => warnings), columns })
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
  return { apiType, apiData, invalid: toFailure(invalid(quoteRefused(faults))) }
}

/** Where a place of an entry is in the item that it was made of. */
function inItem(apiData: Entry['apiData'], path = '/body'): string {
  const [, body, member = '', ...rest] = path.split('/')
  return isObject(apiData[member]) ? ['', body, ...rest].join('/') : path
}
