import type { Held } from './platform/database-site.ts'

export interface Slow {
  at: number
  ms: number
}

/**
 * Describes who used the database while slow calls waited for it: on whose behalf, how many of these calls were
 * affected, and for how long altogether. `getName` groups callers that are the same for the test.
 */
export function holdersDuring(slow: readonly Slow[], held: readonly Held[], getName: (by: string) => string) {
  const rows = new Map<string, { by: string; calls: number; ms: number }>()
  for (const { at, ms } of slow) {
    const met = new Map<string, number>()
    for (const { by, startedAt, endedAt } of held) {
      const overlap = Math.min(endedAt, at + ms) - Math.max(startedAt, at)
      if (overlap > 0) met.set(getName(by), (met.get(getName(by)) ?? 0) + overlap)
    }
    for (const [by, overlap] of met) {
      const row = rows.get(by) ?? { by, calls: 0, ms: 0 }
      rows.set(by, { by, calls: row.calls + 1, ms: Math.round(row.ms + overlap) })
    }
  }
  return [...rows.values()].sort((one, other) => other.ms - one.ms)
}
