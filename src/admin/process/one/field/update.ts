import type { Procedure, Process, UpdateProcessByIdBody } from 'caseworker'
import { useState } from 'react'
import { useChange } from '../../../api/change.ts'
import { isCode } from '../../../parts/failure.ts'
import { useToasts } from '../../../parts/toasts.tsx'
import { mayPutBack } from '../../change/changes.ts'
import { PROCESS_READS } from '../../process-reads.ts'

/** A process as it was read, with the entity tag that says which version it is. */
export interface ReadProcess {
  process: Process
  etag: string
}

/** A change that was refused because the process had been changed in between. */
export interface Conflict {
  body: UpdateProcessByIdBody
  base: Process
}

/** The version that an entity tag is of. */
const versionIn = (etag: string): number => Number(/\d+/.exec(etag)?.[0] ?? Number.NaN)

/**
 * Updates one process, only if it is still as it was shown: otherwise there is a conflict to decide. It can be put back for
 * a while, by a revert which holds only if nobody has changed it since.
 */
export function useUpdate(procedure: Procedure, { process, etag }: ReadProcess, onDone: () => void) {
  const [conflict, setConflict] = useState<Conflict>()
  const { showToast } = useToasts()
  const path = { procedureShortId: process.procedureShortId, processId: process.id }
  const version = versionIn(etag)
  const putBack = useChange('revertProcessById', { rereads: PROCESS_READS, done: 'It is as it was before' })
  const update = useChange('updateProcessById', {
    rereads: PROCESS_READS,
    showsFailure: true,
    onDone: ({ data, headers }) => {
      const ifMatch = headers.get('etag')
      if (ifMatch === null || versionIn(ifMatch) === version) showToast('It had this value already')
      else if (!mayPutBack(procedure, process, data)) showToast('It is changed')
      else
        showToast('It is changed', {
          label: 'Put back',
          act: () => putBack.mutate({ path, body: { version }, options: { ifMatch } }),
        })
      onDone()
    },
  })
  const send = (body: UpdateProcessByIdBody) =>
    update.mutate(
      { path, body, options: { ifMatch: etag } },
      { onError: error => isCode(error, 'precondition_failed') && setConflict({ body, base: process }) },
    )
  return {
    send,
    isPending: update.isPending,
    error: conflict ? null : update.error,
    conflict,
    closeConflict: () => {
      setConflict(undefined)
      update.reset()
    },
  }
}
