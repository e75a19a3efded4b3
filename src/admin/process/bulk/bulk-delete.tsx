import { useChange } from '../../api/change.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog, Question } from '../../parts/dialog.tsx'
import { AcceptedJob } from './accepted-job.tsx'
import { type BulkProps, bulkPath } from './bulk-request.ts'
import { RequestDetails } from './request-details.tsx'
import { bulkBodyOf } from './target.ts'

/** Of as many or more, the number has to be typed. */
const TYPED_FROM = 20

export function BulkDelete({ procedure, target, count, onClose, onFinished }: BulkProps) {
  const send = useChange('bulkUpdateProcesses', { rereads: ['listJobs'] })
  const body = bulkBodyOf(target, { isDeleted: true })
  const many = count === 1 ? 'a process' : `${count.toLocaleString()} processes`
  const job = send.data?.data
  if (job)
    return (
      <Dialog
        title="The job"
        isOpen
        onClose={onFinished}
        size="medium"
        footer={
          <Button tone="main" onClick={onFinished}>
            Close
          </Button>
        }
      >
        <AcceptedJob job={job} />
      </Dialog>
    )
  return (
    <Question
      title={`Delete ${many} of ${procedure.name}?`}
      confirm={`Delete ${many}`}
      isOpen
      isPending={send.isPending}
      onClose={onClose}
      onConfirm={() => send.mutate({ path: { procedureShortId: procedure.shortId }, body })}
      {...(count >= TYPED_FROM ? { typed: String(count) } : {})}
    >
      <p className="mb-2">
        {target.kind === 'all'
          ? 'All that match the filter when the job runs are deleted. '
          : 'Those that are selected are deleted. '}
        They stay in the trash for a while (90 days, if nothing else is set), and can be restored from there.
      </p>
      <RequestDetails path={bulkPath(procedure)} body={body} />
    </Question>
  )
}
