import { AppError } from '../../errors.ts'
import { outcomeOf } from '../entry.ts'
import type { Decision, Wait } from '../kind.ts'
import type { JobRow } from '../rules.ts'
import type { PlannedStep } from './step-rules.ts'

/** Paused jobs are woken when they can go on; this often somebody looks all the same. */
const PAUSE_MS = 60 * 60_000

/** A job may not be paused for ever: after so long the entries end, a step at a time, with what they waited for. */
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
