import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { BackgroundJob, EntryCounts, JobRetries } from 'caseworker'
import { createJobsClient, isRestRunnable } from 'caseworker/jobs'
import { useState } from 'react'
import { useChange } from '../api/change.ts'
import { call } from '../api/client.ts'
import { useMay } from '../api/me.ts'
import { isOver } from '../parts/background-job/statuses.ts'
import { Button } from '../parts/button.tsx'
import { Question } from '../parts/dialog.tsx'
import { Checkbox } from '../parts/field.tsx'
import { Menu, type MenuItem } from '../parts/menu.tsx'
import { howMany } from '../parts/text/number-text.ts'
import { useToasts } from '../parts/toasts.tsx'
import { usePageActions } from '../shell/page-actions.ts'

interface JobActionsProps {
  job: BackgroundJob
  counts: EntryCounts
  /** True if the job sends messages, which nothing can recall. */
  hasMessages: boolean
  retries: JobRetries | undefined
  /** The newest job that undoes it, if that was not undone since. */
  undoneBy: string | undefined
  /** The job that makes the changes of this dry run. */
  appliedBy: string | undefined
  /** The retry that runs what this job, cancelled, has not run. */
  continuedBy: string | undefined
}

/** Cancel, apply, retry, undo, results. */
export function JobActions({ job, counts, hasMessages, retries, undoneBy, appliedBy, continuedBy }: JobActionsProps) {
  const may = useMay()
  const navigate = useNavigate()
  const [openDialog, setOpenDialog] = useState<'cancel' | 'retry' | 'rest' | 'undo' | 'apply'>()
  const close = () => setOpenDialog(undefined)
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
  const runRest = useChange('retryJob', {
    rereads: ['getJob', 'listJobs'],
    done: 'A new job runs the rest',
    onDone: ({ data }) => openJob(data.id),
  })
  const apply = useChange('applyJob', {
    rereads: ['getJob', 'listJobs'],
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
  const mayRunRest = may('job:write') && isOver(job) && continuedBy === undefined && isRestRunnable(job, counts)
  const hasChanges = counts.SUCCESS > 0 || (retries?.undoFirst.length ?? 0) > 0
  const mayUndo = may('job:write') && may('process:delete') && isOver(job) && hasChanges && !job.dryRun && !hasMessages
  const isApplicable = job.dryRun && job.completionStatus !== 'CANCELLED' && counts.SUCCESS > 0
  const mayApply = may('job:write') && isApplicable && isOver(job) && appliedBy === undefined
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
    mayApply && { label: 'Apply the dry run …', icon: 'check', act: () => setOpenDialog('apply') },
    mayRetry && { label: 'Retry failed entries …', icon: 'again', act: () => setOpenDialog('retry') },
    mayRunRest && { label: 'Run the rest …', icon: 'again', act: () => setOpenDialog('rest') },
    mayUndo && { label: 'Undo the job …', icon: 'undo', act: () => setOpenDialog('undo') },
    mayCancel && { label: 'Cancel the job …', icon: 'close', isDanger: true, act: () => setOpenDialog('cancel') },
    ...downloads.map(each => each && { ...each, icon: 'download' as const, label: `Results: ${each.label}` }),
  ])
  return (
    <>
      <Menu trigger={<Button icon="download">Results</Button>} items={downloads} />
      {mayApply && (
        <Button tone="main" icon="check" onClick={() => setOpenDialog('apply')}>
          Apply
        </Button>
      )}
      {mayRetry && (
        <Button icon="again" onClick={() => setOpenDialog('retry')}>
          Retry failed
        </Button>
      )}
      {mayRunRest && (
        <Button icon="again" onClick={() => setOpenDialog('rest')}>
          Run the rest
        </Button>
      )}
      {mayUndo && (
        <Button icon="undo" onClick={() => setOpenDialog('undo')}>
          Undo
        </Button>
      )}
      {mayCancel && (
        <Button icon="close" onClick={() => setOpenDialog('cancel')}>
          Cancel
        </Button>
      )}
      <Question
        title="Cancel this job?"
        confirm="Cancel the job"
        keep="Let it run"
        isOpen={openDialog === 'cancel'}
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
        isOpen={openDialog === 'retry'}
        isPending={retry.isPending}
        onClose={close}
        onConfirm={() => retry.mutate({ path, body: {} })}
      >
        They are run again as they were sent, in a new job. Entries that succeeded are not touched; messages whose
        result is unknown may have arrived and are not sent again.
      </Question>
      <Question
        title={`Run the rest: ${howMany(counts.CANCELLED, 'entry', 'entries')}?`}
        confirm={`Run ${counts.CANCELLED.toLocaleString()}`}
        tone="main"
        isOpen={openDialog === 'rest'}
        isPending={runRest.isPending}
        onClose={close}
        onConfirm={() => runRest.mutate({ path, body: { statuses: ['CANCELLED'] } })}
      >
        A new job runs what this one has not run, because it was cancelled, as it was sent. What is done or has failed
        is not touched.
      </Question>
      <Question
        title="Apply this dry run?"
        confirm="Apply"
        tone="main"
        isOpen={openDialog === 'apply'}
        isPending={apply.isPending}
        onClose={close}
        onConfirm={() => apply.mutate({ path })}
      >
        {`A new job does what ${howMany(counts.SUCCESS, 'entry', 'entries')} would do. Processes that somebody has changed since stay as they are.`}
      </Question>
      <UndoJob
        {...{ job, counts, retries, undoneBy }}
        isOpen={openDialog === 'undo'}
        onClose={close}
        onUndone={openJob}
      />
    </>
  )
}

