import type { Procedure } from '../../../procedure/model.ts'
import { STATUSES } from '../../../procedure/model.ts'
import { toStatusNumber } from '../../fields.ts'
import type { Condition, Equality, Range } from './condition.ts'
import { isSameField } from './condition.ts'

/** Tells whether a filter matches every process, whatever is stored. Requests that change all matches ask for a confirmation then. */
export function matchesEverything(condition: Condition, procedure: Procedure, now: number): boolean {
  switch (condition.kind) {
    case 'all':
      return condition.parts.every(part => matchesEverything(part, procedure, now))
    case 'any':
      return condition.parts.some(
        (part, index) =>
          matchesEverything(part, procedure, now) ||
          condition.parts.slice(index + 1).some(other => areComplements(part, other)),
      )
    case 'equal':
      return namesEveryValue(condition, procedure)
    case 'range':
      return spansAllTime(condition, now)
    case 'text':
      return false
  }
}

/** Tells whether a condition names all statuses, or all states. Every process has one of each. */
function namesEveryValue({ field, values, negated }: Equality, { states }: Procedure): boolean {
  if (negated) return false
  if (field.root === 'status') return STATUSES.every(status => values.includes(toStatusNumber(status)))
  return field.root === 'state' && states.every(({ shortId }) => values.includes(shortId))
}

/** Tells whether a range includes all times: every process was created and changed after 1970, and not after now. */
function spansAllTime({ field, operator, value }: Range, now: number): boolean {
  if (field.root !== 'createdAt' && field.root !== 'updatedAt') return false
  if (operator === '>' || operator === '>=') return Number(value) <= 0
  return operator === '<=' ? Number(value) >= now : Number(value) > now
}

const areComplements = (one: Condition, other: Condition): boolean =>
  one.kind === 'equal' &&
  other.kind === 'equal' &&
  one.negated !== other.negated &&
  one.unset === other.unset &&
  isSameField(one.field, other.field) &&
  one.values.length === other.values.length &&
  one.values.every(value => other.values.includes(value))
