import type { BulkUpdateProcessesBody, Procedure } from 'caseworker'
import { useState } from 'react'
import { formatCurl } from '../../api/curl.ts'
import { Code } from '../../parts/code.tsx'
import type { BulkTarget } from './selection.ts'

/** Returns the path of a bulk request, as it is shown before it is sent. */
export const bulkPath = ({ shortId }: Procedure): string => `/v1/ext/procedure/${encodeURIComponent(shortId)}/process`

/** The props of all dialogs that send a bulk request. */
export interface BulkProps {
  procedure: Procedure
  target: BulkTarget
  count: number
  onClose: () => void
  /** The job is accepted, and the reader has seen it. */
  onFinished: () => void
}

/** The exact request that the button sends, for who wants to see it. */
export function RequestDetails({ path, body }: { path: string; body: BulkUpdateProcessesBody }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details className="text-[13px]" onToggle={event => setOpen(event.currentTarget.open)}>
      <summary className="text-ink-2 hover:text-ink">The exact request</summary>
      <div className="mt-2">
        {isOpen && <Code text={formatCurl('PATCH', path, { body })} label="Request as curl" />}
      </div>
    </details>
  )
}
