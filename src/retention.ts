import { problemsWithin } from './setting-bounds.ts'
import { DAY_MS } from './time-units.ts'

/** How long things are kept, besides jobs (`JOB_RETENTION_DAYS`) and idempotency records (24 hours, by contract). */
export interface Retention {
  messageMs: number
  trashMs: number
  mediaMs: number
}

/** In days. A message outlives the idempotency key under which it was sent. */
const BOUNDS = {
  MESSAGE_RETENTION_DAYS: [2, 3_650],
  TRASH_RETENTION_DAYS: [1, 3_650],
  MEDIA_RETENTION_DAYS: [1, 3_650],
} as const

type Name = keyof typeof BOUNDS

/** Throws where any of the settings can not be used, and names all of these. */
export function readRetention(vars: Record<Name, string>): Retention {
  const problems = problemsWithin(vars, BOUNDS)
  if (problems.length > 0) throw new Error(problems.join('; '))
  const msOf = (name: Name): number => Number(vars[name]) * DAY_MS
  return {
    messageMs: msOf('MESSAGE_RETENTION_DAYS'),
    trashMs: msOf('TRASH_RETENTION_DAYS'),
    mediaMs: msOf('MEDIA_RETENTION_DAYS'),
  }
}
