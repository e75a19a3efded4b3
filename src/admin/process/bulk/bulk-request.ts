import type { Procedure } from 'caseworker'
import type { BulkTarget } from './target.ts'

/** What a bulk request goes to: as it is shown before it is sent. */
export const bulkPath = ({ shortId }: Procedure): string => `/v1/ext/procedure/${encodeURIComponent(shortId)}/process`

/** Of the dialogs that send one. */
export interface BulkProps {
  procedure: Procedure
  target: BulkTarget
  count: number
  onClose: () => void
  /** The job is accepted, and the reader has seen it. */
  onFinished: () => void
}
