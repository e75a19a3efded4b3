import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import type { BackgroundJob, BackgroundJobEntry, EntryCounts, JobFailures } from 'caseworker'
import { createJobsClient } from 'caseworker/jobs'
import { useState } from 'react'
import { useChange } from '../api/change.ts'
import { call } from '../api/client.ts'
import { useConfig, useMay } from '../api/me.ts'
import { createFaultText, type FaultText } from '../parts/attribute/fault-text.ts'
import { isOver } from '../parts/background-job/statuses.ts'
import { Button } from '../parts/button.tsx'
import { Question } from '../parts/dialog.tsx'
import { Card } from '../parts/page.tsx'
import { Loaded } from '../parts/states.tsx'
import { howMany } from '../parts/text/number-text.ts'

interface FailureGroupsProps {
  job: BackgroundJob
  counts: EntryCounts
}

/** Shows why entries failed, by reason and with an example; each leads to its entries, and can be retried. */
export function FailureGroups({ job, counts }: FailureGroupsProps) {
  const { id: jobId } = job
  const words = useAttributeWords(job.procedure)
  const mayRetry = useMay()('job:write') && isOver(job)
  const query = useFailureGroups(jobId, counts)
  return (
    <Card title="Why entries failed">
      <Loaded query={query} lines={2}>
        {({ data: groups, meta }) => (
          <>
            <ul className="flex flex-col gap-0.5">
              {groups.map(({ group, code, reasons, statuses, count }) => (
                <li key={group} className="flex items-baseline gap-2">
                  <Link
                    to="/background-job/$jobId"
                    params={{ jobId }}
                    search={{ entries: statuses.ERROR > 0 ? 'ERROR' : 'INVALID', why: group }}
                    hash="entries"
                    className="-mx-2 flex min-w-0 flex-1 items-baseline gap-3 rounded-md px-2 py-1 hover:bg-hover"
                  >
                    <b className="min-w-12 text-right font-semibold">{count.toLocaleString()}</b>
                    <span className="min-w-0 break-words">
                      <Reasons reasons={reasons} words={words} />{' '}
                      {code && <code className="text-xs text-ink-2">{code}</code>}
                    </span>
                  </Link>
                  {mayRetry && <RetryGroup jobId={jobId} group={group} count={count} />}
                </li>
              ))}
            </ul>
            {meta.hasMore && <p className="mt-2 text-[13px] text-ink-2">{`And ${more(meta.total)}.`}</p>}
            {!meta.isComplete && (
              <p className="mt-2 text-[13px] text-ink-2">{`Of the first ${meta.grouped.toLocaleString()} failures.`}</p>
            )}
          </>
        )}
      </Loaded>
    </Card>
  )
}

/** What is wrong with the entries of a group: a sentence, or several with their counts. */
function Reasons({ reasons, words }: { reasons: JobFailures['reasons']; words: FaultText }) {
  const [only, ...others] = reasons
  if (only && others.length === 0) return words(only)
  return reasons.map(({ message, count }) => (
    <span key={message} className="block">
      {words({ message })} <span className="text-ink-2">{`· ${count.toLocaleString()}`}</span>
    </span>
  ))
}

interface RetryGroupProps {
  jobId: string
  group: string
  count: number
}

/** Runs the entries of a group again, after a question. */
function RetryGroup({ jobId, group, count }: RetryGroupProps) {
  const navigate = useNavigate()
  const [isAsked, setIsAsked] = useState(false)
  const close = () => setIsAsked(false)
  const retry = useChange('retryJob', {
    rereads: ['listJobs', 'getJob'],
    done: 'A new job runs these entries again',
    onDone({ data }) {
      close()
      void navigate({ to: '/background-job/$jobId', params: { jobId: data.id } })
    },
  })
  return (
    <>
      <Button tone="quiet" onClick={() => setIsAsked(true)}>
        Retry these
      </Button>
      <Question
        title={`Retry ${howMany(count, 'entry', 'entries')}?`}
        confirm={`Retry ${count.toLocaleString()}`}
        tone="main"
        isOpen={isAsked}
        isPending={retry.isPending}
        onClose={close}
        onConfirm={() => retry.mutate({ path: { backgroundJobId: jobId }, body: { group } })}
      >
        They are run again as they were sent, in a new job; what was malformed is checked again by the present
        definition. The API and the command line can correct them on the way.
      </Question>
    </>
  )
}

const GROUPS_SHOWN = 20
const more = (total: number): string => howMany(total - GROUPS_SHOWN, 'more reason', 'more reasons')
/** A group shows at most this number of its entries; the results have all. */
const ENTRIES_SHOWN = 1_000

/** Loads the groups of failures of a job, again whenever more entries have failed. */
function useFailureGroups(jobId: string, { ERROR, INVALID }: EntryCounts) {
  const input = { path: { backgroundJobId: jobId }, query: { limit: GROUPS_SHOWN } }
  return useQuery({
    queryKey: ['listJobErrors', jobId, ERROR + INVALID],
    queryFn: ({ signal }) => call('listJobErrors', input, { signal }),
    placeholderData: before => before,
  })
}

/** The first entries of a group. */
export function useGroupEntries(jobId: string, group: string | undefined) {
  return useQuery({
    queryKey: ['getJobResults', jobId, group],
    enabled: group !== undefined,
    async queryFn({ signal }) {
      const entries: BackgroundJobEntry[] = []
      for await (const entry of createJobsClient(call).results(jobId, { group, signal })) {
        if (entries.length === ENTRIES_SHOWN) return { entries, hasMore: true }
        entries.push(entry)
      }
      return { entries, hasMore: false }
    },
  })
}

/** Reasons with the names of the procedure's attributes; entries of several procedures keep theirs. */
export function useAttributeWords(procedureId: string | null): FaultText {
  const procedure = useConfig()?.procedures.find(({ id }) => id === procedureId)
  return procedure ? createFaultText(procedure) : ({ message }) => message
}
