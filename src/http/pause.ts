import { AppError } from '../errors.ts'

/** A guess: how long an operator needs is not known. */
const RETRY_AFTER_SECONDS = 60

interface PauseVars {
  PAUSED?: string | undefined
}

/** A secret, so that it can be set without a deployment. "true" while the database is restored or moved; "restored" until the cron has cancelled what must not go on. */
const VALUES = ['false', 'true', 'restored']

export function checkPaused({ PAUSED = 'false' }: PauseVars): void {
  if (!VALUES.includes(PAUSED)) throw new Error(`the secret PAUSED must be one of ${VALUES.join(', ')}`)
}

/** Nothing is changed, sent or run; reads go on. */
export const isPaused = ({ PAUSED = 'false' }: PauseVars): boolean => PAUSED !== 'false'

export const wasRestored = ({ PAUSED }: PauseVars): boolean => PAUSED === 'restored'

export const maintenance = (): AppError =>
  new AppError('maintenance', [
    {
      message: 'the service is paused for maintenance',
      hint: 'nothing was changed; reads work, and the same request succeeds later',
      detail: { retryAfterSeconds: RETRY_AFTER_SECONDS },
    },
  ])