interface UndoJobProps {
  job: BackgroundJob
  counts: EntryCounts
  retries: JobRetries | undefined
  undoneBy: string | undefined
  isOpen: boolean
  onClose: () => void
  /** The id of the last job that takes something back. */
  onUndone: (jobId: string) => void
}

/** The question before an undo: what the job has changed, and what its retries have, which are undone before it. */
function UndoJob({ job, counts, retries, undoneBy, isOpen, onClose, onUndone }: UndoJobProps) {
  const { undoFirst = [], succeeded = 0 } = retries ?? {}
  const [keepsRetries, setKeepsRetries] = useState(false)
  const undo = useUndo(job.id, keepsRetries, onUndone)
  const hasOwn = counts.SUCCESS > 0
  return (
    <Question
      title="Undo this job?"
      confirm="Undo"
      tone="main"
      isOpen={isOpen}
      isPending={undo.isPending}
      onClose={onClose}
      onConfirm={() => undo.mutate()}
    >
      <p>{`A new job takes back what ${howMany(counts.SUCCESS, 'entry', 'entries')} changed: former values come back, what was created is deleted, and what was deleted is restored. Customers stay, also those whom the job has made. Processes that somebody has changed since stay as they are.`}</p>
      {undoFirst.length > 0 && (
        <>
          <p className="mt-2">
            {`${howMany(succeeded, 'entry', 'entries')} more succeeded in ${howMany(undoFirst.length, 'retry', 'retries')} of it. They are undone before it, the newest first, each by a job of its own: leave this page open meanwhile.`}
          </p>
          {hasOwn && (
            <div className="mt-2">
              <Checkbox
                label="Leave what the retries have changed"
                checked={keepsRetries}
                onChange={({ target }) => setKeepsRetries(target.checked)}
              />
            </div>
          )}
        </>
      )}
      {undoneBy && (
        <p className="mt-2">
          It was undone already: what that has taken back is left as it is, so perhaps nothing is left to do.
        </p>
      )}
    </Question>
  )
}

/** Undoes a job, and its retries before it; what was undone stays so where a later one is refused. */
function useUndo(jobId: string, keepsRetries: boolean, onUndone: UndoJobProps['onUndone']) {
  const queries = useQueryClient()
  const { showToast, showFailure } = useToasts()
  return useMutation({
    async mutationFn() {
      const jobs = createJobsClient(call)
      if (keepsRetries) return (await jobs.undo(jobId)).id
      let last = ''
      for await (const { id } of jobs.undoWithRetries(jobId)) last = id
      return last
    },
    onSuccess(last) {
      showToast('A new job takes the changes back')
      onUndone(last)
    },
    onError: showFailure,
    onSettled: () =>
      Promise.all((['getJob', 'listJobs'] as const).map(each => queries.invalidateQueries({ queryKey: [each] }))),
  })
}
