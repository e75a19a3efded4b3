import type { Permission } from '../../permissions.ts'
import type { RetriedStatus } from '../failure-rules.ts'

/** The request for a job that is made of another job's entries. It is stored until the queue has read all of them. */
export interface FollowUpRequest {
  does: 'retry' | 'apply' | 'undo'
  /** The id of the other job. */
  of: string
  /** Which entries a retry takes, and what it corrects in them. */
  group?: string | undefined
  statuses?: readonly RetriedStatus[] | undefined
  update?: Record<string, unknown> | undefined
  /** The permissions that the caller lacked, of those that entries need. */
  lacks: Permission[]
}
