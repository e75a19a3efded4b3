import type { SQL } from 'drizzle-orm'
import type { Statement } from '../../db/statement.ts'
import type { AppError } from '../../errors.ts'
import type { Permission } from '../../permissions.ts'
import type { Scope } from '../../scope.ts'
import { type AcceptedJob, acceptJob, BULK_JOB, FIRST_JOB, type JobDraft } from '../accept/accept-job.ts'
import type { JobRequest } from '../accept/request.ts'
import { getStepSize } from '../collect/collection.ts'
import { guardNobodyErased } from '../erasure/pending.ts'
import { loadPendingErasures } from '../erasure/unerased.ts'
import { type EntryKinds, findQueueKind, getKind } from '../kind.ts'
import { storedEntries } from '../read/stored-entries.ts'
import type { JobRow, RetrySelection } from '../rules.ts'
import type { FollowUpRequest } from './request.ts'
import { addTaken, type FollowUpSource, openFollowUp, takeEntriesByChunk, takeEntriesOfStep } from './take-entries.ts'

/** How a job is made of the entries of another one: its retry, for example. */
interface FollowUp {
  request: Omit<FollowUpRequest, 'of' | 'lacks'>
  /** How it is linked to the other job. Asked for when entries were read. */
  links: (taken: RetrySelection['taken']) => Omit<Partial<JobDraft>, 'title'>
  /** What it does, for people. By default the same as the other one. */
  title?: string | null
  columns?: (taker: FollowUpSource['taker']) => SQL
  lastGuards?: () => Statement[]
  /** What is said where not one entry is taken; absent: then there is nothing to do. */
  none?: () => AppError | Promise<AppError>
  /** What is said where an entry has a queue of its own, because its effects are outside of the database. */
  queueRefusal?: AppError
}

/**
 * Accepts a job with the first entries that it takes from another one; the queue takes the others. Those of a job that was
 * scheduled by hand may be of any kinds, which decide the queue: they are all taken at once.
 *
 * Nobody may have been erased between the reading of the other job's entries and the end of the acceptance.
 */
export function acceptFollowUp(
  scope: Scope,
  kinds: EntryKinds,
  { settings, may, archive }: JobRequest,
  job: JobRow,
  { request, links, title = job.title ?? null, columns, lastGuards, none, queueRefusal }: FollowUp,
): Promise<AcceptedJob> {
  const stored: FollowUpRequest = { ...request, of: job.id, lacks: listPermissions(kinds).filter(each => !may(each)) }
  const source = storedEntries({ team: scope.team, archive, connection: () => scope.db.reconnect() }, job)
  const opened = openFollowUp(scope, kinds, { job, source, request: stored, before: 0 })
  let lastErasureAt: number | null = null
  let rest: number | null = null
  let taken: RetrySelection['taken'] = {}
  return acceptJob(
    scope,
    { settings, archive },
    {
      draft: () => ({ ...FIRST_JOB, type: job.type, procedure: job.procedure, startAt: null, title, ...links(taken) }),
      entries: async function* () {
        const erasures = await loadPendingErasures(scope, kinds, job)
        lastErasureAt = erasures.lastErasureAt
        taken = {}
        rest = null
        let count = 0
        const limits = { entriesMax: getStepSize(settings), mayGoOn: () => true }
        const pages =
          job.type === BULK_JOB
            ? [await takeEntriesOfStep(opened, erasures.erase, null, limits)]
            : takeEntriesByChunk(opened, erasures.erase, null)
        for await (const page of pages) {
          addTaken(taken, page.taken)
          rest = page.rest
          count += page.entries.length
          yield* page.entries
        }
        if (count === 0 && rest === null && none) throw await none()
      },
      guards: [],
      lastGuards: () => [guardNobodyErased(scope.team.no, lastErasureAt), ...(lastGuards?.() ?? [])],
      uncollected: () => (rest === null ? null : { collection: stored, collectedTo: rest }),
      warnings: () => opened.taker.warnings?.() ?? [],
      columns: () => columns?.(opened.taker) ?? null,
      // Where none of the first entries is of a kind with a queue of its own, the others are none either.
      getQueue: apiType => {
        const queue = getKind(kinds, apiType)?.queue?.name
        if (queue !== undefined && queueRefusal) throw queueRefusal
        return queue
      },
      ...(job.isDryRun === 1 ? {} : { queue: findQueueKind(kinds, job.queue)?.name }),
    },
  )
}

const listPermissions = (kinds: EntryKinds): Permission[] => [
  ...new Set(Object.values(kinds).map(({ permission }) => permission)),
]
