import { invalid } from '../../errors.ts'
import { toFaults } from '../../http/request/faults.ts'
import type { Warning } from '../../http/response/warnings.ts'
import { isObject } from '../../http/shapes.ts'
import type { Scope } from '../../scope.ts'
import { type Entry, quoteRefused, toFailure } from '../entry.ts'
import { FAILED_STATUSES, type RetriedStatus } from '../failure-rules.ts'
import { type EntryKind, type EntryKinds, getKind, type ValidCorrection } from '../kind.ts'
import { withoutPlannedFailure } from '../planned-changes.ts'
import { indexesWith } from '../read/entries.ts'
import { statusAt } from '../read/view.ts'
import type { JobRow, RetrySelection } from '../rules.ts'
import type { SenderColumn } from '../sender-columns.ts'
import type { FollowUpRequest } from './request.ts'
import type { EntryTaker } from './take-entries.ts'

/** What is known once the first entries were corrected. */
export interface RetryTaker {
  warnings: () => readonly Warning[]
  /** The columns that the correction of entries adds. */
  columns: () => readonly SenderColumn[]
}

/** Entries that failed, or were not run, as they were sent, or with an update. */
export function takesToRetry(
  scope: Scope,
  kinds: EntryKinds,
  job: JobRow,
  { group, statuses, update }: FollowUpRequest,
): EntryTaker & RetryTaker {
  const correct = newCorrector(scope, kinds, job, update)
  const filter = { group, statuses: statuses ?? (group === undefined ? (['ERROR'] as const) : undefined) }
  return {
    statuses: filter.statuses ?? FAILED_STATUSES,
    warnings: correct.warnings,
    columns: correct.columns,
    async take(chunk, state, erase) {
      const taken: RetrySelection['taken'] = {}
      const stored = await erase(chunk.entries)
      const entries: Entry[] = []
      for (const index of indexesWith(state, chunk, filter)) {
        const entry = stored[index - chunk.first]
        if (!entry) continue
        const status = statusAt(state, chunk, index) as RetriedStatus
        taken[status] = (taken[status] ?? 0) + 1
        const { apiType, apiData, invalid: refused } = await correct(entry)
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

/** Corrects entries by an update, and reads again those that were refused at acceptance. */
function newCorrector(scope: Scope, kinds: EntryKinds, job: JobRow, update: FollowUpRequest['update']) {
  const checked = new Map<string, ValidCorrection>()
  const applyUpdate = async (kind: EntryKind | undefined, { apiType, apiData }: Entry): Promise<Entry['apiData']> => {
    if (update === undefined) return apiData
    if (!kind?.correction) {
      const message = `there is nothing in an entry of the kind ${apiType} that an update could be merged into`
      throw invalid([
        { message, path: '/body/update', hint: 'retry a group that has no such entries, or leave "update" out' },
      ])
    }
    const procedure = job.procedure ?? String(apiData.procedureId ?? '')
    if (!checked.has(procedure)) checked.set(procedure, await kind.correction.validate(scope, procedure, update))
    return kind.correction.apply(apiData, update)
  }
  const correctEntry = async (entry: Entry): Promise<Entry> => {
    const { apiType, invalid: refused } = entry
    const kind = getKind(kinds, apiType)
    const apiData = await applyUpdate(kind, entry)
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
