import { useQueryClient } from '@tanstack/react-query'
import type { Procedure } from 'caseworker'
import { useState } from 'react'
import { useChange } from '../../api/change.ts'
import { useMay } from '../../api/me.ts'
import { formatProcessTitle } from '../../api/procedure.ts'
import { Button } from '../../parts/button.tsx'
import { Question } from '../../parts/dialog.tsx'
import { isCode } from '../../parts/failure.ts'
import { usePageActions } from '../../shell/page-actions.ts'
import { PROCESS_READS } from '../process-reads.ts'
import type { ReadProcess } from './field/update.ts'

/** Offers the actions on a process as a whole. */
export function ProcessActions({ procedure, read: { process, etag } }: { procedure: Procedure; read: ReadProcess }) {
  const may = useMay()
  const queries = useQueryClient()
  const [isAsked, setAsked] = useState(false)
  const path = { procedureShortId: process.procedureShortId, processId: process.id }
  const close = () => setAsked(false)
  const remove = useChange('deleteProcessById', {
    rereads: PROCESS_READS,
    done: 'The process is deleted',
    onDone: close,
  })
  const onError = (error: unknown) => {
    close()
    // A second question has to be about the present process.
    if (isCode(error, 'precondition_failed')) void queries.invalidateQueries({ queryKey: ['getProcessById'] })
  }
  const mayDelete = may('process:delete')
  usePageActions([
    mayDelete && {
      label: `Delete ${formatProcessTitle(procedure, process)} …`,
      icon: 'trash',
      isDanger: true,
      act: () => setAsked(true),
    },
  ])
  if (!mayDelete) return null
  return (
    <>
      <Button tone="quiet" icon="trash" onClick={() => setAsked(true)}>
        Delete …
      </Button>
      <Question
        title={`Delete ${formatProcessTitle(procedure, process)}?`}
        confirm="Delete the process"
        isOpen={isAsked}
        isPending={remove.isPending}
        onClose={close}
        onConfirm={() => remove.mutate({ path, options: { ifMatch: etag } }, { onError })}
      >
        It is in no list any more. It stays in the trash for a while, and can be restored from there or from this page,
        with its history.
      </Question>
    </>
  )
}
