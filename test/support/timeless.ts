import { vi } from 'vitest'
import { Harness } from './harness.ts'

/** The longest turn of a job that the settings allow. */
const TURN_MS = 60_000

/**
 * A harness for what a job costs. How large a step is depends on how quickly the database answers: to the Worker each call of
 * it takes no time, however slow this machine is. `vi.restoreAllMocks` puts the clock back.
 */
export function timelessHarness(vars: Record<string, string> = {}): Harness {
  vi.spyOn(performance, 'now').mockReturnValue(0)
  return new Harness({ JOB_TURN_MS: String(TURN_MS), ...vars }, { statementMs: 0 })
}
