import { vi } from 'vitest'

/** The limit is above what anything takes, also on a machine that is busy with much else. */
const WITHIN_MS = 60_000

/** Waits until an expectation holds. */
export const eventually = (expectation: () => unknown): Promise<unknown> =>
  vi.waitFor(expectation, { timeout: WITHIN_MS, interval: 20 })
