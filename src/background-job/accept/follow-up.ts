import type { Statement } from '../../db/statement.ts'
import type { Scope } from '../../scope.ts'
import type { Entry } from '../entry.ts'
import { guardNobodyErased } from '../erasure/pending.ts'
import { loadPendingErasures, type PendingErasures } from '../erasure/unerased.ts'
import { type EntryKinds, getKind } from '../kind.ts'
import type { JobRow } from '../rules.ts'
import { type AcceptedJob, acceptJob, type EntrySource, FIRST_JOB, type JobDraft } from './accept-job.ts'
import { permitEntry } from './body.ts'
import type { JobRequest } from './request.ts'

/** A job that is made of the entries of another one: its retry, for example. */
export interface FollowUp extends Pick<EntrySource, 'lastGuards' | 'warnings' | 'columns'> {
  /** How it is linked to the other job. Asked for when all entries were read. */
  links: () => Partial<JobDraft>
  /** Asked for again if the first transaction fails. `erase` takes from entries what an erasure has yet to take. */
  entries: (erase: PendingErasures['erase']) => AsyncGenerator<Entry>
}

/** Nobody may have been erased between the reading of the other job's entries and the end of the acceptance. */
export function acceptFollowUp(
  scope: Scope,
  kinds: EntryKinds,
  { settings, may }: JobRequest,
  job: JobRow,
  { links, entries, lastGuards, ...followUp }: FollowUp,
): Promise<AcceptedJob> {
  let lastErasureAt: number | null = null
  return acceptJob(scope, settings, {
    ...followUp,
    draft: () => ({ ...FIRST_JOB, type: job.type, procedure: job.procedure, startAt: null, ...links() }),
    entries: async function* () {
      const erasures = await loadPendingErasures(scope, kinds, job)
      lastErasureAt = erasures.lastErasureAt
      for await (const entry of entries(erasures.erase))
        yield permitEntry(entry, getKind(kinds, entry.apiType)?.permission, may)
    },
    guards: [],
    lastGuards: (): Statement[] => [guardNobodyErased(scope.team.no, lastErasureAt), ...(lastGuards?.() ?? [])],
    queueOf: apiType => getKind(kinds, apiType)?.queue?.name,
  })
}
