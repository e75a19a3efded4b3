import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { BackgroundJob, EntryCounts, JobRetries } from 'caseworker'
import { createJobsClient } from 'caseworker/jobs'
import { useState } from 'react'
import { call } from '../api/client.ts'
import { Question } from '../parts/dialog.tsx'
import { Checkbox } from '../parts/field.tsx'
import { howMany } from '../parts/text/how-many.ts'
import { useToasts } from '../parts/toasts.tsx'

interface UndoJobProps {
  job: BackgroundJob
  counts: EntryCounts
  retries: JobRetries | undefined
  /** The newest job that undoes it. */
  undoneBy: string | undefined
  isOpen: boolean
  onClose: () => void
  /** The id of the last job that takes something back. */
  onUndone: (jobId: string) => void
}

/** The question before an undo: what the job has changed, and what its retries have, which are undone before it. */
export function UndoJob({ job, counts, retries, undoneBy, isOpen, onClose, onUndone }: UndoJobProps) {
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
      <p>{`A new job takes back what ${howMany(counts.SUCCESS, 'entry', 'entries')} changed: former values come back, what was created is deleted, and what was deleted is restored. Processes that somebody has changed since stay as they are.`}</p>
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
