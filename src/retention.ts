import { readBoundedSettings } from './setting-bounds.ts'
import { DAY_MS } from './time-units.ts'

/**
 * The retention of messages, deleted processes and files. A feature with a `settings.ts` of its own has its retention
 * there (jobs, history, feed, requests), fixed times stand where rows expire; the guide `running.md` lists all settings.
 */
interface Retention {
  messageMs: number
  trashMs: number
  mediaMs: number
}

/** The bounds in days. A message outlives the idempotency key under which it was sent. */
const BOUNDS = {
  MESSAGE_RETENTION_DAYS: [2, 3_650],
  TRASH_RETENTION_DAYS: [1, 3_650],
  MEDIA_RETENTION_DAYS: [1, 3_650],
} as const

export function readRetention(vars: Record<keyof typeof BOUNDS, string>): Retention {
  const days = readBoundedSettings(vars, BOUNDS)
  return {
    messageMs: days.MESSAGE_RETENTION_DAYS * DAY_MS,
    trashMs: days.TRASH_RETENTION_DAYS * DAY_MS,
    mediaMs: days.MEDIA_RETENTION_DAYS * DAY_MS,
  }
}
