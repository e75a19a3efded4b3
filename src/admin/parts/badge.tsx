import type { ReactNode } from 'react'

export type BadgeTone = 'good' | 'warn' | 'bad' | 'info' | 'plain'

const TONES: Record<BadgeTone, string> = {
  good: 'bg-good-soft text-good',
  warn: 'bg-warn-soft text-warn',
  bad: 'bg-bad-soft text-bad',
  info: 'bg-info-soft text-info',
  plain: 'bg-hover text-ink-2',
}

export const Badge = ({ tone = 'plain', children }: { tone?: BadgeTone; children: ReactNode }) => (
  <span
    className={`inline-flex items-center gap-1 rounded-full px-2 py-0.5 text-xs font-medium whitespace-nowrap ${TONES[tone]}`}
  >
    {children}
  </span>
)

/** The tone of each status of the API, whichever object has it. */
const TONE_OF: Record<string, BadgeTone> = {
  OPEN: 'info',
  COMPLETED: 'good',
  CANCELLED: 'plain',
  NOT_STARTED: 'plain',
  IN_PROGRESS: 'info',
  SUCCESS: 'good',
  ERROR: 'bad',
  INVALID: 'warn',
  PENDING: 'plain',
  UNKNOWN: 'warn',
  SENT: 'info',
  FAILED: 'bad',
  DELIVERED: 'good',
  READ: 'good',
  RECEIVED: 'info',
  APPROVED: 'good',
  REJECTED: 'bad',
  PAUSED: 'warn',
}

/** An entry or a job that failed is called as its tab is. */
const WORDS: Record<string, string> = { ERROR: 'Failed' }

const formatStatus = (status: string): string =>
  WORDS[status] ?? status.charAt(0) + status.slice(1).toLowerCase().replaceAll('_', ' ')

export const Status = ({ of }: { of: string }) => <Badge tone={TONE_OF[of] ?? 'plain'}>{formatStatus(of)}</Badge>
