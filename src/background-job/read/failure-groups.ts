import { type AppError, invalid } from '../../errors.ts'
import type { Scope } from '../../scope.ts'
import { listWords } from '../../suggest.ts'
import { FAILED_STATUSES, type FailureGroup, groupFailures } from '../failure-rules.ts'
import { hasEnded, type JobRow } from '../rules.ts'
import { listIndexes } from './entries.ts'
import { type EntryFilter, type EntryReader, listChunks, readInTurn, storedEntries } from './stored-entries.ts'
import { getFailure, toJobState, viewEntry } from './view.ts'

/** Each takes two megabytes as a rule; a hundred thousand small entries that all failed take some thirty reads. */
const READS_MAX = 100
const TIME_MS = 5_000

interface GroupedFailures {
  groups: FailureGroup[]
  /** How many failures are in them. */
  grouped: number
  /** False: there was no time for all failures, or they have too many reasons. */
  isComplete: boolean
}

/** Why entries of a job failed, the most frequent reason first; while it runs, as far as it has come. */
export async function groupJobFailures(
  { team, db }: Scope,
  archive: EntryReader['archive'],
  job: JobRow,
): Promise<GroupedFailures> {
  const state = toJobState(job)
  const stored = storedEntries({ team, archive, connection: () => db.reconnect() }, job)
  const firsts = await listChunks(stored, state, { statuses: FAILED_STATUSES })
  const failures = groupFailures()
  const endsAt = Date.now() + TIME_MS
  let [reads, left] = [0, firsts.length]
  const counted = {
    ...stored,
    read(some: readonly number[]) {
      reads += 1
      return stored.read(some)
    },
  }
  for await (const chunk of readInTurn(counted, firsts)) {
    for (const index of listIndexes(chunk)) {
      const failed = getFailure(chunk, index)
      if (!failed) continue
      const { status, result } = failed
      failures.add(status, result, () => {
        const { id, primaryKey, data } = viewEntry(team, state, chunk, index)
        const { line } = data.apiData
        return { index, id, primaryKey, line: typeof line === 'number' ? line : null, message: result.message }
      })
    }
    left -= 1
    if (reads >= READS_MAX || Date.now() > endsAt) break
  }
  const { grouped, isComplete } = failures.result()
  return { groups: failures.list(), grouped, isComplete: isComplete && left === 0 }
}

/** Throws if a job that has ended does not have a group. Where not all of its groups are known, it may. */
export async function requireGroup(
  scope: Scope,
  archive: EntryReader['archive'],
  job: JobRow,
  filter: Pick<EntryFilter, 'group' | 'statuses'>,
): Promise<void> {
  if (!hasEnded(job)) return
  const known = await groupJobFailures(scope, archive, job)
  if (known.isComplete && !known.groups.some(({ group }) => group === filter.group))
    throw noneInGroupError(job, filter, { path: '/query/group', known })
}

const GROUPS_NAMED_MAX = 10

/** The error of a request for a group that a job does not have; `known` are those that it has. */
export function noneInGroupError(
  { id }: Pick<JobRow, 'id'>,
  { group = '', statuses }: Pick<EntryFilter, 'group' | 'statuses'>,
  { path, known }: { path: string; known?: GroupedFailures },
): AppError {
  const which = statuses ? ` with ${statuses.join(' or ')}` : ''
  const message = `no failed entry of background job ${id}${which} is in the group ${JSON.stringify(group)}`
  const found = known?.groups.find(each => each.group === group)
  return invalid([{ message, path, hint: found ? listStatuses(found) : listGroups(id, known) }])
}

const listStatuses = ({ statuses }: FailureGroup): string =>
  `there it has entries with ${listWords(FAILED_STATUSES.filter(status => statuses[status] > 0))}`

function listGroups(id: string, known: GroupedFailures | undefined): string {
  if (known === undefined) return `GET /v1/ext/background-job/${id}/errors lists the groups`
  if (known.groups.length === 0) return 'none of its entries has failed'
  const names = known.groups.map(({ group }) => group)
  return `its groups are ${listWords(names, GROUPS_NAMED_MAX)}`
}
