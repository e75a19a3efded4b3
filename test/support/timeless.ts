import { vi } from 'vitest'
import { MINUTE_MS } from '../../src/time-units.ts'
import { Harness, type HarnessVars } from './harness.ts'

/**
 * A harness for what a job costs. How large a step is depends on how quickly the database answers: to the Worker each call of
 * it takes no time, however slow this machine is. `vi.restoreAllMocks` puts the clock back.
 */
export function timelessHarness(vars: HarnessVars = {}): Harness {
  vi.spyOn(performance, 'now').mockReturnValue(0)
  return new Harness({ JOB_TUNING: { sliceMs: MINUTE_MS }, ...vars }, { statementMs: 0 })
}
