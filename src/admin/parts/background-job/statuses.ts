import type { BackgroundJob, EntryCounts } from 'caseworker'
import type { Part } from '../chart.tsx'

export const JOB_STATUSES = [
  'IN_PROGRESS',
  'ERROR',
  'SUCCESS',
  'CANCELLED',
  'NOT_STARTED',
] as const satisfies readonly BackgroundJob['completionStatus'][]

/** The statuses in the order of the bar: success first, open entries last. */
export const ENTRY_STATUSES = [
  'SUCCESS',
  'ERROR',
  'INVALID',
  'CANCELLED',
  'IN_PROGRESS',
  'NOT_STARTED',
] as const satisfies readonly (keyof EntryCounts)[]

const COLORS = {
  SUCCESS: 'good',
  ERROR: 'bad',
  INVALID: 'warn',
  CANCELLED: 3,
  IN_PROGRESS: 'info',
  NOT_STARTED: 'plain',
} as const
export const STATUS_WORDS = {
  SUCCESS: 'Success',
  ERROR: 'Failed',
  INVALID: 'Invalid',
  CANCELLED: 'Cancelled',
  IN_PROGRESS: 'In progress',
  NOT_STARTED: 'Not started',
} as const

export const isJobPaused = ({ pausedBecause }: Pick<BackgroundJob, 'pausedBecause'>): boolean =>
  pausedBecause !== undefined

/** Returns the parts of a job's bar. Open entries of a paused job wait: none of them is in progress. */
export const listParts = (counts: EntryCounts, isWaiting = false): Part[] =>
  ENTRY_STATUSES.map(status => {
    const isLeft = status === 'IN_PROGRESS' || status === 'NOT_STARTED'
    return isWaiting && isLeft
      ? { label: status === 'IN_PROGRESS' ? 'Paused' : STATUS_WORDS[status], value: counts[status], color: 'warn' }
      : { label: STATUS_WORDS[status], value: counts[status], color: COLORS[status] }
  })

export const isOver = ({ completedAt }: Pick<BackgroundJob, 'completedAt'>): boolean => completedAt !== 0
