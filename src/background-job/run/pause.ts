import { AppError } from '../../errors.ts'
import { outcomeOf } from '../entry.ts'
import type { Decision, Wait } from '../kind.ts'
import type { JobRow } from '../rules.ts'
import type { PlannedStep } from './step/step-rules.ts'

/** A paused job is woken when it can go on; besides, the cron wakes it this often. */
const PAUSE_MS = 60 * 60_000

/** A job that was paused for too long ends its entries, a step at a time, with the reason of the pause. */
export function endLongPause(
  { pausedAt }: JobRow,
  { entries }: PlannedStep,
  decision: Decision,
  { pauseMsMax, now }: { pauseMsMax: number; now: number },
): Decision {
  const pause = decision.wait?.pause
  if (!pause || pausedAt === null || now - pausedAt < pauseMsMax) return decision
  const error = outcomeOf(new AppError('conflict', `the job was paused for too long: ${pause.because}`))
  const rest = entries.slice(decision.outcomes.length).map(() => error)
  return { outcomes: [...decision.outcomes, ...rest], statements: decision.statements }
}

/** When the job counts as silent. Undefined while that is far: an index is on it. */
export function wakeAtOf(
  { wakeAt }: JobRow,
  wait: Wait | undefined,
  resendAfterMs: number,
  now: number,
): number | undefined {
  if (wait) return now + (wait.pause ? PAUSE_MS : wait.ms + resendAfterMs)
  return wakeAt < now + resendAfterMs / 2 ? now + resendAfterMs : undefined
}
