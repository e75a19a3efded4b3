import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { Procedure, Process, UpdateProcessByIdBody } from 'caseworker'
import { useState } from 'react'
import { call } from '../../api/client.ts'
import { formatProcessName } from '../../api/procedure.ts'
import { useToasts } from '../../parts/toasts.tsx'
import { ONE_PROCESS_READS } from '../process-reads.ts'
import { applyChange, changeIfUnmoved, invertChange, mayPutBack, ProcessMoved } from './changes.ts'

/** A change that was not made, because the process is no longer as the reader saw it. */
export interface Clash {
  shown: Process
  now: Process
  change: UpdateProcessByIdBody
}

export type ChangeProcess = (shown: Process, change: UpdateProcessByIdBody) => void

function changeShown(shown: Process, change: UpdateProcessByIdBody): Promise<Process> {
  const path = { procedureShortId: shown.procedureShortId, processId: shown.id }
  return changeIfUnmoved(shown, change, {
    async read() {
      const { data, headers } = await call('getProcessById', { path })
      return { process: data, tag: headers.get('etag') ?? undefined }
    },
    update: async ifMatch => (await call('updateProcessById', { path, body: change }, { ifMatch })).data,
  })
}

interface PendingChange {
  shown: Process
  change: UpdateProcessByIdBody
  /** True if it undoes the change before. */
  isBack?: boolean
}

/**
 * Changes a process where it is shown: `show` puts the changed one there at once, and what is true afterwards, which is
 * the old one where the change failed. It can be put back for a while, and only as long as nobody else has changed the same.
 * Where somebody was faster, both versions are for the reader to choose from.
 */
export function useInPlaceChange(procedure: Procedure, show: (process: Process) => void) {
  const { showToast, showFailure } = useToasts()
  const queries = useQueryClient()
  const [clash, setClash] = useState<Clash>()
  const mutation = useMutation({
    mutationFn: ({ shown, change }: PendingChange) => changeShown(shown, change),
    onMutate: ({ shown, change }) => show(applyChange(shown, change)),
    onSuccess: (now, { shown, change, isBack = false }) => {
      show(now)
      // The list shows it already, and keeps its place; other pages read it again.
      for (const each of ONE_PROCESS_READS) void queries.invalidateQueries({ queryKey: [each] })
      const name = formatProcessName(procedure, now)
      if (isBack) showToast(`${name} is as it was`)
      else if (mayPutBack(procedure, shown, now))
        showToast(`${name} is changed`, {
          label: 'Put back',
          act: () => mutation.mutate({ shown: now, change: invertChange(change, shown, now), isBack: true }),
        })
    },
    onError: (error, { shown, change }) => {
      if (error instanceof ProcessMoved) {
        show(error.now)
        setClash({ shown, now: error.now, change })
      } else {
        show(shown)
        showFailure(error)
      }
    },
  })
  const change: ChangeProcess = (shown, wanted) => mutation.mutate({ shown, change: wanted })
  return { change, clash, settle: () => setClash(undefined) }
}
