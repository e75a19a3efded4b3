import type { Permission } from '../../permissions.ts'
import type { RetriedStatus } from '../failure-rules.ts'

/** Which entries of a job one of its retries has. */
export interface RetriedBefore {
  id: string
  /** Null: whatever their group. */
  group: string | null
  statuses: readonly RetriedStatus[]
}

/** The request for a job that is made of another job's entries. It is stored until the queue has read all of them. */
export interface FollowUpRequest {
  does: 'retry' | 'apply' | 'undo'
  /** The id of the other job. */
  of: string
  /** Which entries a retry takes, and what it corrects in them. */
  group?: string | undefined
  statuses?: readonly RetriedStatus[] | undefined
  update?: Record<string, unknown> | undefined
  /** What other retries of the job have: that is left out. */
  retried?: readonly RetriedBefore[]
  /** The permissions that the caller lacked, of those that entries need. */
  lacks: Permission[]
}
