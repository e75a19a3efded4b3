import { useMemo, useState } from 'react'
import { useChange } from '../../api/change.ts'
import { useConfig } from '../../api/me.ts'
import { attributeWords } from '../../parts/attribute/fault-words.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { FailureNote } from '../../parts/states.tsx'
import { AcceptedJob } from './accepted-job.tsx'
import { type BulkProps, bulkPath } from './bulk-request.ts'
import { ChangedField } from './changed-field.tsx'
import { changeableFields, type FieldChange, updateOf } from './field-changes.ts'
import { BulkPreview } from './preview.tsx'
import { RequestDetails } from './request-details.tsx'
import { bulkBodyOf } from './target.ts'

/** What is to be changed, in how many, what will come of it, and the request; then the job. */
export function BulkChange({ procedure, target, count, onClose, onFinished }: BulkProps) {
  const users = useConfig()?.users
  const fields = useMemo(() => changeableFields(procedure, users ?? []), [procedure, users])
  const [changes, setChanges] = useState<readonly FieldChange[]>([{ field: 'state', value: undefined }])
  const send = useChange('bulkUpdateProcesses', { rereads: ['listJobs'], showsFailure: true })
  const update = updateOf(changes)
  const body = bulkBodyOf(target, update)
  const taken = changes.map(({ field }) => field)
  const free = fields.find(({ id }) => !taken.includes(id))
  const isFinished = Object.keys(update).length > 0 && changes.every(({ value }) => value !== undefined)
  const many = count === 1 ? 'a process' : `${count.toLocaleString()} processes`
  const job = send.data?.data
  return (
    <Dialog
      title={job ? 'The job' : `Change ${many} of ${procedure.name}`}
      isOpen
      onClose={job ? onFinished : onClose}
      size="medium"
      footer={
        job ? (
          <Button tone="main" onClick={onFinished}>
            Close
          </Button>
        ) : (
          <>
            <Button onClick={onClose}>Cancel</Button>
            <Button
              tone="main"
              isPending={send.isPending}
              disabled={!isFinished}
              onClick={() => send.mutate({ path: { procedureShortId: procedure.shortId }, body })}
            >
              {`Change ${many}`}
            </Button>
          </>
        )
      }
    >
      {job ? (
        <AcceptedJob job={job} />
      ) : (
        <div className="flex flex-col gap-3">
          {changes.map((change, nth) => (
            <ChangedField
              key={change.field}
              change={change}
              fields={fields}
              taken={taken}
              onChange={next => setChanges(changes.with(nth, next))}
              onRemove={changes.length > 1 ? () => setChanges(changes.toSpliced(nth, 1)) : undefined}
            />
          ))}
          {free && (
            <Button
              tone="quiet"
              icon="plus"
              className="self-start"
              onClick={() => setChanges([...changes, { field: free.id, value: undefined }])}
            >
              Another field
            </Button>
          )}
          <BulkPreview procedure={procedure} target={target} count={count} update={update} />
          <RequestDetails path={bulkPath(procedure)} body={body} />
          {send.error && <FailureNote error={send.error} words={attributeWords(procedure)} />}
        </div>
      )}
    </Dialog>
  )
}
