import type { Procedure, Process } from 'caseworker'
import { useChange } from '../api/change.ts'
import { formatProcessTitle } from '../api/procedure.ts'
import { Question } from '../parts/dialog.tsx'
import { PROCESS_READS } from './process-reads.ts'

interface PurgeQuestionProps {
  procedure: Procedure
  process: Pick<Process, 'id' | 'data'>
  onClose: () => void
  onDone?: () => void
}

/** Asks before a deleted process is removed for good: nothing brings it back, so its name has to be typed. */
export function PurgeQuestion({ procedure, process, onClose, onDone }: PurgeQuestionProps) {
  const title = formatProcessTitle(procedure, process)
  const purge = useChange('deleteProcessById', {
    rereads: PROCESS_READS,
    done: `${title} is purged. What jobs and webhooks hold of it goes within a minute or two`,
    onDone: () => {
      onClose()
      onDone?.()
    },
  })
  const path = { procedureShortId: procedure.shortId, processId: process.id }
  return (
    <Question
      title={`Purge ${title}?`}
      confirm="Purge for good"
      typed={title}
      isOpen
      isPending={purge.isPending}
      onClose={onClose}
      onConfirm={() => purge.mutate({ path, query: { purge: 'true' } })}
    >
      <p>
        It is removed with all its values: in its history, in events, in the search, in deliveries of webhooks and in
        jobs. That it existed, and when it was changed by whom, stays in the event log.
      </p>
      <p className="mt-2">This can’t be undone.</p>
    </Question>
  )
}
