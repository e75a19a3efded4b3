import { useNavigate } from '@tanstack/react-router'
import type { BackgroundJob, EntryCounts, JobRetries } from 'caseworker'
import { useState } from 'react'
import { useChange } from '../api/change.ts'
import { useMay } from '../api/me.ts'
import { Button } from '../parts/button.tsx'
import { Question } from '../parts/dialog.tsx'
import { isOver } from '../parts/job/statuses.ts'
import { Menu, type MenuItem } from '../parts/menu.tsx'
import { howMany } from '../parts/text/how-many.ts'
import { usePageActions } from '../shell/page-actions.ts'
import { UndoJob } from './undo-job.tsx'

interface JobActionsProps {
  job: BackgroundJob
  counts: EntryCounts
  /** True if the job sends messages, which nothing can recall. */
  hasMessages: boolean
  retries: JobRetries | undefined
  /** The newest job that undoes it. */
  undoneBy: string | undefined
}

/** Cancel, apply, retry, undo, results. */
export function JobActions({ job, counts, hasMessages, retries, undoneBy }: JobActionsProps) {
  const may = useMay()
  const navigate = useNavigate()
  const [asked, setAsked] = useState<'cancel' | 'retry' | 'undo' | 'apply'>()
  const close = () => setAsked(undefined)
  const path = { backgroundJobId: job.id }
  const openJob = (jobId: string) => {
    close()
    void navigate({ to: '/background-job/$jobId', params: { jobId } })
  }
  const cancel = useChange('cancelJob', { rereads: ['getJob', 'listJobEntries', 'listJobs'], onDone: close })
  const retry = useChange('retryJob', {
    rereads: ['listJobs'],
    done: 'A new job runs the failed entries again',
    onDone: ({ data }) => openJob(data.id),
  })
  const apply = useChange('applyJob', {
    rereads: ['listJobs'],
    done: 'A new job makes the changes',
    onDone: ({ data }) => openJob(data.id),
  })
  const done = job.total - counts.NOT_STARTED
  // A download and not a link: a failed call would leave the reader on a page of JSON.
  const results = (query: string) => () => {
    const link = document.createElement('a')
    link.href = `/v1/ext/background-job/${job.id}/results${query}`
    link.download = ''
    link.click()
  }
  const mayRetry = may('job:write') && isOver(job) && counts.ERROR > 0
  const hasChanges = counts.SUCCESS > 0 || (retries?.undoFirst.length ?? 0) > 0
  const mayUndo = may('job:write') && may('process:delete') && isOver(job) && hasChanges && !job.dryRun && !hasMessages
  const mayApply =
    may('job:write') && job.dryRun && isOver(job) && job.completionStatus !== 'CANCELLED' && counts.SUCCESS > 0
  const mayCancel = may('job:write') && !isOver(job)
  const downloads: readonly (MenuItem | false)[] = [
    { label: 'All, as CSV', icon: 'download', act: results('?format=csv') },
    { label: 'All, as NDJSON', icon: 'download', act: results('') },
    counts.ERROR > 0 && {
      label: 'Failed, as CSV',
      icon: 'download',
      act: results('?format=csv&completionStatus=ERROR'),
    },
  ]
  usePageActions([
    mayApply && { label: 'Apply the dry run …', icon: 'check', act: () => setAsked('apply') },
    mayRetry && { label: 'Retry failed entries …', icon: 'again', act: () => setAsked('retry') },
    mayUndo && { label: 'Undo the job …', icon: 'undo', act: () => setAsked('undo') },
    mayCancel && { label: 'Cancel the job …', icon: 'close', isDanger: true, act: () => setAsked('cancel') },
    ...downloads.map(each => each && { ...each, icon: 'download' as const, label: `Results: ${each.label}` }),
  ])
  return (
    <>
      <Menu trigger={<Button icon="download">Results</Button>} items={downloads} />
      {mayApply && (
        <Button tone="main" icon="check" onClick={() => setAsked('apply')}>
          Apply
        </Button>
      )}
      {mayRetry && (
        <Button icon="again" onClick={() => setAsked('retry')}>
          Retry failed
        </Button>
      )}
      {mayUndo && (
        <Button icon="undo" onClick={() => setAsked('undo')}>
          Undo
        </Button>
      )}
      {mayCancel && (
        <Button icon="close" onClick={() => setAsked('cancel')}>
          Cancel
        </Button>
      )}
      <Question
        title="Cancel this job?"
        confirm="Cancel the job"
        keep="Let it run"
        isOpen={asked === 'cancel'}
        isPending={cancel.isPending}
        onClose={close}
        onConfirm={() => cancel.mutate({ path })}
      >
        {`What has not started is cancelled: ${howMany(counts.NOT_STARTED, 'entry', 'entries')}. What is done or begun stays as it is: ${howMany(done, 'entry', 'entries')}.`}
      </Question>
      <Question
        title={`Retry ${howMany(counts.ERROR, 'failed entry', 'failed entries')}?`}
        confirm={`Retry ${counts.ERROR.toLocaleString()}`}
        tone="main"
        isOpen={asked === 'retry'}
        isPending={retry.isPending}
        onClose={close}
        onConfirm={() => retry.mutate({ path, body: {} })}
      >
        They are run again as they were sent, in a new job. Entries that succeeded are not touched; messages whose
        result is unknown may have arrived and are not sent again.
      </Question>
      <Question
        title="Apply this dry run?"
        confirm="Apply"
        tone="main"
        isOpen={asked === 'apply'}
        isPending={apply.isPending}
        onClose={close}
        onConfirm={() => apply.mutate({ path })}
      >
        {`A new job does what ${howMany(counts.SUCCESS, 'entry', 'entries')} would do. Processes that somebody has changed since stay as they are.`}
      </Question>
      <UndoJob {...{ job, counts, retries, undoneBy }} isOpen={asked === 'undo'} onClose={close} onUndone={openJob} />
    </>
  )
}
