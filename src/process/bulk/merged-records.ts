import { countFitting } from '../../bytes.ts'
import { keyOfIdentity, type WantedRecord, wantedValues } from '../../record/drafts.ts'
import type { FoundIdentity } from '../../record/identity.ts'

/**
 * What a step merges into may be much larger than its entries: each part that fits a row of events is three statements.
 * Entries beyond this are left for the next step.
 */
const MERGED_BYTES_MAX = 8_000_000

/** How many of the entries the step has room for. `known` has all that was looked up for them. */
export function countInStep(
  plans: readonly { wanted: WantedRecord | null }[],
  known: readonly FoundIdentity[],
): number {
  const owners = new Map(known.map(row => [keyOfIdentity(row), row]))
  const counted = new Set<number>()
  const bytes = plans.map(({ wanted }) => {
    let sum = 0
    for (const value of wanted ? wantedValues(wanted) : []) {
      const owner = owners.get(keyOfIdentity(value))
      if (!owner || counted.has(owner.record)) continue
      counted.add(owner.record)
      sum += owner.bytes
    }
    return sum
  })
  return countFitting(bytes, MERGED_BYTES_MAX)
}
