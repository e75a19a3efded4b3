import { AppError } from '../errors.ts'

/** A guess, because nobody knows how long an operator needs. */
const RETRY_AFTER_SECONDS = 60

interface PauseVars {
  PAUSED?: string | undefined
}

/**
 * The values of the secret PAUSED, which can be set without a deployment: "true" while the database is moved; "closed" while
 * it is restored; "restored" until the cron has cancelled the jobs that must not go on, and repeated the erasures.
 */
const VALUES = ['false', 'true', 'closed', 'restored']

export function checkPaused({ PAUSED = 'false' }: PauseVars): void {
  if (!VALUES.includes(PAUSED)) throw new Error(`the secret PAUSED must be one of ${VALUES.join(', ')}`)
}

/** Tells whether changes, messages and jobs are refused. Reads go on. */
export const isInstallationPaused = ({ PAUSED = 'false' }: PauseVars): boolean => PAUSED !== 'false'

/** Tells whether reads are refused as well: a restored database still has what was revoked or erased since that time. */
export const isInstallationClosed = (vars: PauseVars): boolean => vars.PAUSED === 'closed' || isBeingRestored(vars)

export const isBeingRestored = ({ PAUSED }: PauseVars): boolean => PAUSED === 'restored'

export const maintenanceError = (vars: PauseVars): AppError =>
  new AppError('maintenance', [
    {
      message: 'the service is paused for maintenance',
      hint: isInstallationClosed(vars)
        ? 'nothing was changed; the database is being restored, and the same request succeeds later'
        : 'nothing was changed; reads work, and the same request succeeds later',
      detail: { retryAfterSeconds: RETRY_AFTER_SECONDS },
    },
  ])
