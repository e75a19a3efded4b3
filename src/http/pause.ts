import { AppError } from '../errors.ts'

/** A guess: how long an operator needs is not known. */
const RETRY_AFTER_SECONDS = 60

interface PauseVars {
  PAUSED?: string | undefined
}

/**
 * A secret, so that it can be set without a deployment. "true" while the database is moved; "closed" while it is restored;
 * "restored" until the cron has cancelled what must not go on, and erased again what was erased.
 */
const VALUES = ['false', 'true', 'closed', 'restored']

export function checkPaused({ PAUSED = 'false' }: PauseVars): void {
  if (!VALUES.includes(PAUSED)) throw new Error(`the secret PAUSED must be one of ${VALUES.join(', ')}`)
}

/** Nothing is changed, sent or run; reads go on. */
export const isPaused = ({ PAUSED = 'false' }: PauseVars): boolean => PAUSED !== 'false'

/** Nothing of a team is read, either: the database has what was taken away or erased since the time it went back to. */
export const isClosed = (vars: PauseVars): boolean => vars.PAUSED === 'closed' || wasRestored(vars)

export const wasRestored = ({ PAUSED }: PauseVars): boolean => PAUSED === 'restored'

export const maintenance = (vars: PauseVars): AppError =>
  new AppError('maintenance', [
    {
      message: 'the service is paused for maintenance',
      hint: isClosed(vars)
        ? 'nothing was changed; the database is being restored, and the same request succeeds later'
        : 'nothing was changed; reads work, and the same request succeeds later',
      detail: { retryAfterSeconds: RETRY_AFTER_SECONDS },
    },
  ])
