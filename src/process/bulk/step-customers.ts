import { countFitting } from '../../bytes.ts'
import { findIdentities, type IdentityMatch } from '../../customer-record/identity-statements.ts'
import { toIdentityKey } from '../../customer-record/identity-values.ts'
import { listRequestedValues, type RequestedRecord } from '../../customer-record/requested-records.ts'
import type { Fault } from '../../errors.ts'
import type { Scope } from '../../scope.ts'
import { findRecordFaults } from '../customer.ts'

/**
 * The customers whom a step changes may be much larger than its entries: each part that fits a row of events is three statements.
 * Entries beyond this are left for the next step.
 */
const CUSTOMERS_BYTES_MAX = 8_000_000

/** Looks up the customers whom entries want. Entries that the step has no room for are left out. */
export async function findCustomers<Plan extends { wanted?: RequestedRecord | null; faults: Fault[] }>(
  scope: Scope,
  plans: readonly Plan[],
): Promise<{ step: readonly Plan[]; known: IdentityMatch[] }> {
  if (!plans.some(({ wanted }) => wanted)) return { step: plans, known: [] }
  const known = await findIdentities(
    scope,
    plans.flatMap(({ wanted }) => (wanted ? listRequestedValues(wanted) : [])),
  )
  const step = plans
    .slice(0, countInStep(plans, known))
    .map(plan => ({ ...plan, faults: [...plan.faults, ...findRecordFaults(plan.wanted ?? null, known)] }))
  return { step, known }
}

/** How many of the entries the step has room for. `known` has all that was looked up for them. */
function countInStep(plans: readonly { wanted?: RequestedRecord | null }[], known: readonly IdentityMatch[]): number {
  const owners = new Map(known.map(row => [toIdentityKey(row), row]))
  const counted = new Set<number>()
  const bytes = plans.map(({ wanted }) => {
    let sum = 0
    for (const value of wanted ? listRequestedValues(wanted) : []) {
      const owner = owners.get(toIdentityKey(value))
      if (!owner || counted.has(owner.record)) continue
      counted.add(owner.record)
      sum += owner.bytes
    }
    return sum
  })
  return countFitting(bytes, CUSTOMERS_BYTES_MAX)
}
